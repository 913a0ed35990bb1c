/** An installation without the console packages (`npm install --omit=dev`): everything except the console works. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { buildAssetsTo } from '../../../src/console/bundle.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BROWSER = { headers: { accept: 'text/html,*/*' }, redirect: 'manual' } as const;
let root: string;

beforeEach(() => {
  root = temporaryFolder();
  cpSync(join(ROOT, 'src'), join(root, 'src'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  mkdirSync(join(root, 'node_modules'));
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
  }
});
afterEach(cleanUp);

function start(): Promise<Service> {
  const program = [process.execPath, '--max-http-header-size=1048576', join(root, 'src/main.ts')];
  return startService({ program, cwd: temporaryFolder(), args: ['--database', ':memory:'] });
}

describe('without the console packages', () => {
  test('the service starts, says that the console is missing, and answers requests', async () => {
    const service = await start();
    expect(service.stdout()).toContain('\nConsole   not installed; run npm install without --omit=dev\n');
    expect(((await (await service.fetch('/products')).json()) as unknown[]).length).toBe(77);
    expect((await service.fetch('/products?product_name=match.^Ch')).status).toBe(200);
  });

  test('a browser is redirected to the API reference, which is complete', async () => {
    const service = await start();
    const response = await service.fetch('/', BROWSER);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/docs']);
    const html = await (await service.fetch('/docs')).text();
    const loaded = [...html.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded).toHaveLength(2);
    for (const path of loaded) expect((await service.fetch(`/${path}`)).status).toBe(200);
  });

  test('/console explains what to do', async () => {
    const response = await (await start()).fetch('/console');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toContain('Run <code>npm install</code>');
  });
});

test('an already built console is served', async () => {
  await buildAssetsTo(join(root, 'dist'));
  const service = await start();
  expect(service.stdout()).toContain(`\nConsole   ${service.url}/console\n`);
  const script = /<script type="module" src="([^"]+)"/.exec(await (await service.fetch('/console')).text())![1]!;
  expect((await service.fetch(script.replace(/^\./, ''))).status).toBe(200);
  expect((await service.fetch('/', BROWSER)).headers.get('location')).toBe('/console');
});
