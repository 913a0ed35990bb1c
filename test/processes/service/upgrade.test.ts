/**
 * The upgrade from 0.1.0: test/data/0.1.0 has a declaration, and the databases that 0.1.0 made of it on both engines,
 * with a user, a key, a file and a log. This version serves them unchanged.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const FIXTURE = new URL('../../data/0.1.0/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FIXTURE));
/** The log is older than any number of days that it is kept by default. */
const KEPT = ['--history-days', '36500'];

const ENGINES = {
  SQLite: {
    key: 'cat_d7KA4pZfpYY9VIpl2Sk3Sfp9YwU4Xv0LQP6ECZwA5qA',
    file: '87930f2e-7a8a-481b-ac59-01a74eaf16f2',
    open: async (folder: string) => {
      const file = join(folder, 'catalogue.db');
      writeFileSync(file, Bun.gunzipSync(read('catalogue.db.gz')));
      return file;
    },
  },
  PostgreSQL: {
    key: 'cat_g3ACh9mzn2PIucfBF3sO8_y2w9P2jg93E1AyAgk3QNU',
    file: 'dbcc07cd-d79f-499e-b8b8-b24388751076',
    open: async () => {
      const name = `of_0_1_0_${process.pid}`;
      await testServer.admin.unsafe(`create database ${name}`);
      const url = Object.assign(new URL(testServer.url), { pathname: `/${name}` }).href;
      const database = new SQL(url, { max: 1 });
      await database.unsafe(read('catalogue.sql').toString());
      await database.close();
      return url;
    },
  },
} as const;

describe.each(Object.entries(ENGINES))('a database of 0.1.0 on %s', (_, { key, file, open }) => {
  const admin = { authorization: `Bearer ${key}` };
  let folder: string;
  let env: { DATABASE_URL: string };
  let service: Service;
  const json = async (path: string, headers: Record<string, string> = {}) =>
    (await service.fetch(path, { headers })).json();
  beforeAll(async () => {
    folder = temporaryFolder();
    cpSync(new URL('collections.yaml', FIXTURE), join(folder, 'collections.yaml'));
    env = { DATABASE_URL: await open(folder) };
    service = await startService({ args: KEPT, cwd: folder, env });
  });
  afterAll(cleanUp);

  test('its rows, rules and stored queries are as before', async () => {
    expect(await json('/products?order=id')).toEqual([
      { id: 1, name: 'Tent', price: 199.9 },
      { id: 2, name: 'Stove', price: 45.5 },
    ]);
    expect(await json('/rpc/cheap?below=100')).toEqual([{ id: 2, name: 'Stove', price: 45.5 }]);
    expect(await json('/products?id=eq.1&select=tags,details,brands(name)', admin)).toEqual([
      { tags: ['green', 'light'], details: { weight: 2.5 }, brands: { name: 'Ada' } },
    ]);
  });

  test('its files are read, and its user logs in', async () => {
    expect((await service.fetch(`/files/${file}/tent.png?width=64`, { headers: admin })).status).toBe(200);
    const body = JSON.stringify({ name: 'ann', password: 'correct horse battery' });
    const headers = { 'content-type': 'application/json' };
    const login = await service.fetch('/auth/login', { method: 'POST', headers, body });
    expect([login.status, await login.json()]).toMatchObject([200, { role: 'editor' }]);
  });

  test('the log is granted, reads the past, and undoes changes that 0.1.0 made', async () => {
    expect((await service.fetch('/changes')).status).toBe(401);
    expect(await json('/changes?select=seq,kind,key&collection=eq.products&order=seq', admin)).toEqual([
      { seq: 3, kind: 'insert', key: '1' },
      { seq: 4, kind: 'insert', key: '2' },
      { seq: 5, kind: 'insert', key: '3' },
      { seq: 6, kind: 'update', key: '2' },
      { seq: 7, kind: 'delete', key: '3' },
    ]);
    const undo = await service.fetch('/changes/undo?seq=in.(6,7)', { method: 'POST', headers: admin });
    expect(undo.status).toBe(200);
    expect(await json('/products?select=id,price&order=id', admin)).toEqual([
      { id: 1, price: 199.9 },
      { id: 2, price: 49 },
      { id: 3, price: null },
    ]);
  });

  test('new rows continue its numbers, and the check finds no fault', async () => {
    const headers = { ...admin, 'content-type': 'application/json', prefer: 'return=representation' };
    const created = await service.fetch('/products', { method: 'POST', headers, body: '{"name": "Lamp", "price": 9}' });
    expect([created.status, await created.json()]).toMatchObject([201, [{ id: 4, name: 'Lamp' }]]);
    const { exitCode, stdout, stderr } = await run({ args: ['check'], cwd: folder, env });
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
  });
});
