/** An installation without the console packages (`npm install --omit=dev`): everything except the console works. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { buildAssetsTo } from '../../../src/console/bundle.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BROWSER = { headers: { accept: 'text/html,*/*' }, redirect: 'manual' } as const;
let root: string;

beforeAll(() => {
  root = temporaryFolder();
  for (const name of ['src', 'docs']) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  mkdirSync(join(root, 'node_modules'));
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
  }
});
afterAll(cleanUp);

function start(): Promise<Service> {
  const program = [process.execPath, '--max-http-header-size=1048576', join(root, 'src/main.ts')];
  return startService({ program, cwd: temporaryFolder(), args: ['--database', ':memory:'] });
}

describe('without the console packages', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });

  test('the service starts, says that the console is missing, and answers requests', async () => {
    expect(service.stdout()).toContain('\nConsole   not installed; run npm install without --omit=dev\n');
    expect(((await (await service.fetch('/products')).json()) as unknown[]).length).toBe(77);
    expect((await service.fetch('/products?product_name=match.^Ch')).status).toBe(200);
  });

  test('a browser is redirected to the guide, which is complete', async () => {
    const response = await service.fetch('/', BROWSER);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/docs/guide']);
    const page = await service.fetch('/docs/guide');
    const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(await page.text())!;
    expect((await service.fetch(new URL(style!, page.url).pathname)).status).toBe(200);
  });

  test.each(['/console', '/docs'])('%s explains what to do', async (path) => {
    const response = await service.fetch(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toContain('Run <code>npm install</code>');
  });
});

test('an already built console is served', async () => {
  const dist = join(root, 'dist');
  mkdirSync(dist);
  // `npm test` has built the console for its executable.
  const { TEST_PROGRAM } = process.env;
  if (TEST_PROGRAM === undefined) await buildAssetsTo(dist);
  else copyFileSync(join(dirname(TEST_PROGRAM), 'console.assets'), join(dist, 'console.assets'));
  const service = await start();
  expect(service.stdout()).toContain(`\nConsole   ${service.url}/console\n`);
  const script = /<script type="module" src="([^"]+)"/.exec(await (await service.fetch('/console')).text())![1]!;
  expect((await service.fetch(script.replace(/^\./, ''))).status).toBe(200);
  expect((await service.fetch('/', BROWSER)).headers.get('location')).toBe('/console');
});
