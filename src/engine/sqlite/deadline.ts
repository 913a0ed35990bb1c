/**
 * The time limit of a read. SQLite gives no way to interrupt a query from its own thread, so every row it visits asks
 * a function of ours, which ends the query when its time is up.
 */
import type { Database } from 'bun:sqlite';
import { Refusal } from '../../errors.ts';

export const GUARD = 'within_deadline()';
/** Looking at the clock costs more than counting. */
const ROWS_BETWEEN_LOOKS = 256;

export class Deadline {
  private at = Number.POSITIVE_INFINITY;
  private rows = 0;

  constructor(db: Database) {
    db.function('within_deadline', () => {
      if (++this.rows % ROWS_BETWEEN_LOOKS === 0) this.check();
      return 1;
    });
  }

  /** `at` in milliseconds since the epoch. */
  set(at: number): void {
    this.at = at;
    this.check();
  }

  private check(): void {
    if (Date.now() <= this.at) return;
    throw new Refusal('57014', 'canceling statement due to statement timeout', {
      hint: 'Filter by an indexed field, or ask for a smaller page.',
    });
  }
}
