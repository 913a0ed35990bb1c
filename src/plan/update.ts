/** PATCH and DELETE: what changes, and which rows it changes. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { pageOfQuery } from '../dialect/page.ts';
import type { Payload } from '../dialect/payload.ts';
import type { Query } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { coerce, locate } from './coerce.ts';
import { planConditions } from './predicate.ts';
import { withItem } from './read.ts';
import { type Absence, absentValue, nullViolation } from './row-planner.ts';
import { planShape, withKey } from './shape.ts';
import { absenceIn, checkKeysDiffer, resolveColumns } from './stored-rows.ts';
import type { Assignment, Bound, DeletePlan, UpdateEachPlan, UpdatePlan } from './types.ts';
import { itemKey, planTerms, type WriteRequest } from './write-terms.ts';

export function planUpdate(collection: Collection, request: WriteRequest, payload: Payload): UpdatePlan {
  const where = planTarget(collection, request);
  const fields = resolveColumns(collection, payload.columns);
  const [cells] = payload.rows;
  return {
    kind: 'update',
    ...planTerms(collection, request),
    ...maxAffected(request),
    where,
    ...planBound(collection, request.query),
    set: namedEvenIfEmpty(
      cells === undefined
        ? []
        : planAssignments(collection, fields, cells, absenceIn(payload, request.preferences.missing === 'default')),
      collection,
      request.item === undefined ? undefined : itemKey(collection, request.item),
    ),
  };
}

/** Nothing to change on a product that is named by its key: the key is set to itself, so that the product is met. */
function namedEvenIfEmpty(
  set: readonly Assignment[],
  { key: field }: Collection,
  key: Value | undefined,
): readonly Assignment[] {
  return set.length === 0 && key !== undefined ? [{ field, value: key }] : set;
}

/** Bulk update: every object names its product by key, and changes what else it carries. */
export function planUpdateEach(
  collection: Collection,
  request: WriteRequest,
  objects: readonly Readonly<Record<string, unknown>>[],
): UpdateEachPlan {
  const { key } = collection;
  const changes = objects.map((object, row) => {
    const { [key.name]: keyCell, ...rest } = object;
    if (keyCell === undefined || keyCell === null) {
      throw new Refusal('21000', `row ${row + 1} has no ${key.name}`, {
        hint: `An update without a filter names each product by its ${key.name}. To change all that match, add a filter.`,
      });
    }
    const fields = resolveColumns(collection, Object.keys(rest));
    try {
      const value = coerce(key, keyCell);
      const set = planAssignments(collection, fields, Object.values(rest), 'null', row);
      return { key: value, set: namedEvenIfEmpty(set, collection, value) };
    } catch (error) {
      throw locate(error, row, error instanceof Refusal && error.details?.startsWith('row') ? undefined : key);
    }
  });
  checkKeysDiffer(
    collection,
    changes.map((change) => change.key),
  );
  return { kind: 'update-each', ...planTerms(collection, request), ...maxAffected(request), changes };
}

export function planDelete(collection: Collection, request: WriteRequest): DeletePlan {
  const where = planTarget(collection, request);
  return {
    kind: 'delete',
    ...planTerms(collection, request),
    ...maxAffected(request),
    where,
    ...planBound(collection, request.query),
  };
}

/** As in PostgREST, a bound on what changes; what a POST creates is in its body for all to see. */
function maxAffected({ preferences }: WriteRequest): { maxAffected?: number } {
  const bound = preferences.handling === 'strict' ? preferences['max-affected'] : undefined;
  return bound === undefined ? {} : { maxAffected: bound };
}

function planTarget(collection: Collection, request: WriteRequest): UpdatePlan['where'] {
  const { query, item, allowUnfiltered } = request;
  const where = planConditions(collection, query.conditions);
  if (item !== undefined) return withItem(collection, item, where);
  if (query.conditions.length > 0 || query.limit !== undefined || allowUnfiltered) return where;
  throw new Refusal('21000', 'a write without a filter would touch every row', {
    details: 'Nothing was changed.',
    hint: `Add a filter such as ${collection.key.name}=eq.1. To really touch all rows, filter by ${collection.key.name}=not.is.null.`,
  });
}

function planBound(collection: Collection, query: Query): { bound?: Bound } {
  const page = pageOfQuery(query);
  if (page.limit === undefined && page.offset === 0) return {};
  const { order } = planShape(collection, { select: [], order: query.order }, false);
  return { bound: { order: withKey(collection, order), ...page } };
}

/** The key cannot become null; of any other required field the database says so, when it meets a row. */
function planAssignments(
  collection: Collection,
  fields: readonly Field[],
  cells: readonly unknown[],
  absence: Absence,
  row?: number,
): readonly Assignment[] {
  return fields.map((field, index) => {
    try {
      const cell = cells[index];
      const value = cell === undefined ? absentValue(field, absence) : coerce(field, cell);
      if (value === null && field === collection.key) throw nullViolation(collection, field);
      return { field, value };
    } catch (error) {
      throw locate(error, row, field);
    }
  });
}
