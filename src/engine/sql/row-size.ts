/** Estimates the size of result rows: a few fields may be long, and one may be selected many times. */
import { ApiError } from '../../base/errors.ts';
import { MAX_ROW_BYTES, SHORT_ROW_BYTES } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import { isLong } from '../../collection/types/type.ts';
import {
  type Expression,
  isSameField,
  namedField,
  type OrderKey,
  type OutputColumn,
  type ReadPlan,
} from '../../plan/types.ts';
import type { ByteBudget } from './statement.ts';

/** A number, date or column name with its punctuation. */
const SHORT_COLUMN_BYTES = 64;

interface OrderKeys {
  readonly keys?: readonly OrderKey[];
}

interface ColumnSizes {
  /** A field or translation for each column whose values may be long. */
  readonly longValues: readonly Expression[];
  readonly anyEmbedded: boolean;
  /** How often the most repeated long value is selected. */
  readonly repeats: number;
  readonly maxBytes: number;
  /** The size of a row with short values: names, punctuation and short embedded rows. */
  readonly minBytes: number;
}

/** Memoized: most requests share their column list. */
export const columnSizes = memoize((columns: readonly OutputColumn[]): ColumnSizes => {
  const expressions = columns.map(({ expression }) => expression);
  const longValues = expressions.flatMap((each) => longValueOf(each) ?? []);
  return {
    longValues,
    anyEmbedded: expressions.some(isEmbedding),
    repeats: Math.max(1, ...longValues.map((value) => longValues.filter((each) => isSameField(each, value)).length)),
    maxBytes: sum(expressions.map(maxBytesOf)),
    minBytes: sum(
      columns.map(({ name, expression }) => name.length + '"":0,'.length + SHORT_ROW_BYTES * rowsWithin(expression)),
    ),
  };
});

/** The field or translation that bounds the length of a value, if it may be long. */
export function longValueOf(expression: Expression): Expression | undefined {
  const field = namedField(expression);
  if (field !== undefined) return isLong(expression.type) && field.computedOf === undefined ? expression : undefined;
  return 'of' in expression && isLong(expression.type) ? longValueOf(expression.of) : undefined;
}

/** Whether it contains related rows, whose number is unknown. */
export function isEmbedding(expression: Expression): boolean {
  return (
    expression.kind === 'embed' || expression.kind === 'depth' || ('of' in expression && isEmbedding(expression.of))
  );
}

export function anyEmbedded(columns: readonly OutputColumn[]): boolean {
  return columnSizes(columns).anyEmbedded;
}

/** The maximum size of a row with its order keys. Rows stored before a limit was lowered may exceed it. */
export function maxRowBytes(columns: readonly OutputColumn[], { keys = [] }: OrderKeys): number {
  return columnSizes(columns).maxBytes + sum(keys.map(({ expression }) => maxBytesOf(expression)));
}

/** Adds a byte budget for each row if a row could exceed the maximum size. */
export function boundRow<T extends ByteBudget & OrderKeys>({ columns }: Pick<ReadPlan, 'columns'>, output: T): T {
  return maxRowBytes(columns, output) > MAX_ROW_BYTES ? { ...output, bounded: 'row' } : output;
}

export function rowTooLong(): ApiError {
  return new ApiError('54000', `a row of an answer may have ${MAX_ROW_BYTES} bytes`, {
    hint: 'Select fewer fields, or each only once; embed fewer rows, with a limit.',
  });
}

function maxBytesOf(expression: Expression): number {
  if (isEmbedding(expression)) return Number.POSITIVE_INFINITY;
  const value = longValueOf(expression);
  return (value && namedField(value))?.maxBytes ?? SHORT_COLUMN_BYTES;
}

/** The number of nested to-one rows; lists are counted separately. */
function rowsWithin(expression: Expression): number {
  if (expression.kind !== 'embed' || expression.many) return 0;
  return 1 + sum(expression.plan.columns.map((column) => rowsWithin(column.expression)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
