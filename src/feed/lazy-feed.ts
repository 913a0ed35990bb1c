/** The feed of a service, which is loaded when a client first follows a list. This keeps the start fast. */
import type { Metric } from '../base/metric.ts';
import type { Feed, FeedOptions } from './feed.ts';
import { feedMetrics } from './metrics.ts';

export class LazyFeed {
  private loaded: Feed | undefined;
  private isStopped = false;

  constructor(private readonly options: FeedOptions) {}

  readonly answer: Feed['answer'] = (...request) => this.load().answer(...request);

  /** Ends all feeds, and rejects further ones. */
  stop(): void {
    this.isStopped = true;
    this.loaded?.stop();
  }

  metrics(): readonly Metric[] {
    return this.loaded?.metrics() ?? feedMetrics(0, 0, 0);
  }

  private load(): Feed {
    if (this.loaded !== undefined) return this.loaded;
    this.loaded = new (require('./feed.ts') as typeof import('./feed.ts')).Feed(this.options);
    if (this.isStopped) this.loaded.stop();
    return this.loaded;
  }
}
