/**
 * The time limit of a statement. SQLite gives no way to interrupt one from its own thread, so whatever takes time counts its
 * steps here, and after so many of them the clock is looked at: every row that a statement visits, every text that is tested.
 */
import type { Database } from 'bun:sqlite';
import { Refusal } from '../../errors.ts';

export const GUARD = 'within_deadline()';
/** Looking at the clock costs more than counting. */
const STEPS_BETWEEN_LOOKS = 65_536;
/** What a row counts for; the characters of a text count for about one each. */
const STEPS_OF_A_ROW = 256;

/** One thread carries out one statement at a time: this is the time limit of the one under way. */
let endsAt = Number.POSITIVE_INFINITY;
let steps = 0;
let untilLook = STEPS_BETWEEN_LOOKS;
const SMALLER_READ = 'Filter by an indexed field, or ask for a smaller page.';
/** What to do about a statement that takes longer than its limit. */
let hint = SMALLER_READ;
/** How many more steps may be taken where the requests are. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** The statement has taken more steps than it may take where it runs. */
export class TooLongHere extends Error {}

export function allowSteps(count: number): void {
  stepsLeft = count;
}

/** Sets the limit from now on, by a monotonic clock. */
export function setDeadline(milliseconds: number, whenLate = SMALLER_READ): void {
  endsAt = performance.now() + milliseconds;
  hint = whenLate;
}

/** Runs a part of the work with a limit of its own, within the limit of the whole. */
export function limitPart<T>(milliseconds: number, whenLate: string, work: () => T): T {
  const whole = { endsAt, hint };
  if (performance.now() + milliseconds < endsAt) setDeadline(milliseconds, whenLate);
  try {
    return work();
  } finally {
    ({ endsAt, hint } = whole);
  }
}

export function clearDeadline(): void {
  endsAt = Number.POSITIVE_INFINITY;
}

export function checkDeadline(): void {
  if (endsAt === Number.POSITIVE_INFINITY || performance.now() <= endsAt) return;
  throw new Refusal('57014', 'canceling statement due to statement timeout', { hint });
}

/** Counts work that is done, or about to be; throws where the time is up. */
export function spend(count: number): void {
  steps += count;
  stepsLeft -= count;
  if (stepsLeft < 0) throw new TooLongHere();
  untilLook -= count;
  if (untilLook > 0) return;
  untilLook = STEPS_BETWEEN_LOOKS;
  checkDeadline();
}

export function spendRow(): void {
  spend(STEPS_OF_A_ROW);
}

export function spendRows(count: number): void {
  spend(count * STEPS_OF_A_ROW);
}

/** All that was counted on this thread. */
export function stepsSpent(): number {
  return steps;
}

export function defineGuard(db: Database): void {
  db.function('within_deadline', () => {
    spendRow();
    return 1;
  });
}
