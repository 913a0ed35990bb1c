/**
 * POST: plans the rows to insert, and the handling of conflicts with existing rows.
 *
 * PUT: replaces one row with the body. Missing fields get their defaults; if privileges of the database decide, they
 * keep their values, as in PostgREST: the caller may not be allowed to write them.
 */
import { mapInSlices, type Task } from '../../base/cooperative.ts';
import { attempt, FAIL } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import { pathPart } from '../../base/net/query-string.ts';
import { fieldDenied } from '../../collection/access/permission-errors.ts';
import { type Collection, type Field, isKey, stored, uniqueSets } from '../../collection/declaration.ts';
import type { Payload } from '../../dialect/payload.ts';
import type { Condition } from '../../dialect/tree.ts';
import {
  describeKey,
  isHidden,
  isSameKey,
  type Key,
  keyIs,
  nearestHint,
  rejectRepeatedKeys,
  valuesOf,
} from '../resolve.ts';
import type { InsertPlan, Precondition, StoredRow, UpdatePlan } from '../write-plan.ts';
import { checkColumns, planRows, resolveColumns } from './stored-rows.ts';
import { namedEvenIfEmpty } from './update.ts';
import { itemKey, planTerms, type WriteRequest } from './write-request.ts';

/** PUT to a filtered collection: replaces or inserts the row that the URL and the body identify. */
export function* planReplace(collection: Collection, request: WriteRequest, payload: Payload): Task<InsertPlan> {
  const into = stored(collection);
  const key = replacedKey(collection, request);
  const columns = checkColumns(collection, 'create', payload.columns, request.report ?? FAIL);
  const given = columns.filter((field) => field !== undefined);
  const row = yield* replacement(into, columns, payload, key, request);
  const all = [...new Set([...replaced(into), ...given])];
  const overwrite = overwrittenFields(into, all, into.key);
  // If another client creates the row first, it must not be overwritten.
  const conflict = request.createOnly ? 'refuse' : { on: into.key, overwrite: mergeFields(into.key, overwrite) };
  if (!request.createOnly) checkOverwrites(collection, all, overwrite);
  const terms = { ...planTerms(collection, request), ...mustBeNew(request, key) };
  return { kind: 'insert', ...terms, rows: [row], given: request.createOnly ? given : all, conflict };
}

/** Fields missing from the body are overwritten as well, except those that the service sets. */
function replaced({ fields, draft }: Collection): readonly Field[] {
  if (draft.schema !== undefined) return [];
  return fields.filter(({ readOnly, onUpdate }) => !readOnly && onUpdate === undefined);
}

/** The fields besides the key that a request sends, which its role must be allowed to write. */
function sent(collection: Collection, { columns }: Payload): readonly Field[] {
  if (collection.view === undefined && collection.draft.schema === undefined) return [];
  const keys = collection.key.map(({ name }) => name);
  return resolveColumns(
    collection,
    'update',
    columns.filter((name) => !keys.includes(name)),
  );
}

/** PUT to the URL of a row: the row must exist. */
export function* planReplaceItem(collection: Collection, request: WriteRequest, payload: Payload): Task<UpdatePlan> {
  if (request.query.conditions.length > 0) throw notKeyOnly(collection);
  const into = stored(collection);
  const key = itemKey(collection, request.item ?? '');
  const missing = collection.key.filter(({ name }) => !payload.columns.includes(name));
  const named = {
    ...payload,
    columns: [...payload.columns, ...missing.map(({ name }) => name)],
    rows: yield* mapInSlices(payload.rows, (cells) => [...cells, ...(missing.length === 0 ? [] : key.map(String))]),
  };
  const given = [...new Set([...replaced(into), ...sent(collection, payload)])].filter((field) => !isKey(into, field));
  checkOverwrites(collection, given, given);
  const columns = checkColumns(into, 'create', named.columns, request.report ?? FAIL);
  const row = yield* replacement(into, columns, named, key, request);
  const set = into.fields
    .map((field, index) => ({ field, value: row[index] }))
    .filter(({ field }) => given.includes(field) || (field.onUpdate !== undefined && !isKey(into, field)))
    // A value that was copied from another row stays.
    .filter(({ field, value }) => field.copies === undefined || value !== undefined)
    .map(({ field, value = null }) => ({ field, value }));
  return {
    kind: 'update',
    ...planTerms(collection, request),
    ...mustBeNew(request, key),
    where: keyIs(collection, key),
    set: namedEvenIfEmpty(into.key, set, key),
    given,
  };
}

function mustBeNew({ createOnly }: WriteRequest, key: Key): { preconditions?: readonly Precondition[] } {
  return createOnly ? { preconditions: [{ key, versions: 'none' }] } : {};
}

function* replacement(
  collection: Collection,
  columns: readonly (Field | undefined)[],
  payload: Payload,
  key: Key,
  { author, report = FAIL }: WriteRequest,
): Task<StoredRow> {
  const options = { defaultMissing: true, hasUpdates: true, author };
  const planned = yield* planRows(collection, columns, payload, options, report);
  const rows = planned.filter((row) => {
    const own = valuesOf(collection, collection.key, row);
    return own !== undefined && isSameKey(own, key);
  });
  if (rows.length === 1) return rows[0]!;
  throw new ApiError('PGRST115', 'Payload values do not match URL in primary key column(s)', {
    details: `The URL names ${describeKey(collection.key, key)}; ${rows.length === 0 ? 'no row' : 'more than one row'} of the body has it.`,
  });
}

