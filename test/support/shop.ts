/** The products of the shop, a declared catalogue with every type: its declaration and rows lie in test/data/shop. */
import { readFileSync } from 'node:fs';
import { createApp } from '../../src/app.ts';
import { type Collection, type CollectionDraft, declareCollection } from '../../src/collection/declaration.ts';
import { typeNamed } from '../../src/collection/types/index.ts';
import type { Row, Value } from '../../src/collection/value.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openPostgres } from '../../src/engine/postgres/index.ts';
import { IN_MEMORY, openSqlite } from '../../src/engine/sqlite/index.ts';
import type { Catalogue } from './catalogue.ts';
import { newSchema, TEST_SETTINGS, testServer } from './postgres.ts';

interface DeclaredField {
  readonly type: string;
  readonly required?: boolean;
  readonly indexed?: boolean;
  readonly default?: Value;
}

const FOLDER = new URL('../data/shop/', import.meta.url);
const declared = Bun.YAML.parse(readFileSync(new URL('collections.yaml', FOLDER), 'utf8')) as {
  collections: Record<string, { fields: Record<string, DeclaredField> }>;
};

export const SHOP_COLLECTIONS: readonly string[] = Object.keys(declared.collections);
export const SHOP_ROWS: readonly Row[] = JSON.parse(readFileSync(new URL('products.json', FOLDER), 'utf8'));

/** Fields whose default is made anew for each row. */
export const GENERATED: readonly string[] = Object.entries(declared.collections.products!.fields)
  .filter(([, field]) => isGenerated(field))
  .map(([name]) => name);

function isGenerated({ type, default: value }: DeclaredField): boolean {
  return typeof value === 'string' && Object.keys(typeNamed(type)?.generated ?? {}).includes(value);
}

export const shopProducts: Collection = declareCollection({
  name: 'products',
  key: 'id',
  fields: Object.entries(declared.collections.products!.fields).map(([name, field]) => ({
    name,
    type: field.type,
    description: name,
    ...(field.required === true || name === 'id' ? { required: true } : {}),
    ...(field.indexed === true ? { indexed: true } : {}),
    ...(field.default === undefined || isGenerated(field) ? {} : { default: field.default }),
  })),
});

/** A collection of these types, each a field called as its type, beside the key. */
export function collectionOf(fields: Readonly<Record<string, string>>): Collection {
  const drafts: CollectionDraft['fields'] = Object.entries(fields).map(([name, type]) => ({
    name,
    type,
    description: name,
  }));
  const id = { name: 'id', type: 'int4', required: true, description: 'id' };
  return declareCollection({ name: 'products', key: 'id', fields: [id, ...drafts] });
}

const OPEN: Readonly<Record<string, (collection: Collection) => Promise<Engine>>> = {
  SQLite: async (collection) =>
    openSqlite({ path: IN_MEMORY, collection, firstRows: [], retryHours: 24, querySeconds: 10 }),
  PostgreSQL: async (collection) => {
    const { url } = testServer;
    const engine = openPostgres({ ...TEST_SETTINGS, collection, url, schema: newSchema(), firstRows: [] });
    await engine.opened;
    return engine;
  },
};

/** Any collection on an engine, empty. */
export async function openCollection(engineName: string, collection: Collection): Promise<Catalogue> {
  const engine = await OPEN[engineName]!(collection);
  const app = createApp({ collection, engine, maxBodyBytes: 64 * 1024 * 1024, allowUnfilteredWrites: false });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    fetch,
    list: async (path = `/${collection.name}`) => (await (await fetch(path)).json()) as Row[],
    close: () => engine.close(),
  };
}

/** The products of the shop with their 77 rows. */
export async function openShop(engineName: string): Promise<Catalogue> {
  const catalogue = await openCollection(engineName, shopProducts);
  const response = await catalogue.fetch('/products', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SHOP_ROWS),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return catalogue;
}
