/**
 * A catalogue with roles, and a model of the fields that each role sees in each row. The model generates databases that
 * differ only in data that a role cannot see.
 */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from '../engines/roles.ts';
import type { Chooser } from './embedding-requests.ts';

export type Rows = Readonly<Record<string, readonly Row[]>>;

export const ROLED = declaredBy(`
collections:
  suppliers:
    fields: { id: int4, name: { type: text, required: true, unique: true }, region: text, rating: int4 }
  categories:
    fields:
      id: int4
      name: { type: text, required: true }
      hidden: { type: boolean, required: true, default: false }
      parent_id: { type: int4, references: { collection: categories, onDelete: set null } }
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      sku: { type: text, unique: true }
      price: 'decimal(12,2)'
      cost: 'decimal(12,2)'
      discontinued: { type: int4, required: true, default: 0 }
      released: date
      tags: 'text[]'
      attributes: json
      category_id: { type: int4, references: { collection: categories, onDelete: set null } }
      supplier_id: { type: int4, references: { collection: suppliers, onDelete: set null } }
      changed_at: { type: timestamptz, default: '2020-01-01T00:00:00Z' }
  labels:
    fields: { id: int4, label: text }
  product_labels:
    key: [product_id, label_id]
    fields:
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
      label_id: { type: int4, references: { collection: labels, onDelete: cascade } }
      weight: { type: int4, required: true, default: 5 }
  secrets:
    fields: { id: int4, product_id: { type: int4, references: { collection: products, onDelete: cascade } }, note: text }
queries:
  cheap: { parameters: { value: 'decimal(12,2)' }, read: 'products?price=lte.{value}&order=name' }
  costly: { parameters: { value: 'decimal(12,2)' }, read: 'products?cost=gte.{value}' }
  in_category: { parameters: { value: text }, read: 'products?select=id,name,categories!inner(name)&categories.name=neq.{value}' }
  of_supplier: { parameters: { value: text }, read: 'products?select=id,suppliers!inner()&suppliers.region=eq.{value}' }
roles:
  public:
    call: [cheap, costly, in_category, of_supplier]
    products: { read: { where: 'discontinued=eq.0', fields: [id, name, price, released, tags, category_id] } }
    categories: { read: { where: 'hidden=is.false', fields: [id, name, parent_id] } }
    labels: { read: true }
    product_labels: { read: { where: 'weight=gt.1' } }
  supplier:
    call: [cheap, costly, of_supplier]
    products:
      read: { where: 'supplier_id=eq.{claims.supplier.id}', fields: [id, name, sku, price, attributes, supplier_id, category_id, changed_at] }
      create: { where: 'supplier_id=eq.{claims.supplier.id}', fields: [id, name, sku, supplier_id, category_id] }
      update: { where: 'supplier_id=eq.{claims.supplier.id}&discontinued=eq.0', fields: [name, price, attributes, supplier_id, category_id] }
      delete: { where: 'discontinued=eq.0&supplier_id=eq.{claims.supplier.id}' }
    suppliers: { read: { where: 'id=eq.{claims.supplier.id}' }, update: { fields: [region] } }
    categories: { read: true }
  mixed:
    include: [public]
    products:
      read: { where: 'or=(supplier_id.eq.{claims.supplier.id},category_id.in.({claims.categories}))', fields: [id, name, cost, supplier_id] }
      update: { where: 'category_id=in.({claims.categories})', fields: [name, cost] }
    suppliers: { read: { where: 'region=not.eq.{claims.not_region}' } }
  writer:
    products: { create: { where: 'discontinued=eq.1' } }
    labels: { create: true, read: true, update: true, delete: true }
  editor:
    call: [cheap, in_category, of_supplier]
    products: { read: { where: 'discontinued=eq.0' }, create: true, update: true, delete: true }
    categories: { read: { where: 'hidden=is.false' }, create: true, update: true, delete: true }
    suppliers: { read: { where: 'region=eq.north', fields: [id, name, region] }, delete: true, update: { fields: [name] } }
  nobody: {}
  admin: all
`);

export const CLAIMS = { supplier: { id: 1 }, categories: [1, 2], not_region: 'south' } as const;

