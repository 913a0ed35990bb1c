/** Byte budgets of statements, in total or per row. Statements that may exceed them count bytes row by row. */
import type { Database } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import { MAX_RETURNED_BYTES, MAX_ROW_BYTES, QUICK_ANSWER_BYTES, QUICK_PAGE_ROWS } from '../../../base/limits/engine.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import { returnTooLarge } from '../../shared/write-checks.ts';
import type { Output } from '../../sql/output.ts';
import { maxRowBytes } from '../../sql/row-size.ts';
import { allowSteps, StepBudgetExceeded, spendRow } from '../connection/deadline.ts';

/** A thread runs one statement at a time; this is the rest of its budget. */
let left = Number.POSITIVE_INFINITY;
/** The size of the current row with everything embedded in it. */
let rowBytes = 0;

/** The budget of a page that is read on the event loop. Rows below the share need no counting. */
export const PAGE = { bounded: 'rows', share: Math.floor(QUICK_ANSWER_BYTES / QUICK_PAGE_ROWS) } as const;

/** Sets the budgets of a read on the event loop. */
export function allowBytes(bytes: number, steps: number): void {
  left = bytes;
  rowBytes = 0;
  allowSteps(steps);
}

export function allowAnyBytes(): void {
  left = Number.POSITIVE_INFINITY;
  allowSteps(Number.POSITIVE_INFINITY);
}

/** Runs a write, or a part of it, that returns rows. */
export function withinReturned<T>(work: () => T): T {
  allowBytes(MAX_RETURNED_BYTES, Number.POSITIVE_INFINITY);
  try {
    return work();
  } catch (error) {
    throw error instanceof StepBudgetExceeded ? returnTooLarge() : error;
  } finally {
    allowAnyBytes();
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
  left -= bytes;
  if (left < 0) throw new StepBudgetExceeded();
}

export function rowTooLong(): ApiError {
  return new ApiError('54000', `a row of an answer may have ${MAX_ROW_BYTES} bytes`, {
    hint: 'Select fewer fields, or each only once; embed fewer rows, with a limit.',
  });
}

/** Counts bytes if a row could exceed the maximum row size. */
export function boundedRow({ columns }: ReadPlan, output: Output): Output {
  return maxRowBytes(columns, output) > MAX_ROW_BYTES ? { ...output, bounded: 'row' } : output;
}
