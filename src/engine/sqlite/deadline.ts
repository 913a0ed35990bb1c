/**
 * The time limit of a statement. SQLite gives no way to interrupt one from its own thread, so every row it visits asks
 * a function of ours, which ends the statement when its time is up; a pattern that is long at one row asks by itself.
 */
import type { Database } from 'bun:sqlite';
import { Refusal } from '../../errors.ts';

export const GUARD = 'within_deadline()';
/** Looking at the clock costs more than counting. */
const ROWS_BETWEEN_LOOKS = 256;

/** One thread carries out one statement at a time: this is the time limit of the one under way. */
let endsAt = Number.POSITIVE_INFINITY;

/** From now on, by a clock that nobody sets. */
export function setDeadline(milliseconds: number): void {
  endsAt = performance.now() + milliseconds;
}

export function clearDeadline(): void {
  endsAt = Number.POSITIVE_INFINITY;
}

export function checkDeadline(): void {
  if (endsAt === Number.POSITIVE_INFINITY || performance.now() <= endsAt) return;
  throw new Refusal('57014', 'canceling statement due to statement timeout', {
    hint: 'Filter by an indexed field, or ask for a smaller page.',
  });
}

export function defineGuard(db: Database): void {
  let rows = 0;
  db.function('within_deadline', () => {
    if (++rows % ROWS_BETWEEN_LOOKS === 0) checkDeadline();
    return 1;
  });
}
