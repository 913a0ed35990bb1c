/** Wires up the log, the metrics, the health checks and their pages. */
import manifest from '../../package.json' with { type: 'json' };
import { ApiError, isUnexpected } from '../base/errors.ts';
import type { Metric } from '../base/metric.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { pathAndQuery } from '../http/call.ts';
import type { Pages } from '../http/pages.ts';
import { planRead } from '../plan/read/read.ts';
import { ALWAYS, type ReadPlan } from '../plan/types.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { CompletedRequest } from '../response/request-context.ts';
import type { ServeSettings } from '../settings/by-command.ts';
import { type Family, family, familyOf, metric } from './exposition.ts';
import { Health, healthPages, type ServiceStatus } from './health.ts';
import type { Log } from './log.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

function logAnswers(log: Log): (answer: CompletedRequest) => void {
  return ({ id, call, status, started, milliseconds, rows, error, caller }) => {
    const level = isUnexpected(error) ? 'error' : 'info';
    if (!log.enabled(level)) return;
    const line = {
      id,
      method: call.method,
      path: withoutSecrets(pathAndQuery(call.requestUrl)),
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      rows,
      role: caller?.role,
      name: caller?.name,
    };
    const at = performance.timeOrigin + started + milliseconds;
    if (error === undefined) log.write(level, 'request', line, at);
    else if (error instanceof ApiError) {
      log.write(level, 'request', { ...line, code: error.code, reason: error.cause as string | undefined }, at);
    } else log.write(level, 'request', { ...line, fault: error instanceof Error ? error.stack : String(error) }, at);
  };
}

/** Logs a response whose body ended early. */
function logCuts(log: Log): (answer: CompletedRequest, error: unknown) => void {
  return ({ id, call: { method, requestUrl }, rows }, error) => {
    const reason = error instanceof Error ? error.message : String(error);
    log.write('warn', 'answer cut short', { id, method, path: withoutSecrets(pathAndQuery(requestUrl)), rows, reason });
  };
}

/** Parameters in which some clients send a secret, and the one that makes a signed URL of a file valid. */
const SECRETS = /([?&](?:apikey|api_key|access_token|token|jwt|password|secret|signature)=)[^&]*/gi;
/** A quick test for their endings, which rarely match. */
const PERHAPS_SECRET = /(?:key|token|jwt|password|secret|signature)=/i;

function withoutSecrets(path: string): string {
  return PERHAPS_SECRET.test(path) ? path.replace(SECRETS, '$1***') : path;
}

/** Logs slow queries with the engine's query plan. A plan contains nothing of a body. */
function logSlowQueries(
  log: Log,
  engine: () => Engine | undefined,
  thresholdMs: number,
): (answer: CompletedRequest) => void {
  return ({ started, milliseconds, plan, call: { method }, id, rows }) => {
    if (milliseconds < thresholdMs || plan === undefined || !log.enabled('warn')) return;
    // Waiting for an unavailable database does not make a query slow.
    const downtimeMs = engine()?.downtimeSince?.(started) ?? 0;
    if (milliseconds - downtimeMs < thresholdMs) return;
    const fields = { id, method, ms: Math.round(milliseconds - downtimeMs), rows };
    const read = findRows(plan);
    if (read === undefined) return log.write('warn', 'slow query', fields);
    // Asks for the plan after the response.
    setImmediate(async () => {
      try {
        const explained = await engine()?.explain?.(read, [], 'text');
        log.write('warn', 'slow query', { ...fields, plan: explained && String(explained.plan) });
      } catch {
        log.write('warn', 'slow query', fields);
      }
    });
  };
}

/** The read that finds the rows of a read or write. */
function findRows(plan: ReadPlan | WritePlan): ReadPlan | undefined {
  if (plan.kind === 'read') return plan;
  if (plan.kind !== 'update' && plan.kind !== 'delete') return undefined;
  const { where = ALWAYS, bound } = plan;
  return { kind: 'read', from: plan.into, columns: [], order: bound?.order ?? [], where, offset: bound?.offset ?? 0 };
}

const BATCH_SIZE = 128;
const WAIT_MS = 50;

interface ObservedSources {
  /** Undefined until the database is open. */
  readonly engine: () => Engine | undefined;
  /** The number of requests in flight. */
  readonly inProgress: () => number;
  readonly app: () => readonly Metric[];
  /** The supervisor's report, if this process is one of several. */
  readonly whole: ServiceStatus | undefined;
}

export class Observation {
  readonly health: Health;
  /** The report of this process alone. */
  readonly status: ServiceStatus;
  /** Pages on the public port. */
  readonly pages: Pages;
  /** Pages on the admin port. */
  readonly adminPages: Pages;
  readonly onCut: (answer: CompletedRequest, error: unknown) => void;
  private readonly watchers: ((answer: CompletedRequest) => void)[];
  private waiting: CompletedRequest[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(catalogue: Catalogue, settings: ServeSettings, log: Log, sources: ObservedSources) {
    const { engine } = sources;
    const [collection] = catalogue.collections.values();
    this.health = new Health(engine, planRead(collection!, EMPTY_QUERY, { offset: 0, limit: 0 }, undefined));
    const requests = new RequestMetrics();
    const ownProcess = new ProcessMetrics();
    const families = (): Family[] => {
      this.settle();
      return [
        family('catalogue_build_info', 'gauge', 'The version that runs.', {
          value: 1,
          labels: { version: manifest.version, bun: Bun.version },
        }),
        metric('catalogue_ready', 'gauge', 'Whether the service takes requests: 1 or 0.', Number(this.health.isReady)),
        ...requests.families(),
        metric('catalogue_http_requests_in_progress', 'gauge', 'Requests being answered.', sources.inProgress()),
        ...[...(engine()?.metrics?.() ?? []), ...sources.app()].map(familyOf),
        ...ownProcess.families(),
      ];
    };
    this.status = { notReady: () => this.health.notReady(), families };
    const status = sources.whole ?? this.status;
    this.adminPages = healthPages(status, { metrics: true });
    this.pages = settings.adminPort === undefined ? this.adminPages : healthPages(status, { metrics: false });
    this.onCut = logCuts(log);
    this.watchers = [requests.count, logAnswers(log)];
    if (settings.slowQueryMs > 0) this.watchers.push(logSlowQueries(log, engine, settings.slowQueryMs));
  }

  /**
   * Batches completed requests: otherwise a repeated response takes 10 to 20 % more CPU time at the default log level.
   */
  readonly onAnswer = (answer: CompletedRequest): void => {
    this.waiting.push(answer);
    if (this.waiting.length >= BATCH_SIZE || isUnexpected(answer.error)) this.settle();
    else this.timer ??= setTimeout(this.settle, WAIT_MS);
  };

  /** Counts and logs all completed requests now. */
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
