/** A separate catalogue for a test: the app on an engine, with the reference products, accessed through `fetch`. */

import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import referenceProducts from '../../../src/collection/reference-products.json' with { type: 'json' };
import type { Row } from '../../../src/collection/value.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { IN_MEMORY } from '../../../src/engine/sqlite/connection/database-files.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { chosen, isChosen } from './chosen.ts';
import { openTestPostgres } from './postgres.ts';
import { beginningWith, sqliteFiles, TEST_OPTIONS } from './sqlite.ts';

export const REFERENCE_PRODUCTS: readonly Row[] = referenceProducts;

const openFile = sqliteFiles();
const openLargeFile = sqliteFiles({ isLarge: true });

/**
 * The test engines by name: PostgreSQL, SQLite with its default settings, and SQLite with every table treated as large.
 */
export const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = chosen({
  SQLite: async () => openFile(REFERENCE_PRODUCTS),
  'SQLite with large tables': async () => openLargeFile(REFERENCE_PRODUCTS),
  PostgreSQL: () => openTestPostgres(REFERENCE_PRODUCTS),
});

/** One engine per database system, for tests whose results do not depend on the size of a table. */
export const TWO_ENGINES = (['SQLite', 'PostgreSQL'] as const).filter(isChosen);

/** Also the in-memory catalogue, which has no file and no other connection. */
export const WITH_MEMORY = [...TWO_ENGINES, 'SQLite in memory'] as const;

/** All engines, including the in-memory catalogue, for a few tests. */
export const ALL_ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  ...ENGINES,
  'SQLite in memory': async () =>
    openSqlite({ ...TEST_OPTIONS, path: IN_MEMORY, firstRows: beginningWith(REFERENCE_PRODUCTS) }),
};

export interface Catalogue {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Returns the rows of a list for any path, page and filter. */
  readonly list: (path?: string) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

export interface CatalogueSettings {
  readonly maxBodyBytes?: number;
  readonly allowUnfilteredWrites?: boolean;
  readonly plans?: boolean;
  readonly basePath?: string;
}

export async function openCatalogue(engineName: string, settings: CatalogueSettings = {}): Promise<Catalogue> {
  return catalogueOn(await ALL_ENGINES[engineName]!(), settings);
}

export function catalogueOn(engine: Engine, settings: CatalogueSettings = {}): Catalogue {
  const app = createApp({
    catalogue: BUILT_IN.catalogue,
    engine,
    maxBodyBytes: settings.maxBodyBytes ?? 64 * 1024 * 1024,
    allowUnfilteredWrites: settings.allowUnfilteredWrites ?? false,
    plans: settings.plans ?? false,
    basePath: settings.basePath ?? '',
  });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    fetch,
    list: async (path = '/products') => (await (await fetch(path)).json()) as Row[],
    close: () => engine.close(),
  };
}
