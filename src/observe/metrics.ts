/** The metrics of one serving process: requests, engine, process. */
import manifest from '../../package.json' with { type: 'json' };
import type { Engine, Metric } from '../engine/engine.ts';
import { type Family, family, metric } from './exposition.ts';
import { ProcessMetrics } from './process-metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';

interface MetricSources {
  readonly requests: RequestMetrics;
  readonly engine: () => Engine | undefined;
  /** Metrics of the app. */
  readonly app: () => readonly Metric[];
  readonly isReady: () => boolean;
  /** The number of requests in flight. */
  readonly inProgress: () => number;
}

export class Metrics {
  private readonly process = new ProcessMetrics();

  constructor(private readonly sources: MetricSources) {}

  families(): Family[] {
    const { requests, engine, app, isReady, inProgress } = this.sources;
    return [
      family('catalogue_build_info', 'gauge', 'The version that runs.', {
        value: 1,
        labels: { version: manifest.version, bun: Bun.version },
      }),
      metric('catalogue_ready', 'gauge', 'Whether the service takes requests: 1 or 0.', Number(isReady())),
      ...requests.families(),
      metric('catalogue_http_requests_in_progress', 'gauge', 'Requests being answered.', inProgress()),
      ...[...(engine()?.metrics?.() ?? []), ...app()].map(({ name, kind, help, value }) =>
        metric(`catalogue_${name}`, kind, help, value),
      ),
      ...this.process.families(),
    ];
  }
}
