/**
 * Stage 3, plan, for writes: turns a body and a query into rows to insert, changes, or rows to delete.
 *
 * In: a `Query`, a `Document`, preferences, the caller's permissions.
 * Out: a `WritePlan`, planned in slices, since a body may have many rows.
 * Guarantees: every value has its field's type and keeps its rules. Inserted rows have all required fields. The plan
 * restricts the write to rows and fields that the caller may write. The stage does not use the database.
 * Throws: PGRST204, 22P02, 22003, 23502, 23514, 21000, 42P10, 42501, PGRST105, PGRST114, PGRST115.
 */

import type { Task } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import { type Collection, type Field, stored } from '../../collection/declaration.ts';
import type { Right } from '../../collection/draft.ts';
import { type Payload, readObjects, readPayload } from '../../dialect/payload.ts';
import type { Document } from '../../encode/document.ts';
import type { Permissions } from '../access/permissions.ts';
import { restrictWrite } from '../access/restrict.ts';
import { atMoment } from '../at-moment.ts';
import { namesInLanguage } from '../in-language.ts';
import type { WritePlan } from '../write-plan.ts';
import { conflictTarget, planInsert, planReplace, planReplaceItem } from './insert.ts';
import { nullViolation } from './row-planner.ts';
import { absenceIn, hasOperation } from './stored-rows.ts';
import { planDelete, planUpdate, planUpdateEach } from './update.ts';
import type { WriteRequest } from './write-request.ts';

export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * `document` is undefined only for DELETE. `permissions` holds the caller's permissions, and `collection` is the
 * caller's view; absent if everything is permitted.
 */
export function* planWrite(
  collection: Collection,
  method: WriteMethod,
  request: WriteRequest,
  document: Document | undefined,
  permissions?: Permissions,
): Task<WritePlan> {
  checkIfMatch(method, request);
  const plan = yield* planAll(collection, method, request, document);
  return atMoment(permissions === undefined ? plan : restrictWrite(plan, collection, permissions), Date.now());
}

type Addressed = Pick<WriteRequest, 'item' | 'preferences' | 'createOnly'>;

/** Rejects a write that no rule of the role allows. Runs before the query and the body are parsed. */
export function checkRights(
  collection: Collection,
  method: WriteMethod,
  request: Addressed,
  permissions?: Permissions,
): void {
  if (permissions === undefined) return;
  for (const right of rightsFor(method, request)) permissions.rows(stored(collection), right);
}

/** The rights that a write needs. Changing or deleting rows also needs the right to read them. */
function rightsFor(method: WriteMethod, { item, preferences, createOnly }: Addressed): readonly Right[] {
  switch (method) {
    case 'POST':
      return preferences.resolution === 'merge-duplicates' ? ['create', 'update', 'read'] : ['create'];
    case 'PUT':
      if (item !== undefined) return ['update', 'read'];
      return createOnly ? ['create'] : ['create', 'update', 'read'];
    case 'PATCH':
      return ['update', 'read'];
    case 'DELETE':
      return ['delete', 'read'];
  }
}

/** If-Match needs the URL of one row; `If-Match: *` is also allowed for a bulk PATCH. */
function checkIfMatch(method: WriteMethod, { item, ifMatch, url }: WriteRequest): void {
  if (item !== undefined || ifMatch === undefined || (ifMatch === '*' && method === 'PATCH')) return;
  throw ifMatchNeedsOneRow(url);
}

function ifMatchNeedsOneRow(url: string): ApiError {
  return new ApiError('CAT412', 'If-Match needs the URL of one row', {
    hint: `Send the write to ${url}/<id>, whose ETag it can be compared with.`,
  });
}

/** A new row needs the text of a required field itself, and not only its translation. */
function checkTranslated(
  collection: Collection,
  sent: readonly string[],
  meant: readonly string[],
  language: string | undefined,
): void {
  for (const [at, name] of sent.entries()) {
    const field = collection.byName.get(name);
    if (meant[at] === name || field?.required !== true || meant.includes(name) || field.default !== undefined) continue;
    throw nullViolation(collection, { name }).with({
      field: undefined,
      hint: `With Content-Language: ${language}, ${name} means ${meant[at]}. Send both of them without the header.`,
    });
  }
}

