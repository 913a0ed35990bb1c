/** Each read shows the stored data and leaves the WAL free to be truncated, however earlier reads ended. */
import { Database } from 'bun:sqlite';
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../support/process.ts';
import { talkTo } from '../support/socket.ts';

setDefaultTimeout(300_000);
afterEach(cleanUp);

const priceOf = async (service: Service, query: string) =>
  ((await (await service.fetch(`/products?${query}`)).json()) as { unit_price: number }[])[0]?.unit_price;

async function setPrice(service: Service, id: number, price: number): Promise<void> {
  const body = JSON.stringify({ unit_price: price });
  expect((await service.fetch(`/products/${id}`, { method: 'PATCH', body })).status).toBe(204);
}

/**
 * Expects that no reader holds an old snapshot, so the WAL can be truncated, and that no stale connection was found.
 */
async function expectNothingLeft(service: Service, file: string): Promise<void> {
  expect(await (await service.fetch('/metrics')).text()).toContain('\ncatalogue_stale_connections_total 0\n');
  const other = new Database(file);
  other.run('pragma busy_timeout = 5000');
  expect(other.query('pragma wal_checkpoint(truncate)').get()).toEqual({ busy: 0, log: 0, checkpointed: 0 });
  other.close();
}

test('after a slow query that is logged with its plan, reads show the stored data', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd, args: ['--slow-query-ms', '20'] });
  const file = join(cwd, 'catalogue.db');
  const other = new Database(file);
  other.run('begin immediate');
  const waiting = setPrice(service, 1, 20);
  await Bun.sleep(100);
  other.run('commit');
  other.close();
  await waiting;
  await until('the plan in the log', () => /slow query.*SEARCH/.test(service.stderr()));
  // The pauses are longer than the time after which the service keeps a read transaction open for later reads.
  for (let turn = 0; turn < 6; turn++) {
    expect(await priceOf(service, `id=eq.1&limit=${turn + 1}`)).toBe(20);
    await Bun.sleep(60);
  }
  await setPrice(service, 1, 30);
  expect(await priceOf(service, 'id=eq.1')).toBe(30);
  expect((await service.fetch('/products/1', { method: 'DELETE' })).status).toBe(204);
  expect((await service.fetch('/products/1')).status).toBe(404);
  await expectNothingLeft(service, file);
});

/** A list longer than the buffer that the service fills before it starts to send. */
const LONG_LIST = Array.from({ length: 6_000 }, (_, index) => ({
  id: index + 1,
  product_name: `Product ${index} ${'x'.repeat(200)}`,
}));

async function serviceWithLongList(cwd: string): Promise<Service> {
  const first = await startService({ cwd, args: ['--empty'] });
  expect((await first.fetch('/products', { method: 'POST', body: JSON.stringify(LONG_LIST) })).status).toBe(201);
  first.kill('SIGTERM');
  await first.exited;
  // A service that starts on a large file detects its size at once.
  return startService({ cwd });
}

const ENDINGS: Readonly<Record<string, (service: Service) => Promise<unknown>>> = {
  'asked for its head': (service) => service.fetch('/products', { method: 'HEAD' }),
  'refused as one object': async (service) => {
    const headers = { accept: 'application/vnd.pgrst.object+json' };
    expect((await service.fetch('/products', { headers })).status).toBe(406);
  },
  'left after its first part': async (service) => {
    const reader = (await service.fetch('/products')).body!.getReader();
    await reader.read();
    await reader.cancel();
  },
  'left at once': async (service) => {
    const conversation = await talkTo(service.port);
    conversation.send('GET /products HTTP/1.1\r\nHost: localhost\r\n\r\n');
    conversation.close();
  },
};

test.each(Object.keys(ENDINGS))('after a long list that is %s, later lists show the stored data', async (ending) => {
  const cwd = temporaryFolder();
  const service = await serviceWithLongList(cwd);
  await ENDINGS[ending]!(service);
  for (let price = 1; price <= 3; price++) {
    await setPrice(service, 3, price);
    // The query cannot use an index, so it is as costly as the long list.
    expect(await priceOf(service, 'product_name=like.Product*&order=quantity_per_unit,id&id=gt.2&limit=1')).toBe(price);
  }
  await expectNothingLeft(service, join(cwd, 'catalogue.db'));
});
