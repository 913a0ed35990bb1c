/**
 * The statements in flight on a pool, each with a deadline. PostgreSQL itself stops a statement at `statement_timeout`.
 * A statement without a response a second later runs on an unresponsive connection, or waits for a synchronous
 * standby. One clock serves all statements: a timer for each would cost more than the rest of a short read.
 *
 * The driver queues statements on shared connections in their order. A queued statement is not late, so only the
 * oldest one on shared connections has a deadline: no other statement can be before it on its connection.
 */
import { ConnectionUnresponsive } from '../errors.ts';

const TICK_MS = 250;
/** The time that an answer may take beyond `statement_timeout`. The clock notices its end up to two ticks later. */
const MARGIN_MS = 1_000;
/** Ticks further apart show that this process was held up. */
const HELD_UP_MS = 1_000;

interface InFlightStatement {
  readonly since: number;
  readonly expire: () => void;
}

let waiting: (() => void)[] = [];

/**
 * Passes the results of a turn of the event loop on after it, one right after the other. With system calls in between,
 * the processor loads the code of each step again: a read of 32 clients takes 6 to 9 % more CPU time.
 */
function afterTurn(pass: () => void): void {
  if (waiting.push(pass) > 1) return;
  setImmediate(() => {
    const all = waiting;
    waiting = [];
    for (const each of all) each();
  });
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

  constructor(querySeconds: number) {
    this.limitMs = querySeconds * 1000 + MARGIN_MS;
  }

  get size(): number {
    return this.shared.size + this.dedicated.size;
  }

  /** Settles as the query does. At the deadline it rejects with ConnectionUnresponsive and calls `onUnresponsive`. */
  track<T>(query: Promise<T>, kind: 'shared' | 'dedicated', onUnresponsive: () => void): Promise<T> {
    const statements = this[kind];
    return new Promise((resolve, reject) => {
      const expire = () => {
        statements.delete(statement);
        reject(new ConnectionUnresponsive());
        onUnresponsive();
      };
      const now = performance.now();
      const statement: InFlightStatement = { since: now, expire };
      statements.add(statement);
      if (this.timer === undefined) {
        this.tickedAt = now;
        this.timer = setInterval(() => this.tick(), TICK_MS).unref();
      }
      const settle = <V>(end: (value: V) => void) => {
        return (value: V) => {
          statements.delete(statement);
          if (kind === 'shared') afterTurn(() => end(value));
          else end(value);
        };
      };
      query.then(settle(resolve), settle(reject));
    });
  }

  private tick(): void {
    const now = performance.now();
    // Answers may be waiting, and are read first.
    const wasHeldUp = now - this.tickedAt > HELD_UP_MS;
    this.tickedAt = now;
    if (wasHeldUp) return;
    const [oldest] = this.shared;
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
