/**
 * A failover that leaves a diverged replica behind. One replica received writes that the promoted replica never got, so
 * its log is longer, but on the old timeline. Reads must not go there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newServer, newStandby, type OwnServer, pidIn } from '../../support/engines/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

describe('after a failover with a replica that was ahead', () => {
  const servers: OwnServer[] = [];
  const admins: SQL[] = [];
  const services: { readonly reads: 'own' | 'any'; readonly service: Service }[] = [];
  let promoted: OwnServer;
  let diverged: OwnServer;
  let following: OwnServer;

  const adminOf = (server: OwnServer): SQL => {
    const admin = new SQL(server.url, { max: 1 });
    admins.push(admin);
    return admin;
  };
  const streamFrom = async (admin: SQL, port: number) => {
    await admin.unsafe(
      `alter system set primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=secret'`,
    );
    await admin.unsafe('select pg_reload_conf()');
  };

  beforeAll(async () => {
    const primary = await newServer();
    servers.push(primary);
    promoted = await newStandby(primary);
    diverged = await newStandby(primary);
    following = await newStandby(primary);
    servers.push(promoted, diverged, following);
    const onPrimary = adminOf(primary);
    const [onPromoted, onDiverged, onFollowing] = [adminOf(promoted), adminOf(diverged), adminOf(following)];
    await onPrimary.unsafe(`create role humble login password 'secret' in role pg_read_all_data`);
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${promoted.port}`;
    const env = {
      DATABASE_URL: `postgres://postgres:secret@${hosts}/postgres?target_session_attrs=read-write`,
    };
    for (const reads of ['own', 'any'] as const) {
      // The lag limit does not matter here: only the timeline shows that the replica is bad.
      const args = ['--replica-lag', '300', '--replica-reads', reads, '--log-level', 'info'];
      // One instance uses a role without pg_monitor on the replica that will diverge.
      const urls = [
        reads === 'own' ? diverged.url.replace('postgres:secret', 'humble:secret') : diverged.url,
        following.url,
      ];
      const replicas = { DATABASE_REPLICA_URLS: urls.join(',') };
      const service = await startService({ args, cwd: temporaryFolder(), env: { ...env, ...replicas } });
      services.push({ reads, service });
      for (const { port } of [diverged, following]) {
        await until('the replica to be used', () =>
          service.stderr().includes(`reading from the replica 127.0.0.1:${port}`),
        );
      }
    }
    await until('all replicas to hold the tables', async () => {
      const [row] = await onPrimary.unsafe(
        'select count(*)::int4 as current from pg_stat_replication where replay_lsn = pg_current_wal_flush_lsn()',
      );
      return row.current === 3;
    });
    // Two replicas lose the primary. The third receives 30 MB more, and a change that nobody acknowledged.
    await streamFrom(onPromoted, 1);
    await streamFrom(onFollowing, 1);
    await until('one replica to be left', async () => {
      const [row] = await onPrimary.unsafe('select count(*)::int4 as streaming from pg_stat_replication');
      return row.streaming === 1;
    });
    await onPrimary.unsafe(`create table filler as select repeat(md5(n::text), 30) as text from generate_series(1, 30000) n;
      update products set units_in_stock = 9999 where id = 1`);
    await until('the third replica to have it', async () => {
      const [row] = await onDiverged.unsafe('select units_in_stock from products where id = 1');
      return row.units_in_stock === 9999;
    });
    process.kill(await pidIn(primary.dataFolder), 'SIGKILL');
    await onPromoted.unsafe('select pg_promote()');
  });
  afterAll(async () => {
    await cleanUp();
    for (const admin of admins) await admin.close({ timeout: 0 });
    for (const server of servers) await Promise.race([server.stop().catch(() => undefined), Bun.sleep(5_000)]);
  });

  for (const reads of ['own', 'any'] as const) {
    test(`clients read their own writes with --replica-reads ${reads}`, async () => {
      const { service } = services.find((each) => each.reads === reads)!;
      const patch = (units_in_stock: number) =>
        service.fetch('/products/1', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ units_in_stock }),
        });
      await until('the new primary to take writes', async () => (await patch(0)).status === 204);
      for (let round = 1; round <= 30; round++) {
        const written = await patch(round);
        expect(written.status).toBe(204);
        const position = written.headers.get('catalogue-position');
        expect(position === null).toBe(reads === 'own');
        const headers = position === null ? {} : { 'catalogue-position': position };
        const [row] = (await (await service.fetch('/products?id=eq.1', { headers })).json()) as [
          { units_in_stock: number },
        ];
        expect(row.units_in_stock).toBe(round);
      }
      await until('the log to say why', () =>
        service.stderr().includes(`the replica 127.0.0.1:${diverged.port} is on timeline 1, not 2`),
      );
      expect(service.stderr().includes('Grant pg_monitor')).toBe(reads === 'own');
    });
  }

  test('a replica that follows the new primary serves reads again', async () => {
    const after = services.map(({ service }) => service.stderr().length);
    await streamFrom(adminOf(following), promoted.port);
    for (const [index, { service }] of services.entries()) {
      await until('the replica to be used', () =>
        service.stderr().slice(after[index]).includes(`reading from the replica 127.0.0.1:${following.port}`),
      );
      expect(service.stderr().slice(after[index])).not.toContain(`replica 127.0.0.1:${diverged.port}`);
    }
  });
});
