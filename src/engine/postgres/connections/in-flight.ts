/**
 * The statements in flight on a pool, each with a deadline. PostgreSQL itself stops a statement at `statement_timeout`, so a
 * statement that is unanswered two seconds later runs on a silent connection, or waits for a synchronous standby. One clock
 * serves all statements: a timer for each would cost more than the rest of a short read.
 *
 * The driver queues statements on shared connections, in their order. A queued statement is not late, so only the oldest one on
 * shared connections has a deadline: no other statement can be before it on its connection.
 */
import type { ReservedSQL, SQL } from 'bun';

const TICK_MS = 500;
/** A statement in flight for longer may be waiting for a server that is gone. */
const SLOW_MS = 1_000;
/** The time that an answer may take beyond `statement_timeout`. */
const MARGIN_MS = 2_000;

/** The connection did not answer a statement by its deadline. */
export class SilentConnection extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_LOST';

  constructor() {
    super('a connection does not answer');
  }
}

export interface Watcher {
  /** Called twice a second while a statement is slow. */
  readonly slow?: () => void;
  /** Called when a statement on a shared connection passes its deadline. The driver does not say which connection that is. */
  readonly silent: () => void;
}

interface InFlightStatement {
  readonly since: number;
  readonly expire: () => void;
}

export class InFlight {
  private readonly shared = new Set<InFlightStatement>();
  /** In the order of their deadlines, because all get the same time. */
  private readonly dedicated = new Set<InFlightStatement>();
  /** The oldest statement on shared connections, and the tick that found it. */
  private oldest: InFlightStatement | undefined;
  private oldestSince = 0;
  private readonly limitMs: number;
  private timer: ReturnType<typeof setInterval> | undefined;
  private tickedAt = 0;

  constructor(
    querySeconds: number,
    private readonly watcher: Watcher,
  ) {
    this.limitMs = querySeconds * 1000 + MARGIN_MS;
  }

  get size(): number {
    return this.shared.size + this.dedicated.size;
  }

  /** Settles as the query does, or rejects with SilentConnection at the deadline. A dedicated connection is closed then. */
  track<T>(query: Promise<T>, dedicated: ReservedSQL | undefined): Promise<T> {
    const statements = dedicated === undefined ? this.shared : this.dedicated;
    return new Promise((resolve, reject) => {
      const expire = () => {
        statements.delete(statement);
        reject(new SilentConnection());
        if (dedicated === undefined) this.watcher.silent();
        else void dedicated.close({ timeout: 0 }).catch(() => undefined);
      };
      const statement: InFlightStatement = { since: performance.now(), expire };
      statements.add(statement);
      if (this.timer === undefined) this.start();
      query.then(
        (result) => {
          statements.delete(statement);
          resolve(result);
        },
        (error) => {
          statements.delete(statement);
          reject(error);
        },
      );
    });
  }

  private start(): void {
    this.tickedAt = performance.now();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  private tick(): void {
    const now = performance.now();
    // A late tick means that this process was held up: answers may be waiting, and are read first.
    const isLate = now - this.tickedAt > 2 * TICK_MS;
    this.tickedAt = now;
    if (isLate) return;
    const [oldest] = this.shared;
    const [longest] = this.dedicated;
    if ([oldest, longest].some((statement) => statement !== undefined && now - statement.since > SLOW_MS)) {
      this.watcher.slow?.();
    }
    if (oldest !== this.oldest) {
      this.oldest = oldest;
      this.oldestSince = now;
    } else if (this.oldestSince + this.limitMs <= now) oldest?.expire();
    for (const { since, expire } of this.dedicated) {
      if (since + this.limitMs > now) break;
      expire();
    }
    if (this.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** A property of pools and dedicated connections: a WeakMap would cost each write more than the tracking itself. */
const IN_FLIGHT = Symbol('statements in flight');

interface Tracked {
  [IN_FLIGHT]?: InFlight;
}

/** Tracks the statements that run on this pool, and on connections reserved from it, from now on. */
export function trackStatements(pool: SQL, querySeconds: number, watcher: Watcher): InFlight {
  const inFlight = new InFlight(querySeconds, watcher);
  (pool as Tracked)[IN_FLIGHT] = inFlight;
  return inFlight;
}

export function trackLikePool(connection: ReservedSQL, pool: SQL): void {
  const { [IN_FLIGHT]: inFlight } = pool as Tracked;
  if (inFlight !== undefined) (connection as Tracked)[IN_FLIGHT] = inFlight;
}

/** Lifts the deadline of a connection, as `statement_timeout = 0` does on the server. */
export function stopTracking(connection: object): void {
  delete (connection as Tracked)[IN_FLIGHT];
}

/** Tracks a statement, if its pool is tracked. */
export function track<T>(runner: object, query: Promise<T>): Promise<T> {
  const inFlight = (runner as Tracked)[IN_FLIGHT];
  if (inFlight === undefined) return query;
  return inFlight.track(query, 'release' in runner ? (runner as ReservedSQL) : undefined);
}
