/** Byte budgets of statements, in total or per row. Statements that may exceed them count bytes row by row. */
import type { Database } from 'bun:sqlite';
import {
  INLINE_ANSWER_BYTES,
  INLINE_PAGE_ROWS,
  INLINE_STEPS,
  MAX_RETURNED_BYTES,
  MAX_ROW_BYTES,
} from '../../../base/limits/engine.ts';
import { returnTooLarge } from '../../shared/write-checks.ts';
import { rowTooLong } from '../../sql/row-size.ts';
import { allowSteps, StepBudgetExceeded, spendRow } from '../connection/deadline.ts';

/** A thread runs one statement at a time; this is the rest of its budget. */
let bytesLeft = Number.POSITIVE_INFINITY;
/** The size of the current row with everything embedded in it. */
let rowBytes = 0;

/** The budget of a page that is read on the event loop. Rows below the share need no counting. */
export const PAGE_BUDGET = { bounded: 'rows', share: Math.floor(INLINE_ANSWER_BYTES / INLINE_PAGE_ROWS) } as const;

/** Throws StepBudgetExceeded if a read on the event loop counts more bytes or steps. */
export function withinBudget<T>(bytes: number, work: () => T, steps = INLINE_STEPS): T {
  bytesLeft = bytes;
  rowBytes = 0;
  allowSteps(steps);
  try {
    return work();
  } finally {
    bytesLeft = Number.POSITIVE_INFINITY;
    allowSteps(Number.POSITIVE_INFINITY);
  }
}

/** Runs a write, or a part of it, that returns rows. */
export function withinReturned<T>(work: () => T): T {
  try {
    return withinBudget(MAX_RETURNED_BYTES, work, Number.POSITIVE_INFINITY);
  } catch (error) {
    throw error instanceof StepBudgetExceeded ? returnTooLarge() : error;
  }
}

/** Counts a row that a write returns. */
export function countReturned(row: string): string {
  spendRow();
  rowBytes = 0;
  count(row.length);
  return row;
}

export function defineByteBudget(db: Database): void {
  db.function('within_bytes', (bytes) => {
    rowBytes = 0;
    count(bytes);
    return 1;
  });
  db.function('embedded_bytes', (bytes) => {
    count(bytes);
    return 1;
  });
  db.function('counted', (text) => {
    if (text !== null) count(text.length);
    return text;
  });
  db.function('returned', countReturned);
}

function count(bytes: number): void {
  rowBytes += bytes;
  if (rowBytes > MAX_ROW_BYTES) throw rowTooLong();
  bytesLeft -= bytes;
  if (bytesLeft < 0) throw new StepBudgetExceeded();
}
