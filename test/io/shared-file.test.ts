/** One catalogue file, several processes: each knows that the others are there. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, run, startService, temporaryFolder } from '../support/process.ts';

setDefaultTimeout(60_000);
afterEach(cleanUp);

test.skipIf(process.platform !== 'linux')('a service holds its lock on the WAL index as long as it runs', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const inode = statSync(join(cwd, 'catalogue.db-shm')).ino;
  const isHeld = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(` ${service.pid} `) && line.includes(`:${inode} `));
  expect(isHeld()).toBe(true);
  expect((await service.fetch('/products', { method: 'POST', body: '{"product_name":"Written"}' })).status).toBe(201);
  expect(await run({ cwd, args: ['check'] })).toMatchObject({ exitCode: 0 });
  expect(isHeld()).toBe(true);
});
