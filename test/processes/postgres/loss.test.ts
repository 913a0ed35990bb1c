/** A server that is down at the start, stops and restarts: requests get 503, and no acknowledged write is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newServer, type OwnServer } from '../../support/engines/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const JSON_BODY = { 'content-type': 'application/json' };

describe('when PostgreSQL', () => {
  let server: OwnServer;
  let service: Service;
  beforeAll(async () => {
    server = await newServer();
    await server.stop();
    service = await startService({ cwd: temporaryFolder(), env: { DATABASE_URL: server.url } });
  });
  afterAll(async () => {
    await cleanUp();
    await server.stop();
  });

  test('is down at the start, the service says so, answers 503 meanwhile, and recovers by itself', async () => {
    expect(service.stdout()).toContain('Rows      products not known yet: PostgreSQL cannot be reached');
    const refused = await service.fetch('/products');
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'CAT503' });
    await server.start();
    await until('the service to find it', async () => (await service.fetch('/products?limit=1')).status === 200);
    await until('the log to say so', () =>
      service.stderr().includes(`found the primary 127.0.0.1:${server.port} after`),
    );
    expect(service.stderr() + service.stdout()).not.toContain('secret');
  });

  test('drops every connection at once, readers do not notice', async () => {
    const admin = new Bun.SQL(server.url, { max: 1 });
    const statuses: number[] = [];
    for (let round = 0; round < 5; round++) {
      const reads = Array.from({ length: 20 }, () => service.fetch('/products?limit=5'));
      await admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'catalogue'`);
      statuses.push(...(await Promise.all(reads)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await admin.close();
  });

  test('restarts under writes, no acknowledged write is lost', async () => {
    const acknowledged: string[] = [];
    const others = new Map<number, number>();
    let going = true;
    const writer = async (name: number) => {
      for (let turn = 0; going; turn++) {
        const product_name = `writer ${name} turn ${turn}`;
        const answer = await service.fetch('/products', {
          method: 'POST',
          headers: { ...JSON_BODY, 'idempotency-key': product_name },
          body: JSON.stringify({ product_name }),
        });
        if (answer.status === 201) acknowledged.push(product_name);
        else others.set(answer.status, (others.get(answer.status) ?? 0) + 1);
        if (answer.status !== 201) await Bun.sleep(20);
      }
    };
    const writers = [1, 2, 3, 4].map(writer);
    await Bun.sleep(500);
    const linesBefore = service.stderr().split('\n').length;
    await server.stop();
    await Bun.sleep(1500);
    await server.start();
    const before = acknowledged.length;
    await until('writes to go on', () => acknowledged.length > before + 20);
    going = false;
    await Promise.all(writers);
    // Writes that did not wait for the end of the loss got 503.
    expect([...others.keys()].filter((status) => status !== 503)).toEqual([]);
    const stored = (await (await service.fetch('/products?select=product_name&product_name=like.writer*')).json()) as {
      product_name: string;
    }[];
    const names = new Set(stored.map((row) => row.product_name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    // The operator sees one line for the loss and one for its end, and no line per waiting request.
    const lines = () =>
      service
        .stderr()
        .split('\n')
        .slice(linesBefore - 1);
    const linesWith = (text: string) => lines().filter((line) => line.includes(text));
    await until('the log to say so', () => linesWith(`found the primary 127.0.0.1:${server.port} after`).length === 1);
    expect(linesWith(`lost the primary 127.0.0.1:${server.port}: `)).toHaveLength(1);
    expect(linesWith('slow query')).toEqual([]);
  });

  test('drops the connection of a download, the client sees a truncated response, and the log has one line about it', async () => {
    const admin = new Bun.SQL(server.url, { max: 1 });
    await admin.unsafe(
      `insert into products (product_name) select repeat('x', 500) || n from generate_series(1, 50000) n`,
    );
    const response = await service.fetch('/products', { headers: { 'accept-encoding': 'identity' } });
    const reader = response.body!.getReader();
    await reader.read();
    await admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'fetch%'`);
    const drain = async () => {
      while (!(await reader.read()).done);
    };
    await expect(drain()).rejects.toThrow();
    await until('the log to say so', () => service.stderr().includes('answer cut short'));
    const lines = service.stderr().trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
    await admin.close();
  });

  test('comes back with the schema of a newer version, the service says so and continues', async () => {
    const admin = new Bun.SQL(server.url, { max: 1 });
    await admin.unsafe('update catalogue_schema set version = 99');
    await admin.close();
    await server.stop();
    await server.start();
    await until('reads to go on', async () => (await service.fetch('/products?limit=1')).status === 200);
    await until('the log to say so', () => service.stderr().includes('by a newer version of this program'));
    expect((await service.fetch('/products?limit=1')).status).toBe(200);
    expect(service.stderr().includes('slow query')).toBe(false);
  });
});
