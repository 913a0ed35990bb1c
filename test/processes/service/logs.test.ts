/**
 * The log: one JSON line per request on stderr, as detailed as the log level says, and never with the content of a
 * body.
 */
import { afterEach, expect, test } from 'bun:test';
import { MAX_ECHOED_LENGTH } from '../../../src/base/limits/http.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const SECRET = 'Nobody may read this';

afterEach(cleanUp);

test('every request logs one line with method, path, status, duration and rows', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  await service.fetch('/products?limit=3&product_name=like.*a*');
  await service.fetch('/products/1');
  await service.fetch('/products?id=in.(1,2)', { method: 'PATCH', body: '{"reorder_level":5}' });
  await service.fetch('/products', { method: 'POST', body: '[{"product_name":"A"},{"product_name":"B"}]' });
  await service.fetch('/products?id=eq.77', { method: 'DELETE' });
  await service.fetch('/nothing');
  await service.fetch('/products?nope=eq.1');
  const lines = await linesOf(service);

  const told = lines.map(({ method, path, status, rows, code, message, level }) => ({
    ...{ level, message, method, path, status },
    ...(rows === undefined ? {} : { rows }),
    ...(code === undefined ? {} : { code }),
  }));
  const info = { level: 'info', message: 'request' };
  expect(told).toEqual([
    { ...info, method: 'GET', path: '/products?limit=3&product_name=like.*a*', status: 200, rows: 3 },
    { ...info, method: 'GET', path: '/products/1', status: 200, rows: 1 },
    { ...info, method: 'PATCH', path: '/products?id=in.(1,2)', status: 204, rows: 2 },
    { ...info, method: 'POST', path: '/products', status: 201, rows: 2 },
    { ...info, method: 'DELETE', path: '/products?id=eq.77', status: 204, rows: 1 },
    { ...info, method: 'GET', path: '/nothing', status: 404, code: expect.any(String) },
    { ...info, method: 'GET', path: '/products?nope=eq.1', status: 400, code: '42703' },
  ]);
  for (const { time, ms } of lines) {
    expect(new Date(time as string).toISOString()).toBe(time as string);
    expect(ms).toBeNumber();
    expect(ms as number).toBeGreaterThanOrEqual(0);
  }
});

test('lines appear while the service runs, not only when it stops', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  await service.fetch('/products/1');
  await until('the line of the request', () => service.stderr().includes('"path":"/products/1"'));
});

test('no body is ever logged, whether it is stored, rejected or unreadable', async () => {
  const service = await startService({
    cwd: temporaryFolder(),
    args: ['--log-level', 'debug', '--slow-query-ms', '0'],
  });
  const bodies = [
    JSON.stringify({ id: 900, product_name: SECRET }),
    JSON.stringify({ id: 900, product_name: SECRET }),
    JSON.stringify({ product_name: 'Fine', unit_price: SECRET }),
    JSON.stringify({ [SECRET]: 1 }),
    `{"product_name":"${SECRET}`,
    SECRET,
  ];
  for (const body of bodies) {
    await service.fetch('/products', { method: 'POST', body, headers: { authorization: `Bearer ${SECRET}` } });
  }
  const lines = await linesOf(service);
  expect(lines.map(({ status }) => status)).toEqual([201, 409, 400, 400, 400, 400]);
  expect(service.stderr()).not.toContain(SECRET);
});

test('a request cannot forge a log line', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  await service.fetch('/products?product_name=eq.a%0A%7B%22level%22:%22error%22%7D');
  expect(await linesOf(service)).toHaveLength(1);
});

test('a log line is short, however long the URL is', async () => {
  const service = await startService({ cwd: temporaryFolder() });
  await service.fetch(`/products?id=in.(${'1,'.repeat(150_000)}77)&limit=3`);
  const [line] = await linesOf(service);
  const path = line!.path as string;
  expect(path).toStartWith('/products?id=in.(1,1,');
  expect(path).toEndWith('1,77)&limit=3');
  expect(path.length).toBeLessThanOrEqual(MAX_ECHOED_LENGTH);
});

for (const [level, lines] of [
  ['silent', 0],
  ['error', 0],
  ['warn', 0],
  ['info', 2],
  ['debug', 2],
] as const) {
  test(`--log-level ${level} logs ${lines} of two plain requests`, async () => {
    const service = await startService({
      cwd: temporaryFolder(),
      args: ['--log-level', level, '--slow-query-ms', '0'],
    });
    await service.fetch('/products/1');
    await service.fetch('/products?nope=eq.1');
    expect(await linesOf(service)).toHaveLength(lines);
  });
}

test('CATALOGUE_LOG_LEVEL also sets the level', async () => {
  const service = await startService({ cwd: temporaryFolder(), env: { CATALOGUE_LOG_LEVEL: 'silent' } });
  await service.fetch('/products/1');
  expect(await linesOf(service)).toEqual([]);
});

/** Stops the service, so that it writes all lines, and parses them. */
async function linesOf(service: Service): Promise<Record<string, unknown>[]> {
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  return service
    .stderr()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
