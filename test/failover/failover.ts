/**
 * The primary dies under load. Two real servers in synchronous streaming replication: the primary is killed with
 * SIGKILL, the standby promoted, and the service, which knows both, goes on by itself. Run by `npm run test:failover`,
 * apart from `npm test`, since it takes its time; the figures it prints are in docs/operations.md.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newServer, newStandby, type OwnServer, pidIn } from '../support/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../support/process.ts';

const PATIENCE_MS = 120_000;
const WRITERS = 8;
const JSON_BODY = { 'content-type': 'application/json' };

let primary: OwnServer;
let standby: OwnServer;

beforeAll(async () => {
  primary = await newServer();
  standby = await newStandby(primary);
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
}, PATIENCE_MS);

afterAll(async () => {
  await cleanUp();
  await standby.stop();
}, PATIENCE_MS);

async function post(service: Service, product_name: string): Promise<Response> {
  const headers = { ...JSON_BODY, 'idempotency-key': product_name };
  return service.fetch('/products', { method: 'POST', headers, body: JSON.stringify({ product_name }) });
}

describe('reads on a standby', () => {
  test(
    'a client reads its own writes, and most reads of others are served by the standby',
    async () => {
      const env = { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: standby.url };
      const service = await startService({ args: ['--schema', 'replicas'], cwd: temporaryFolder(), env });
      const admin = new SQL(standby.url, { max: 1 });
      for (let round = 0; round < 100; round++) {
        const posted = await post(service, `read at once ${round}`);
        expect(posted.status).toBe(201);
        expect(await (await service.fetch(posted.headers.get('location')!)).json()).toHaveLength(1);
      }
      // Held where it is, the standby does not know what the primary is told now: what is read tells whose it is.
      await Bun.sleep(1_000);
      await admin.unsafe('select pg_wal_replay_pause()');
      const onPrimary = new SQL(primary.url, { max: 1 });
      await onPrimary.unsafe(
        `set synchronous_commit = local; update replicas.products set units_in_stock = -1 where id = 1`,
      );
      let served = 0;
      for (let round = 0; round < 500; round++) {
        const read = (await (await service.fetch('/products/1')).json()) as { units_in_stock: number };
        if (read.units_in_stock !== -1) served++;
      }
      await admin.unsafe('select pg_wal_replay_resume()');
      await onPrimary.close();
      console.log(`reads served by the standby: ${served} of 500`);
      expect(served).toBeGreaterThan(400);
      await admin.close();
      service.kill('SIGTERM');
      await service.exited;
    },
    PATIENCE_MS,
  );
});

describe('when the primary is killed under load', () => {
  test(
    'the standby takes over, nothing acknowledged is lost, nothing is stored twice',
    async () => {
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
      const url = `postgres://postgres:secret@${hosts}/postgres?target_session_attrs=read-write`;
      const service = await startService({
        args: ['--schema', 'failover', '--log-level', 'warn'],
        cwd: temporaryFolder(),
        env: { DATABASE_URL: url },
      });
      const acknowledged = new Map<string, number>();
      const refused = new Map<number, number>();
      let going = true;
      const writer = async (name: number) => {
        for (let turn = 0; going; turn++) {
          const product = `writer ${name} turn ${turn}`;
          // A client that means it: the same request with the same key until it is confirmed.
          while (true) {
            const answer = await post(service, product);
            if (answer.status === 201) break;
            refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1);
            await Bun.sleep(25);
          }
          acknowledged.set(product, performance.now());
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, name) => writer(name));
      await Bun.sleep(3_000);
      const beforeKill = acknowledged.size;
      process.kill(await pidIn(primary.dataFolder), 'SIGKILL');
      const killed = performance.now();
      // Something like Patroni would notice and decide; here a second is taken for it.
      await Bun.sleep(1_000);
      const admin = new SQL(standby.url, { max: 1 });
      await admin.unsafe('select pg_promote()');
      const promoted = performance.now();
      await until('writes to go on', () => [...acknowledged.values()].filter((at) => at > promoted).length > 500);
      going = false;
      await Promise.all(writers);
      const firstAfter = Math.min(...[...acknowledged.values()].filter((at) => at > promoted));
      const rows = await admin.unsafe(
        'select product_name, count(*)::int4 as copies from failover.products group by 1',
      );
      const copies = new Map<string, number>(
        rows.map((row: { product_name: string; copies: number }) => [row.product_name, row.copies]),
      );
      const lost = [...acknowledged.keys()].filter((name) => !copies.has(name));
      const twice = [...acknowledged.keys()].filter((name) => (copies.get(name) ?? 0) > 1);
      console.log(
        [
          `writes acknowledged: ${acknowledged.size}, of them ${beforeKill} before the kill`,
          `rate before the kill: ${Math.round(beforeKill / 3)} a second with ${WRITERS} writers`,
          `refused meanwhile: ${JSON.stringify(Object.fromEntries(refused))}`,
          `kill to promotion: ${Math.round(promoted - killed)} ms; promotion to the first write: ${Math.round(firstAfter - promoted)} ms`,
          `lost: ${lost.length}, stored twice: ${twice.length}`,
        ].join('\n'),
      );
      expect(lost).toEqual([]);
      expect(twice).toEqual([]);
      expect([...refused.keys()]).toEqual([503]);
      await admin.close();
    },
    PATIENCE_MS,
  );
});
