/** The log of changes: reading, and undo of what a filter selects. */

import { t } from '../i18n/text.ts';
import type { Collection, Row } from './catalogue.ts';
import { ask, askReports, exactRow } from './client.ts';
import { ApiError } from './errors.ts';
import type { Pair } from './query/list.ts';
import { keyParts, keyText, queryText } from './query/text.ts';
import { newRequestId } from './rows.ts';
import { hidesActors, hidesLog } from './session/page-data.ts';

export type ChangeKind = 'insert' | 'update' | 'delete';

export interface Change {
  readonly seq: number;
  readonly at: string;
  /** Undefined if the role may not read it. */
  readonly actor?: string | null;
  readonly request_id: string | null;
  readonly collection: string;
  readonly key: string;
  readonly kind: ChangeKind;
  /** For an update, only the changed fields. */
  readonly before: Row | null;
  readonly after: Row | null;
}

const LOG = '/catalogue/changes';
export const CHANGES_PER_PAGE = 50;

/** Whether the service has no log (`--history-days 0`). */
export const hasNoLog = (error: unknown): boolean => error instanceof ApiError && error.status === 501;

/** Reads entries, newest first; none for a role that does not read the log. */
export async function readChanges(filters: readonly Pair[], limit: number, signal?: AbortSignal): Promise<Change[]> {
  if (hidesLog) return [];
  const query = queryText([...filters, ['order', 'seq.desc'], ['limit', String(limit)]]);
  return exactChanges((await ask(`${LOG}?${query}`, { signal })).json);
}

/** Recent changes of a row that are searched for a field. */
const RECENT = 20;

/** The person who last changed one of these fields, if the log names one that the role may read. */
export async function lastPerson(collection: Collection, row: Row, fields: readonly string[]): Promise<string> {
  const filters = rowFilter(collection, logKey(keyText(collection, row)));
  const changes = await readChanges(filters, RECENT).catch(() => []);
  const last = changes.find(({ after }) => fields.some((name) => name in (after ?? {})));
  return last?.actor ?? t.record.someone;
}

function exactChanges(json: unknown): Change[] {
  return ((json ?? []) as Change[]).map((each) => ({
    ...each,
    before: exactRow(each.before) as Row | null,
    after: exactRow(each.after) as Row | null,
  }));
}

/** The number of the last change; 0 if there is none. */
export async function lastChange(filters: readonly Pair[] = []): Promise<number> {
  const page: readonly Pair[] = [
    ['select', 'seq'],
    ['order', 'seq.desc'],
    ['limit', '1'],
  ];
  const { json } = await ask(`${LOG}?${queryText([...filters, ...page])}`);
  return Number((json as { seq: number }[])[0]?.seq ?? 0);
}

/** The key of a row as the log has it. */
export function logKey(key: string): string {
  const parts = keyParts(key);
  return parts.length === 1 ? parts[0]! : JSON.stringify(parts);
}

/** The key fields of a row of the log. */
export function rowOfLogKey({ key }: Collection, text: string): Row {
  const parts = key.length === 1 ? [text] : (JSON.parse(text) as readonly string[]);
  return Object.fromEntries(key.map(({ name }, at) => [name, parts[at] ?? null]));
}

export const rowFilter = ({ name }: Pick<Collection, 'name'>, key: string): readonly Pair[] => [
  ['collection', `eq.${name}`],
  ['key', `eq.${key}`],
];

/** All changes of one request, of one kind, to one collection. */
interface RequestPart {
  readonly collection: string;
  readonly kind: ChangeKind;
  readonly count: number;
}

export interface LoggedRequest {
  /** Null for changes by other programs. */
  readonly id: string | null;
  readonly actor?: string | null | undefined;
  readonly at: string;
  readonly seq: number;
  readonly parts: readonly RequestPart[];
}

export const MAX_REQUESTS = 5_000;

