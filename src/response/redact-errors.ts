/**
 * Redacts database errors for a caller who does not see every row: an error reveals no values that the caller did not
 * send, and no rows or collections that the caller cannot read.
 */

import { ApiError } from '../base/errors.ts';
import { rowDenied } from '../collection/access/permission-errors.ts';
import {
  allReferences,
  type Collection,
  type Field,
  fieldsOf,
  referencesTo,
  stored,
} from '../collection/declaration.ts';
import { derivedName } from '../collection/derived-name.ts';
import { type Predicate, testsIn } from '../plan/types.ts';
import type { WritePlan } from '../plan/write-plan.ts';

/** `collection` is the written collection as the caller sees it. */
export function redactError(error: unknown, plan: WritePlan, collection: Collection): unknown {
  if (!(error instanceof ApiError) || collection.view === undefined) return error;
  const shown = redacted(error, plan, collection);
  return shown === error ? error : shown.with({ request: error.request });
}

function redacted(error: ApiError, plan: WritePlan, collection: Collection): ApiError {
  const { constraint, index } = error;
  switch (error.code) {
    case '23505':
      return mayNameDuplicate(plan, collection, constraint) ? error : DUPLICATE.with({ index });
    case '23503':
      // A row that does not exist looks like one that the rules do not allow.
      if (Object.values(plan.restriction ?? {}).some((rule) => follows(rule, constraint))) {
        return rowDenied(plan.into.name);
      }
      // A row that is still referenced concerns no field of the body.
      if (error.field !== undefined || plan.kind === 'insert') {
        return mayNameReferent(plan, collection, constraint) ? error : missing(plan.into).with({ index });
      }
      return mayNameReferrers(collection) ? error : kept(plan.into);
    case '23514':
      return collection.view!.readsAll || isDeclaredLimit(error, collection) ? error : withoutDetails(error);
    default:
      return withoutHiddenField(error, collection);
  }
}

/** Does not name the computed field whose result is out of range, if the caller cannot read it. */
export function withoutHiddenField(error: ApiError, collection: Collection): ApiError {
  const { code, field = '' } = error;
  if (code !== '22003' || collection.byName.has(field)) return error;
  const isComputed = stored(collection).byName.get(field)?.computed !== undefined;
  return isComputed ? withoutDetails(error).with({ field: undefined }) : error;
}

/** A caller who reads all rows can see the conflicting one; others learn only what they sent. */
function mayNameDuplicate(plan: WritePlan, { view }: Collection, constraint: string | undefined): boolean {
  if (view!.readsAll) return true;
  const { name, key, unique } = plan.into;
  const fields = constraint === derivedName(name, 'pkey') ? key : unique.find((set) => set.name === constraint)?.fields;
  return fields?.every((field) => givenBy(plan).includes(field)) === true;
}

function givenBy(plan: WritePlan): readonly Field[] {
  return plan.kind === 'delete' ? [] : plan.given;
}

function mayNameReferent(plan: WritePlan, { among }: Collection, constraint: string | undefined): boolean {
  const reference = allReferences(plan.into).find(({ name }) => name === constraint);
  const isGiven = reference && fieldsOf(reference).every((field) => givenBy(plan).includes(field));
  return isGiven === true && among.has(reference!.to);
}

/** Whether a rule depends on the row that a reference leads to, or any reference if it is unknown. */
function follows(rule: Predicate, constraint: string | undefined): boolean {
  return testsIn(rule).some((test) => {
    if (test.kind !== 'exists') return false;
    const { name, outer, referring } = test.relation;
    return outer === referring && (constraint ?? name) === name;
  });
}

/** The referencing row may be named if the caller reads all rows of every collection that a cascade could reach. */
function mayNameReferrers(collection: Collection): boolean {
  const { among } = collection;
  const of = stored(collection);
  const losing = new Set([of]);
  for (const each of losing) {
    for (const { from, onDelete } of referencesTo({ collections: of.among }, each)) {
      if (among.get(from.name)?.view?.readsAll !== true) return false;
      if (onDelete === 'cascade') losing.add(from);
    }
  }
  return true;
}

export const DUPLICATE = new ApiError('23505', 'duplicate key value violates unique constraint', {
  details: 'Another row has one of the unique values already.',
});

function missing({ name }: Collection): ApiError {
  return new ApiError('23503', `insert or update on table "${name}" violates foreign key constraint`, {
    details: 'A row that it refers to does not exist.',
  });
}

function kept({ name }: Collection): ApiError {
  return new ApiError('23503', `update or delete on table "${name}" violates foreign key constraint`, {
    details: 'Other rows refer to it.',
  });
}

/** The error of a rule of a field names only what the declaration says. That of a constraint may show the row. */
export function isDeclaredLimit({ code, field }: ApiError, { byName }: Collection): boolean {
  return code === '23514' && field !== undefined && byName.has(field);
}

function withoutDetails(error: ApiError): ApiError {
  return error.with({ details: undefined, hint: undefined });
}
