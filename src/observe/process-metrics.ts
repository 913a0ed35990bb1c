/** Metrics of a process: memory, CPU time, open files, event loop delay. */
import { descriptors } from '../base/files/descriptors.ts';
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
      ...memory(),
      ...openFiles(),
      family('process_cpu_seconds_total', 'counter', 'Processor time used.', { value: (user + system) / 1e6 }),
    ];
  }
}

function memory(): Family[] {
  try {
    return [family('process_resident_memory_bytes', 'gauge', 'Memory in use.', { value: process.memoryUsage.rss() })];
  } catch {
    // Reading the file needs a descriptor, and none may be free.
    return [];
  }
}

function openFiles(): Family[] {
  const known = descriptors();
  if (known === undefined) return [];
  return [
    family('process_open_fds', 'gauge', 'File descriptors in use, most of them connections.', { value: known.open }),
    family('process_max_fds', 'gauge', 'Limit of file descriptors.', { value: known.limit }),
  ];
}
