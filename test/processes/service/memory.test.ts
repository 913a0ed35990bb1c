/** The service releases the memory of large requests when they end. */
import { afterEach, expect, test } from 'bun:test';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

const MEGABYTES = 150;

async function untilLittle(pid: number): Promise<void> {
  await until(`less than ${MEGABYTES} MB`, async () => {
    const status = await Bun.file(`/proc/${pid}/status`).text();
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 < MEGABYTES;
  });
}

test('a burst of large bodies leaks no memory', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  const body = `[${'{"product_name":"a"},'.repeat(600_000)}{}]`;
  const headers = { 'content-type': 'application/json' };
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async () => (await service.fetch('/products', { method: 'POST', body, headers })).status),
  );
  // The service rejects a body with too many rows (400), and any body while too many are in memory (503).
  expect(statuses.filter((status) => status !== 400 && status !== 503)).toEqual([]);
  await untilLittle(service.pid);
  expect((await service.fetch('/products/1')).status).toBe(200);
});

for (const engine of ['SQLite', 'PostgreSQL']) {
  test(`a burst of large responses from ${engine} leaks no memory on any thread or connection`, async () => {
    const isServer = engine === 'PostgreSQL';
    const service = await startService({
      cwd: temporaryFolder(),
      ...(isServer ? { args: ['--schema', newSchema()], env: { DATABASE_URL: testServer.url } } : {}),
    });
    const row = { id: 100, product_name: 'a', quantity_per_unit: 'a long text '.repeat(80_000) };
    const headers = { 'content-type': 'application/json', prefer: 'return=representation' };
    const stored = await service.fetch('/products', { method: 'POST', body: JSON.stringify(row), headers });
    expect(stored.status).toBe(201);
    const names = Array.from({ length: 15 }, (_, index) => `a${index}:quantity_per_unit`);
    // On PostgreSQL, only as many requests run at once as the pool allows for large results.
    const [rounds, together] = isServer ? [5, 2] : [2, 5];
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(
        Array.from({ length: together }, () => service.fetch(`/products?id=eq.100&select=${names}`)),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      // Half of the clients disconnect before the end.
      await Promise.all(
        answers.map((answer, index) => (index % 2 === 0 ? answer.arrayBuffer() : answer.body?.cancel())),
      );
    }
    await untilLittle(service.pid);
    expect((await service.fetch('/products/1')).status).toBe(200);
  });
}
