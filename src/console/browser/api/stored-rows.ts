/** Loads stored rows by the values of their key, or of other fields, in batches. */
import type { Collection, Field, Row } from './catalogue.ts';
import { ask } from './client.ts';
import { keysFilter, keyText, pathOf, withQuery } from './query/text.ts';
import { cacheTitles, selectTitles } from './query/titles.ts';
import { withWritten } from './written-rows.ts';

/** Longest filter; below the limits of common proxies. */
const MAX_FILTER = 6_000;
const MAX_ROWS = 500;
/** Conditions per request; each row of a composite key takes one per field, and one for the group. */
const MAX_CONDITIONS = 450;

/** The stored rows that have the values of these rows in the given fields. */
export async function readMatching(
  collection: Collection,
  rows: readonly Row[],
  fields: readonly Field[] = collection.key,
): Promise<readonly Row[]> {
  const select = selectTitles(collection);
  const found: Row[] = [];
  for (const part of partsOf(rows, fields)) {
    const url = `${pathOf(collection)}?${keysFilter({ key: fields }, part)}`;
    const since = performance.now();
    const { json } = await ask(withQuery(url, select === undefined ? '' : `select=${select}`));
    found.push(...withWritten(collection, json as Row[], since));
  }
  cacheTitles(collection, found);
  return found;
}

export async function readStored(collection: Collection, rows: readonly Row[]): Promise<ReadonlyMap<string, Row>> {
  return new Map((await readMatching(collection, rows)).map((row) => [keyText(collection, row), row]));
}

/** Splits rows, so that one filter selects each part. */
export function* partsOf(rows: readonly Row[], fields: readonly Field[]): Generator<readonly Row[]> {
  const most = fields.length === 1 ? MAX_ROWS : Math.floor(MAX_CONDITIONS / (fields.length + 1));
  let part: Row[] = [];
  let length = 0;
  for (const row of rows) {
    const own = keysFilter({ key: fields }, [row]).length;
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
