/** Reads and writes rows. A write has a request id of its own, by which one request undoes it. */
import { isSame } from '../fields/same.ts';
import type { Collection, Row, Value } from './catalogue.ts';
import { ask, countIn } from './client.ts';
import { withQuery } from './filter-text.ts';
import { keysFilter, rowPath } from './keys.ts';
import { type ListQuery, pageHeaders, pageUrl } from './list.ts';
import { cacheTitles, selectTitles } from './titles.ts';

export type Changes = Row;

/** A write that can be undone. */
export interface Written {
  readonly requestId: string;
  readonly rows: readonly Row[];
}

export interface Page {
  readonly rows: readonly Row[];
  /** The number of all rows; only on the first page. */
  readonly total: number | undefined;
}

const ONE = 'application/vnd.pgrst.object+json';
const RETURN = 'return=representation';

export async function readPage(query: ListQuery, page: number, signal?: AbortSignal): Promise<Page> {
  const { json, headers } = await ask(pageUrl(query, page), { headers: pageHeaders(page), signal });
  const rows = json as Row[];
  cacheTitles(query.collection, rows);
  return { rows, total: page === 0 ? countIn(headers) : undefined };
}

/** Reads a row with the titles of the rows that it refers to. */
export async function readRow(collection: Collection, key: string, signal?: AbortSignal): Promise<Row> {
  const select = selectTitles(collection);
  const url = withQuery(rowPath(collection, key), select === undefined ? '' : `select=${select}`);
  const row = (await ask(url, { headers: { accept: ONE }, signal })).json as Row;
  cacheTitles(collection, [row]);
  return row;
}

/** Stores a new row. A repetition with the same key and row stores nothing, and returns the row that was stored. */
export async function createRow(collection: Collection, row: Row, idempotencyKey: string): Promise<Written> {
  const requestId = crypto.randomUUID();
  const headers = { accept: ONE, prefer: RETURN, 'x-request-id': requestId };
  const { json } = await ask(`/${collection.name}`, { method: 'POST', headers, body: row, idempotencyKey });
  return { requestId, rows: [json as Row] };
}

/** Keys per URL; well below the limits of common proxies. */
const KEYS_PER_REQUEST = 200;

/** Deletes rows in one transaction. The service rejects it if one of them does not exist any more. */
export async function deleteRows(collection: Collection, rows: readonly Row[]): Promise<Written> {
  const parts = Array.from({ length: Math.ceil(rows.length / KEYS_PER_REQUEST) }, (_, at) =>
    rows.slice(at * KEYS_PER_REQUEST, (at + 1) * KEYS_PER_REQUEST),
  );
  const body = parts.map((part) => ({
    method: 'DELETE',
    path: `/${collection.name}?${keysFilter(collection, part)}`,
    affects: part.length,
  }));
  return { ...(await sendBatch(body)), rows };
}

/** One changed row, with the values that the person saw. */
export interface RowEdit {
  readonly row: Row;
  readonly changes: Changes;
}

const BATCH_SIZE = 1_000;

/**
 * Changes rows in one transaction (up to 1,000). The values that the person saw are the condition of each change. If
 * another person changed one of them, the service rejects the batch (412); `request` is the position of that row.
 */
export async function changeRows(
  collection: Collection,
  edits: readonly RowEdit[],
  requestId: string = crypto.randomUUID(),
): Promise<Written> {
  const rows: Row[] = [];
  for (let start = 0; start < edits.length; start += BATCH_SIZE) {
    const body = edits.slice(start, start + BATCH_SIZE).map(({ row, changes }) => ({
      method: 'PATCH',
      path: `/${collection.name}?${editFilter(collection, row, changes)}`,
      body: changes,
      affects: 1,
    }));
    rows.push(...(await sendBatch(body, requestId)).rows);
  }
  return { requestId, rows };
}

/** Selects a row by its key, if the fields to change have the shown values. */
function editFilter(collection: Collection, row: Row, changes: Changes): string {
  const conditions = Object.keys(changes).map((name) => {
    const value = row[name] ?? null;
    return `${name}=${value === null ? 'is.null' : `eq.${encodeURIComponent(operandText(collection, name, value))}`}`;
  });
  return [keysFilter(collection, [row]), ...conditions].join('&');
}

function operandText({ byName }: Collection, name: string, value: Value): string {
  const { type } = byName.get(name)!;
  if (type.input === 'json') return JSON.stringify(value);
  return typeof value === 'object' ? type.print(value) : String(value);
}

async function sendBatch(body: readonly object[], requestId: string = crypto.randomUUID()): Promise<Written> {
  const headers = { prefer: RETURN, 'x-request-id': requestId };
  const { json } = await ask('/catalogue/batch', {
    method: 'POST',
    headers,
    body,
    idempotencyKey: crypto.randomUUID(),
  });
  return { requestId, rows: (json as { body?: readonly Row[] }[]).flatMap((each) => each.body ?? []) };
}

export interface Undone {
  readonly undone: number;
  readonly skipped: readonly { readonly collection: string; readonly key: string }[];
  /** The request id of the undo itself, to redo the change. */
  readonly requestId: string;
}

/** Undoes all changes of a request, except rows that others changed since. */
export async function undoRequest(undoneId: string): Promise<Undone> {
  const requestId = crypto.randomUUID();
  const { json } = await ask(`/catalogue/changes/undo?request_id=eq.${encodeURIComponent(undoneId)}`, {
    method: 'POST',
    headers: { prefer: 'conflicts=skip', 'x-request-id': requestId },
  });
  return { ...(json as Omit<Undone, 'requestId'>), requestId };
}

/** The fields whose values differ from the row. */
export function changesOf(before: Row, values: Row): Changes {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, before[name])));
}
