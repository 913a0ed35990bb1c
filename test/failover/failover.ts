/**
 * Failover drills on real servers under load. Each measures the longest time without a write and without a read. `npm
 * run test:failover` runs them; `npm test` does not, because they take minutes. With WRITE=1 a run without a failure
 * puts the table into docs/internals/failover.md.
 */
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { writeDrills } from '../../bench/docs.ts';
import { freePort, newServer, newStandby, type OwnServer, pidIn } from '../support/engines/postgres.ts';
import { type SilentProxy, startSilentProxy } from '../support/network/silent-proxy.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../support/processes/process.ts';
import { Drill, type Outcome } from './drill.ts';

const PATIENCE_MS = 180_000;
/** The time until a failover manager promotes the standby. Patroni takes ten times as long by default. */
const PROMOTED_AFTER_MS = 3_000;
const CALM_MS = 2_000;
const DRILLS = 11;
const HEAD = [
  '| drill | longest without a write | longest without a read | first write, first read after the database was back | writes acknowledged | lost | stored twice | other answers |',
  '|---|---|---|---|---|---|---|---|',
];

const servers: OwnServer[] = [];
const proxies: SilentProxy[] = [];
const frozen: number[] = [];
/** The rows of the result table. */
const lines: string[] = [];
let begun = 0;

afterEach(async () => {
  await cleanUp();
  for (const proxy of proxies.splice(0)) proxy.close();
  for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  for (const server of servers.splice(0)) await Promise.race([server.stop().catch(() => undefined), Bun.sleep(5_000)]);
}, PATIENCE_MS);
afterAll(async () => {
  const table = [...HEAD, ...lines].join('\n');
  console.log(`\n${table}\n`);
  if (process.env.WRITE === undefined) return;
  if (lines.length === DRILLS && begun === DRILLS) await writeDrills(table);
  else console.log(`Not written: ${lines.length} of ${DRILLS} drills went well.`);
});

async function oneServer(values: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  const server = await newServer(values);
  servers.push(server);
  return server;
}

/** Starts a primary and a synchronous standby. */
async function twoServers(): Promise<{ primary: OwnServer; standby: OwnServer }> {
  const primary = await oneServer();
  const standby = await newStandby(primary);
  servers.push(standby);
  const admin = new SQL(primary.url, { max: 1 });
  await until('the standby to stream', async () => {
    const [row] = await admin.unsafe(
      `select count(*)::int4 as streaming from pg_stat_replication where state = 'streaming'`,
    );
    return row.streaming === 1;
  });
  await admin.unsafe(`alter system set synchronous_standby_names = 'standby'`);
  await admin.unsafe('select pg_reload_conf()');
  await admin.close();
  return { primary, standby };
}

async function proxyTo(server: OwnServer): Promise<SilentProxy> {
  const proxy = await startSilentProxy(server.port);
  proxies.push(proxy);
  return proxy;
}

