/** examples/shop: its Caddyfile serves the page and the catalogue at one origin, and no other file of the folder. */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CADDY, startCaddy, withProgram } from '../support/network/proxies.ts';
import { cleanUp, run, startService, temporaryFolder } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const SHOP = fileURLToPath(new URL('../../examples/shop/', import.meta.url));
const PASSWORD = 'correct horse battery';
afterAll(cleanUp);

test.skipIf(CADDY === undefined)(
  withProgram('a customer of the site logs in and places an order', CADDY, 'caddy'),
  async () => {
    const cwd = temporaryFolder();
    cpSync(SHOP, cwd, { recursive: true });
    const args = ['user', 'add', 'ann', '--role', 'customer', '--claims', '{"customer_id":1}'];
    await run({ cwd, args: ['migrate'] });
    await run({ cwd, args, stdin: PASSWORD });
    const { port } = await startService({ cwd, args: ['--log-level', 'silent'] });
    const origin = await startCaddy(readFileSync(join(SHOP, 'Caddyfile'), 'utf8'), 'http://localhost:8080', {
      '127.0.0.1:3000': `127.0.0.1:${port}`,
      'root * site': `root * ${join(SHOP, 'site')}`,
      'root * pictures': `root * ${join(SHOP, 'pictures')}`,
    });
    expect(await (await fetch(`${origin}/`)).text()).toContain('<title>Outdoor shop</title>');
    const key = (await run({ cwd, args: ['key', 'add', '--role', 'feed', '--name', 'feed'] })).stdout.trim();
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
    const products = await fetch(`${origin}/api/products?select=image_link`, { headers });
    for (const { image_link } of (await products.json()) as { image_link: string }[]) {
      const picture = await fetch(image_link.replace('https://shop.example', origin));
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    }
    for (const path of [
      '/pictures/..%2fcollections.yaml',
      '/collections.yaml',
      '/catalogue.db',
      '/%2e%2e/collections.yaml',
    ])
      expect((await fetch(`${origin}${path}`)).status).toBe(404);
    const login = await fetch(`${origin}/api/auth/login`, sendJson('POST', { name: 'ann', password: PASSWORD }));
    const [cookie] = login.headers.get('set-cookie')!.split(';');
    const lines = [{ product: 1, variant: 'green', price: 1, quantity: 2 }];
    const order = (from: string) =>
      fetch(`${origin}/api/rpc/place_order`, sendJson('POST', { lines }, { cookie: cookie!, origin: from }));
    expect((await order('http://evil.example')).status).toBe(403);
    const placed = await order(origin);
    expect([placed.status, await placed.json()]).toMatchObject([200, { id: 1, customer_id: 1 }]);
  },
);