type Sees = (row: Row) => readonly string[] | undefined;
const every = (name: string) => ROLED.collections.get(name)!.fields.map((field) => field.name);
const if_ = (isSeen: boolean, fields: readonly string[]) => (isSeen ? fields : undefined);
const PUBLIC_PRODUCT = ['id', 'name', 'price', 'released', 'tags', 'category_id'];

const PUBLIC: Readonly<Record<string, Sees>> = {
  products: ({ discontinued }) => if_(discontinued === 0, PUBLIC_PRODUCT),
  categories: ({ hidden }) => if_(hidden === false, ['id', 'name', 'parent_id']),
  labels: () => every('labels'),
  product_labels: ({ weight }) => if_((weight as number) > 1, every('product_labels')),
};

/**
 * The fields of a row that a role sees, or undefined if the row is hidden. Collections that are missing here are
 * hidden.
 */
export const SEES: Readonly<Record<string, Readonly<Record<string, Sees>>>> = {
  public: PUBLIC,
  supplier: {
    products: ({ supplier_id }) =>
      if_(supplier_id === 1, ['id', 'name', 'sku', 'price', 'attributes', 'supplier_id', 'category_id', 'changed_at']),
    suppliers: ({ id }) => if_(id === 1, every('suppliers')),
    categories: () => every('categories'),
  },
  mixed: {
    ...PUBLIC,
    products: (row) => {
      const own = row.supplier_id === 1 || row.category_id === 1 || row.category_id === 2;
      const fields = [
        ...(row.discontinued === 0 ? PUBLIC_PRODUCT : []),
        ...(own ? ['id', 'name', 'cost', 'supplier_id'] : []),
      ];
      return if_(fields.length > 0, fields);
    },
    suppliers: ({ region }) => if_(region !== null && region !== 'south', every('suppliers')),
  },
  writer: { labels: () => every('labels') },
  editor: {
    products: ({ discontinued }) => if_(discontinued === 0, every('products')),
    categories: ({ hidden }) => if_(hidden === false, every('categories')),
    suppliers: ({ region }) => if_(region === 'north', ['id', 'name', 'region']),
  },
  nobody: {},
};

/** Fields that the rules depend on. If these do not change, the visibility of a row does not change. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  products: ['discontinued', 'supplier_id', 'category_id'],
  categories: ['hidden'],
  suppliers: ['id', 'region'],
  product_labels: ['weight'],
};

const product = (id: number, more: Partial<Row>): Row =>
  ({
    id,
    name: `product ${id}`,
    sku: `sku-${id}`,
    price: id * 2,
    cost: id,
    discontinued: 0,
    released: `2020-01-0${id}`,
    tags: `{a,t${id % 3}}`,
    attributes: `{"size": ${id}}`,
    category_id: 1,
    supplier_id: 1,
    changed_at: '2020-01-01T00:00:00+00:00',
    ...more,
  }) as Row;

export const BEGINNING: Rows = {
  suppliers: [
    { id: 1, name: 'one', region: 'north', rating: 1 },
    { id: 2, name: 'two', region: 'south', rating: 2 },
    { id: 3, name: 'three', region: 'north', rating: 3 },
    { id: 4, name: 'four', region: null, rating: null },
  ],
  categories: [
    { id: 1, name: 'tea', hidden: false, parent_id: 3 },
    { id: 2, name: 'odd', hidden: true, parent_id: 1 },
    { id: 3, name: 'drinks', hidden: false, parent_id: null },
    { id: 4, name: 'more', hidden: true, parent_id: 3 },
  ],
  products: [
    product(1, {}),
    product(2, { discontinued: 1 }),
    product(3, { supplier_id: 2, category_id: 3 }),
    product(4, { supplier_id: 2, category_id: 2 }),
    product(5, { supplier_id: 3, discontinued: 1, category_id: 3 }),
    product(6, { supplier_id: null, category_id: null, price: null }),
    product(7, { category_id: 2 }),
    product(8, { discontinued: 1, category_id: null }),
  ],
  labels: [
    { id: 1, label: 'x' },
    { id: 2, label: 'y' },
  ],
  product_labels: [
    { product_id: 1, label_id: 1, weight: 1 },
    { product_id: 1, label_id: 2, weight: 5 },
    { product_id: 2, label_id: 1, weight: 5 },
    { product_id: 3, label_id: 2, weight: 2 },
    { product_id: 4, label_id: 2, weight: 0 },
  ],
  secrets: [
    { id: 1, product_id: 1, note: 'HIDDEN' },
    { id: 2, product_id: 3, note: 'HIDDEN' },
  ],
};

/** Marker values that no response may contain. */
export const HIDDEN = /HIDDEN|4242/;