function urlOf(...ports: readonly number[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `postgres://postgres:secret@${hosts}/postgres?target_session_attrs=read-write`;
}

function serve(url: string, env: Record<string, string> = {}, args: readonly string[] = []): Promise<Service> {
  return startService({
    args: ['--log-level', 'warn', ...args],
    cwd: temporaryFolder(),
    // The default: with few connections, requests that wait for a lost transaction hold up the others.
    env: { DATABASE_URL: url, CATALOGUE_POOL_SIZE: '10', ...env },
  });
}

async function promote(standby: OwnServer): Promise<number> {
  await Bun.sleep(PROMOTED_AFTER_MS);
  const admin = new SQL(standby.url, { max: 1 });
  await admin.unsafe('select pg_promote()');
  await admin.close();
  return performance.now();
}

/** Runs the load, lets the failure happen, and waits until the load goes on. */
async function drill(
  name: string,
  services: readonly Service[],
  database: () => OwnServer,
  happens: () => Promise<number>,
): Promise<Outcome> {
  begun++;
  const running = new Drill(services, 'public.products');
  await Bun.sleep(CALM_MS);
  const mended = await happens();
  await until('work to go on', () => running.goesOnSince(mended));
  await Bun.sleep(CALM_MS);
  const { write, read } = running.firstAfter(mended);
  const admin = new SQL(database().url, { max: 1 });
  const outcome = await running.end(admin);
  await admin.close();
  console.log(name, JSON.stringify({ ...outcome, afterwards: { write, read } }));
  expect(outcome.lost).toBe(0);
  expect(outcome.doubled).toBe(0);
  expect(Object.keys(outcome.refused).filter((status) => !['503', '409', 'no answer'].includes(status))).toEqual([]);
  lines.push(rowOf(name, outcome, write, read));
  return outcome;
}

function rowOf(name: string, outcome: Outcome, write: number, read: number): string {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  const others = Object.entries(outcome.refused).map(([status, count]) => `${count} × ${status}`);
  const cells = [
    name,
    seconds(outcome.longestWithoutWriteMs),
    seconds(outcome.longestWithoutReadMs),
    `${seconds(write)}, ${seconds(read)}`,
    outcome.acknowledged.toLocaleString('en'),
    outcome.lost,
    outcome.doubled,
    others.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

describe('nothing is lost and nothing is stored twice', () => {
  test(
    'when the primary is killed',
    async () => {
      const { primary, standby } = await twoServers();
      const service = await serve(urlOf(primary.port, standby.port));
      await drill(
        'primary killed',
        [service],
        () => standby,
        async () => {
          process.kill(await pidIn(primary.dataFolder), 'SIGKILL');
          return promote(standby);
        },
      );
    },
    PATIENCE_MS,
  );

  test(
    'when the primary is frozen',
    async () => {
      const { primary, standby } = await twoServers();
      const service = await serve(urlOf(primary.port, standby.port));
      await drill(
        'primary frozen',
        [service],
        () => standby,
        async () => {
          const parent = await pidIn(primary.dataFolder);
          const children = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(parent)]).stdout.toString();
          frozen.push(parent, ...children.trim().split(/\s+/).map(Number));
          for (const pid of frozen) process.kill(pid, 'SIGSTOP');
          return promote(standby);
        },
      );
    },
    PATIENCE_MS,
  );

  for (const which of ['own', 'any']) {
    test(
      `when the network to the primary falls silent, while the standby serves reads, with --replica-reads ${which}`,
      async () => {
        const { primary, standby } = await twoServers();
        const proxy = await proxyTo(primary);
        const replicas = { DATABASE_REPLICA_URLS: standby.url, CATALOGUE_REPLICA_READS: which };
        const service = await serve(urlOf(proxy.port, standby.port), replicas);
        await drill(
          `primary unresponsive, reads on the standby (\`${which}\`)`,
          [service],
          () => standby,
          async () => {
            proxy.silence();
            return promote(standby);
          },
        );
      },
      PATIENCE_MS,
    );
  }

  test(
    'when the address of a silent primary moves to the new one',
    async () => {
      const { primary, standby } = await twoServers();
      const proxy = await proxyTo(primary);
      const service = await serve(urlOf(proxy.port));
      await drill(
        'primary unresponsive, one address for both',
        [service],
        () => standby,
        async () => {
          proxy.silence();
          await promote(standby);
          // Like a proxy that leaves the old connections open.
          proxy.leadTo(standby.port);
          proxy.speak();
          return performance.now();
        },
      );
    },
    PATIENCE_MS,
  );

  test(
    'when all connections are closed, five times',
    async () => {
      const server = await oneServer();
      const service = await serve(server.url);
      const admin = new SQL(server.url, { max: 1 });
      await drill(
        'connections ended five times',
        [service],
        () => server,
        async () => {
          for (let round = 0; round < 5; round++) {
            await admin.unsafe(
              `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'catalogue'`,
            );
            await Bun.sleep(300);
          }
          return performance.now();
        },
      );
      await admin.close();
    },
    PATIENCE_MS,
  );

  test(
    'when all connections fall silent, but the server is healthy',
    async () => {
      const server = await oneServer();
      const proxy = await proxyTo(server);
      const service = await serve(urlOf(proxy.port));
      await drill(
        'connections unresponsive, server healthy',
        [service],
        () => server,
        async () => {
          proxy.silence();
          // Like a firewall that has dropped its state for the old connections: new ones work.
          proxy.speak();
          // Answers that were sent before have arrived by then.
          await Bun.sleep(100);
          return performance.now();
        },
      );
    },
    PATIENCE_MS,
  );

  test(
    'when the server has no free connection after all connections were lost',
    async () => {
      const server = await oneServer({ max_connections: '25', superuser_reserved_connections: '3' });
      const admin = new SQL(server.url, { max: 1 });
      await admin.unsafe(`create role limited login password 'limited'; grant all on schema public to limited`);
      const service = await serve(server.url.replace('postgres:secret', 'limited:limited'));
      await drill(
        'server full for 3 s',
        [service],
        () => server,
        async () => {
          await admin.unsafe(`alter role limited connection limit 0`);
          await admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited'`);
          await Bun.sleep(3_000);
          await admin.unsafe(`alter role limited connection limit -1`);
          return performance.now();
        },
      );
      await admin.close();
    },
    PATIENCE_MS,
  );

  test(
    'when the standby that serves reads lags behind',
    async () => {
      const { primary, standby } = await twoServers();
      const service = await serve(primary.url, { DATABASE_REPLICA_URLS: standby.url }, ['--replica-lag', '1']);
      const onStandby = new SQL(standby.url, { max: 1 });
      await drill(
        'standby held back for 3 s',
        [service],
        () => primary,
        async () => {
          await onStandby.unsafe('select pg_wal_replay_pause()');
          for (let round = 0; round < 30; round++) {
            const headers = { 'content-type': 'application/json' };
            const body = JSON.stringify({ product_name: `own ${round}` });
            const posted = await service.fetch('/products', { method: 'POST', headers, body });
            expect(await (await service.fetch(posted.headers.get('location')!)).json()).toHaveLength(1);
            await Bun.sleep(100);
          }
          await onStandby.unsafe('select pg_wal_replay_resume()');
          return performance.now();
        },
      );
      await onStandby.close();
    },
    PATIENCE_MS,
  );

  test(
    'when a newer instance migrates the tables behind a slow reader',
    async () => {
      const server = await oneServer();
      const service = await serve(server.url);
      const slow = new SQL(server.url, { max: 1 });
      const fields = ['supplier_id', 'category_id', 'units_in_stock', 'units_on_order', 'reorder_level'];
      const declared = {
        collections: {
          products: {
            fields: {
              id: 'int4',
              product_name: { type: 'text', required: true, indexed: true },
              discontinued: { type: 'int4', required: true, default: 0 },
              quantity_per_unit: 'text',
              unit_price: { type: 'decimal(12,4)', indexed: true },
              ...Object.fromEntries(fields.map((name) => [name, { type: 'int4', indexed: true }])),
              colour: 'text',
            },
          },
        },
      };
      const file = `${temporaryFolder()}/collections.json`;
      await Bun.write(file, JSON.stringify(declared));
      await drill(
        'migration behind a reader of 3 s',
        [service],
        () => server,
        async () => {
          const reading = slow.unsafe('select count(*), pg_sleep(3) from products');
          const newer = await serve(server.url, {}, ['--collections', file]);
          expect(newer.stdout()).toContain('products.colour');
          await reading;
          return performance.now();
        },
      );
      await slow.close();
    },
    PATIENCE_MS,
  );

  test(
    'when the machine of one of two instances disappears silently',
    async () => {
      const server = await oneServer();
      const proxy = await proxyTo(server);
      const port = freePort();
      const dying = await serve(urlOf(proxy.port), {}, ['--port', String(port)]);
      const staying = await serve(server.url);
      await drill(
        'one of two instances killed',
        [dying, staying],
        () => server,
        async () => {
          proxy.silence();
          dying.kill('SIGKILL');
          return performance.now();
        },
      );
    },
    PATIENCE_MS,
  );
});
