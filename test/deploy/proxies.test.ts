/** The proxy configurations in deploy/, run by the programs of Debian in front of a real service. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { EventClient } from '../support/network/event-stream.ts';
import { CADDY, NGINX, startCaddy, startNginx, withProgram } from '../support/network/proxies.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../support/processes/process.ts';

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
const BACKEND = '127.0.0.1:3000';
const ORIGIN = 'http://shop.example.com';

const PROXIES: readonly [name: string, program: string | undefined, start: (service: Service) => Promise<string>][] = [
  ['nginx', NGINX, ({ port }) => startNginx(read('nginx/catalogue.conf'), { [BACKEND]: `127.0.0.1:${port}` })],
  [
    'caddy',
    CADDY,
    ({ port }) => startCaddy(read('caddy/Caddyfile'), 'shop.example.com', { [BACKEND]: `127.0.0.1:${port}` }),
  ],
];

describe.each(PROXIES)('%s', (name, program, start) => {
  const isMissing = program === undefined;
  const story = test.skipIf(isMissing);
  let api = '';
  const ask = (path: string, init?: RequestInit) => fetch(`${api}${path}`, init);
  let feed: EventClient | undefined;

  beforeAll(async () => {
    if (isMissing) return;
    const service = await startService({ cwd: temporaryFolder(), args: ['--log-level', 'silent'] });
    api = `${await start(service)}/api`;
  });
  afterEach(() => feed?.close());
  afterAll(cleanUp);

  story(withProgram('serves the catalogue below /api, with links that clients can follow', program, name), async () => {
    const page = await ask('/products?limit=2', { headers: { range: '0-1', prefer: 'count=exact' } });
    expect([page.status, page.headers.get('content-range')]).toEqual([206, '0-1/77']);
    expect(page.headers.get('link')).toContain('</api/products?');
    // A page of the public host may write. The service checks its origin by X-Forwarded-Host.
    const headers = { host: 'shop.example.com', origin: ORIGIN, 'content-type': 'application/json' };
    const created = await ask('/products', { method: 'POST', headers, body: '{"product_name":"By proxy"}' });
    expect([created.status, created.headers.get('location')]).toEqual([201, '/api/products?id=eq.78']);
    const foreign = { ...headers, origin: 'http://evil.example.com' };
    expect((await ask('/products', { method: 'POST', headers: foreign, body: '{}' })).status).toBe(403);
  });

  story('leaves limits and errors to the service', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => index + 1).join(',');
    expect((await ask(`/products?id=in.(${ids})&select=id`)).status).toBe(200);
    const large = await ask('/products', { method: 'POST', body: `[${' '.repeat(17 * 2 ** 20)}]` });
    expect([large.status, await large.json()]).toMatchObject([413, { code: 'CAT413' }]);
  });

  story('passes on events of a feed at once, and WebSockets', async () => {
    feed = await EventClient.open(ask, '/products?id=eq.1&select=id,units_in_stock');
    await feed.ready();
    feed.take();
    const headers = { 'content-type': 'application/json' };
    await ask('/products?id=eq.1', { method: 'PATCH', headers, body: '{"units_in_stock":7}' });
    expect(await feed.next()).toEqual([['update', { id: 1, units_in_stock: 7 }]]);
    const socket = new WebSocket(`${api.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`);
    await until('a WebSocket', () => socket.readyState === WebSocket.OPEN);
    socket.close();
  });
});
