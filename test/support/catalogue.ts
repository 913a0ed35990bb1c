/** A catalogue of its own for a test: the app on an engine, with the reference products, asked through `fetch`. */

import { createApp } from '../../src/app.ts';
import { BUILT_IN } from '../../src/collection/built-in.ts';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import type { Row } from '../../src/collection/value.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { IN_MEMORY, openSqlite } from '../../src/engine/sqlite/index.ts';
import { firstRowsOf } from '../../src/plan/first-rows.ts';
import { openTestPostgres } from './postgres.ts';

export const REFERENCE_PRODUCTS: readonly Row[] = referenceProducts;

/** Every engine the tests run on, by name. */
export const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  SQLite: async () =>
    openSqlite({
      path: IN_MEMORY,
      catalogue: BUILT_IN.catalogue,
      firstRows: firstRowsOf(BUILT_IN),
      retryHours: 24,
      querySeconds: 10,
    }),
  PostgreSQL: () => openTestPostgres(REFERENCE_PRODUCTS),
};

export interface Catalogue {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The rows of a list, whatever the path's page and filter. */
  readonly list: (path?: string) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

export interface CatalogueSettings {
  readonly maxBodyBytes?: number;
  readonly allowUnfilteredWrites?: boolean;
}

export async function openCatalogue(engineName: string, settings: CatalogueSettings = {}): Promise<Catalogue> {
  const engine = await ENGINES[engineName]!();
  const app = createApp({
    catalogue: BUILT_IN.catalogue,
    engine,
    maxBodyBytes: settings.maxBodyBytes ?? 64 * 1024 * 1024,
    allowUnfilteredWrites: settings.allowUnfilteredWrites ?? false,
  });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    fetch,
    list: async (path = '/products') => (await (await fetch(path)).json()) as Row[],
    close: () => engine.close(),
  };
}
