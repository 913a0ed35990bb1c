/** A damaged catalogue file: requests and the readiness probe report the damage. */
import { afterEach, expect, test } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, startService, temporaryFolder } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

/** A range that holds rows, behind the page that describes the tables. */
const DAMAGE = { at: 20_000, bytes: 9_000 };

test('reads and writes of a damaged file fail with 503, and the service is not ready', async () => {
  const cwd = temporaryFolder();
  const first = await startService({ cwd });
  expect((await first.fetch('/products/1')).status).toBe(200);
  first.kill('SIGTERM');
  await first.exited;
  const file = openSync(join(cwd, 'catalogue.db'), 'r+');
  writeSync(file, new Uint8Array(DAMAGE.bytes).fill(0xa5), 0, DAMAGE.bytes, DAMAGE.at);
  closeSync(file);
  const service = await startService({ cwd });
  for (const path of ['/products', '/products/1', '/products?order=unit_price']) {
    const { message, hint } = await expectRefusal(await service.fetch(path), 503, 'CAT503');
    expect(message).toBe('the database file is damaged');
    expect(hint).toContain('catalogue restore');
  }
  await expectRefusal(await service.fetch('/products', sendJson('POST', { product_name: 'Tea' })), 503, 'CAT503');
  const ready = await service.fetch('/ready');
  expect({ status: ready.status, text: await ready.text() }).toEqual({
    status: 503,
    text: 'not ready: the database file is damaged\n',
  });
  expect(service.stderr()).not.toContain('    at ');
});
