/** POST: rows to insert, and what becomes of those whose key exists. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Payload } from '../dialect/payload.ts';
import { Refusal } from '../errors.ts';
import { nearestHint } from './resolve.ts';
import { checkKeysDiffer, planRows, resolveColumns } from './stored-rows.ts';
import type { InsertPlan } from './types.ts';
import { planTerms, type WriteRequest } from './write-terms.ts';

export function planInsert(collection: Collection, request: WriteRequest, payload: Payload): InsertPlan {
  const { resolution, missing } = request.preferences;
  const fields = resolveColumns(collection, payload.columns);
  const rows = planRows(collection, fields, payload, missing === 'default');
  const plan = { kind: 'insert', ...planTerms(collection, request), rows } as const;
  if (resolution === undefined) return { ...plan, conflict: 'refuse' };
  checkConflictTarget(collection, request.query.onConflict);
  if (resolution === 'ignore-duplicates') return { ...plan, conflict: 'keep' };
  const place = collection.fields.indexOf(collection.key);
  checkKeysDiffer(
    collection,
    rows.map((row) => row[place]),
  );
  return { ...plan, conflict: { overwrite: withoutKey(collection, fields) } };
}

export function withoutKey(collection: Collection, fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => field !== collection.key);
}

function checkConflictTarget(collection: Collection, names: readonly string[] | undefined): void {
  if (names === undefined) return;
  for (const name of names) {
    if (!collection.fields.some((field) => field.name === name)) {
      throw new Refusal('42703', `column "${name}" does not exist`, { hint: nearestHint(collection, name) });
    }
  }
  if (names.length !== 1 || names[0] !== collection.key.name) {
    throw new Refusal('42P10', 'there is no unique or exclusion constraint matching the ON CONFLICT specification', {
      hint: `Only ${collection.key.name} is unique: use on_conflict=${collection.key.name}.`,
    });
  }
}
