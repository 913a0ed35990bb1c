/** Everything that watches the service, put together: the log, the metrics, the health, and the pages that tell them. */
import type { Answered } from '../app.ts';
import type { Collection } from '../collection/declaration.ts';
import type { ServeSettings } from '../config.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine, Reading } from '../engine/engine.ts';
import type { Pages } from '../http/pages.ts';
import { planReadItem } from '../plan/read.ts';
import { Health, healthPages } from './health.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { logAnswers } from './requests.ts';
import { logSlowQueries } from './slow.ts';

export interface Observed {
  /** Undefined until it is opened. */
  readonly engine: () => Engine | undefined;
  readonly inProgress: () => number;
  readonly app: () => readonly Reading[];
}

export class Observation {
  readonly health: Health;
  /** For the port that everyone may reach. */
  readonly pages: Pages;
  /** For the port of those who run the service. */
  readonly adminPages: Pages;
  readonly onAnswer: (answer: Answered) => void;

  constructor(collection: Collection, settings: ServeSettings, log: Log, observed: Observed) {
    const { engine } = observed;
    this.health = new Health(engine, planReadItem(collection, '0', EMPTY_QUERY));
    const requests = new RequestMetrics(`/${collection.name}`);
    const isReady = () => this.health.phase === 'serving';
    const metrics = new Metrics({ requests, isReady, ...observed });
    this.adminPages = healthPages(this.health, () => metrics.text());
    this.pages = settings.adminPort === undefined ? this.adminPages : healthPages(this.health, undefined);
    const logged = logAnswers(log);
    const logSlow = settings.slowQueryMs === 0 ? undefined : logSlowQueries(log, engine, settings.slowQueryMs);
    this.onAnswer = (answer) => {
      requests.count(answer);
      logged(answer);
      logSlow?.(answer);
    };
  }
}
