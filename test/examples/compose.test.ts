/** examples/compose: its nginx configuration in front of two real instances on one PostgreSQL. */
import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { newSchema, testServer } from '../support/engines/postgres.ts';
import { NGINX, startNginx, withProgram } from '../support/network/proxies.ts';
import { cleanUp, startService, temporaryFolder, until } from '../support/processes/process.ts';

const configuration = readFileSync(new URL('../../examples/compose/nginx.conf', import.meta.url), 'utf8');

afterAll(cleanUp);

test.skipIf(NGINX === undefined)(
  withProgram('both instances serve the same rows, and no request fails when one stops', NGINX, 'nginx'),
  async () => {
    const env = { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() };
    const start = () => startService({ cwd: temporaryFolder(), env, args: ['--log-format', 'json'] });
    const one = await start();
    const two = await start();
    const url = await startNginx(configuration, {
      'one:3000': `127.0.0.1:${one.port}`,
      'two:3000': `127.0.0.1:${two.port}`,
    });
    const headers = { 'content-type': 'application/json' };
    const create = async (name: string) => {
      const body = JSON.stringify({ product_name: name });
      const { status } = await fetch(`${url}/products`, { method: 'POST', headers, body });
      const read = await fetch(`${url}/products?product_name=eq.${name}&select=product_name`);
      return [status, await read.json()];
    };
    // Three requests per product, so that both instances read and write.
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await create(name)).toEqual([201, [{ product_name: name }]]);
      expect((await fetch(`${url}/ready`)).status).toBe(200);
    }
    await until('requests in both logs', () => [one, two].every(({ stderr }) => stderr().includes('product_name=eq.')));
    one.kill('SIGTERM');
    for (const name of ['e', 'f', 'g', 'h']) expect(await create(name)).toEqual([201, [{ product_name: name }]]);
    expect(await one.exited).toBe(0);
    for (const name of ['i', 'j', 'k', 'l']) expect(await create(name)).toEqual([201, [{ product_name: name }]]);
  },
);
