/** Monitoring: health checks, metrics, request ids and slow queries. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, newSchema, testServer } from '../../support/engines/postgres.ts';
import { PICTURE } from '../../support/pictures.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

/** Maps `name{labels}` to its value. */
async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('/metrics', () => {
  test('counts requests by route, method and status, their duration, and their rows', async () => {
    const service = await startService({ cwd: temporaryFolder() });
    await service.fetch('/products?limit=3');
    await service.fetch('/products?limit=4');
    await service.fetch('/products/1');
    await service.fetch('/products/0');
    await service.fetch('/products', { method: 'POST', body: '[{"product_name":"A"},{"product_name":"B"}]' });
    await service.fetch('/nothing?here=1');
    const metrics = await metricsOf(service.url);
    const count = (route: string, method: string, status: number) =>
      metrics.get(`catalogue_http_requests_total{route="${route}",method="${method}",status="${status}"}`);
    expect(count('/products', 'GET', 200)).toBe(2);
    expect(count('/products/:id', 'GET', 200)).toBe(1);
    expect(count('/products/:id', 'GET', 404)).toBe(1);
    expect(count('/products', 'POST', 201)).toBe(1);
    expect(count('other', 'GET', 404)).toBe(1);
    expect(metrics.get('catalogue_rows_read_total')).toBe(8);
    expect(metrics.get('catalogue_rows_written_total')).toBe(2);
    expect(metrics.get('catalogue_commits_total')).toBe(1);
    expect(metrics.get('catalogue_ready')).toBe(1);
    const series = '{route="/products",method="GET"';
    expect(metrics.get(`catalogue_http_request_duration_seconds_count${series}}`)).toBe(2);
    expect(metrics.get(`catalogue_http_request_duration_seconds_bucket${series},le="+Inf"}`)).toBe(2);
    const below = [...metrics].filter(([name]) =>
      name.startsWith(`catalogue_http_request_duration_seconds_bucket${series}`),
    );
    const counts = below.map(([, value]) => value);
    expect(counts).toEqual([...counts].sort((one, other) => one - other));
  });

  test('counts cached responses, even if requests are not logged', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--log-level', 'error'] });
    const ask = async (path: string, times: number, init: RequestInit = {}) => {
      for (let time = 0; time < times; time++) await (await service.fetch(path, init)).arrayBuffer();
    };
    const etag = (await service.fetch('/products?limit=3')).headers.get('etag')!;
    await ask('/products?limit=3', 9);
    await ask('/products?limit=3', 5, { headers: { 'if-none-match': etag } });
    await ask('/products?limit=3', 4, { method: 'HEAD' });
    await ask('/products/1', 6);
    const counted = async () => {
      const metrics = await metricsOf(service.url);
      const name = (route: string, method: string, status: number) =>
        metrics.get(`catalogue_http_requests_total{route="${route}",method="${method}",status="${status}"}`);
      const timed = (route: string, method: string) =>
        metrics.get(`catalogue_http_request_duration_seconds_count{route="${route}",method="${method}"}`);
      return {
        lists: name('/products', 'GET', 200),
        unchanged: name('/products', 'GET', 304),
        heads: name('/products', 'HEAD', 200),
        items: name('/products/:id', 'GET', 200),
        timed: [timed('/products', 'GET'), timed('/products', 'HEAD'), timed('/products/:id', 'GET')],
        rows: metrics.get('catalogue_rows_read_total'),
        again: metrics.get('catalogue_kept_answers_hits_total')! > 0,
      };
    };
    const expected = { lists: 10, unchanged: 5, heads: 4, items: 6, timed: [15, 4, 6], rows: 63, again: true };
    expect(await counted()).toEqual(expected);
    // A second scrape shows the same values, and the counters survive when the response cache is cleared.
    await ask('/products/1', 1, { method: 'PATCH', body: '{"units_in_stock":1}' });
    await ask('/products/1', 3);
    expect(await counted()).toEqual({ ...expected, items: 9, timed: [15, 4, 9], rows: 66 });
    // Signs of people who edit rows do not clear it.
    const hits = async () => (await metricsOf(service.url)).get('catalogue_kept_answers_hits_total')!;
    const before = await hits();
    const sign = { id: '0b0e8a6e-0000-4000-8000-000000000001', collection: 'products', key: '1' };
    await ask('/catalogue/presence', 1, { method: 'POST', body: JSON.stringify(sign) });
    await ask('/products/1', 1);
    expect(await hits()).toBe(before + 1);
  });

  test('is available only on the admin port if there is one', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--admin-port', '0'] });
    const admin = /^Admin +(\S+)$/m.exec(service.stdout())![1]!;
    expect((await service.fetch('/metrics')).status).toBe(404);
    expect((await service.fetch('/ready')).status).toBe(200);
    expect((await metricsOf(admin)).size).toBeGreaterThan(5);
    expect((await fetch(`${admin}/products`)).status).toBe(404);
  });

  test('has exactly the metrics that the dashboard and the alert rules use', async () => {
    const cwd = temporaryFolder();
    const hook = `webhooks: { shop: { url: 'http://127.0.0.1:1/', secret: 'whsec_${Buffer.alloc(32, 7).toString('base64')}' } }`;
    const pictures = 'collections: { products: { fields: { id: int4, image: image } } }';
    writeFileSync(join(cwd, 'pictures.yaml'), `${hook}\n${pictures}\n`);
    const args = ['--workers', '2', '--collections', 'pictures.yaml', '--backup-every', '1h'];
    const onSqlite = await startService({ cwd, args });
    const upload = { method: 'POST', body: PICTURE };
    const { id } = (await (await onSqlite.fetch('/files', upload)).json()) as { id: string };
    await (await onSqlite.fetch(`/files/${id}/x?width=64&format=webp`)).arrayBuffer();
    const figures = {
      stored_files: 1,
      uploaded_bytes_total: PICTURE.length,
      images_resized_total: 1,
    };
    await until('the metrics count the file', async () => {
      const metrics = await metricsOf(onSqlite.url);
      return Object.entries(figures).every(([name, value]) => metrics.get(`catalogue_${name}`) === value);
    });
    expect((await metricsOf(onSqlite.url)).get('catalogue_stored_files_bytes')).toBeGreaterThan(PICTURE.length);
    const env = { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() };
    const onPostgres = await startService({ cwd, env });
    const known = new Set<string>();
    for (const service of [onSqlite, onPostgres]) {
      await service.fetch('/products');
      const text = await (await service.fetch('/metrics')).text();
      for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) known.add(name!);
    }
    for (const file of ['dashboard.json', 'alerts.yaml']) {
      const text = readFileSync(new URL(`../../../docs/monitoring/${file}`, import.meta.url), 'utf8');
      if (file.endsWith('.json')) JSON.parse(text);
      const named = [...text.matchAll(/\b(?:catalogue|process)_[a-z_]+/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(5);
      for (const name of named) expect(known).toContain(name.replace(/_(bucket|sum|count)$/, ''));
    }
  });
});

