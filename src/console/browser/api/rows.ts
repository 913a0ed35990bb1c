/** Reads and writes rows. A write has a request id of its own, by which one request undoes it. */
import { storeJson } from '../../../collection/types/type.ts';
import { newId } from '../base/ids.ts';
import { isSame } from '../base/same.ts';
import type { Collection, Row, Value } from './catalogue.ts';
import { ask, countIn } from './client.ts';
import { type ListQuery, pageHeaders, pageUrl } from './query/list.ts';
import { keysFilter, parameter, pathOf, rowPath, withQuery } from './query/text.ts';
import { cacheTitles, selectTitles } from './query/titles.ts';
import { partsOf } from './stored-rows.ts';
import { rememberWritten, withWritten } from './written-rows.ts';

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

/** The ids of the requests that this page sent, to distinguish its own changes from those of others. */
const ownRequests = new Set<string>();

export function newRequestId(): string {
  const id = newId();
  ownRequests.add(id);
  return id;
}

export const isOwnRequest = (id: string): boolean => ownRequests.has(id);

const ONE = 'application/vnd.pgrst.object+json';
const RETURN = 'return=representation';

export async function readPage(query: ListQuery, page: number, signal?: AbortSignal): Promise<Page> {
  const since = performance.now();
  const { json, headers } = await ask(pageUrl(query, page), { headers: pageHeaders(page), signal });
  const rows = withWritten(query.collection, json as Row[], since);
  cacheTitles(query.collection, rows);
  return { rows, total: page === 0 ? countIn(headers) : undefined };
}

/** Reads a row with the titles of the rows that it refers to. */
export async function readRow(collection: Collection, key: string, signal?: AbortSignal): Promise<Row> {
  const select = selectTitles(collection);
  const url = withQuery(rowPath(collection, key), select === undefined ? '' : `select=${select}`);
  const since = performance.now();
  const { json } = await ask(url, { headers: { accept: ONE }, signal });
  const [row] = withWritten(collection, [json as Row], since);
  cacheTitles(collection, [row!]);
  return row!;
}

/** Stores a new row. A repetition with the same key and row stores nothing, and returns the row that was stored. */
export async function createRow(collection: Collection, row: Row, idempotencyKey: string): Promise<Written> {
  const requestId = newRequestId();
  const headers = { accept: ONE, prefer: RETURN, 'x-request-id': requestId };
  const { json } = await ask(pathOf(collection), { method: 'POST', headers, body: row, idempotencyKey });
  return { requestId, rows: [json as Row] };
}

/** Deletes rows in one transaction. The service rejects it if one of them does not exist any more. */
export async function deleteRows(collection: Collection, rows: readonly Row[]): Promise<Written> {
  const body = [...partsOf(rows, collection.key)].map((part) => ({
    method: 'DELETE',
    path: `${pathOf(collection)}?${keysFilter(collection, part)}`,
    affects: part.length,
  }));
  const requestId = newRequestId();
  await sendBatch(body, requestId);
  return { requestId, rows };
}

/** One changed row, with the values that the person saw. */
export interface RowEdit {
  readonly row: Row;
  readonly changes: Row;
}

/**
 * Changes rows in one transaction (up to 1,000). The values that the person saw are the condition of each change. If
 * another person changed one of them, the service rejects the batch (412); `request` is the position of that row.
 */
export async function changeRows(
  collection: Collection,
  edits: readonly RowEdit[],
  requestId = newRequestId(),
): Promise<Written> {
  const rows = (await sendBatch(editRequests(collection, edits, { affects: 1 }), requestId)).flat();
  rememberWritten(collection, rows);
  return { requestId, rows };
}

/** The rows that a few edits would store. A value that the service would reject throws. */
export async function dryRunEdits(collection: Collection, edits: readonly RowEdit[]): Promise<readonly Row[]> {
  const body = editRequests(collection, edits, { affects: 1 });
  return (await sendBatch(body, newRequestId(), newId(), 'tx=rollback')).flat();
}

/** The request of each edit, on the condition that the row has the shown values. */
export const editRequests = (
  collection: Collection,
  edits: readonly RowEdit[],
  condition: { readonly affects?: 1 } = {},
) =>
  edits.map(({ row, changes }) => ({
    method: 'PATCH',
    path: `${pathOf(collection)}?${editFilter(collection, row, changes)}`,
    body: changes,
    ...condition,
  }));

/** Selects a row by its key, if the fields to change have the shown values. */
function editFilter(collection: Collection, row: Row, changes: Row): string {
  const conditions = Object.keys(changes).map((name) => {
    const value = row[name] ?? null;
    return `${parameter(name)}=${value === null ? 'is.null' : `eq.${encodeURIComponent(operandText(collection, name, value))}`}`;
  });
  return [keysFilter(collection, [row]), ...conditions].join('&');
}

function operandText({ byName }: Collection, name: string, value: Value): string {
  const { type } = byName.get(name)!;
  if (type.input === 'json') return JSON.stringify(value);
  return typeof value === 'object' ? type.print(storeJson(type, value)) : String(value);
}

/** Sends a batch. The result has the rows of each of its requests. */
export async function sendBatch(
  body: readonly object[],
  requestId: string,
  idempotencyKey = newId(),
  preference?: string,
): Promise<readonly (readonly Row[])[]> {
  const headers = { prefer: preference === undefined ? RETURN : `${RETURN}, ${preference}`, 'x-request-id': requestId };
  const { json } = await ask('/catalogue/batch', { method: 'POST', headers, body, idempotencyKey });
  return (json as { body?: readonly Row[] }[]).map((each) => each.body ?? []);
}

/** The fields whose values differ from the row. */
export function changesOf(before: Row, values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, before[name])));
}