/** Reads the requests that changed rows, newest first. The service counts the rows, so the answer is small. */
export async function readRequests(filters: readonly Pair[], signal?: AbortSignal): Promise<readonly LoggedRequest[]> {
  const actor = hidesActors ? '' : 'actor,';
  const select = `request_id,${actor}collection,kind,rows:count(),at:at.max(),seq:seq.max()`;
  const query = queryText([...filters, ['select', select], ['limit', String(MAX_REQUESTS)]]);
  return joinParts((await ask(`${LOG}?${query}`, { signal })).json as readonly CountedPart[]);
}

export interface CountedPart extends Omit<RequestPart, 'count'> {
  readonly request_id: string | null;
  readonly actor?: string | null | undefined;
  readonly rows: number;
  readonly at: string;
  readonly seq: number;
}

/** Joins the parts of each request, newest first. */
export function joinParts(parts: readonly CountedPart[]): readonly LoggedRequest[] {
  const requests = Map.groupBy(parts, ({ request_id, actor }) => `${request_id} ${actor}`);
  return [...requests.values()]
    .map((own) => {
      const newest = own.reduce((one, other) => (Number(other.seq) > Number(one.seq) ? other : one));
      const counts = own.map(({ collection, kind, rows }) => ({ collection, kind, count: rows }));
      return { id: newest.request_id, actor: newest.actor, at: newest.at, seq: Number(newest.seq), parts: counts };
    })
    .sort((one, other) => other.seq - one.seq);
}

export interface Undone {
  readonly undone: number;
  /** Rows that someone changed since. They stay as they are. */
  readonly skipped: readonly { readonly collection: string; readonly key: string }[];
  /** The request id of the undo itself, to redo the change. */
  readonly requestId: string;
}

export type RevertingChange = Pick<Change, 'collection' | 'key' | 'kind' | 'before' | 'after'>;

/** The progress of an undo, and what is new since the line before. */
interface UndoLine {
  readonly undone: number;
  readonly total: number;
  readonly skipped: Undone['skipped'];
  readonly changes?: readonly RevertingChange[];
}

function sendUndo(filters: readonly Pair[], requestId: string, preference: string, signal?: AbortSignal) {
  const headers = { prefer: `conflicts=skip, ${preference}`, 'x-request-id': requestId };
  const url = `${LOG}/undo?${queryText(filters)}`;
  return askReports(url, { method: 'POST', headers, signal }) as AsyncGenerator<UndoLine>;
}

export interface UndoPreview extends Pick<Undone, 'skipped'> {
  /** The number of changes, and the first ones. */
  readonly total: number;
  readonly changes: readonly RevertingChange[];
}

/** The changes that an undo would make, by a dry run. It ends with the first step of a long one. */
export async function previewUndo(filters: readonly Pair[]): Promise<UndoPreview> {
  const ending = new AbortController();
  let preview: UndoPreview = { total: 0, skipped: [], changes: [] };
  for await (const line of sendUndo(filters, newRequestId(), 'return=representation, tx=rollback', ending.signal)) {
    const skipped = [...preview.skipped, ...line.skipped];
    preview = { total: line.total, skipped, changes: exactChanges(line.changes) };
    if (preview.changes.length > 0) break;
  }
  ending.abort();
  return preview;
}

/** Undoes the changes that the filters select, except of rows that someone changed since. */
export async function undoChanges(
  filters: readonly Pair[],
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Undone> {
  const requestId = newRequestId();
  let [undone, skipped]: [number, Undone['skipped']] = [0, []];
  for await (const line of sendUndo(filters, requestId, 'return=minimal')) {
    undone = line.undone;
    skipped = [...skipped, ...line.skipped];
    onProgress(undone, line.total);
  }
  return { undone, skipped, requestId };
}

/** Selects the changes of a request. */
export const ofRequest = (id: string): readonly Pair[] => [['request_id', `eq.${id}`]];
