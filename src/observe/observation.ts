/** Everything that watches the service, put together: the log, the metrics, the health, and the pages that tell them. */

import type { Catalogue } from '../collection/declaration.ts';
import type { ServeSettings } from '../config.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine, Metric } from '../engine/engine.ts';
import { isFault } from '../errors.ts';
import type { Pages } from '../http/pages.ts';
import { planRead } from '../plan/read.ts';
import type { Answered } from '../response/trace.ts';
import { type Account, Health, healthPages } from './health.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { logAnswers, logCuts } from './requests.ts';
import { logSlowQueries } from './slow.ts';

const TOGETHER = 128;
const WAIT_MS = 50;

export interface Observed {
  /** Undefined until it is opened. */
  readonly engine: () => Engine | undefined;
  readonly inProgress: () => number;
  readonly app: () => readonly Metric[];
  /** Who tells of the service as a whole, where this process is one of several. */
  readonly whole: Account | undefined;
}

export class Observation {
  readonly health: Health;
  /** What this process alone has to tell. */
  readonly account: Account;
  /** For the port that everyone may reach. */
  readonly pages: Pages;
  /** For the port of those who run the service. */
  readonly adminPages: Pages;
  readonly onCut: (answer: Answered, error: unknown) => void;
  private readonly watchers: ((answer: Answered) => void)[];
  private waiting: Answered[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(catalogue: Catalogue, settings: ServeSettings, log: Log, observed: Observed) {
    const { engine } = observed;
    const [collection] = catalogue.collections.values();
    this.health = new Health(engine, planRead(collection!, EMPTY_QUERY, { offset: 0, limit: 0 }, undefined));
    const requests = new RequestMetrics();
    const isReady = () => this.health.isReady;
    const metrics = new Metrics({ requests, isReady, ...observed });
    const families = () => {
      this.settle();
      return metrics.families();
    };
    this.account = { notReady: () => this.health.notReady(), families };
    const told = observed.whole ?? this.account;
    this.adminPages = healthPages(told, { metrics: true });
    this.pages = settings.adminPort === undefined ? this.adminPages : healthPages(told, { metrics: false });
    this.onCut = logCuts(log);
    this.watchers = [requests.count, logAnswers(log)];
    if (settings.slowQueryMs > 0) this.watchers.push(logSlowQueries(log, engine, settings.slowQueryMs));
  }

  /** Many answers are counted and logged together: in one go that costs a fraction of what it does in between. */
  readonly onAnswer = (answer: Answered): void => {
    this.waiting.push(answer);
    if (this.waiting.length >= TOGETHER || isFault(answer.error)) this.settle();
    else this.timer ??= setTimeout(this.settle, WAIT_MS);
  };

  /** Whatever was answered so far is counted and in the log. */
  readonly settle = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    const answers = this.waiting;
    this.waiting = [];
    for (const watch of this.watchers) {
      for (const answer of answers) watch(answer);
    }
  };
}
