/** A slow request does not block other requests, and ends at its time limit. */
import { afterEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

/** A pattern and a text whose match takes the product of their lengths in steps, which is far more than a second. */
const LONG_NAME = 'a'.repeat(400_000);
const SLOW = `product_name=like.*${'_'.repeat(20_000)}b*`;

async function serviceWithLongName(): Promise<Awaited<ReturnType<typeof startService>>> {
  const service = await startService({
    cwd: temporaryFolder(),
    args: ['--query-timeout', '1'],
  });
  const created = await service.fetch('/products', {
    method: 'POST',
    body: JSON.stringify({ product_name: LONG_NAME }),
  });
  expect(created.status).toBe(201);
  return service;
}

test('a slow read ends with 504 at its time limit, and other requests are answered meanwhile', async () => {
  const service = await serviceWithLongName();
  const order: string[] = [];
  const slow = service.fetch(`/products?${SLOW}`).then((response) => {
    order.push('slow');
    return response;
  });
  await Bun.sleep(50);
  const quick = await service.fetch('/products/1');
  order.push('quick');
  expect(quick.status).toBe(200);
  expect((await slow).status).toBe(504);
  expect(await (await slow).json()).toHaveProperty('code', '57014');
  expect(order).toEqual(['quick', 'slow']);
});

test('a search over many rows ends with 504 at its time limit, even if each row is fast and none matches', async () => {
  const cwd = temporaryFolder();
  const filling = await startService({ cwd, args: ['--history-days', '0'] });
  const rows = JSON.stringify(Array.from({ length: 1_000 }, () => ({ product_name: 'a'.repeat(6_000) })));
  for (let round = 0; round < 12; round++) {
    expect((await filling.fetch('/products', { method: 'POST', body: rows })).status).toBe(201);
  }
  filling.kill('SIGKILL');
  await filling.exited;
  const service = await startService({ cwd, args: ['--query-timeout', '1'] });
  const searched = await service.fetch('/products?product_name=like.*_________b*&select=id');
  expect(searched.status).toBe(504);
  expect(await searched.json()).toHaveProperty('code', '57014');
});

test('an expression that is too costly for a long text gets 504 without being evaluated, and blocks no other request', async () => {
  const service = await startService({ cwd: temporaryFolder(), args: ['--query-timeout', '1'] });
  const body = JSON.stringify({ id: 500, product_name: 'ab'.repeat(150_000) });
  expect((await service.fetch('/products', { method: 'POST', body })).status).toBe(201);
  const costly = 'product_name=match.[ab]*a([ab]{200}){4}[cd]';
  const answers: string[] = [];
  const asked = [
    service.fetch(`/products?${costly}`),
    service.fetch(`/products?id=eq.500&${costly}`),
    service.fetch(`/products?${costly}`, { method: 'PATCH', body: '{"reorder_level":99}' }),
  ].map(async (response) => {
    const { status } = await response;
    answers.push(`costly ${status}`);
  });
  await Bun.sleep(20);
  expect((await service.fetch('/products/1')).status).toBe(200);
  await Promise.all(asked);
  expect(answers).toEqual(['costly 504', 'costly 504', 'costly 504']);
});

test('a slow write ends with 504 and changes nothing, and the next write succeeds', async () => {
  const service = await serviceWithLongName();
  const slow = await service.fetch(`/products?${SLOW}`, { method: 'PATCH', body: '{"reorder_level":99}' });
  expect(slow.status).toBe(504);
  const next = await service.fetch('/products/1', { method: 'PATCH', body: '{"reorder_level":7}' });
  expect(next.status).toBe(204);
  const changed = await (await service.fetch('/products?reorder_level=eq.99&select=id')).json();
  expect(changed).toEqual([]);
});

test('active readers do not let the WAL grow without limit', async () => {
  const folder = temporaryFolder();
  const service = await startService({ cwd: folder });
  let going = true;
  const reader = async () => {
    for (let id = 1; going; id++) await (await service.fetch(`/products/${(id % 77) + 1}?limit=${id}`)).text();
  };
  const readers = [reader(), reader()];
  const rows = JSON.stringify(Array.from({ length: 300 }, () => ({ product_name: 'x'.repeat(200) })));
  for (let round = 0; round < 60; round++) {
    expect((await service.fetch('/products', { method: 'POST', body: rows })).status).toBe(201);
  }
  going = false;
  await Promise.all(readers);
  expect(statSync(join(folder, 'catalogue.db-wal')).size).toBeLessThan(24 * 1024 * 1024);
});
