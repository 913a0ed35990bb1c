/** The single executable, which needs no Node, Bun, node_modules or PATH. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { newFolder } from '../../support/folders.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

const folder = newFolder('catalogue-executable-');
const built = process.env.TEST_PROGRAM ?? join(folder, 'catalogue');

beforeAll(() => {
  if (built === process.env.TEST_PROGRAM) return;
  const script = fileURLToPath(new URL('../../../scripts/build.ts', import.meta.url));
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, built]);
  if (exitCode !== 0) throw new Error(`the build failed: ${stderr}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a folder that contains only the program. */
function alone() {
  const cwd = temporaryFolder();
  copyFileSync(built, join(cwd, 'catalogue'));
  return { cwd, program: [join(cwd, 'catalogue')], env: { PATH: '' } };
}

test('serves, writes, reads on threads, backs up and stops, in an empty folder without a PATH', async () => {
  const place = alone();
  const service = await startService(place);
  const rows = Array.from({ length: 3_000 }, (_, index) => ({ product_name: `Product ${index}` }));
  expect((await service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) })).status).toBe(201);
  // A search through a table of this size runs on a reader thread.
  const found = await service.fetch('/products?product_name=imatch.product 29.*&select=id');
  expect(((await found.json()) as unknown[]).length).toBeGreaterThan(100);
  expect(await run({ ...place, args: ['backup', 'copy.db'] })).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await service.fetch('/ready')).status).toBe(200);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(readdirSync(place.cwd).sort()).toEqual(['catalogue', 'catalogue.db', 'copy.db']);
});

test('contains the console and the API reference', async () => {
  const service = await startService(alone());
  const page = await (await service.fetch('/console')).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1];
  expect(script).toBeDefined();
  expect((await service.fetch(new URL(script!, `${service.url}/console`).pathname)).status).toBe(200);
  expect((await service.fetch('/docs')).status).toBe(200);
});

test('knows its version, starts its own workers, and accepts the same long URLs as the sources', async () => {
  const place = alone();
  expect(await run({ ...place, args: ['--version'] })).toMatchObject({ stdout: `${manifest.version}\n` });
  const service = await startService({ ...place, args: ['--workers', '2'] });
  expect(await (await service.fetch('/metrics')).text()).toContain('\ncatalogue_workers 2\n');
  const ids = Array.from({ length: 20_000 }, (_, index) => index + 1).join(',');
  expect((await service.fetch(`/products?id=in.(${ids})&select=id`)).status).toBe(200);
});
