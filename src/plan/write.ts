/**
 * Stage 3, plan, for writes: a body and a query become the rows to store, the changes to make, the rows to remove.
 *
 * In: a `Query`, a payload, preferences. Out: a `WritePlan`. Guarantees: values are of their fields' types and bounds,
 * required fields are there on insert, a write knows what it may touch. Refuses: PGRST204, 22P02, 22003, 23502, 21000,
 * 42P10, PGRST105/114/115. Touches no database.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import { FIELD_TYPES } from '../collection/field-types.ts';
import type { Value } from '../collection/value.ts';
import { pageOfQuery } from '../dialect/page.ts';
import type { Payload } from '../dialect/payload.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { coerce, locate } from './coerce.ts';
import { planConditions } from './predicate.ts';
import { itemPredicate, withItem } from './read.ts';
import { nearestHint } from './resolve.ts';
import { planShape, withKey } from './shape.ts';
import type {
  Assignment,
  Bound,
  DeletePlan,
  InsertPlan,
  Precondition,
  StoredRow,
  UpdateEachPlan,
  UpdatePlan,
  WritePlan,
} from './types.ts';

/** What a write asks for beside its query and body. */
export interface WriteRequest {
  readonly query: Query;
  readonly preferences: Preferences;
  /** The key in the path, where the write is addressed to one product. */
  readonly item?: string;
  readonly singular: boolean;
  readonly ifMatch?: Precondition['versions'];
  readonly retry?: { readonly key: string; readonly fingerprint: string };
  /** Whether a write without a filter may touch every row. */
  readonly allowUnfiltered: boolean;
}

type Terms = Pick<
  WritePlan,
  'returning' | 'maxAffected' | 'singular' | 'mustExist' | 'dryRun' | 'precondition' | 'retry'
>;

export function planInsert(collection: Collection, request: WriteRequest, payload: Payload): InsertPlan {
  const { resolution, missing } = request.preferences;
  const fields = resolveColumns(collection, payload.columns);
  const rows = planRows(collection, fields, payload.rows, missing === 'default');
  if (resolution === undefined) return { kind: 'insert', ...terms(collection, request), rows, conflict: 'refuse' };
  checkConflictTarget(collection, request.query.onConflict);
  if (resolution === 'ignore-duplicates')
    return { kind: 'insert', ...terms(collection, request), rows, conflict: 'keep' };
  checkKeysDiffer(collection, rows);
  return {
    kind: 'insert',
    ...terms(collection, request),
    rows,
    conflict: { overwrite: withoutKey(collection, fields) },
  };
}

/** PUT: the one row of the body that the URL names replaces the stored one, or is inserted. */
export function planReplace(collection: Collection, request: WriteRequest, payload: Payload): InsertPlan {
  const row = replacement(collection, payload, replacedKey(collection, request));
  const conflict = { overwrite: withoutKey(collection, collection.fields) };
  return { kind: 'insert', ...terms(collection, request), rows: [row], conflict };
}

/** PUT to a product's own URL: it must be there, and becomes what the body says, defaults included. */
export function planReplaceItem(collection: Collection, request: WriteRequest, payload: Payload): UpdatePlan {
  if (request.query.conditions.length > 0) throw notKeyOnly(collection);
  const key = itemKey(collection, request.item ?? '');
  const named = payload.columns.includes(collection.key.name)
    ? payload
    : {
        ...payload,
        columns: [...payload.columns, collection.key.name],
        rows: payload.rows.map((cells) => [...cells, key]),
      };
  const row = replacement(collection, named, key);
  const set = collection.fields.map((field, index) => ({ field, value: row[index] ?? null }));
  return {
    kind: 'update',
    ...terms(collection, request),
    where: itemPredicate(collection, request.item ?? ''),
    set: set.filter(({ field }) => field !== collection.key),
  };
}

function replacement(collection: Collection, payload: Payload, key: Value): StoredRow {
  const place = collection.fields.indexOf(collection.key);
  const fields = resolveColumns(collection, payload.columns);
  const rows = planRows(collection, fields, payload.rows, true).filter((row) => row[place] === key);
  if (rows.length === 1) return rows[0]!;
  throw new Refusal('PGRST115', 'Payload values do not match URL in primary key column(s)', {
    details: `The URL names ${collection.key.name} ${key}; ${rows.length} rows of the body have it.`,
  });
}

export function planUpdate(collection: Collection, request: WriteRequest, payload: Payload): UpdatePlan {
  const where = planTarget(collection, request);
  const fields = resolveColumns(collection, payload.columns);
  const [cells] = payload.rows;
  return {
    kind: 'update',
    ...terms(collection, request),
    where,
    ...planBound(collection, request.query),
    set: namedEvenIfEmpty(
      cells === undefined ? [] : planAssignments(fields, cells, request.preferences.missing === 'default'),
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
      const set = planAssignments(fields, Object.values(rest), false, row);
      return { key: value, set: namedEvenIfEmpty(set, collection, value) };
    } catch (error) {
      throw locate(error, row, error instanceof Refusal && error.details?.startsWith('row') ? undefined : key);
    }
  });
  return { kind: 'update-each', ...terms(collection, request), changes };
}

