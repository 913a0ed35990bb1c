/** Reads that wait for a connection or a lock: the service does not mistake them for silent connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newServer, type OwnServer } from '../../support/engines/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const LOCKED_MS = 9_000;

describe('a service with short time limits', () => {
  let server: OwnServer;
  let service: Service;
  beforeAll(async () => {
    server = await newServer();
    service = await startService({
      args: ['--query-timeout', '3', '--dry-run-timeout', '1', '--plans'],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: server.url },
    });
  });
  afterAll(async () => {
    await cleanUp();
    await server.stop();
  });

  test('many reads wait for a locked table: each gets its row or 504, and the service keeps its connections', async () => {
    expect((await service.fetch('/products/1')).status).toBe(200);
    const admin = new SQL(server.url, { max: 1 });
    const { reads } = await admin.begin(async (transaction) => {
      await transaction.unsafe('lock table products in access exclusive mode');
      const reads = Array.from({ length: 60 }, async (_, id) => (await service.fetch(`/products/${id + 1}`)).status);
      await Bun.sleep(LOCKED_MS);
      return { reads };
    });
    expect(new Set(await Promise.all(reads))).toEqual(new Set([200, 504]));
    expect(service.stderr()).not.toContain('replaces all connections');
    await admin.close();
  });

  test('all statements of a dry run share one time limit', async () => {
    const admin = new SQL(server.url, { max: 1 });
    await admin.unsafe(`create function slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.7); return new; end $$;
        create trigger slowly before update on products for each row execute function slowly()`);
    const changes = [
      { id: 1, unit_price: 3 },
      { id: 2, units_in_stock: 3 },
    ];
    const patch = (rows: unknown, prefer: string) =>
      service.fetch('/products', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', prefer },
        body: JSON.stringify(rows),
      });
    expect((await patch(changes.slice(0, 1), 'tx=rollback')).status).toBe(204);
    const refused = await patch(changes, 'tx=rollback');
    expect(refused.status).toBe(504);
    expect(await refused.json()).toMatchObject({ code: '57014', hint: expect.stringContaining('--dry-run-timeout') });
    expect((await patch(changes, 'tx=commit')).status).toBe(204);
    await admin.unsafe('drop trigger slowly on products');
    await admin.close();
  });

  test('a plan with analyze reads the rows once', async () => {
    const admin = new SQL(server.url, { max: 1 });
    await admin.unsafe(`drop schema if exists shop cascade; create schema shop; create sequence shop.reads; create table shop.piece as select;
      create view shop.pieces as select nextval('shop.reads') as read from shop.piece`);
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'pieces.yaml'), 'collections: { pieces: { key: none, fields: { read: int8 } } }');
    const args = ['--plans', '--schema', 'shop', '--collections', 'pieces.yaml'];
    const planned = await startService({ args, cwd, env: { DATABASE_URL: server.url } });
    const reads = async () => Number((await admin.unsafe(`select nextval('shop.reads') as reads`))[0].reads);
    const before = await reads();
    for (const format of ['json', 'text']) {
      const headers = { accept: `application/vnd.pgrst.plan+${format}; options=analyze` };
      const response = await planned.fetch('/pieces', { headers });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('Seq Scan');
    }
    expect(await reads()).toBe(before + 3);
    await admin.close();
  });

  test('a burst of writes is stored, also if the last ones wait for more than five seconds', async () => {
    const patient = await startService({
      args: ['--query-timeout', '30'],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: server.url },
    });
    const admin = new SQL(server.url, { max: 1 });
    const body = JSON.stringify({ product_name: 'One of a burst' });
    const { writes } = await admin.begin(async (transaction) => {
      await transaction.unsafe('lock table products in exclusive mode');
      const post = async () => (await patient.fetch('/products', { method: 'POST', body })).status;
      const writes = Array.from({ length: 50 }, post);
      await Bun.sleep(7_000);
      return { writes };
    });
    expect(new Set(await Promise.all(writes))).toEqual(new Set([201]));
    await admin.close();
  });
});
