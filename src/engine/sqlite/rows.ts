/** SQLite has no booleans: the columns that are some hold 0 and 1. */
import type { Row } from '../../collection/value.ts';
import type { Shape } from '../../plan/types.ts';

/** Most requests have the same list of columns. */
const known = new WeakMap<Shape['columns'], readonly string[]>();

export function booleanColumns({ columns }: Shape): readonly string[] {
  let names = known.get(columns);
  if (names === undefined) {
    names = columns.filter(({ expression }) => expression.type === 'bool').map(({ name }) => name);
    known.set(columns, names);
  }
  return names;
}

export function withBooleans(rows: Row[], columns: readonly string[]): Row[] {
  if (columns.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map((name) => [name, row[name] === null ? null : row[name] === 1])),
  }));
}
