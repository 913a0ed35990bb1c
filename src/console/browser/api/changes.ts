/** The log of changes: reading, and undo of what a filter selects. */
import type { Collection, Row } from './catalogue.ts';
import { ask, exactRow } from './client.ts';
import { ApiError, problemOf } from './errors.ts';
import { queryText } from './query/filter-text.ts';
import { keyParts } from './query/keys.ts';
import type { Pair } from './query/list.ts';
import { newRequestId } from './rows.ts';
import { hidesActors } from './session/page-data.ts';

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

/** Reads entries, newest first. */
export async function readChanges(filters: readonly Pair[], limit: number, signal?: AbortSignal): Promise<Change[]> {
  const query = queryText([...filters, ['order', 'seq.desc'], ['limit', String(limit)]]);
  return exactChanges((await ask(`${LOG}?${query}`, { signal })).json);
}

function exactChanges(json: unknown): Change[] {
  return (json as Change[]).map((each) => ({
    ...each,
    before: exactRow(each.before) as Row | null,
    after: exactRow(each.after) as Row | null,
  }));
}

/** The number of the last change, or of one before it; 0 if there is none. */
export async function lastChange(filters: readonly Pair[] = [], offset = 0): Promise<number> {
  const page: readonly Pair[] = [
    ['select', 'seq'],
    ['order', 'seq.desc'],
    ['offset', String(offset)],
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

export interface UndoResult extends Undone {
  readonly changes: readonly Pick<Change, 'collection' | 'key' | 'kind' | 'before' | 'after'>[];
}

async function sendUndo(filters: readonly Pair[], requestId: string, ...preferences: readonly string[]) {
  const headers = { prefer: ['conflicts=skip', ...preferences].join(', '), 'x-request-id': requestId };
  const { json } = await ask(`${LOG}/undo?${queryText(filters)}`, { method: 'POST', headers });
  return { ...(json as UndoResult), requestId };
}

/** Undoes the changes that the filters select, except of rows that someone changed since. */
export async function undoChanges(filters: readonly Pair[], isDryRun: boolean): Promise<UndoResult> {
  const preferences = ['return=representation', ...(isDryRun ? ['tx=rollback'] : [])];
  const result = await sendUndo(filters, newRequestId(), ...preferences);
  return { ...result, changes: exactChanges(result.changes) };
}

/** Changes per request, if there are too many for one. */
const UNDO_STEP = 2_500;
const TOO_MANY = '54000';

/** Undoes all changes of a request, the newest first. */
export async function undoRequest(undoneId: string): Promise<Undone> {
  const requestId = newRequestId();
  const all: Pair = ['request_id', `eq.${undoneId}`];
  try {
    return await sendUndo([all], requestId);
  } catch (error) {
    if (problemOf(error)?.code !== TOO_MANY) throw error;
  }
  let [undone, skipped, rest]: [number, Undone['skipped'], readonly Pair[]] = [0, [], [all]];
  for (;;) {
    const first = await lastChange(rest, UNDO_STEP - 1);
    const part = await sendUndo(first === 0 ? rest : [...rest, ['seq', `gte.${first}`]], requestId);
    undone += part.undone;
    skipped = [...skipped, ...part.skipped];
    if (first === 0) return { undone, skipped, requestId };
    rest = [all, ['seq', `lt.${first}`]];
  }
}
