/** PATCH and DELETE: plans the changes and the rows they apply to. */

import { mapInSlices, type Task } from '../../base/cooperative.ts';
import { attempt, FAIL, type Report } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import { memoizeText } from '../../base/memo.ts';
import { type Collection, type Field, isKey, stored } from '../../collection/declaration.ts';
import { can } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { NamedCells, Payload } from '../../dialect/payload.ts';
import { pageOfQuery } from '../../dialect/query.ts';
import type { Query } from '../../dialect/tree.ts';
import { checkRules, planCell, withLocation } from '../coerce.ts';
import { conditionInLanguage } from '../in-language.ts';
import { planConditions } from '../predicate.ts';
import { planOrder, withKeyOrder } from '../read/order.ts';
import { andItemKey } from '../read/read.ts';
import { type Key, rejectRepeatedKeys } from '../resolve.ts';
import type { Assignment, Bound, DeletePlan, UpdateEachPlan, UpdatePlan } from '../write-plan.ts';
import { generate, type MissingValue, missingValues, nullViolation } from './row-planner.ts';
import { absenceIn, atRow, checkColumns, readOperation, resolveColumns } from './stored-rows.ts';
import { itemKey, planTerms, type WriteRequest } from './write-request.ts';

export function planUpdate(collection: Collection, request: WriteRequest, payload: Payload): UpdatePlan {
  const where = planTarget(collection, request);
  const into = stored(collection);
  const { report = FAIL } = request;
  const columns = checkColumns(collection, 'update', payload.columns, report);
  const given = columns.filter((field) => field !== undefined);
  const [cells] = payload.rows;
  const absence = absenceIn(payload, request.preferences.missing === 'default');
  const set = cells === undefined ? [] : planAssignments(collection, columns, cells, absence, report);
  return {
    kind: 'update',
    ...planTerms(collection, request, true),
    ...maxAffected(request),
    where,
    ...planBound(collection, request.query),
    set:
      request.item === undefined
        ? stamped(into, set)
        : namedEvenIfEmpty(into.key, stamped(into, set), itemKey(into, request.item)),
    given,
  };
}

/** A change without fields sets these fields to themselves, so that the row still counts as affected. */
export function namedEvenIfEmpty(by: readonly Field[], set: readonly Assignment[], values: Key): readonly Assignment[] {
  return set.length === 0 ? by.map((field, index) => ({ field, value: values[index]! })) : set;
}

/** Adds the fields that every update sets, unless the client sets them. A change without fields changes nothing. */
function stamped({ fields }: Collection, set: readonly Assignment[]): readonly Assignment[] {
  if (set.length === 0) return set;
  const stamps = fields.filter((field) => field.onUpdate !== undefined && !set.some((each) => each.field === field));
  return stamps.length === 0 ? set : [...set, ...stamps.map((field) => ({ field, value: generate(field, 'now') }))];
}

/** Bulk update: each object identifies its row by unique fields and changes its other fields. */
export function* planUpdateEach(
  collection: Collection,
  request: WriteRequest,
  by: readonly Field[],
  objects: readonly (NamedCells | undefined)[],
  absence: MissingValue,
): Task<UpdateEachPlan> {
  const into = stored(collection);
  const columnsOf = memoizeText((names): readonly Field[] => resolveColumns(collection, 'update', JSON.parse(names)));
  const given = new Set<Field>();
  const { report = FAIL } = request;
  const planChange = ({ names, cells }: NamedCells, row: number) => {
    const key = by.map((field) => readKey(by, field, cells[names.lastIndexOf(field.name)], row));
    const places = [...names.keys()].filter((at) => !by.some(({ name }) => name === names[at]));
    const fields = atRow(row, () => columnsOf(JSON.stringify(places.map((at) => names[at]))));
    for (const field of fields) given.add(field);
    const set = planAssignments(
      collection,
      fields,
      places.map((at) => cells[at]),
      absence,
      report,
      row,
    );
    return { key, set: namedEvenIfEmpty(by, stamped(into, set), key) };
  };
  // A change that cannot be planned has no key.
  const changes = yield* mapInSlices(objects, (object, row) => {
    return (object && attempt(report, () => planChange(object, row))) ?? { key: by.map(() => null), set: [] };
  });
  yield* rejectRepeatedKeys(
    by,
    changes.map((change) => change.key),
    report,
  );
  const terms = { ...planTerms(collection, request), ...maxAffected(request) };
  const { conditions } = request.query;
  const among =
    conditions.length === 0
      ? {}
      : { among: conditionInLanguage(planConditions(collection, conditions), collection, request.query.language) };
  const ignoresMissing = request.preferences['missing-rows'] === 'ignore';
  return { kind: 'update-each', ...terms, ...among, by, ignoresMissing, changes, given: [...given] };
}

