/**
 * A declared catalogue for the benchmark: products of 21 fields, three of them json or arrays, and the referenced rows.
 */
import { rmSync } from 'node:fs';
import { type Catalogue, declareCatalogue } from '../src/collection/declaration.ts';
import type { Row } from '../src/collection/value.ts';
import { parseDeclaration } from '../src/declare/read.ts';
import { openSqlite } from '../src/engine/sqlite/engine.ts';
import { WHOLE_ROW_JSON } from '../src/plan/read/read.ts';
import { rowPlanner } from '../src/plan/write/row-planner.ts';
import type { StoredRow } from '../src/plan/write-plan.ts';
import { generateObjects, indexCatalogue } from './generate.ts';

const DECLARATION = {
  collections: {
    categories: { fields: { id: 'int4', category_name: { type: 'text', required: true }, description: 'text' } },
    suppliers: { fields: { id: 'int4', company_name: { type: 'text', required: true }, country: 'text' } },
    products: {
      fields: {
        id: 'int4',
        product_name: { type: 'text', required: true, indexed: true },
        discontinued: { type: 'int4', required: true, default: 0 },
        supplier_id: { type: 'int4', references: 'suppliers', indexed: true },
        category_id: { type: 'int4', references: 'categories', indexed: true },
        quantity_per_unit: 'text',
        unit_price: { type: 'decimal(12,4)', minimum: 0 },
        units_in_stock: 'int4',
        units_on_order: 'int4',
        reorder_level: 'int4',
        sku: { type: 'text', unique: true },
        tags: 'text[]',
        sizes: 'int4[]',
        attributes: 'json',
        available: { type: 'boolean', required: true, default: true },
        weight: 'float8',
        barcode: 'int8',
        released: 'date',
        created_at: 'timestamptz',
        status: { type: 'text', required: true, default: 'draft', oneOf: ['draft', 'live', 'retired'] },
        uid: 'uuid',
      },
    },
    prices: {
      key: ['product_id', 'currency'],
      fields: { product_id: { type: 'int4', references: 'products' }, currency: 'text', amount: 'decimal(12,4)' },
    },
  },
};

export const SHOP_TEXT = JSON.stringify(DECLARATION);

const TAGS = [['new'], ['new', 'organic'], ['gift, boxed'], [], null];
const STATUSES = ['draft', 'live', 'retired'];

function* categoriesOf(count: number): Generator<Row> {
  for (let id = 1; id <= count; id++) {
    yield { id, category_name: `Category ${id}`, description: id % 3 === 0 ? null : `All that belongs to ${id}` };
  }
}

function* suppliersOf(count: number): Generator<Row> {
  for (let id = 1; id <= count; id++)
    yield { id, company_name: `Supplier ${id}`, country: ['UK', 'Japan', null][id % 3]! };
}

/** Generates the benchmark products with eleven additional fields. */
function* productsOf(count: number, categories: number): Generator<Row> {
  for (const product of generateObjects(count)) {
    const id = product.id as number;
    const digits = String(id).padStart(12, '0');
    yield {
      ...product,
      category_id: 1 + ((id * 7919) % categories),
      sku: `A-${digits}`,
      tags: TAGS[id % TAGS.length]!,
      sizes: [id % 7, id % 11, id % 13],
      attributes: {
        color: ['red', 'blue'][id % 2]!,
        origin: { iso: 'FI', organic: id % 3 === 0 },
        parts: [{ n: 0, kg: 2.5 }],
      },
      available: id % 4 !== 0,
      weight: id / 8,
      barcode: 4_000_000_000_000 + id,
      released: `20${String(10 + (id % 15))}-0${1 + (id % 9)}-1${id % 10}`,
      created_at: `2025-0${1 + (id % 9)}-02T03:04:05.${String(id % 1000).padStart(3, '0')}1+00:00`,
      status: STATUSES[id % 3]!,
      uid: `00000000-0000-4000-8000-${digits}`,
    } as unknown as Row;
  }
}

/** Generates two prices for each product. */
function* pricesOf(count: number): Generator<Row> {
  for (let id = 1; id <= count; id++) {
    for (const currency of ['EUR', 'USD']) yield { product_id: id, currency, amount: (id % 300) + 0.25 };
  }
}

export function shopCatalogue(): Catalogue {
  return declareCatalogue(parseDeclaration(SHOP_TEXT, 'collections.json'));
}

const AT_ONCE = 10_000;

/** Creates a file with this many products through the engine, with a complete search index. */
export async function generateShop(path: string, products: number, categories: number): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  const catalogue = shopCatalogue();
  const engine = openSqlite({ path, catalogue, firstRows: () => [], retryHours: 24, querySeconds: 60 });
  const store = async (name: string, objects: Iterable<Row>) => {
    const into = catalogue.collections.get(name)!;
    const plan = rowPlanner(into, into.fields);
    let rows: StoredRow[] = [];
    const flush = async () => {
      const terms = {
        given: into.fields,
        conflict: 'refuse',
        singular: false,
        mustExist: false,
      } as const;
      const insert = { plan: { kind: 'insert', into, rows, ...terms } as const, encoding: WHOLE_ROW_JSON };
      if (rows.length > 0) await engine.write([insert], { dryRun: false });
      rows = [];
    };
    for (const object of objects) {
      if (rows.push(plan(into.fields.map((field) => object[field.name]))) === AT_ONCE) await flush();
    }
    await flush();
  };
  await store('categories', categoriesOf(categories));
  await store('suppliers', suppliersOf(29));
  await store('products', productsOf(products, categories));
  await store('prices', pricesOf(products));
  await engine.close();
  indexCatalogue(path, catalogue);
}