function replacedKey(collection: Collection, { query }: WriteRequest): Key {
  if (query.limit !== undefined || query.offset !== undefined) {
    throw new ApiError('PGRST114', 'limit/offset querystring parameters are not allowed for PUT');
  }
  const { length } = collection.key;
  if (length === 0 || query.conditions.length !== length) throw notKeyOnly(collection);
  return collection.key.map(({ name, type }) => {
    const text = query.conditions.map((condition) => equalTo(condition, name)).find((each) => each !== undefined);
    if (text === undefined) throw notKeyOnly(collection);
    return type.read(text);
  });
}

/** The value of a plain `eq` filter on a field. */
function equalTo(condition: Condition, name: string): string | undefined {
  if (condition.kind !== 'comparison' || condition.negated) return undefined;
  const { field, test } = condition;
  const isPlain = test.kind === 'value' && test.operator === 'eq' && test.quantifier === undefined;
  return isPlain && field.name === name && field.json.length === 0 ? test.value : undefined;
}

function notKeyOnly({ name, key }: Collection): ApiError {
  return new ApiError('PGRST105', "Filters must include all and only primary key columns with 'eq' operators", {
    hint:
      key.length === 0
        ? `${name} has no key. Write PATCH with a filter.`
        : `Write PUT /${pathPart(name)}?${key.map((field) => `${pathPart(field.name)}=eq.<${field.name}>`).join('&')}.`,
    headers: { allow: 'OPTIONS, GET, HEAD, POST, PATCH, DELETE' },
  });
}

export function* planInsert(collection: Collection, request: WriteRequest, payload: Payload): Task<InsertPlan> {
  const { report = FAIL } = request;
  const { resolution, missing } = request.preferences;
  const into = stored(collection);
  const columns = checkColumns(collection, 'create', payload.columns, report);
  const given = columns.filter((field) => field !== undefined);
  const { author } = request;
  const rowOptions = { defaultMissing: missing === 'default', hasUpdates: resolution === 'merge-duplicates', author };
  const rows = yield* planRows(into, columns, payload, rowOptions, report);
  const plan = { kind: 'insert', ...planTerms(collection, request), rows, given } as const;
  const hasTarget = into.key.length > 0 || request.query.onConflict !== undefined;
  if (resolution === undefined || !hasTarget) return { ...plan, conflict: 'refuse' };
  const on = conflictTarget(collection, request.query.onConflict);
  if (resolution === 'ignore-duplicates') return { ...plan, conflict: { on, overwrite: [] } };
  const keys = yield* mapInSlices(rows, (row) => valuesOf(into, on, row));
  yield* rejectRepeatedKeys(on, keys, report);
  const overwrite = overwrittenFields(into, given, on);
  attempt(report, () => checkOverwrites(collection, given, overwrite));
  return { ...plan, conflict: { on, overwrite: mergeFields(on, overwrite) } };
}

/** A conflict updates the existing row, so the caller needs the right to update the given fields. */
function checkOverwrites(collection: Collection, given: readonly Field[], overwrite: readonly Field[]): void {
  if (collection.view === undefined) return;
  const names = overwrite.filter((field) => given.includes(field)).map(({ name }) => name);
  resolveColumns(collection, 'update', names);
}

/** The fields that an existing row takes from the new one: the given ones, and those that every update sets. */
export function overwrittenFields(
  collection: Collection,
  given: readonly Field[],
  on: readonly Field[],
): readonly Field[] {
  const fields = given.filter((field) => !on.includes(field) && !isKey(collection, field) && !field.readOnly);
  const stamps = collection.fields.filter((field) => field.onUpdate !== undefined && !fields.includes(field));
  return fields.length === 0 ? [] : [...fields, ...stamps];
}

/**
 * An upsert that changes nothing must still return the existing row. So it assigns the conflict fields to themselves.
 */
function mergeFields(on: readonly Field[], overwrite: readonly Field[]): readonly Field[] {
  return overwrite.length > 0 ? overwrite : on.filter((field) => !field.readOnly);
}

/** The key, or the unique fields that the client names. */
export function conflictTarget(collection: Collection, names: readonly string[] | undefined): readonly Field[] {
  if (names === undefined) return collection.key;
  for (const name of names) {
    if (isHidden(collection, name)) throw fieldDenied(collection.name, name, 'read');
    if (!collection.byName.has(name)) {
      throw new ApiError('42703', `column "${name}" does not exist`, {
        hint: nearestHint(collection, name),
        field: name,
      });
    }
  }
  const targets = uniqueSets(collection);
  const found = targets.find(
    (fields) => fields.length === names.length && fields.every(({ name }) => names.includes(name)),
  );
  if (found !== undefined) return found;
  const choices = targets.map((fields) => fields.map(({ name }) => name).join(','));
  throw new ApiError('42P10', 'there is no unique or exclusion constraint matching the ON CONFLICT specification', {
    hint: `Unique here: ${choices.join('; ') || 'nothing'}.`,
  });
}
