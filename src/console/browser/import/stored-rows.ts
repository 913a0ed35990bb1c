/** Loads the stored rows that match a file, by one field, in batches. */
import type { Field } from '../../../collection/declaration.ts';
import { parseJson } from '../../../collection/exact-json.ts';
import { listPath } from '../shared/api/collection.ts';
import { ask } from '../shared/api/http.ts';
import { type ParsedCell, stored } from './cells.ts';

/** A stored row with exact numbers. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** Longest URL; below the limits of common proxies. */
const MAX_URL = 6_000;
const MAX_VALUES = 500;

export class StoredRows {
  private readonly known = new Map<Field, Map<string, readonly StoredRow[]>>();

  /** Returns the rows by value. Values that were requested before come from the cache. */
  async find(field: Field, values: readonly ParsedCell[]): Promise<ReadonlyMap<string, readonly StoredRow[]>> {
    const known = this.known.get(field) ?? new Map<string, readonly StoredRow[]>();
    this.known.set(field, known);
    const missing = new Map(values.filter(({ same }) => !known.has(same)).map((value) => [value.same, value]));
    for (const some of parts([...missing.values()])) {
      const rows = await rowsWith(field, some);
      const found = Map.groupBy(rows, (row) => stored(field, row[field.name]).same);
      for (const { same } of some) known.set(same, found.get(same) ?? []);
    }
    return known;
  }
}

export async function rowsWith(field: Field, values: readonly ParsedCell[]): Promise<readonly StoredRow[]> {
  const list = values.map(listed).join(',');
  const { body } = await ask(`${listPath}?${field.name}=in.(${list})`);
  return parseJson(body) as StoredRow[];
}

/** The text of a value, without JSON quotes. */
export function textOf({ json, same }: ParsedCell): string {
  return typeof json === 'string' ? json : same;
}

/** A value for an `in` list. */
export function listed(value: ParsedCell): string {
  return encodeURIComponent(`"${textOf(value).replaceAll(/["\\]/g, '\\$&')}"`);
}

export function* parts(values: readonly ParsedCell[]): Generator<readonly ParsedCell[]> {
  let part: ParsedCell[] = [];
  let length = 0;
  for (const value of values) {
    const own = listed(value).length + 1;
    if (part.length > 0 && (length + own > MAX_URL || part.length === MAX_VALUES)) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(value);
    length += own;
  }
  if (part.length > 0) yield part;
}
