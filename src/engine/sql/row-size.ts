/** Estimates the size of result rows: a few fields may be long, and one may be selected many times. */

import { SHORT_ROW_BYTES } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import type { Field } from '../../collection/declaration.ts';
import { isLong } from '../../collection/types/type.ts';
import type { Expression, OrderKey, OutputColumn } from '../../plan/types.ts';

/** A number, date or column name with its punctuation. */
const SHORT_COLUMN_BYTES = 64;

/** The field that bounds the length of a value, if it may be long. */
export function longFieldOf(expression: Expression): Field | undefined {
  if (expression.kind === 'field') return isLong(expression.type) ? expression.field : undefined;
  return 'of' in expression && isLong(expression.type) ? longFieldOf(expression.of) : undefined;
}

/** For each column whose values may be long. */
export const longFields = memoize((columns: readonly OutputColumn[]): readonly Field[] =>
  columns.flatMap(({ expression }) => longFieldOf(expression) ?? []),
);

function maxBytesOf(expression: Expression): number {
  if (isEmbedding(expression)) return Number.POSITIVE_INFINITY;
  return longFieldOf(expression)?.maxBytes ?? SHORT_COLUMN_BYTES;
}

/** Whether it contains related rows, whose number is unknown. */
export function isEmbedding(expression: Expression): boolean {
  return expression.kind === 'embed' || ('of' in expression && isEmbedding(expression.of));
}

export const anyEmbedded = memoize((columns: readonly OutputColumn[]): boolean =>
  columns.some(({ expression }) => isEmbedding(expression)),
);

const maxBytesOfColumns = memoize((columns: readonly OutputColumn[]): number =>
  columns.reduce((sum, { expression }) => sum + maxBytesOf(expression), 0),
);

/** The size of a row with short values: names, punctuation and short embedded rows. */
export const minRowBytes = memoize((columns: readonly OutputColumn[]): number =>
  columns.reduce((sum, { name, expression }) => {
    return sum + name.length + '"":0,'.length + SHORT_ROW_BYTES * rowsWithin(expression);
  }, 0),
);

/** The number of nested to-one rows; lists are counted separately. */
function rowsWithin(expression: Expression): number {
  if (expression.kind !== 'embed' || expression.many) return 0;
  return expression.plan.columns.reduce((sum, column) => sum + rowsWithin(column.expression), 1);
}

/** The maximum size of a row with its order keys. Rows stored before a limit was lowered may exceed it. */
export function maxRowBytes(
  columns: readonly OutputColumn[],
  { keys = [] }: { readonly keys?: readonly OrderKey[] },
): number {
  return keys.reduce((sum, { expression }) => sum + maxBytesOf(expression), maxBytesOfColumns(columns));
}

/** How often the most repeated field is selected. */
export const maxFieldRepeats = memoize((columns: readonly OutputColumn[]): number => {
  const counts = new Map<Field, number>();
  for (const { expression } of columns) {
    const field = longFieldOf(expression);
    if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return Math.max(1, ...counts.values());
});
