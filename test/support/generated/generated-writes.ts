/** Generated writes: each has a request and the effect that the model predicts. */
import fc from 'fast-check';
import { products } from '../../../src/collection/products.ts';
import type { Row } from '../../../src/collection/value.ts';
import { anyValueOf } from './generators.ts';
import { type Bound, type Effect, type Holds, insert, remove, replace, update, updateEach } from './model.ts';

export interface GeneratedWrite {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly prefer: readonly string[];
  /** The number of rows that will get an assigned id. */
  readonly unnumbered: number;
  readonly effect: (rows: readonly Row[], assigned: readonly number[]) => Effect;
}

const NUMBERS = products.fields.filter(({ type }) => type.name !== 'text').map(({ name }) => name);
/** Ids that often exist and often do not. */
const id = fc.integer({ min: -1, max: 90 });
const small = fc.integer({ min: 0, max: 60 });

interface Filter {
  readonly query: string;
  readonly holds: Holds;
}

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  eq: (left, right) => left === right,
  neq: (left, right) => left !== right,
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
};

/** A comparison with null never matches, negated or not. */
const comparison = fc
  .tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...Object.keys(COMPARISONS)), small, fc.boolean())
  .map(([field, operator, value, negated]): Filter => {
    const compare = COMPARISONS[operator]!;
    return {
      query: `${field}=${negated ? 'not.' : ''}${operator}.${value}`,
      holds: (row) => row[field] !== null && compare(Number(row[field]), value) !== negated,
    };
  });
const membership = fc
  .array(id, { minLength: 1, maxLength: 8 })
  .map((list): Filter => ({ query: `id=in.(${list.join(',')})`, holds: (row) => list.includes(Number(row.id)) }));
const nothing = fc
  .constantFrom(...NUMBERS)
  .map((field): Filter => ({ query: `${field}=is.null`, holds: (row) => row[field] === null }));
const either = fc.tuple(id, small).map(
  ([one, level]): Filter => ({
    query: `or=(id.eq.${one},reorder_level.gt.${level})`,
    holds: (row) => row.id === one || (row.reorder_level !== null && Number(row.reorder_level) > level),
  }),
);
const filter = fc.array(fc.oneof(comparison, membership, nothing, either), { minLength: 1, maxLength: 2 }).map(
  (filters): Filter => ({
    query: filters.map(({ query }) => query).join('&'),
    holds: (row) => filters.every(({ holds }) => holds(row)),
  }),
);

const bound: fc.Arbitrary<Bound | undefined> = fc.option(
  fc.record({
    field: fc.constantFrom(...products.fields.map(({ name }) => name)),
    descending: fc.boolean(),
    offset: fc.integer({ min: 0, max: 4 }),
    limit: fc.integer({ min: 0, max: 6 }),
  }),
  { nil: undefined, freq: 2 },
);
const boundQuery = (by: Bound | undefined) =>
  by === undefined ? '' : `&order=${by.field}${by.descending ? '.desc' : ''}&limit=${by.limit}&offset=${by.offset}`;

const NO_KEY = products.fields.filter((field) => field !== products.key[0]);
/** Generates a value of the field, sometimes null for a required field. */
const valueFor = (field: (typeof NO_KEY)[number]) =>
  fc.oneof({ weight: 30, arbitrary: anyValueOf(field) }, { weight: 1, arbitrary: fc.constant(null) });
const rowOf = (fields: readonly (typeof NO_KEY)[number][]): fc.Arbitrary<Row> =>
  fc.record(Object.fromEntries(fields.map((field) => [field.name, valueFor(field)])));

const someFields: fc.Arbitrary<Row> = fc.subarray(NO_KEY).chain(rowOf);

/** A list of objects with the same keys: a name, some other fields, and sometimes an id. */
const newRows: fc.Arbitrary<Row[]> = fc.tuple(fc.subarray(NO_KEY), fc.boolean()).chain(([fields, isNumbered]) => {
  const named = rowOf([...new Set([NO_KEY.find(({ name }) => name === 'product_name')!, ...fields])]);
  const row = isNumbered ? fc.tuple(id, named).map(([chosen, rest]): Row => ({ id: chosen, ...rest })) : named;
  return fc.array(row, { minLength: 1, maxLength: 4 });
});

const RESOLUTIONS = {
  refuse: [],
  merge: ['resolution=merge-duplicates'],
  keep: ['resolution=ignore-duplicates'],
} as const;

const creation = fc.tuple(newRows, fc.constantFrom('refuse', 'merge', 'keep')).map(
  ([sent, conflict]): GeneratedWrite => ({
    method: 'POST',
    path: '/products',
    body: sent,
    prefer: RESOLUTIONS[conflict],
    unnumbered: sent.filter((row) => row.id === undefined).length,
    effect: (rows, assigned) => insert(rows, sent, conflict, assigned),
  }),
);

type Draft = Omit<GeneratedWrite, 'prefer' | 'unnumbered'>;
const plain = (draft: Draft): GeneratedWrite => ({ ...draft, prefer: [], unnumbered: 0 });

const change = fc
  .tuple(filter, bound, someFields, fc.option(id, { freq: 5 }))
  .map(([{ query, holds }, by, fields, newId]) => {
    const set: Row = newId === null ? fields : { ...fields, id: newId };
    const path = `/products?${query}${boundQuery(by)}`;
    return plain({ method: 'PATCH', path, body: set, effect: (rows) => update(rows, holds, by, set) });
  });
const bulkChange = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 78 }), { maxLength: 5 }),
    fc.array(someFields, { minLength: 5, maxLength: 5 }),
  )
  .map(([numbers, fields]) => {
    const changes = numbers.map((number, index): Row => ({ id: number, ...fields[index] }));
    return plain({ method: 'PATCH', path: '/products', body: changes, effect: (rows) => updateEach(rows, changes) });
  });
const removal = fc.tuple(filter, bound).map(([{ query, holds }, by]) =>
  plain({
    method: 'DELETE',
    path: `/products?${query}${boundQuery(by)}`,
    effect: (rows) => remove(rows, holds, by),
  }),
);
const replacement = fc
  .tuple(id, id, someFields, fc.boolean(), fc.boolean())
  .map(([number, other, fields, isItem, isWrong]) => {
    const sent: Row = { id: isWrong ? other : number, product_name: 'Jar', ...fields };
    const path = isItem ? `/products/${number}` : `/products?id=eq.${number}`;
    return plain({ method: 'PUT', path, body: sent, effect: (rows) => replace(rows, number, sent, isItem) });
  });
const itemChange = fc.tuple(id, someFields).map(([number, set]) =>
  plain({
    method: 'PATCH',
    path: `/products/${number}`,
    body: set,
    effect: (rows) => update(rows, (row) => row.id === number, undefined, set, true),
  }),
);
const itemRemoval = id.map((number) =>
  plain({
    method: 'DELETE',
    path: `/products/${number}`,
    effect: (rows) => remove(rows, (row) => row.id === number, undefined, true),
  }),
);
const accident = fc
  .constantFrom('PATCH', 'DELETE')
  .map((method) => plain({ method, path: '/products', body: { discontinued: 1 }, effect: () => undefined }));

export const generatedWrite: fc.Arbitrary<GeneratedWrite> = fc.oneof(
  { weight: 6, arbitrary: creation },
  { weight: 5, arbitrary: change },
  { weight: 3, arbitrary: bulkChange },
  { weight: 2, arbitrary: removal },
  { weight: 3, arbitrary: replacement },
  { weight: 2, arbitrary: itemChange },
  { weight: 1, arbitrary: itemRemoval },
  { weight: 1, arbitrary: accident },
);
