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
import { type Collection, stored } from '../../collection/declaration.ts';
import type { Right } from '../../collection/draft.ts';
import { readObjects, readPayload } from '../../dialect/payload.ts';
import type { Document } from '../../encode/document.ts';
import type { Permissions } from '../access/permissions.ts';
import { restrictWrite } from '../access/restrict.ts';
import type { WritePlan } from '../types.ts';
import { planInsert } from './insert.ts';
import { planReplace, planReplaceItem } from './replace.ts';
import { planDelete, planUpdate, planUpdateEach } from './update.ts';
import type { WriteRequest } from './write-request.ts';

export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * `document` is undefined only for DELETE. `permissions` holds the caller's permissions, and `collection` is the caller's
 * view; absent if everything is permitted.
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
  return permissions === undefined ? plan : restrictWrite(plan, collection, permissions);
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

function* planAll(
  collection: Collection,
  method: WriteMethod,
  request: WriteRequest,
  document: Document | undefined,
): Task<WritePlan> {
  const { query, item } = request;
  const payload = () => readPayload(document!, query.columns, request.report);
  switch (method) {
    case 'POST':
      return yield* planInsert(collection, request, yield* payload());
    case 'PUT':
      return item === undefined
        ? yield* planReplace(collection, request, yield* payload())
        : yield* planReplaceItem(collection, request, yield* payload());
    case 'DELETE':
      return planDelete(collection, request);
    case 'PATCH': {
      // A list without a filter is a bulk update: each object names its own row. With If-Match: *, the rows must also
      // match the filter of the URL.
      const isAsked = item === undefined && request.ifMatch !== undefined;
      const isBulk = item === undefined && (isAsked || query.conditions.length === 0) && query.limit === undefined;
      const objects = isBulk && query.columns === undefined ? readObjects(document!) : undefined;
      if (isAsked && objects === undefined) throw ifMatchNeedsOneRow(request.url);
      return objects === undefined
        ? planUpdate(collection, request, yield* payload())
        : yield* planUpdateEach(collection, request, objects);
    }
  }
}
