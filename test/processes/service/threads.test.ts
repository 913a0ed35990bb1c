/**
 * A service thread that dies, here because its source file is missing. Waiting requests get 503, and the thread
 * restarts.
 */
import { afterEach, expect, test } from 'bun:test';
import { cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, SOURCES, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

/** Copies the program to a new folder, from which the test can remove a file. */
function copyOfTheProgram(): string {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const folder = join(temporaryFolder(), 'program');
  mkdirSync(folder);
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const CASES = [
  {
    file: 'write/writer-thread.ts',
    path: '/products',
    init: { method: 'POST', body: '{"product_name":"Written"}' },
    ok: 201,
  },
  { file: 'read-threads/reader-thread.ts', path: '/products?product_name=imatch.chai', init: {}, ok: 200 },
];

for (const { file, path, init, ok } of CASES) {
  test(`without ${file} a request gets 503, and once the file is back the next request succeeds`, async () => {
    const folder = copyOfTheProgram();
    const thread = join(folder, 'src/engine/sqlite', file);
    const program = [...SOURCES.slice(0, -1), join(folder, 'src/main.ts')];
    const cwd = temporaryFolder();
    const whole = await startService({ cwd, program });
    const many = JSON.stringify(Array.from({ length: 3_000 }, (_, index) => ({ product_name: `Product ${index}` })));
    expect((await whole.fetch('/products', { method: 'POST', body: many })).status).toBe(201);
    whole.kill('SIGTERM');
    expect(await whole.exited).toBe(0);

    renameSync(thread, `${thread}.away`);
    const service = await startService({ cwd, program });
    for (let turn = 0; turn < 3; turn++) {
      const refused = await service.fetch(path, init);
      expect({ status: refused.status, retry: refused.headers.get('retry-after') }).toEqual({
        status: 503,
        retry: '1',
      });
      expect(await refused.json()).toMatchObject({ code: 'CAT503', message: 'a thread of the database ended' });
    }
    expect((await service.fetch('/products/1')).status).toBe(200);
    await until('the reason in the log', () => service.stderr().includes('ModuleNotFound'));

    renameSync(`${thread}.away`, thread);
    await until('an answer', async () => (await service.fetch(path, init)).status === ok);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
}
