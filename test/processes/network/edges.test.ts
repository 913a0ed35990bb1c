/** Edge checks over real sockets: the Host and Origin headers, trusted proxies, and rate limits. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { talkTo } from '../../support/network/socket.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import {
  cleanUp,
  type Launch,
  run,
  type Service,
  startService,
  temporaryFolder,
} from '../../support/processes/process.ts';
import { expectRefusal } from '../../support/stories.ts';

afterEach(cleanUp);

type Headers = Readonly<Record<string, string>>;

const DATABASES: Readonly<Record<string, () => Partial<Launch>>> = {
  SQLite: () => ({}),
  PostgreSQL: () => ({ env: { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() } }),
};

function start(...args: string[]): Promise<Service> {
  return startService({ cwd: temporaryFolder(), args: ['--database', ':memory:', '--log-level', 'info', ...args] });
}

/** Sends a request with headers that fetch does not allow, such as Host. */
async function ask(
  service: Service,
  method: string,
  path: string,
  headers: Headers = {},
  body = '',
): Promise<Response> {
  const client = await talkTo(service.port);
  const all = { host: 'localhost', connection: 'close', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  client.send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const text = await client.until('the end of the answer', () => false);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [status = '', ...fields] = head.split('\r\n');
  const told = fields.map((field) => field.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const number = Number(status.split(' ')[1]);
  const sent = rest.join('\r\n\r\n');
  const received = /\r\ntransfer-encoding: chunked/i.test(head) ? joinChunks(sent) : sent;
  return new Response(received === '' ? null : received, { status: number, headers: told });
}

function joinChunks(sent: string): string {
  const end = sent.indexOf('\r\n') + 2;
  const size = Number.parseInt(sent, 16);
  return size === 0 ? '' : sent.slice(end, end + size) + joinChunks(sent.slice(end + size + 2));
}

const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;
const write = (service: Service, headers: Headers) =>
  ask(service, 'POST', '/products', { 'content-type': 'application/json', ...headers }, '{"product_name":"New"}');

describe.each(Object.keys(DATABASES))('without any setting, on %s', (database) => {
  let service: Service;
  beforeEach(async () => {
    const launch = DATABASES[database]!();
    service = await startService({ cwd: temporaryFolder(), ...launch });
  });

  test('a Host that is not a name of this machine is rejected for every request', async () => {
    const own = [
      'localhost',
      `localhost:${service.port}`,
      'LOCALHOST.',
      'shop.localhost',
      '127.0.0.1',
      '127.1.2.3:80',
      '[::1]:3000',
    ];
    for (const host of own)
      expect([host, await statusOf(service, 'GET', '/products/1', { host })]).toEqual([host, 200]);
    const others = [
      'rebound.example.com',
      `rebound.example.com:${service.port}`,
      'localhost.example.com',
      '127.0.0.1.nip.io',
      '203.0.113.7',
      'a b',
      '\xe9',
    ];
    for (const host of others) {
      for (const [method, path] of [
        ['GET', '/products/1'],
        ['OPTIONS', '/products'],
        ['GET', '/console'],
        ['GET', '/live'],
      ] as const) {
        expect([host, path, await statusOf(service, method, path, { host })]).toEqual([host, path, 421]);
      }
      expect((await write(service, { host, origin: `http://${host}` })).status).toBe(421);
    }
    // X-Forwarded-Host does not override the Host check, because a DNS-rebinding page could also send it.
    const forwarded = { host: 'rebound.example.com', 'x-forwarded-host': 'localhost' };
    const problem = await expectRefusal(await ask(service, 'GET', '/products', forwarded), 421, 'CAT421');
    expect(problem.hint).toContain('--allowed-hosts rebound.example.com');
    expect((await service.fetch('/products?product_name=eq.New')).headers.get('content-range')).toBe('*/*');
  });

  test('a page of another origin may read but not write', async () => {
    const foreign = [
      'https://shop.example',
      'http://localhost.example.com',
      'null',
      'nonsense',
      'chrome-extension://abc',
    ];
    for (const origin of foreign) {
      const read = await ask(service, 'GET', '/products?limit=1', { origin });
      expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      await expectRefusal(await write(service, { origin }), 403, 'CAT403');
      for (const method of ['PATCH', 'PUT', 'DELETE']) {
        expect(await statusOf(service, method, '/products?id=eq.1', { origin }, '{}')).toBe(403);
        const asked = { origin, 'access-control-request-method': method };
        expect(await statusOf(service, 'OPTIONS', '/products', asked)).toBe(403);
      }
      const reading = { origin, 'access-control-request-method': 'GET' };
      expect(await statusOf(service, 'OPTIONS', '/products', reading)).toBe(200);
    }
    expect((await service.fetch('/products?product_name=eq.New')).headers.get('content-range')).toBe('*/*');
    // Loopback origins on any port.
    for (const origin of [
      'http://localhost:5173',
      'http://app.localhost',
      `http://127.0.0.1:${service.port}`,
      'http://[::1]',
    ]) {
      expect([origin, (await write(service, { origin })).status]).toEqual([origin, 201]);
    }
    expect((await write(service, {})).status).toBe(201);
    // Browsers set Sec-Fetch-Site; a page cannot forge it.
    const behindProxy = { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' };
    expect((await write(service, behindProxy)).status).toBe(201);
    const elsewhere = { origin: 'https://shop.example', 'sec-fetch-site': 'same-site' };
    expect((await write(service, elsewhere)).status).toBe(403);
  });

  test('a proxy on this machine sets the path prefix and the host', async () => {
    const told = { 'x-forwarded-prefix': '/api', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' };
    const created = await write(service, { ...told, origin: 'https://shop.example' });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toStartWith('/api/products?id=eq.');
    const list = await ask(service, 'GET', '/products?limit=1', told);
    expect(list.headers.get('link')).toContain('</api/products?limit=1>; rel="first"');
    expect(list.headers.get('content-location')).toBe('/api/products?limit=1');
    const description = (await (await ask(service, 'GET', '/openapi.json', told)).json()) as { servers: unknown[] };
    expect(description.servers).toMatchObject([{ url: '/api' }, { url: '/api/rest/v1' }]);
    expect((await write(service, { ...told, origin: 'https://other.example' })).status).toBe(403);
    // The preflight response never allows a page of another origin to send these headers.
    const preflight = await ask(service, 'OPTIONS', '/products', {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'prefer, x-forwarded-host, forwarded',
    });
    expect(preflight.headers.get('access-control-allow-headers')).toBe('prefer');
  });
});

test('--allowed-hosts adds names, and pages loaded under them may write', async () => {
  const service = await start('--allowed-hosts', 'shop.example.com,*.internal');
  for (const host of ['shop.example.com', 'Shop.Example.com:443', 'a.b.internal', 'localhost']) {
    expect([host, await statusOf(service, 'GET', '/products/1', { host })]).toEqual([host, 200]);
  }
  for (const host of ['other.example.com', 'internal', 'shop.example.com.evil.example']) {
    expect([host, await statusOf(service, 'GET', '/products/1', { host })]).toEqual([host, 421]);
  }
  expect((await write(service, { origin: 'https://shop.example.com' })).status).toBe(201);
  // Accepting any Host name does not make every origin trusted.
  const any = await start('--allowed-hosts', '*');
  expect(await statusOf(any, 'GET', '/products/1', { host: 'anything.example' })).toBe(200);
  expect((await write(any, { host: 'anything.example', origin: 'https://evil.example' })).status).toBe(403);
});

test('beyond loopback any Host is accepted, unless --allowed-hosts is set', async () => {
  const open = await start('--host', '0.0.0.0');
  expect(await statusOf(open, 'GET', '/products/1', { host: 'anything.example' })).toBe(200);
  expect((await write(open, { host: 'anything.example', origin: 'http://anything.example' })).status).toBe(201);
  expect((await write(open, { host: 'anything.example', origin: 'http://evil.example' })).status).toBe(403);
  const named = await start('--host', '0.0.0.0', '--allowed-hosts', 'shop.example.com');
  expect(await statusOf(named, 'GET', '/products/1', { host: 'shop.example.com' })).toBe(200);
  // Health checks connect by address.
  expect(await statusOf(named, 'GET', '/ready', { host: `127.0.0.1:${named.port}` })).toBe(200);
  expect(await statusOf(named, 'GET', '/products/1', { host: 'anything.example' })).toBe(421);
});

test('a page of another origin may use every resource with a token, but not cookies', async () => {
  const service = await startService({ cwd: await folderWithRoles(), args: ['--database', ':memory:'] });
  const preflight = (path: string, method: string, names = 'authorization,content-type') =>
    ask(service, 'OPTIONS', path, {
      origin: 'https://shop.example.com',
      'access-control-request-method': method,
      'access-control-request-headers': names,
    });
  for (const [path, method] of [
    ['/products', 'POST'],
    ['/catalogue/users', 'POST'],
    ['/catalogue/users/ann', 'PATCH'],
    ['/catalogue/keys', 'POST'],
    ['/catalogue/keys/till', 'DELETE'],
    ['/catalogue/sessions', 'GET'],
    ['/catalogue/logins', 'GET'],
    ['/catalogue/roles', 'GET'],
    ['/catalogue/backups', 'GET'],
    ['/catalogue/views', 'POST'],
    ['/catalogue/auth/session', 'GET'],
    ['/auth/session', 'GET'],
  ] as const) {
    const { status, headers } = await preflight(path, method);
    expect([path, status, headers.get('access-control-allow-headers')]).toEqual([
      path,
      200,
      'authorization,content-type',
    ]);
    expect(headers.get('access-control-allow-methods')!.split(',')).toContain(method);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
  expect((await preflight('/catalogue/users', 'POST', 'content-type')).status).toBe(403);
  expect((await preflight('/catalogue/nothing', 'GET')).status).toBe(404);
  for (const path of ['/auth/login', '/auth/logout', '/auth/password']) {
    expect((await preflight(path, 'POST')).headers.get('access-control-allow-headers')).toBeNull();
  }
  const headers = { origin: 'https://shop.example.com', 'content-type': 'application/json' };
  const token = { ...headers, authorization: 'Bearer x' };
  const login = await ask(service, 'POST', '/auth/login', token, '{"name":"ann","password":"correct horse"}');
  expect((await expectRefusal(login, 403, 'CAT403')).hint).toStartWith(
    'Logins and sessions work only on pages of the same origin as the service. Programs and pages of other origins send a token or a key',
  );
});

test('--cors-origins: listed origins read and write, others get no permission', async () => {
  const listed = 'https://shop.example.com';
  const service = await start('--cors-origins', `${listed}, http://localhost:5173`);
  const corsOf = ({ headers, status }: Response) => ({
    status,
    allowed: headers.get('access-control-allow-origin'),
    varies: /\bOrigin\b/.test(headers.get('vary') ?? ''),
  });
  // Repeated requests also check responses that come from the cache.
  for (const _ of [1, 2, 3]) {
    const allowed = await ask(service, 'GET', '/products?limit=1', { origin: listed });
    expect(corsOf(allowed)).toEqual({ status: 200, allowed: listed, varies: true });
    expect(allowed.headers.get('vary')).toContain('Accept-Encoding');
    const other = await ask(service, 'GET', '/products?limit=1', { origin: 'https://evil.example' });
    expect(corsOf(other)).toEqual({ status: 200, allowed: null, varies: true });
    expect(corsOf(await ask(service, 'GET', '/products?limit=1'))).toEqual({
      status: 200,
      allowed: null,
      varies: true,
    });
  }
  const refused = await ask(service, 'GET', '/nowhere', { origin: listed });
  expect(corsOf(refused)).toEqual({ status: 404, allowed: listed, varies: true });
  const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'prefer' };
  const may = await ask(service, 'OPTIONS', '/products', { origin: listed, ...preflight });
  expect(corsOf(may)).toEqual({ status: 200, allowed: listed, varies: true });
  expect(may.headers.get('access-control-allow-methods')).toContain('PATCH');
  const mayNot = await ask(service, 'OPTIONS', '/products', { origin: 'https://evil.example', ...preflight });
  expect(corsOf(mayNot)).toEqual({ status: 403, allowed: null, varies: true });
  expect((await write(service, { origin: listed })).status).toBe(201);
  expect((await write(service, { origin: `${listed}:8443` })).status).toBe(403);
  const any = await start('--cors-origins', '*');
  expect(corsOf(await write(any, { origin: 'null' }))).toEqual({ status: 201, allowed: '*', varies: false });
});

test('--trusted-proxies: forwarding headers of other clients are ignored', async () => {
  const told = { 'x-forwarded-prefix': '/api', 'x-forwarded-host': 'shop.example', origin: 'https://shop.example' };
  const service = await start('--trusted-proxies', '203.0.113.0/24,2001:db8::/32');
  expect((await write(service, told)).status).toBe(403);
  const list = await ask(service, 'GET', '/products?limit=1', { 'x-forwarded-prefix': '/api' });
  expect(list.headers.get('content-location')).toBe('/products?limit=1');
  // The service ignores the header of an untrusted client without parsing it.
  expect(await statusOf(service, 'GET', '/products/1', { 'x-forwarded-prefix': '"><script>' })).toBe(200);
});

describe('--rate-limit', () => {
  const limits = ({ status, headers }: Response) => ({
    status,
    limit: headers.get('ratelimit-limit'),
    remaining: headers.get('ratelimit-remaining'),
  });

  test('a client over its limit gets 429 with the time to retry; health checks are never limited', async () => {
    const service = await start('--rate-limit', '3/h');
    const told = [];
    for (const path of ['/products/1', '/products/1', '/nowhere', '/products/1']) told.push(await service.fetch(path));
    expect(told.map(limits)).toEqual([
      { status: 200, limit: '3', remaining: '2' },
      { status: 200, limit: '3', remaining: '1' },
      { status: 404, limit: '3', remaining: '0' },
      { status: 429, limit: '3', remaining: '0' },
    ]);
    const refused = told[3]!;
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(1_000);
    expect(wait).toBeLessThanOrEqual(1_200);
    expect(Number(refused.headers.get('ratelimit-reset'))).toBeGreaterThan(3_500);
    expect(refused.headers.get('access-control-expose-headers')).toContain('RateLimit-Remaining');
    const problem = await expectRefusal(refused, 429, 'CAT429');
    expect(problem.message).toBe('more than 3 requests in an hour');
    for (const path of ['/live', '/ready', '/metrics']) {
      const answer = await service.fetch(path);
      expect([path, answer.status, answer.headers.get('ratelimit-limit')]).toEqual([path, 200, null]);
    }
    expect(await (await service.fetch('/metrics')).text()).toContain('status="429"} 1');
  });

  test('behind a trusted proxy each client has its own limit, whatever headers it sends', async () => {
    const service = await start('--rate-limit', '2/h');
    const from = (client: string) => statusOf(service, 'GET', '/products/1', { 'x-forwarded-for': client });
    expect([await from('203.0.113.1'), await from('198.51.100.9, 203.0.113.1'), await from('203.0.113.1')]).toEqual([
      200, 200, 429,
    ]);
    expect(await from('203.0.113.2')).toBe(200);
    // All addresses of one IPv6 network count as one client.
    expect([await from('2001:db8:1:2::1'), await from('2001:db8:1:2::2'), await from('2001:db8:1:2:3::')]).toEqual([
      200, 200, 429,
    ]);
    expect(await from('2001:db8:1:3::1')).toBe(200);
    const alone = await start('--rate-limit', '2/h', '--trusted-proxies', 'none');
    const statuses = [];
    for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      statuses.push(await statusOf(alone, 'GET', '/products/1', { 'x-forwarded-for': client }));
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('a key has its own limit, by the rate of its role; rejected credentials count for their address', async () => {
    const cwd = await folderWithRoles({ isOpen: true });
    const file = join(cwd, 'collections.yaml');
    await Bun.write(file, (await Bun.file(file).text()).replace('  viewer:\n', '  viewer:\n    rateLimit: 2/h\n'));
    expect(await run({ cwd, args: ['migrate'] })).toMatchObject({ exitCode: 0 });
    const addKey = async (name: string, role: string) =>
      (await run({ cwd, args: ['key', 'add', '--name', name, '--role', role, '--json'] })).stdout;
    const keyOf = async (name: string, role: string) => (JSON.parse(await addKey(name, role)) as { key: string }).key;
    const [one, other, editor] = [
      await keyOf('one', 'viewer'),
      await keyOf('other', 'viewer'),
      await keyOf('e', 'editor'),
    ];
    const service = await startService({ cwd, args: ['--log-level', 'error', '--rate-limit', '4/h'] });
    const thrice = async (headers: Record<string, string>) => {
      const statuses = [];
      for (let time = 0; time < 3; time++) statuses.push(await statusOf(service, 'GET', '/products/1', headers));
      return statuses;
    };
    expect(await thrice({ apikey: one })).toEqual([200, 200, 429]);
    expect(await thrice({ apikey: other })).toEqual([200, 200, 429]);
    expect(await thrice({ apikey: editor })).toEqual([200, 200, 200]);
    // Anonymous requests count by address. `anonymous` does not inherit a rate limit from the roles that it includes.
    expect(await thrice({})).toEqual([200, 200, 200]);
    expect(await thrice({ apikey: `${one}x` })).toEqual([401, 429, 429]);
    const metrics = await (await service.fetch('/metrics')).text();
    expect(metrics).toContain('catalogue_credentials_refused_total 3\n');
    const alone = await startService({ cwd, args: ['--log-level', 'error'] });
    const wrong = { apikey: 'wrong' };
    const refused = [];
    for (let time = 0; time < 3; time++) refused.push(await statusOf(alone, 'GET', '/products/1', wrong));
    // Without `--rate-limit`, rejected credentials fall under the strictest rate limit of any role.
    expect(refused).toEqual([401, 401, 429]);
  });

  test.skipIf(process.platform !== 'linux')('workers share the count', async () => {
    const args = ['--workers', '2', '--rate-limit', '20/h', '--log-level', 'error'];
    const service = await startService({ cwd: temporaryFolder(), args });
    const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf(service, 'GET', '/products/1')));
    // Two workers that count at the same instant may count only one request.
    const answered = statuses.filter((status) => status === 200).length;
    expect(answered).toBeGreaterThanOrEqual(20);
    expect(answered).toBeLessThan(25);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});

test('all invalid values are reported at the start', async () => {
  const args = [
    'serve',
    '--rate-limit',
    '100',
    '--trusted-proxies',
    'proxy.example.com',
    '--cors-origins',
    'shop.example.com',
  ];
  const { exitCode, stderr } = await run({ cwd: temporaryFolder(), args: [...args, '--allowed-hosts', 'http://a'] });
  expect(exitCode).not.toBe(0);
  for (const words of ['such as 100/s', 'such as 10.0.0.5', 'such as https://shop.example.com', 'without a port']) {
    expect(stderr).toContain(words);
  }
});
