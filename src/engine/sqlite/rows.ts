/** SQLite has no booleans: the columns that are some hold 0 and 1. */
import type { Row } from '../../collection/value.ts';
import type { Shape } from '../../plan/types.ts';

const NONE: readonly string[] = [];

export function booleanColumns(shape: Shape): readonly string[] {
  if (!shape.columns.some(({ expression }) => expression.type === 'bool')) return NONE;
  return shape.columns.filter(({ expression }) => expression.type === 'bool').map(({ name }) => name);
}

export function withBooleans(rows: Row[], columns: readonly string[]): Row[] {
  if (columns.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map((name) => [name, row[name] === null ? null : row[name] === 1])),
  }));
}
