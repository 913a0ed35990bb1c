/** Every answer keeps browsers from guessing another content type than the one it names. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import { cleanUp, type Service, startService } from '../../support/processes/process.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ cwd: await folderWithRoles({ isOpen: true }), args: ['--log-level', 'error'] });
});
afterAll(cleanUp);

const CSV = { headers: { accept: 'text/csv' } };
const requests: readonly [path: string, status: number, init?: RequestInit][] = [
  ['/products', 200],
  ['/products', 200],
  ['/products', 200, CSV],
  ['/products', 200, { method: 'HEAD' }],
  ['/products', 200, { method: 'OPTIONS' }],
  ['/products/1', 200],
  ['/products?limit=1', 206, { headers: { prefer: 'count=exact' } }],
  ['/products?bad', 400],
  ['/nothing', 404],
  ['/products', 401, { method: 'POST', body: '{}' }],
  ['/', 200],
  ['/', 303, { redirect: 'manual', headers: { accept: 'text/html' } }],
  ['/openapi.json', 200],
  ['/docs', 200],
  ['/console', 200],
  ['/live', 200],
  ['/ready', 200],
  ['/metrics', 200],
  ['/auth/session', 200],
  ['/auth/login', 200, { method: 'OPTIONS' }],
  ['/auth/logout', 204, { method: 'POST' }],
];
test.each(requests.map(([path, status, init = {}]) => [path, status, init] as const))(
  '%s: %d',
  async (path, status, init) => {
    const response = await service.fetch(path, init);
    await response.arrayBuffer();
    expect([response.status, response.headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
  },
);

test('an answer that the client has: 304', async () => {
  const tag = (await service.fetch('/products')).headers.get('etag')!;
  const response = await service.fetch('/products', { headers: { 'if-none-match': tag } });
  expect([response.status, response.headers.get('x-content-type-options')]).toEqual([304, 'nosniff']);
});