/** Chooses a replacement value of each type that is easy to recognize. */
function other(choose: Chooser, field: string, type: string, number: number): Row[string] {
  if (choose.sometimes(15)) return null;
  if (type === 'text') return `HIDDEN ${field} ${number}`;
  if (type === 'json') return '{"HIDDEN": 4242}';
  if (type === 'text[]') return '{HIDDEN}';
  if (type === 'date') return '4242-01-01';
  if (type === 'timestamptz') return '4242-01-01T00:00:00+00:00';
  return type === 'boolean' ? choose.sometimes(50) : 4242 + (type === 'int4' ? 0 : number);
}

/**
 * Generates a database that looks identical to a role. Hidden rows are changed, removed or added, and hidden fields are
 * changed.
 */
export function differing(choose: Chooser, role: string): Rows {
  const sees = SEES[role]!;
  let number = 0;
  const changed = Object.entries(BEGINNING).map(([name, rows]): [string, Row[]] => {
    const collection = ROLED.collections.get(name)!;
    const references = collection.references.map(({ field }) => field.name);
    const kept = rows.flatMap((row) => {
      const seen = sees[name]?.(row);
      if (seen === undefined && !isReferred(name, row) && choose.sometimes(40)) return [];
      return [hidden(row, seen)];
    });
    function hidden(row: Row, seen: readonly string[] | undefined): Row {
      const differs: Record<string, Row[string]> = { ...row };
      for (const { name: field, type, required } of collection.fields) {
        const isFixed =
          seen?.includes(field) ||
          collection.key.some((each) => each.name === field) ||
          references.includes(field) ||
          DECIDING[name]?.includes(field);
        if (isFixed === true || choose.sometimes(30)) continue;
        const value = other(choose, field, type.name, ++number);
        if (value !== null || !required) differs[field] = value;
      }
      return differs as Row;
    }
    const more = choose.sometimes(60) ? added(name) : undefined;
    return [name, more === undefined ? kept : [...kept, more]];
  });
  return Object.fromEntries(changed);

  /** Creates a row that the role does not see and that references existing rows. */
  function added(name: string): Row | undefined {
    const id = 500 + choose.number(0, 9);
    const candidates: Readonly<Record<string, Row>> = {
      products: product(id, {
        discontinued: 1,
        supplier_id: 3,
        category_id: 3,
        name: 'HIDDEN',
        sku: 'HIDDEN',
        cost: 4242,
        released: null,
      }),
      categories: { id, name: 'HIDDEN', hidden: true, parent_id: 1 },
      suppliers: { id, name: 'HIDDEN', region: 'south', rating: 4242 },
      product_labels: { product_id: 3, label_id: 1, weight: 1 },
      secrets: { id, product_id: 1, note: 'HIDDEN' },
    };
    const row = candidates[name];
    return row === undefined || sees[name]?.(row) !== undefined ? undefined : row;
  }
}

/** Whether another row references this row. */
function isReferred(name: string, { id }: Row): boolean {
  return [...ROLED.collections.values()].some(({ name: from, references }) =>
    references.some(({ to, field }) => to === name && BEGINNING[from]!.some((row) => row[field.name] === id)),
  );
}

/** Returns a list as the model predicts it: the rows in which the role sees all given fields. */
export function listed(role: string, name: string, fields: readonly string[]): Row[] {
  return BEGINNING[name]!.filter((row) => fields.every((field) => SEES[role]![name]?.(row)?.includes(field))).map(
    (row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])),
  );
}
