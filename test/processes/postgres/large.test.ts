/** Results too large for memory: streamed from one snapshot, without blocking other requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import type { Row } from '../../../src/collection/value.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const ROWS = 60_000;
const { url, admin } = testServer;

describe('a large result from PostgreSQL', () => {
  let service: Service;
  const schema = newSchema();
  beforeAll(async () => {
    const args = ['--schema', schema, '--empty', '--pool-size', '10'];
    service = await startService({ args, cwd: temporaryFolder(), env: { DATABASE_URL: url } });
    await admin.unsafe(`insert into ${schema}.products (product_name, unit_price)
      select 'product ' || n, n / 100.0 from generate_series(1, ${ROWS}) as n`);
  });
  afterAll(cleanUp);

  const memory = async () => {
    const status = await Bun.file(`/proc/${service.pid}/status`).text();
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };

  test('is complete, in order, and counted in the same snapshot', async () => {
    const response = await service.fetch('/products?select=id,unit_price', { headers: { prefer: 'count=exact' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-range')).toBe(`0-${ROWS - 1}/${ROWS}`);
    const rows = (await response.json()) as Row[];
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
    expect(rows.at(-1)).toEqual({ id: ROWS, unit_price: ROWS / 100 });
  });

  test('is correct as CSV and as NDJSON, with an offset and a limit', async () => {
    const path = `/products?select=id&offset=10&limit=5000`;
    const csv = await (await service.fetch(path, { headers: { accept: 'text/csv' } })).text();
    expect(csv.split('\n').slice(0, 2)).toEqual(['id', '11']);
    expect(csv.trim().split('\n')).toHaveLength(5001);
    const lines = await (await service.fetch(path, { headers: { accept: 'application/x-ndjson' } })).text();
    expect(lines.trim().split('\n').at(-1)).toBe('{"id":5010}');
  });

  test('that its client does not read blocks no other request and uses no memory', async () => {
    await (await service.fetch('/products')).text();
    const before = await memory();
    // Two of the ten connections may serve large results. A client that disconnects frees its connection.
    for (let round = 0; round < 5; round++) {
      const left = [new AbortController(), new AbortController()];
      const stalled = await Promise.all(left.map(({ signal }) => service.fetch('/products', { signal })));
      expect(stalled.map(({ status }) => status)).toEqual([200, 200]);
      expect((await service.fetch('/products?limit=5')).status).toBe(200);
      for (const each of left) each.abort();
      await Bun.sleep(20);
    }
    const whole = await service.fetch('/products');
    expect(((await whole.json()) as Row[]).length).toBe(ROWS);
    expect((await memory()) - before).toBeLessThan(60);
  });

  test.each(['application/json', 'text/event-stream'])(
    'that its client does not read makes room for others: %s',
    async (accept) => {
      const stalled = await Promise.all([1, 2].map(() => askWithoutReading(service, '/products', accept)));
      const others = await Promise.all([1, 2].map(() => service.fetch('/products')));
      for (const each of others) expect((await each.json()) as Row[]).toHaveLength(ROWS);
      for (const each of stalled) each.destroy();
    },
  );
});

/** Resolves when the response begins, of which nothing more is read. */
function askWithoutReading({ port }: Service, path: string, accept: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.once('data', () => resolve(socket.pause()));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\n\r\n`);
  });
}