describe('/live and /ready', () => {
  test('answer only GET and HEAD', async () => {
    const service = await startService({ cwd: temporaryFolder() });
    for (const path of ['/live', '/ready']) {
      expect((await service.fetch(path)).status).toBe(200);
      expect((await service.fetch(path, { method: 'HEAD' })).status).toBe(200);
      expect((await service.fetch(path, { method: 'POST' })).status).toBe(405);
    }
  });

  test('without its database a service is live but not ready', async () => {
    const env = { DATABASE_URL: `postgres://nobody@127.0.0.1:${freePort()}/nothing` };
    const service = await startService({ cwd: temporaryFolder(), env });
    expect((await service.fetch('/live')).status).toBe(200);
    const ready = await service.fetch('/ready');
    expect({ status: ready.status, text: await ready.text() }).toEqual({
      status: 503,
      text: expect.stringMatching(/^not ready: /),
    });
    expect((await metricsOf(service.url)).get('catalogue_database_up')).toBe(0);
  });
});

describe('a request has an id', () => {
  test('from the client if it is valid, else generated; in every response and in the log', async () => {
    const service = await startService({ cwd: temporaryFolder() });
    const nameOf = async (path: string, name?: string, method = 'GET') => {
      const headers = name === undefined ? {} : { 'x-request-id': name };
      return (await service.fetch(path, { method, headers })).headers.get('x-request-id')!;
    };
    expect(await nameOf('/products/1', 'trace-42/a:b')).toBe('trace-42/a:b');
    const ours = [
      await nameOf('/products'),
      await nameOf('/products', 'no spaces, please'),
      await nameOf('/products', 'x'.repeat(200)),
      await nameOf('/nothing'),
      await nameOf('/products', undefined, 'OPTIONS'),
    ];
    expect(new Set(ours).size).toBe(ours.length);
    for (const name of ours) expect(name).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
    await until('the log', () => service.stderr().includes(ours.at(-1)!));
    expect(service.stderr()).toContain('"id":"trace-42/a:b"');
  });
});

describe('when requests are not logged', () => {
  test('a client gets its own request id back, and an error response gets a generated one', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--log-level', 'warn'] });
    const nameOf = async (path: string, headers = {}) =>
      (await service.fetch(path, { headers })).headers.get('x-request-id');
    expect(await nameOf('/products/1', { 'x-request-id': 'mine' })).toBe('mine');
    expect(await nameOf('/products/1')).toBeNull();
    expect(await nameOf('/products/1')).toBeNull();
    expect(await nameOf('/nothing')).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
  });
});

describe('the log', () => {
  test('reports a slow query with its plan', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--slow-query-ms', '1'] });
    const ids = Array.from({ length: 20_000 }, (_, index) => index).join(',');
    const slow = () =>
      service
        .stderr()
        .split('\n')
        .find((line) => line.includes('"slow query"'));
    let limit = 1e6;
    await until('a slow query', async () => {
      // Another limit each time, because the service stores answers.
      await service.fetch(`/products?id=in.(${ids})&product_name=imatch.a&order=unit_price&limit=${++limit}`);
      return slow() !== undefined;
    });
    expect(JSON.parse(slow()!)).toMatchObject({
      level: 'warn',
      method: 'GET',
      plan: expect.stringContaining('products'),
    });
  });

  test('is readable with --log-format pretty, and masks a secret in the URL', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--log-format', 'pretty'] });
    await service.fetch('/products?apikey=s3cret&access_token=s3cret');
    await service.fetch('/files/0b0e8a6e-0000-4000-8000-000000000000/x.png?expires=1&signature=s3cret&width=64');
    const lines = await logOf(service);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}request id=\S+ method=GET path=\S+ status=400/);
    expect(lines.join('\n')).not.toContain('s3cret');
    expect(lines.join('\n')).toContain('signature=***&width=64');
  });
});

async function logOf(service: Service): Promise<string[]> {
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  return service.stderr().split('\n');
}
