/** Loads the stored rows that match a file, in batches. */
import type { Collection, Field, Row, Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { pathOf, withQuery } from '../api/query/filter-text.ts';
import { keysFilter } from '../api/query/keys.ts';
import { cacheTitles, selectTitles } from '../api/query/titles.ts';

/** Longest filter; below the limits of common proxies. */
const MAX_FILTER = 6_000;
const MAX_ROWS = 500;
/** Conditions per request; each row of a composite key takes one per field, and one for the group. */
const MAX_CONDITIONS = 450;

/** The text of the values of these fields, to compare rows; undefined if one is missing. */
export function valuesText(fields: readonly Field[], read: (field: Field) => Value | undefined): string | undefined {
  const values = fields.map((field) => read(field) ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}

export class StoredRows {
  private readonly known = new Map<string, Map<string, readonly Row[]>>();

  constructor(private readonly collection: Collection) {}

  /** Returns the rows by the text of their values. Values that were requested before come from the cache. */
  async find(fields: readonly Field[], rows: readonly Row[]): Promise<ReadonlyMap<string, readonly Row[]>> {
    const textOf = (row: Row) => valuesText(fields, ({ name }) => row[name]) ?? '';
    const place = fields.map(({ name }) => name).join();
    const known = this.known.get(place) ?? new Map<string, readonly Row[]>();
    this.known.set(place, known);
    const wanted = new Map(rows.filter((row) => !known.has(textOf(row))).map((row) => [textOf(row), row]));
    for (const part of partsOf([...wanted.values()], fields)) {
      const found = Map.groupBy(await readMatching(this.collection, fields, part), textOf);
      for (const row of part) known.set(textOf(row), found.get(textOf(row)) ?? []);
    }
    return known;
  }
}

export async function readMatching(
  collection: Collection,
  fields: readonly Field[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const select = selectTitles(collection);
  const url = `${pathOf(collection)}?${keysFilter({ ...collection, key: fields }, rows)}`;
  const { json } = await ask(withQuery(url, select === undefined ? '' : `select=${select}`));
  cacheTitles(collection, json as Row[]);
  return json as Row[];
}

export function* partsOf(rows: readonly Row[], fields: readonly Field[]): Generator<readonly Row[]> {
  const most = fields.length === 1 ? MAX_ROWS : Math.floor(MAX_CONDITIONS / (fields.length + 1));
  const lengthOf = (row: Row) => keysFilter({ key: fields } as unknown as Collection, [row]).length;
  let part: Row[] = [];
  let length = 0;
  for (const row of rows) {
    const own = lengthOf(row);
    if (part.length > 0 && (length + own > MAX_FILTER || part.length === most)) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(row);
    length += own;
  }
  if (part.length > 0) yield part;
}
