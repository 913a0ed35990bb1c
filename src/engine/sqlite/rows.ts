/** Rows as SQLite gives them. It has no booleans: the columns that are some hold 0 and 1. */
import type { Row } from '../../collection/value.ts';
import { oncePer } from '../../once-per.ts';
import type { Shape } from '../../plan/types.ts';
import type { Statement } from '../compile/statement.ts';
import type { Connection } from './connection.ts';

const booleansAmong = oncePer((columns: Shape['columns']): readonly string[] =>
  columns.filter(({ expression }) => expression.type === 'bool').map(({ name }) => name),
);

/** What the statement of this shape finds. */
export function readRows(connection: Connection, shape: Shape, statement: Statement): readonly Row[] {
  return withBooleans(connection.rows(statement), booleanColumns(shape));
}

export function booleanColumns({ columns }: Shape): readonly string[] {
  return booleansAmong(columns);
}

export function withBooleans(rows: Row[], columns: readonly string[]): Row[] {
  if (columns.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map((name) => [name, row[name] === null ? null : row[name] === 1])),
  }));
}
