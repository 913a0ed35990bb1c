/** Memory: what large requests take is given back when they are over. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { cleanUp, startService, temporaryFolder, until } from '../support/process.ts';

setDefaultTimeout(120_000);
afterEach(cleanUp);

const MEGABYTES = 150;

test('a burst of large bodies leaves nothing behind', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  const megabytes = async () => {
    const status = await Bun.file(`/proc/${service.pid}/status`).text();
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const body = `[${'{"product_name":"a"},'.repeat(600_000)}{}]`;
  const headers = { 'content-type': 'application/json' };
  const statuses = await Promise.all(
    Array.from(
      { length: 16 },
      async () => (await service.fetch('/products', { method: 'POST', body, headers })).status,
    ),
  );
  // Too many rows each, and too many bodies at once.
  expect(statuses.filter((status) => status !== 400 && status !== 503)).toEqual([]);
  await until(`less than ${MEGABYTES} MB`, async () => (await megabytes()) < MEGABYTES);
  expect((await service.fetch('/products/1')).status).toBe(200);
});
