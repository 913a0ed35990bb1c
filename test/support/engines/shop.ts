/**
 * The shop, a declared catalogue with every type and every kind of reference. Its declaration and rows are in
 * test/data/shop.
 */
import { readFileSync } from 'node:fs';
import { type AppOptions, createApp } from '../../../src/app.ts';
import { type Catalogue as Declared, declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { parseJson } from '../../../src/collection/exact-json.ts';
import type { Row } from '../../../src/collection/value.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { IN_MEMORY } from '../../../src/engine/sqlite/connection/database-files.ts';
import { openSqlite, type SqliteOptions } from '../../../src/engine/sqlite/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import type { Catalogue } from './catalogue.ts';
import { openDeclaredPostgres } from './postgres.ts';
import { type Rows, reused } from './reused.ts';
import { indexAtOnce, LARGE_TABLES, newFile, restoring, TEST_OPTIONS } from './sqlite.ts';

interface DeclaredCollection {
  readonly key?: string | readonly string[];
  readonly rows: string;
  readonly fields: Readonly<Record<string, Omit<FieldDraft, 'references'> & { readonly references?: unknown }>>;
}

const read = (file: string) => readFileSync(new URL(`../../data/shop/${file}`, import.meta.url), 'utf8');
const declared = Bun.YAML.parse(read('collections.yaml')) as { collections: Record<string, DeclaredCollection> };

/** Rows parsed like a request body: a number that does not fit a double keeps its digits. */
export const SHOP_ROWS: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
  Object.entries(declared.collections).map(([name, { rows }]) => [name, parseJson(read(rows)) as Row[]]),
);

/** Rows as a client parses them, with all numbers as doubles. */
export const SHOP_SHOWN: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
  Object.entries(declared.collections).map(([name, { rows }]) => [name, JSON.parse(read(rows)) as Row[]]),
);

export const SHOP_COLLECTIONS = Object.entries(declared.collections).map(
  ([name, { key = 'id', fields }]): CollectionDraft => ({
    name,
    key: [key].flat(),
    fields: Object.entries(fields).map(([field, { references, ...rest }]) => ({
      ...rest,
      name: field,
      ...(references === undefined ? {} : { references: referenceOf(references) }),
    })),
  }),
);

export const SHOP = declareCatalogue({ collections: SHOP_COLLECTIONS });

function referenceOf(declaration: unknown): NonNullable<FieldDraft['references']> {
  const given = typeof declaration === 'string' ? { collection: declaration } : (declaration as object);
  return { onDelete: 'restrict', ...given } as NonNullable<FieldDraft['references']>;
}

/** Declares one collection `things` with the key `id` and a field of each of these types. */
export function thingsOf(fields: Readonly<Record<string, string>>): Declared {
  const things: CollectionDraft = {
    name: 'things',
    key: ['id'],
    fields: [{ name: 'id', type: 'int4' }, ...Object.entries(fields).map(([name, type]) => ({ name, type }))],
  };
  return declareCatalogue({ collections: [things] });
}

const NO_ROWS: Rows = {};

const OPEN: Readonly<Record<string, (catalogue: Declared, rows: Rows) => Promise<Engine>>> = {
  SQLite: reused(async (catalogue, rows) => {
    const path = newFile();
    const engine = sqlite(path, catalogue, rows);
    return { engine, restore: restoring(path) };
  }),
  'SQLite in memory': async (catalogue, rows) => sqlite(IN_MEMORY, catalogue, rows),
  'SQLite with large tables': async (catalogue, rows) => {
    const path = newFile();
    const engine = sqlite(path, catalogue, rows, LARGE_TABLES);
    indexAtOnce(engine, path, catalogue);
    return engine;
  },
  PostgreSQL: openDeclaredPostgres,
};

function sqlite(path: string, catalogue: Declared, rows: Rows, options: Partial<SqliteOptions> = {}): Engine {
  return openSqlite({ ...TEST_OPTIONS, ...options, catalogue, path, firstRows: beginning(catalogue, rows) });
}

function beginning(catalogue: Declared, rows: Rows) {
  return firstRowsOf({ catalogue, rows: (name) => (Object.hasOwn(rows, name) ? rows[name]! : []) });
}

export function openDeclaredEngine(engineName: string, catalogue: Declared, rows: Rows = NO_ROWS): Promise<Engine> {
  return OPEN[engineName]!(catalogue, rows);
}

/** Opens a declared catalogue on an engine. */
export async function openDeclared(
  engineName: string,
  catalogue: Declared,
  rows: Rows = NO_ROWS,
  options: Partial<AppOptions> = {},
): Promise<Catalogue> {
  const engine = await openDeclaredEngine(engineName, catalogue, rows);
  const maxBodyBytes = 64 * 1024 * 1024;
  const app = createApp({ catalogue, engine, maxBodyBytes, allowUnfilteredWrites: false, ...options });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    fetch,
    list: async (path = '/') => (await (await fetch(path)).json()) as Row[],
    close: () => engine.close(),
  };
}

export function openShop(engineName: string): Promise<Catalogue> {
  return openDeclared(engineName, SHOP, SHOP_ROWS);
}
