/** Requests beyond react-admin's data provider: rows with versions, new rows, lists of keys. */

import { withTitles } from '../values/references.ts';
import { type Id, itemPath, type KeyedRow, key, listPath } from './collection.ts';
import { type Answer, ask } from './http.ts';
import { askOnce } from './idempotency.ts';

const REPRESENTATION = { prefer: 'return=representation', accept: 'application/json' };
const ONE = { ...REPRESENTATION, accept: 'application/vnd.pgrst.object+json' };
/** Keys per URL; well below the limits of common proxies. */
const KEYS_PER_REQUEST = 500;

export type Changes = Readonly<Record<string, unknown>>;

/** A row and its version (ETag). */
export interface Versioned {
  readonly row: KeyedRow;
  readonly version: string;
}

function versioned({ json, headers }: Answer): Versioned {
  return { row: withId(json as KeyedRow), version: headers.get('etag') ?? '*' };
}

export function withId(row: KeyedRow): KeyedRow {
  return key.name === 'id' ? row : { ...row, id: row[key.name] as Id };
}

/** Reads a row with the titles of the rows that it refers to. */
export async function readRow(id: Id, signal?: AbortSignal): Promise<Versioned> {
  const select = withTitles === undefined ? '' : `?select=${withTitles}`;
  return versioned(await ask(`${itemPath(id)}${select}`, { signal }));
}

/** Changes a row. The service rejects it with 412 if the row has another version. */
export async function changeRow(id: Id, changes: Changes, version: string): Promise<Versioned> {
  return versioned(
    await ask(itemPath(id), { method: 'PATCH', headers: { ...ONE, 'if-match': version }, body: changes }),
  );
}

/** Stores a new row. A repetition with the same key and row stores nothing, and returns the row that was stored. */
export async function createRow(row: Changes, idempotencyKey: string): Promise<KeyedRow> {
  return withId(
    (await askOnce(listPath, { method: 'POST', headers: ONE, body: row }, idempotencyKey)).json as KeyedRow,
  );
}

export function keysAre(ids: readonly Id[]): string {
  return `${key.name}=in.(${ids.map(quoted).join(',')})`;
}

/** A key for an `in` list. */
export function quoted(id: Id): string {
  return typeof id === 'number' ? String(id) : encodeURIComponent(`"${id.replaceAll(/["\\]/g, '\\$&')}"`);
}

/** Splits keys into chunks that fit into one URL. */
export function* parts<Each>(ids: readonly Each[]): Generator<readonly Each[]> {
  for (let start = 0; start < ids.length; start += KEYS_PER_REQUEST) yield ids.slice(start, start + KEYS_PER_REQUEST);
}
