/** PUT: one product becomes what the body says, defaults included. */
import type { Collection } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import type { Payload } from '../dialect/payload.ts';
import { Refusal } from '../errors.ts';
import { withoutKey } from './insert.ts';
import { itemPredicate } from './read.ts';
import { planRows, resolveColumns } from './stored-rows.ts';
import type { InsertPlan, Precondition, StoredRow, UpdatePlan } from './types.ts';
import { itemKey, planTerms, type WriteRequest } from './write-terms.ts';

/** PUT: the one row of the body that the URL names replaces the stored one, or is inserted. */
export function planReplace(collection: Collection, request: WriteRequest, payload: Payload): InsertPlan {
  const key = replacedKey(collection, request);
  const row = replacement(collection, payload, key);
  // Whoever loses the race to create it must not overwrite it either.
  const conflict = request.createOnly === true ? 'refuse' : { overwrite: withoutKey(collection, collection.fields) };
  return { kind: 'insert', ...planTerms(collection, request), ...mustBeNew(request, key), rows: [row], conflict };
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
    ...planTerms(collection, request),
    ...mustBeNew(request, key),
    where: itemPredicate(collection, request.item ?? ''),
    set: set.filter(({ field }) => field !== collection.key),
  };
}

function mustBeNew({ createOnly }: WriteRequest, key: Value): { precondition?: Precondition } {
  return createOnly === true ? { precondition: { key, versions: 'none' } } : {};
}

function replacement(collection: Collection, payload: Payload, key: Value): StoredRow {
  const place = collection.fields.indexOf(collection.key);
  const fields = resolveColumns(collection, payload.columns);
  const rows = planRows(collection, fields, payload, true).filter((row) => row[place] === key);
  if (rows.length === 1) return rows[0]!;
  throw new Refusal('PGRST115', 'Payload values do not match URL in primary key column(s)', {
    details: `The URL names ${collection.key.name} ${key}; ${rows.length} rows of the body have it.`,
  });
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
      return collection.key.type.read(test.value);
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
