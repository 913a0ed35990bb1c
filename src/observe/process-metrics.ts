/** Metrics of a process: memory, CPU time, open files, event loop delay. */
import { descriptors } from '../base/files/descriptors.ts';
import { type Family, metric } from './exposition.ts';

export class ProcessMetrics {
  private readonly lag = new EventLoopLag();
  private readonly started = Date.now() / 1000 - process.uptime();

  families(): Family[] {
    const { last, worst } = this.lag.read();
    const { user, system } = process.cpuUsage();
    return [
      metric('catalogue_event_loop_lag_seconds', 'gauge', 'How late the event loop was when last looked at.', last),
      metric('catalogue_event_loop_lag_max_seconds', 'gauge', 'The worst since the metrics were last read.', worst),
      metric('process_start_time_seconds', 'gauge', 'When the process began.', this.started),
      ...memory(),
      ...openFiles(),
      metric('process_cpu_seconds_total', 'counter', 'Processor time used.', (user + system) / 1e6),
    ];
  }
}

function memory(): Family[] {
  try {
    return [metric('process_resident_memory_bytes', 'gauge', 'Memory in use.', process.memoryUsage.rss())];
  } catch {
    // Reading the file needs a descriptor, and none may be free.
    return [];
  }
}

function openFiles(): Family[] {
  const openDescriptors = descriptors();
  if (openDescriptors === undefined) return [];
  return [
    metric('process_open_fds', 'gauge', 'File descriptors in use, most of them connections.', openDescriptors.open),
    metric('process_max_fds', 'gauge', 'Limit of file descriptors.', openDescriptors.limit),
  ];
}

/** Measures the event loop's delay by the lateness of a timer. */
const EVERY_MS = 500;

class EventLoopLag {
  private last = 0;
  private worst = 0;
  private due = performance.now() + EVERY_MS;
  private readonly timer = setInterval(() => this.look(), EVERY_MS);

  constructor() {
    this.timer.unref();
  }

  /** In seconds: the current delay, and the worst since the last call. */
  read(): { last: number; worst: number } {
    const { last, worst } = this;
    this.worst = 0;
    return { last: last / 1000, worst: worst / 1000 };
  }

  private look(): void {
    const now = performance.now();
    this.last = Math.max(0, now - this.due);
    this.worst = Math.max(this.worst, this.last);
    this.due = now + EVERY_MS;
  }
}