function* payloadOf(
  collection: Collection,
  method: WriteMethod,
  { query, report, language }: WriteRequest,
  document: Document,
): Task<Payload> {
  const read = yield* readPayload(document, query.columns, report);
  const columns = namesInLanguage(read.columns, collection, language);
  if (columns === read.columns) return read;
  if (method !== 'PATCH') checkTranslated(collection, read.columns, columns, language);
  return { ...read, columns };
}

function* planAll(
  collection: Collection,
  method: WriteMethod,
  request: WriteRequest,
  document: Document | undefined,
): Task<WritePlan> {
  const { query, item } = request;
  const payload = () => payloadOf(collection, method, request, document!);
  switch (method) {
    case 'POST': {
      const rows = yield* payload();
      const merge = planMergedOperations(collection, request, rows);
      return merge === undefined ? yield* planInsert(collection, request, rows) : yield* merge;
    }
    case 'PUT':
      return item === undefined
        ? yield* planReplace(collection, request, yield* payload())
        : yield* planReplaceItem(collection, request, yield* payload());
    case 'DELETE':
      return planDelete(collection, request);
    case 'PATCH': {
      const by = bulkTarget(collection, request, document!);
      if (by === undefined) return planUpdate(collection, request, yield* payload());
      const columns = query.columns && [...new Set([...query.columns, ...by.map(({ name }) => name)])];
      const absence = absenceIn({ isTable: document!.kind === 'table' }, request.preferences.missing === 'default');
      return yield* planUpdateEach(
        collection,
        request,
        by,
        (yield* readObjects(document!, columns, request.report)).map(
          (object) => object && { ...object, names: namesInLanguage(object.names, collection, request.language) },
        ),
        absence,
      );
    }
  }
}

/**
 * The fields that identify each row of a bulk update; undefined for an update by filter. A bulk update names them in
 * `on_conflict`, or is a list without a filter. With If-Match: *, its rows must also match the filter of the URL.
 */
function bulkTarget(collection: Collection, request: WriteRequest, document: Document): readonly Field[] | undefined {
  const { query, item, ifMatch } = request;
  if (item !== undefined) return undefined;
  const isPaged = query.limit !== undefined || query.offset !== undefined;
  const hasFilter = query.conditions.length > 0;
  if (query.onConflict !== undefined) {
    if (!isPaged && (!hasFilter || ifMatch !== undefined)) return conflictTarget(collection, query.onConflict);
    throw new ApiError('21000', 'a bulk update takes no filter and no limit', {
      details: 'on_conflict names the fields by which each object identifies its row; nothing was changed.',
      hint: 'Leave out the filter and limit. With If-Match: *, every row must match the filter.',
    });
  }
  const isList =
    collection.key.length > 0 &&
    document.kind === 'json' &&
    Array.isArray(document.value) &&
    query.columns === undefined;
  if (isList && query.limit === undefined && (!hasFilter || ifMatch !== undefined)) return collection.key;
  if (ifMatch !== undefined) throw ifMatchNeedsOneRow(request.url);
  return undefined;
}

/** An upsert with operations updates existing rows only: an operation needs a stored value. */
function planMergedOperations(
  collection: Collection,
  request: WriteRequest,
  { columns, rows }: Payload,
): Task<WritePlan> | undefined {
  if (request.preferences.resolution !== 'merge-duplicates' || !hasOperation(collection, columns, rows))
    return undefined;
  const on = conflictTarget(collection, request.query.onConflict);
  // An upsert keeps the key of an existing row.
  const isTaken = (name: string) =>
    on.some((field) => field.name === name) || !collection.key.some((field) => field.name === name);
  const places = [...columns.keys()].filter((at) => isTaken(columns[at]!));
  const names = places.map((at) => columns[at]!);
  const objects = rows.map((cells) => ({ names, cells: places.map((at) => cells[at]) }));
  const absence = absenceIn({}, request.preferences.missing === 'default');
  return planUpdateEach(collection, request, on, objects, absence);
}
