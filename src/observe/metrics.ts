/** All that /metrics tells: the requests, the engine, the process. */
import manifest from '../../package.json' with { type: 'json' };
import type { Engine, Reading } from '../engine/engine.ts';
import { EventLoopLag } from './event-loop.ts';
import { exposition, type Family, family } from './exposition.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface MetricSources {
  readonly requests: RequestMetrics;
  readonly engine: () => Engine | undefined;
  /** What the app itself keeps. */
  readonly app: () => readonly Reading[];
  readonly isReady: () => boolean;
  /** Requests that are being answered. */
  readonly inProgress: () => number;
}

export class Metrics {
  private readonly lag = new EventLoopLag();
  private readonly started = Date.now() / 1000 - process.uptime();

  constructor(private readonly sources: MetricSources) {}

  text(): string {
    const { requests, engine, app, isReady, inProgress } = this.sources;
    return exposition([
      family('catalogue_build_info', 'gauge', 'The version that runs.', {
        value: 1,
        labels: { version: manifest.version, bun: Bun.version },
      }),
      family('catalogue_ready', 'gauge', 'Whether the service takes requests: 1 or 0.', { value: Number(isReady()) }),
      ...requests.families(),
      family('catalogue_http_requests_in_progress', 'gauge', 'Requests being answered.', { value: inProgress() }),
      ...[...(engine()?.readings?.() ?? []), ...app()].map(({ name, kind, help, value }) =>
        family(`catalogue_${name}`, kind, help, { value }),
      ),
      ...this.process(),
    ]);
  }

  private process(): Family[] {
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
