/**
 * Roles in the running service, on a file and on PostgreSQL. A request without credentials has the role `anonymous`.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { ROLE_SHOP_ROWS, ROLE_SHOP_YAML } from '../../support/engines/role-shop.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterAll(cleanUp);

const ENGINES: Readonly<Record<string, () => { args: string[]; env: Record<string, string> }>> = {
  SQLite: () => ({ args: [], env: {} }),
  PostgreSQL: () => ({ args: ['--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
};

/** Writes the shop declaration and its row files to a folder. */
function shopIn(folder: string): void {
  const names = Object.keys(ROLE_SHOP_ROWS);
  for (const name of names) writeFileSync(join(folder, `${name}.json`), JSON.stringify(ROLE_SHOP_ROWS[name]));
  const yaml = ROLE_SHOP_YAML.replaceAll(/^ {2}(\w+):\n(?= {4}(fields|unique|key))/gm, '  $1:\n    rows: $1.json\n');
  writeFileSync(join(folder, 'collections.yaml'), yaml);
}

describe.each(Object.keys(ENGINES))('on %s', (engine) => {
  test('the service applies the role rules, and local commands do not', async () => {
    const cwd = temporaryFolder();
    shopIn(cwd);
    const { args, env } = ENGINES[engine]!();
    const service = await startService({ cwd, args: ['--log-level', 'error', ...args], env });
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${service.url}${path}`, init);
      return { status: response.status, body: await response.text() };
    };
    expect(await ask('/products?select=id,name')).toEqual({
      status: 200,
      body: '[{"id":1,"name":"Assam"},{"id":2,"name":"Sencha"},{"id":4,"name":"Espresso"}]',
    });
    expect((await ask('/products/3')).status).toBe(404);
    expect((await ask('/products?cost=gt.0')).status).toBe(401);
    expect((await ask('/products/1', { method: 'DELETE' })).status).toBe(401);
    expect((await ask('/openapi.json')).body).not.toContain('bank_account');
    expect((await ask('/live')).status).toBe(200);
    const { stdout } = await run({ cwd, args: ['query', 'products?select=id,cost', '--json', ...args], env });
    expect(stdout).toContain('"cost":2.5');
  });
});
