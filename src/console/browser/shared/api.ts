/** What the console asks of the API beyond react-admin's own calls: versions, several rows at once, and undoing. */
import { collectionName, type Id, itemPath, key, listPath, type Record_ } from './collection.ts';
import { type Answer, ask } from './http.ts';

const REPRESENTATION = { prefer: 'return=representation', accept: 'application/json' };
const ONE = { ...REPRESENTATION, accept: 'application/vnd.pgrst.object+json' };
/** Keys in one URL: well below what any proxy takes. */
const KEYS_PER_REQUEST = 500;

export type Changes = Readonly<Record<string, unknown>>;

/** A row with the version it is in. */
export interface Versioned {
  readonly row: Record_;
  readonly version: string;
}

function versioned({ json, headers }: Answer): Versioned {
  return { row: withId(json as Record_), version: headers.get('etag') ?? '*' };
}

export function withId(row: Record_): Record_ {
  return key.name === 'id' ? row : { ...row, id: row[key.name] as Id };
}

export async function readRow(id: Id): Promise<Versioned> {
  return versioned(await ask(itemPath(id)));
}

/** Refused with 412 when the row is no longer in that version. */
export async function changeRow(id: Id, changes: Changes, version: string): Promise<Versioned> {
  return versioned(
    await ask(itemPath(id), { method: 'PATCH', headers: { ...ONE, 'if-match': version }, body: changes }),
  );
}

export async function deleteRows(ids: readonly Id[]): Promise<Record_[]> {
  const deleted: Record_[] = [];
  for (const some of parts(ids)) {
    const { json } = await ask(urlOf(some), { method: 'DELETE', headers: REPRESENTATION });
    deleted.push(...(json as Record_[]).map(withId));
  }
  return deleted;
}

export async function insertRows(rows: readonly Record_[]): Promise<void> {
  await ask(listPath, { method: 'POST', headers: { prefer: 'return=minimal' }, body: rows.map(withoutVirtualId) });
}

/** The rows as they were before, for undoing. */
export async function changeRows(ids: readonly Id[], changes: Changes): Promise<Record_[]> {
  const before: Record_[] = [];
  for (const some of parts(ids)) {
    before.push(...((await ask(urlOf(some))).json as Record_[]).map(withId));
    await ask(urlOf(some), { method: 'PATCH', headers: { prefer: 'return=minimal' }, body: changes });
  }
  return before;
}

/** Puts the named fields of each row back to what they were. */
export async function restoreFields(rows: readonly Record_[], names: readonly string[]): Promise<void> {
  const body = rows.map((row) => Object.fromEntries([key.name, ...names].map((name) => [name, row[name]])));
  await ask(listPath, { method: 'PATCH', headers: { prefer: 'return=minimal' }, body });
}

function urlOf(ids: readonly Id[]): string {
  return `/${collectionName}?${key.name}=in.(${ids.map(quoted).join(',')})`;
}

/** A key as `in` reads it. */
export function quoted(id: Id): string {
  return typeof id === 'number' ? String(id) : encodeURIComponent(`"${id.replaceAll(/["\\]/g, '\\$&')}"`);
}

function withoutVirtualId({ id, ...row }: Record_): Changes {
  return key.name === 'id' ? { ...row, id } : row;
}

/** So many keys at a time as one URL may name. */
export function* parts<Each>(ids: readonly Each[]): Generator<readonly Each[]> {
  for (let start = 0; start < ids.length; start += KEYS_PER_REQUEST) yield ids.slice(start, start + KEYS_PER_REQUEST);
}