export function planDelete(collection: Collection, request: WriteRequest): DeletePlan {
  const where = planTarget(collection, request);
  return { kind: 'delete', ...terms(collection, request), where, ...planBound(collection, request.query) };
}

function terms(collection: Collection, request: WriteRequest): Terms {
  const { query, preferences, item, singular, ifMatch, retry } = request;
  const shape = planShape(collection, query, query.order.length > 0);
  const limit = preferences.handling === 'strict' ? preferences['max-affected'] : undefined;
  return {
    singular,
    mustExist: item !== undefined,
    dryRun: preferences.tx === 'rollback',
    ...(preferences.return === 'representation' ? { returning: shape } : {}),
    ...(limit === undefined ? {} : { maxAffected: limit }),
    ...(ifMatch === undefined || item === undefined
      ? {}
      : { precondition: { key: itemKey(collection, item), versions: ifMatch } }),
    ...(retry === undefined ? {} : { retry }),
  };
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

function resolveColumns(collection: Collection, names: readonly string[]): readonly Field[] {
  return names.map((name) => {
    const field = collection.fields.find((each) => each.name === name);
    if (field !== undefined) return field;
    throw new Refusal('PGRST204', `Could not find the '${name}' column of '${collection.name}' in the schema cache`, {
      hint: nearestHint(collection, name),
    });
  });
}

/** Full rows, in the order of the collection's fields: what is not given takes its default. */
function planRows(
  collection: Collection,
  fields: readonly Field[],
  rows: readonly (readonly unknown[])[],
  defaultMissing: boolean,
): readonly StoredRow[] {
  const places = collection.fields.map((field) => fields.lastIndexOf(field));
  const { key } = collection;
  let row = 0;
  let field: Field | undefined;
  try {
    return rows.map((cells, index) => {
      row = index;
      const stored = collection.fields.map((each, at) => {
        field = each;
        const place = places[at]!;
        const cell = place === -1 ? undefined : cells[place];
        if (cell !== undefined) return coerce(each, cell);
        // A column that was named but not given is null, unless missing=default was asked for.
        if (each === key && (place === -1 || defaultMissing)) return undefined;
        return place === -1 || defaultMissing ? (each.default ?? null) : null;
      });
      const absent = stored.findIndex((value, at) => value === null && collection.fields[at]!.required);
      if (absent !== -1) {
        field = collection.fields[absent]!;
        throw nullViolation(collection, field);
      }
      return stored;
    });
  } catch (error) {
    throw locate(error, rows.length > 1 ? row : undefined, field);
  }
}

function planAssignments(
  fields: readonly Field[],
  cells: readonly unknown[],
  defaultMissing: boolean,
  row?: number,
): readonly Assignment[] {
  return fields.map((field, index) => {
    try {
      const cell = cells[index];
      if (cell !== undefined) return { field, value: coerce(field, cell) };
      return { field, value: defaultMissing ? (field.default ?? null) : null };
    } catch (error) {
      throw locate(error, row, field);
    }
  });
}

export function nullViolation(collection: Collection, field: Pick<Field, 'name'>): Refusal {
  const message = `null value in column "${field.name}" of relation "${collection.name}" violates not-null constraint`;
  return new Refusal('23502', message, { details: `${field.name} is required` });
}

function withoutKey(collection: Collection, fields: readonly Field[]): readonly Field[] {
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

function checkKeysDiffer(collection: Collection, rows: readonly StoredRow[]): void {
  const place = collection.fields.indexOf(collection.key);
  const seen = new Map<Value, number>();
  for (const [index, row] of rows.entries()) {
    const key = row[place];
    if (key === undefined) continue;
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      throw new Refusal('21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time', {
        details: `rows ${earlier + 1} and ${index + 1} both have ${collection.key.name} ${key}`,
      });
    }
    seen.set(key, index);
  }
}

function replacedKey(collection: Collection, { query }: WriteRequest): Value {
  if (query.limit !== undefined || query.offset !== undefined) {
    throw new Refusal('PGRST114', 'limit/offset querystring parameters are not allowed for PUT');
  }
  const [condition, ...others] = query.conditions;
  if (condition?.kind === 'comparison' && others.length === 0 && !condition.negated) {
    const { field, test } = condition;
    const isKey = field.name === collection.key.name && field.json.length === 0;
    if (isKey && test.kind === 'value' && test.operator === 'eq' && test.quantifier === undefined) {
      return FIELD_TYPES[collection.key.type].readComparable(test.value);
    }
  }
  throw notKeyOnly(collection);
}

function notKeyOnly({ name, key }: Collection): Refusal {
  return new Refusal('PGRST105', "Filters must include all and only primary key columns with 'eq' operators", {
    hint: `Write PUT /${name}?${key.name}=eq.<${key.name}>.`,
    headers: { allow: 'OPTIONS, GET, HEAD, POST, PATCH, DELETE' },
  });
}

function itemKey(collection: Collection, item: string): Value {
  const predicate = itemPredicate(collection, item);
  return predicate.kind === 'compare' ? predicate.value : null;
}
