/** How long the rows of an answer can become: a few fields may be long, and one of them may be asked for many times. */
import type { Field } from '../../collection/declaration.ts';
import { isLong } from '../../collection/types/type.ts';
import { SHORT_ROW_BYTES } from '../../limits.ts';
import { oncePer } from '../../once-per.ts';
import type { Expression, OrderKey, OutputColumn } from '../../plan/types.ts';

/** A number, a date, a name of a column and what stands around them. */
const SHORT_COLUMN_BYTES = 64;

/** The field that a value is at most as long as, where it may be long at all. */
export function longFieldOf(expression: Expression): Field | undefined {
  if (expression.kind === 'field') return isLong(expression.type) ? expression.field : undefined;
  return 'of' in expression && isLong(expression.type) ? longFieldOf(expression.of) : undefined;
}

/** Of each column, where its values may be long. */
export const longFields = oncePer((columns: readonly OutputColumn[]): readonly Field[] =>
  columns.flatMap(({ expression }) => longFieldOf(expression) ?? []),
);

function maxBytesOf(expression: Expression): number {
  if (isEmbedded(expression)) return Number.POSITIVE_INFINITY;
  return longFieldOf(expression)?.maxBytes ?? SHORT_COLUMN_BYTES;
}

/** Whether it holds rows of another collection, of which nobody knows how many there are. */
export function isEmbedded(expression: Expression): boolean {
  return expression.kind === 'embed' || ('of' in expression && isEmbedded(expression.of));
}

export const holdEmbedded = oncePer((columns: readonly OutputColumn[]): boolean =>
  columns.some(({ expression }) => isEmbedded(expression)),
);

const maxBytesOfColumns = oncePer((columns: readonly OutputColumn[]): number =>
  columns.reduce((sum, { expression }) => sum + maxBytesOf(expression), 0),
);

/** What the names of the columns and the signs around their values take, however short these are, and short rows within the row. */
export const leastBytes = oncePer((columns: readonly OutputColumn[]): number =>
  columns.reduce((sum, { name, expression }) => {
    return sum + name.length + '"":0,'.length + SHORT_ROW_BYTES * rowsWithin(expression);
  }, 0),
);

/** The one other row that is shown, and those within it; lists count for themselves. */
function rowsWithin(expression: Expression): number {
  if (expression.kind !== 'embed' || expression.many) return 0;
  return expression.plan.columns.reduce((sum, column) => sum + rowsWithin(column.expression), 1);
}

/** Of a row with the order keys that come with it; what was stored before a limit was lowered may be longer. */
export function maxRowBytes(
  columns: readonly OutputColumn[],
  { keys = [] }: { readonly keys?: readonly OrderKey[] },
): number {
  return keys.reduce((sum, { expression }) => sum + maxBytesOf(expression), maxBytesOfColumns(columns));
}

/** How often the field that is asked for most often is. */
export const mostRepeats = oncePer((columns: readonly OutputColumn[]): number => {
  const counts = new Map<Field, number>();
  for (const { expression } of columns) {
    const field = longFieldOf(expression);
    if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return Math.max(1, ...counts.values());
});
