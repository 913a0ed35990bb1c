/** Finds the stored rows that match the rows of a file. */
import type { Collection, Field, Row, Value } from '../api/catalogue.ts';
import { readMatching } from '../api/stored-rows.ts';

/** The text of the values of these fields, to compare rows; undefined if one is missing. */
export function valuesText(fields: readonly Field[], read: (field: Field) => Value | undefined): string | undefined {
  const values = fields.map((field) => read(field) ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}

export class MatchingRows {
  private readonly known = new Map<string, Map<string, readonly Row[]>>();

  constructor(private readonly collection: Collection) {}

  /** Returns the rows by the text of their values. Values that were requested before come from the cache. */
  async find(fields: readonly Field[], rows: readonly Row[]): Promise<ReadonlyMap<string, readonly Row[]>> {
    const textOf = (row: Row) => valuesText(fields, ({ name }) => row[name]) ?? '';
    const place = fields.map(({ name }) => name).join();
    const known = this.known.get(place) ?? new Map<string, readonly Row[]>();
    this.known.set(place, known);
    const wanted = new Map(rows.filter((row) => !known.has(textOf(row))).map((row) => [textOf(row), row]));
    const found = Map.groupBy(await readMatching(this.collection, [...wanted.values()], fields), textOf);
    for (const text of wanted.keys()) known.set(text, found.get(text) ?? []);
    return known;
  }
}
