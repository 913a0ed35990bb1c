/** Databases with a changing declaration: opened with one, then with another, on every engine. */
import { Database } from 'bun:sqlite';
import { type App, type AppOptions, createApp } from '../../../src/app.ts';
import { type Catalogue, declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { MigrationPlan } from '../../../src/engine/migration/words.ts';
import { maintenanceOf } from '../../../src/engine/open.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { FileRecords } from '../../../src/files/records.ts';
import { openStorage, type StorageOptions } from '../../../src/files/storage/identity.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { sendJson } from '../stories.ts';
import { chosen } from './chosen.ts';
import { newSchema, TEST_SETTINGS, testServer } from './postgres.ts';
import { newFile, TEST_OPTIONS } from './sqlite.ts';

export interface Declaration {
  readonly collections: readonly CollectionDraft[];
  /** Initial rows of new collections, by collection name. */
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
  readonly allowed?: readonly string[];
  readonly historyDays?: number;
  /** The storage of files, if it is not the database. */
  readonly storage?: { readonly location: string } & StorageOptions;
  /** Options of the app. */
  readonly options?: Partial<AppOptions>;
}

export interface Opened {
  readonly engine: Engine;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly list: (path: string) => Promise<Row[]>;
  /** Stores rows and expects success. */
  readonly post: (collection: string, rows: unknown) => Promise<void>;
  readonly app: App;
  readonly close: () => Promise<void>;
}

export interface Place {
  /** The value for `--database`, for PostgreSQL without the schema. */
  readonly url: string;
  readonly schema: string;
  readonly open: (declaration: Declaration) => Promise<Opened>;
  readonly plan: (declaration: Declaration) => Promise<MigrationPlan>;
  /** Queries the database directly, independent of the declaration. */
  readonly ask: (sql: string) => Promise<Row[]>;
  /** Returns the storage layout of the tables without the search index, to detect whether a migration rewrote them. */
  readonly layout: () => Promise<unknown>;
}

export const PLACES: Readonly<Record<string, () => Place>> = chosen({ SQLite: sqlitePlace, PostgreSQL: postgresPlace });

function demandOf({ collections, rows = {}, allowed, historyDays }: Declaration) {
  const catalogue = declareCatalogue({ collections });
  const firstRows = firstRowsOf({ catalogue, rows: (name) => rows[name] ?? [] });
  const days = historyDays === undefined ? {} : { historyDays };
  return { catalogue, firstRows, ...(allowed === undefined ? {} : { allowed }), ...days };
}

function sqlitePlace(): Place {
  const path = newFile();
  return {
    url: path,
    schema: 'public',
    open: async (declaration) => {
      const demand = demandOf(declaration);
      return opened(openSqlite({ ...TEST_OPTIONS, ...demand, path }), demand.catalogue, declaration);
    },
    plan: (declaration) => planOf(path, 'public', declaration),
    ask: async (sql) => withFile(path, (db) => db.query(sql).all() as Row[]),
    layout: async () =>
      withFile(path, (db) =>
        db
          .query(
            "select name, rootpage, sql from sqlite_schema where name not glob '[_]*' and tbl_name not like 'catalogue_%' and name not like 'sqlite_stat%'",
          )
          .all(),
      ),
  };
}

function withFile<T>(path: string, work: (db: Database) => T): T {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function postgresPlace(): Place {
  const schema = newSchema();
  const { url, admin } = testServer;
  return {
    url,
    schema,
    open: async (declaration) => {
      const demand = demandOf(declaration);
      const engine = openPostgres({ ...TEST_SETTINGS, ...demand, url, schema });
      try {
        await engine.opened;
      } catch (error) {
        await engine.close();
        throw error;
      }
      return opened(engine, demand.catalogue, declaration);
    },
    plan: (declaration) => planOf(url, schema, declaration),
    ask: (sql) =>
      admin.begin(async (transaction) => {
        await transaction.unsafe(`set local search_path = "${schema}"`);
        return [...(await transaction.unsafe<Row[]>(sql))];
      }),
    layout: async () => [
      ...(await admin.unsafe(
        `select relname, relfilenode from pg_class where relnamespace = '"${schema}"'::regnamespace and relname not like 'catalogue_%' and relname not like 'pg_toast%' order by 1`,
      )),
    ],
  };
}

/** The plan without its sentences, which say the steps again. */
async function planOf(url: string, schema: string, declaration: Declaration): Promise<MigrationPlan> {
  const { catalogue, ...terms } = demandOf(declaration);
  const settings = {
    ...TEST_SETTINGS,
    schema,
    collections: '',
    replicas: [],
    replicaLagSeconds: 10,
    idempotencyHours: 24,
  };
  const { sentences: _, ...plan } = await maintenanceOf(url, catalogue, settings).plan(terms);
  return plan;
}

async function opened(engine: Engine, catalogue: Catalogue, { options, storage }: Declaration): Promise<Opened> {
  const bytes = storage && (await openStorage(new FileRecords(engine, catalogue), storage.location, storage));
  const given = {
    catalogue,
    engine,
    maxBodyBytes: 1024 * 1024,
    allowUnfilteredWrites: true,
    ...(bytes && { storage: () => bytes }),
  };
  const app = createApp({ ...given, ...options });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    engine,
    app,
    fetch,
    list: async (path) => (await (await fetch(path)).json()) as Row[],
    post: async (collection, rows) => {
      const response = await fetch(`/${collection}`, sendJson('POST', rows));
      if (response.status !== 201) throw new Error(await response.text());
    },
    close: () => engine.close(),
  };
}

/** Returns the error message with which opening the database fails. */
export async function refusalOf(place: Place, declaration: Declaration): Promise<string> {
  try {
    const { close } = await place.open(declaration);
    await close();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was opened');
}

export function collectionsOf(...drafts: readonly CollectionDraft[]): Declaration {
  return { collections: drafts };
}
