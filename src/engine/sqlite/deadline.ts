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
/** Not 0 as soon as what is under way is to give way to others. Another thread tells it so, since this one is at work. */
let others: Int32Array | undefined;
/** How many more steps may be taken where the requests are. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** The statement has taken more steps than it may take where it runs. */
export class TooLongHere extends Error {}

export function allowSteps(count: number): void {
  stepsLeft = count;
}

/** What is under way has ended, since others wait for it: it is to be undone, and may begin anew after them. */
export class GaveWay extends Error {}

/** From now on, by a clock that nobody sets. */
export function setDeadline(milliseconds: number, givesWayTo?: Int32Array): void {
  endsAt = performance.now() + milliseconds;
  others = givesWayTo;
}

export function clearDeadline(): void {
  endsAt = Number.POSITIVE_INFINITY;
  others = undefined;
}

export function timeLeft(): number {
  return endsAt - performance.now();
}

export function checkDeadline(): void {
  if (endsAt === Number.POSITIVE_INFINITY || performance.now() <= endsAt) return;
  throw new Refusal('57014', 'canceling statement due to statement timeout', {
    hint: 'Filter by an indexed field, or ask for a smaller page.',
  });
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
  if (others !== undefined && Atomics.load(others, 0) !== 0) throw new GaveWay();
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
