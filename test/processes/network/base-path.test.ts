/** `--base-path`: the service below a path, as seen by its operator and by a proxy in front of it. */
import { afterEach, expect, test } from 'bun:test';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

test('the startup message shows the base path, and its addresses reach the service', async () => {
  const service = await startService({ cwd: temporaryFolder(), env: { CATALOGUE_BASE_PATH: '/api/' } });
  expect(service.stdout()).toContain(`\nConsole   ${service.url}/api/console\n`);
  expect(service.stdout()).toContain(`'${service.url}/api/products?limit=3'`);
  for (const path of ['/api/console', '/api/docs', '/api/ready', '/api/metrics', '/api/products', '/ready']) {
    expect([path, (await service.fetch(path)).status]).toEqual([path, 200]);
  }
  // The metrics name the route without the base path.
  await service.fetch('/api/products?nonsense');
  const metrics = await (await service.fetch('/api/metrics')).text();
  expect(metrics).toMatch(/requests_total\{route="\/products",method="GET",status="400"\} 1/);
});

test('the printed OpenAPI description contains the base path', async () => {
  const { stdout } = await run({ cwd: temporaryFolder(), args: ['openapi', '--base-path', '/api'] });
  expect((JSON.parse(stdout) as { servers: unknown[] }).servers).toMatchObject([
    { url: '/api' },
    { url: '/api/rest/v1' },
  ]);
});

test.each(['api', '/a b', '//x', '/../x', 'http://host/api', '/a?b'])('%s is not a valid base path', async (given) => {
  const { exitCode, stderr } = await run({ cwd: temporaryFolder(), args: ['serve', '--base-path', given] });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(`--base-path is a path such as /api, not ${given}`);
});
