/**
 * The statements in flight on a pool, each with a deadline. PostgreSQL itself stops a statement at `statement_timeout`, so a
 * statement that is unanswered two seconds later runs on a silent connection, or waits for a synchronous standby. One clock
 * serves all statements: a timer for each would cost more than the rest of a short read.
 */
import { SilentConnection } from '../errors.ts';

const TICK_MS = 500;
/** The time that an answer may take beyond `statement_timeout`. */
const MARGIN_MS = 2_000;

interface InFlightStatement {
  readonly deadline: number;
  readonly expire: () => void;
}

export class InFlight {
  /** In the order of their deadlines, because all get the same time. */
  private readonly statements = new Set<InFlightStatement>();
  private readonly limitMs: number;
  private timer: ReturnType<typeof setInterval> | undefined;
  private tickedAt = 0;

  constructor(querySeconds: number) {
    this.limitMs = querySeconds * 1000 + MARGIN_MS;
  }

  get size(): number {
    return this.statements.size;
  }

  /** Settles as the query does. At the deadline it rejects with SilentConnection and calls `silent`. */
  track<T>(query: Promise<T>, silent: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.statements.delete(statement);
        reject(new SilentConnection());
        silent();
      };
      const now = performance.now();
      const statement: InFlightStatement = { deadline: now + this.limitMs, expire };
      this.statements.add(statement);
      if (this.timer === undefined) {
        this.tickedAt = now;
        this.timer = setInterval(() => this.tick(), TICK_MS).unref();
      }
      query.then(
        (result) => {
          this.statements.delete(statement);
          resolve(result);
        },
        (error) => {
          this.statements.delete(statement);
          reject(error);
        },
      );
    });
  }

  private tick(): void {
    const now = performance.now();
    // A late tick means that this process was held up: answers may be waiting, and are read first.
    const isLate = now - this.tickedAt > 2 * TICK_MS;
    this.tickedAt = now;
    if (isLate) return;
    for (const { deadline, expire } of this.statements) {
      if (deadline > now) break;
      expire();
    }
    if (this.statements.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
