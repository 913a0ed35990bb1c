/** Finds the stored rows that match the rows of a file. */
import type { Collection, Field, Row, Value } from '../api/catalogue.ts';
import { keyText } from '../api/query/keys.ts';
import { readMatching } from '../api/stored-rows.ts';
import { askOnce, ROWS_PER_REQUEST } from './ask-once.ts';

/** The text of the values of these fields, to compare rows; undefined if one is missing. */
export function valuesText(fields: readonly Field[], read: (field: Field) => Value | undefined): string | undefined {
  const values = fields.map((field) => read(field) ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}

/** The stored rows by the text of their values. Rows of the file that are not looked up are undefined. */
export async function findMatching(
  collection: Collection,
  fields: readonly Field[],
  rows: readonly (Row | undefined)[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const found = new Map<string, Row>();
  for (let start = 0; start < rows.length; start += ROWS_PER_REQUEST) {
    const part = rows.slice(start, start + ROWS_PER_REQUEST).filter((row) => row !== undefined);
    const wanted = part.map((row) => Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])));
    const read = () => readMatching(collection, wanted, fields);
    for (const row of await askOnce(['stored', collection.name, wanted], read))
      found.set(keyText(collection, row), row);
  }
  return Map.groupBy(found.values(), (row) => valuesText(fields, ({ name }) => row[name]) ?? '');
}
