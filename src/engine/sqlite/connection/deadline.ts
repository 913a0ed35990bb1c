/**
 * Time limits of statements. SQLite cannot interrupt a statement from its own thread. So every visited row and tested
 * text counts steps here, and the clock is checked after a number of steps.
 */
import type { Database } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import { interruptedDryRun } from '../../shared/write-checks.ts';

export const GUARD = 'within_deadline()';
/** Reading the clock costs more than counting. */
const STEPS_BETWEEN_LOOKS = 65_536;
/** The steps of a row; a character of a text counts as about one. */
const STEPS_OF_A_ROW = 256;

/** A thread runs one statement at a time; this is its deadline. */
let endsAt = Number.POSITIVE_INFINITY;
let steps = 0;
let untilLook = STEPS_BETWEEN_LOOKS;
const SMALLER_READ = 'Filter by an indexed field, or ask for a smaller page.';
/** The hint for a statement that exceeds its time limit. */
let hint = SMALLER_READ;
/** Memory shared with the event loop, which sets it to end the dry run of this thread. */
export type Interruption = Int32Array<SharedArrayBuffer>;
let interruption: Interruption | undefined;
/** The remaining step budget of a read on the event loop. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** The read exceeded its step budget and must run on a thread. */
export class StepBudgetExceeded extends Error {}

export function allowSteps(count: number): void {
  stepsLeft = count;
}

export function setDeadline(milliseconds: number, whenLate = SMALLER_READ, interruptedBy?: Interruption): void {
  endsAt = performance.now() + milliseconds;
  hint = whenLate;
  interruption = interruptedBy;
}

/** Runs a part of the work with a limit of its own, within the limit of the whole. */
export function limitPart<T>(milliseconds: number, whenLate: string, work: () => T): T {
  const whole = { endsAt, hint };
  if (performance.now() + milliseconds < endsAt) setDeadline(milliseconds, whenLate, interruption);
  try {
    return work();
  } finally {
    ({ endsAt, hint } = whole);
  }
}

export function clearDeadline(): void {
  endsAt = Number.POSITIVE_INFINITY;
  interruption = undefined;
}

export function checkDeadline(): void {
  if (interruption !== undefined && Atomics.load(interruption, 0) !== 0) throw interruptedDryRun();
  if (endsAt === Number.POSITIVE_INFINITY || performance.now() <= endsAt) return;
  throw new ApiError('57014', 'canceling statement due to statement timeout', { hint });
}

/** Counts steps; throws after the deadline. */
export function spend(count: number): void {
  steps += count;
  stepsLeft -= count;
  if (stepsLeft < 0) throw new StepBudgetExceeded();
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

/** The total number of steps counted on this thread. */
export function stepsSpent(): number {
  return steps;
}

export function defineGuard(db: Database): void {
  db.function('within_deadline', () => {
    spendRow();
    return 1;
  });
}
