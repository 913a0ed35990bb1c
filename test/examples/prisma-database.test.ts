/** examples/prisma-database: the service serves a database that Prisma made, by the commands of the README. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SQL } from 'bun';
import { testServer } from '../support/engines/postgres.ts';
import { cleanUp, run, type Service, startService, temporaryFolder } from '../support/processes/process.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/prisma-database/', import.meta.url));
const readme = readFileSync(join(EXAMPLE, 'README.md'), 'utf8');
/** The table in which `prisma migrate deploy` records migrations. */
const OWN_TABLE = `create table _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
  logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;
const name = `prisma_${process.pid}`;
const url = new URL(testServer.url);
url.pathname = name;
const cwd = temporaryFolder();
const env = { DATABASE_URL: url.href };
const declaration = join(cwd, 'collections.yaml');
let service: Service;

beforeAll(async () => {
  await testServer.admin.unsafe(`create database ${name}`);
  const database = new SQL(url.href, { max: 1 });
  for (const migration of readdirSync(join(EXAMPLE, 'migrations')).sort()) {
    await database.unsafe(readFileSync(join(EXAMPLE, 'migrations', migration, 'migration.sql'), 'utf8'));
  }
  await database.unsafe(OWN_TABLE);
  await database.close();
});
afterAll(cleanUp);

async function create(collection: string, row: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await service.fetch(`/${collection}`, { method: 'POST', headers, body: JSON.stringify(row) })).status;
}

test('the tables are declared completely, and the service answers the request of the README', async () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  expect(await run({ cwd, env, args: ['declare'] })).toMatchObject({ exitCode: 0, stderr: '' });
  const text = readFileSync(declaration, 'utf8');
  // As the README says: without Prisma's own table, and with a time that the service sets.
  const [served] = text.split('\n  _prisma_migrations:');
  writeFileSync(declaration, served!.replace(/(updatedAt: \{ .*) \}/, '$1, default: now, onUpdate: now }'));
  service = await startService({ cwd, env });
  expect(await create('Supplier', { id: '7d5c3e1a-0b7e-4c55-9d6b-2f1f6a3a7c10', name: 'Hill Garden' })).toBe(201);
  const product = { sku: 'T-1', name: 'Assam', price: '4.50', supplierId: '7d5c3e1a-0b7e-4c55-9d6b-2f1f6a3a7c10' };
  expect(await create('Product', product)).toBe(201);
  expect(await create('Product', { ...product, sku: 'T-2', availability: 'BACKORDER' })).toBe(201);
  expect(await create('Product', { ...product, sku: 'T-3', availability: 'LOST' })).toBe(400);
  expect(await create('Tag', { name: 'black' })).toBe(201);
  expect(await create('_ProductToTag', { A: 1, B: 1 })).toBe(201);
  const request = /http:\/\/127\.0\.0\.1:3000(\/Product\S+)'/.exec(readme)![1]!;
  expect(await (await service.fetch(request)).json()).toEqual([
    { name: 'Assam', price: 4.5, Supplier: { name: 'Hill Garden' }, Tag: [{ name: 'black' }] },
  ]);
  expect((await service.fetch('/_prisma_migrations')).status).toBe(404);
});

test('the service changes nothing in the tables of Prisma', async () => {
  expect((await run({ cwd, env, args: ['declare', '--check'] })).stdout).toBe(
    'Product.updatedAt: default is now in collections.yaml, absent in the database\n_prisma_migrations: not in collections.yaml\n',
  );
});