function readKey(by: readonly Field[], field: Field, cell: unknown, row: number): Value {
  if (cell === undefined || cell === null) {
    throw new ApiError('21000', `row ${row + 1} has no ${field.name}`, {
      hint: `An update without a filter names each row by its ${by.map(({ name }) => name).join(' and ')}. To change all that match, add a filter.`,
      index: row,
      field: field.name,
    });
  }
  try {
    return planCell(field, cell);
  } catch (error) {
    throw withLocation(error, row, field);
  }
}

export function planDelete(collection: Collection, request: WriteRequest): DeletePlan {
  const where = planTarget(collection, request);
  return {
    kind: 'delete',
    ...planTerms(collection, request, true),
    ...maxAffected(request),
    where,
    ...planBound(collection, request.query),
  };
}

/** Limits updates and deletes, as in PostgREST; inserts are bounded by their body. */
function maxAffected({ preferences }: WriteRequest): { maxAffected?: number } {
  const bound = preferences.handling === 'strict' ? preferences['max-affected'] : undefined;
  return bound === undefined ? {} : { maxAffected: bound };
}

function planTarget(collection: Collection, request: WriteRequest): UpdatePlan['where'] {
  const { query, item, allowUnfiltered } = request;
  const where = conditionInLanguage(planConditions(collection, query.conditions), collection, query.language);
  if (item !== undefined) return andItemKey(collection, item, where);
  if (query.conditions.length > 0 || query.limit !== undefined || allowUnfiltered) return where;
  const field = collection.key[0] ?? collection.fields[0];
  const { name } = field!;
  throw new ApiError('21000', 'a write without a filter would touch every row', {
    nothingChanged: true,
    hint: `Add a filter such as ${name}=eq.${exampleOf(field!)}. To really touch all rows, filter by ${name}=not.is.null.`,
  });
}

/** An example value for a hint, or a placeholder. */
function exampleOf({ name, type }: Field): string {
  if (can(type, 'number')) return '1';
  const [example] = Array.isArray(type.schema.examples) ? type.schema.examples : [];
  return typeof example === 'string' ? example : `<${name}>`;
}

function planBound(collection: Collection, query: Query): { bound?: Bound } {
  const page = pageOfQuery(query);
  if (page.limit === undefined && page.offset === 0) return {};
  // The key of a view may be in several rows.
  if (collection.key.length === 0 || collection.draft.writes !== undefined) {
    throw new ApiError('21000', `a write with a limit needs a key, and ${collection.name} has none`, {
      nothingChanged: true,
      hint: 'Remove limit and offset, and choose the rows by a filter.',
    });
  }
  return { bound: { order: withKeyOrder(collection, planOrder(collection, query.order)), ...page } };
}

/**
 * The key cannot become null. For other required fields, the database reports it if a row matches. `seen` is the
 * caller's view.
 */
function planAssignments(
  seen: Collection,
  fields: readonly (Field | undefined)[],
  cells: readonly unknown[],
  absence: MissingValue,
  report: Report,
  row?: number,
): readonly Assignment[] {
  const collection = stored(seen);
  const absentValue = missingValues(collection);
  const assignment = (field: Field, index: number): Assignment => {
    try {
      const cell = cells[index];
      const operation = readOperation(seen, field, cell);
      if (operation !== undefined) return operation;
      const value = cell === undefined ? (absentValue(field, absence) ?? null) : planCell(field, cell);
      if (value === null && isKey(collection, field)) throw nullViolation(collection, field);
      checkRules(collection, field, value);
      return { field, value };
    } catch (error) {
      throw withLocation(error, row, field);
    }
  };
  return fields.flatMap((field, index) => (field && attempt(report, () => assignment(field, index))) ?? []);
}
