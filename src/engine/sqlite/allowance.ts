/** How many bytes a statement may read: of all its rows, or of each. Statements that may read more count them, row by row. */
import type { Database } from 'bun:sqlite';
import { Refusal } from '../../errors.ts';
import { MAX_RETURNED_BYTES, MAX_ROW_BYTES, QUICK_ANSWER_BYTES, QUICK_PAGE_ROWS } from '../../limits.ts';
import type { ReadPlan } from '../../plan/types.ts';
import type { Output } from '../compile/output.ts';
import { maxRowBytes } from '../compile/row-size.ts';
import { returnsTooMuch } from '../terms.ts';
import { allowSteps, spendRow, TooLongHere } from './deadline.ts';

/** One thread carries out one statement at a time: this is what is left of its allowance. */
let left = Number.POSITIVE_INFINITY;
/** Of the row that is being made, with all that is embedded in it. */
let rowBytes = 0;

/** How the rows of a page that is read between two requests are counted: all that are not counted are no more than it may have. */
export const PAGE = { bounded: 'rows', share: Math.floor(QUICK_ANSWER_BYTES / QUICK_PAGE_ROWS) } as const;

/** What a read may take between two requests. */
export function allow(bytes: number, steps: number): void {
  left = bytes;
  rowBytes = 0;
  allowSteps(steps);
}

export function allowAnything(): void {
  left = Number.POSITIVE_INFINITY;
  allowSteps(Number.POSITIVE_INFINITY);
}

/** A write, or a part of it, that gives rows back. */
export function withinReturned<T>(work: () => T): T {
  allow(MAX_RETURNED_BYTES, Number.POSITIVE_INFINITY);
  try {
    return work();
  } catch (error) {
    throw error instanceof TooLongHere ? returnsTooMuch() : error;
  } finally {
    allowAnything();
  }
}

/** A row that a write gives back. */
export function countReturned(row: string): string {
  spendRow();
  rowBytes = 0;
  count(row.length);
  return row;
}

export function defineAllowance(db: Database): void {
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
  if (left < 0) throw new TooLongHere();
}

export function rowTooLong(): Refusal {
  return new Refusal('54000', `a row of an answer may have ${MAX_ROW_BYTES} bytes`, {
    hint: 'Select fewer fields, or each only once; embed fewer rows, with a limit.',
  });
}

/** Where a row may be longer than any row may be, its bytes are counted. */
export function boundedRow({ columns }: ReadPlan, output: Output): Output {
  return maxRowBytes(columns, output) > MAX_ROW_BYTES ? { ...output, bounded: 'row' } : output;
}
