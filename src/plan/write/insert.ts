/** POST: plans the rows to insert, and the handling of conflicts with existing rows. */

import { mapInSlices, type Task } from '../../base/cooperative.ts';
import { attempt, FAIL } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import { fieldDenied } from '../../collection/access/permission-errors.ts';
import { type Collection, type Field, isKey, stored, uniqueSets } from '../../collection/declaration.ts';
import type { Payload } from '../../dialect/payload.ts';
import { rejectRepeatedKeys, valuesOf } from '../keys.ts';
import { isHidden, nearestHint } from '../resolve.ts';
import type { InsertPlan } from '../write-plan.ts';
import { checkColumns, planRows, resolveColumns } from './stored-rows.ts';
import { planTerms, type WriteRequest } from './write-request.ts';

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
export function checkOverwrites(collection: Collection, given: readonly Field[], overwrite: readonly Field[]): void {
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
export function mergeFields(on: readonly Field[], overwrite: readonly Field[]): readonly Field[] {
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
