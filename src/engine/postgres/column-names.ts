/**
 * The names of columns on their way to PostgreSQL and back. It cuts a name after 63 bytes, and two of them may be one then: a
 * list of columns with such a name goes under others.
 */
import type { Row } from '../../collection/value.ts';
import { oncePer } from '../../once-per.ts';
import type { OutputColumn, Shape } from '../../plan/types.ts';

/** NAMEDATALEN, less the byte that ends it. */
const MAX_NAME_BYTES = 63;

/** The same shape, with names that PostgreSQL keeps. */
export function keptNames<S extends Shape>(shape: S): S {
  const columns = keptColumns(shape.columns);
  return columns === shape.columns ? shape : { ...shape, columns };
}

/** What was found under those names, under the shape's own. */
export function ownNames(shape: Shape, rows: readonly Row[]): readonly Row[] {
  const { columns } = shape;
  const kept = keptColumns(columns);
  if (kept === columns) return rows;
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[kept[index]!.name]!])));
}

const keptColumns = oncePer((columns: readonly OutputColumn[]): readonly OutputColumn[] =>
  columns.every(({ name }) => isKept(name))
    ? columns
    : columns.map(({ expression }, index) => ({ name: `column ${index}`, expression })),
);

/** A row that is put together by assignment would take this name for its prototype. */
function isKept(name: string): boolean {
  return Buffer.byteLength(name) <= MAX_NAME_BYTES && name !== '__proto__';
}
