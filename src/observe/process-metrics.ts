/** What /metrics tells of a process: its memory, its processor time, and how late its event loop is. */
import { EventLoopLag } from './event-loop.ts';
import { type Family, family } from './exposition.ts';

export class ProcessMetrics {
  private readonly lag = new EventLoopLag();
  private readonly started = Date.now() / 1000 - process.uptime();

  families(): Family[] {
    const { last, worst } = this.lag.read();
    const { user, system } = process.cpuUsage();
    return [
      family('catalogue_event_loop_lag_seconds', 'gauge', 'How late the event loop was when last looked at.', {
        value: last,
      }),
      family('catalogue_event_loop_lag_max_seconds', 'gauge', 'The worst since the metrics were last read.', {
        value: worst,
      }),
      family('process_start_time_seconds', 'gauge', 'When the process began.', { value: this.started }),
      family('process_resident_memory_bytes', 'gauge', 'Memory in use.', { value: process.memoryUsage.rss() }),
      family('process_cpu_seconds_total', 'counter', 'Processor time used.', { value: (user + system) / 1e6 }),
    ];
  }
}
