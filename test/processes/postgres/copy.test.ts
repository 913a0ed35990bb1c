/** `catalogue copy` moves a complete catalogue from SQLite to PostgreSQL and back. */
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';
import { hook, receive, SECRET, stopReceivers, webhookShop } from '../../support/processes/webhook-shop.ts';

afterAll(async () => {
  await stopReceivers();
  await cleanUp();
});

const SENDS_JSON = { 'content-type': 'application/json' };

const WITH_ROLES = `
roles:
  editor: all
collections:
  items:
    fields:
      id: int4
      name: { type: text, required: true }
      on: boolean
      price: decimal(12,4)
      tags: 'text[]'
      about: json
      day: date
      big: int8
      sheet: file
  prices:
    key: [item_id, valid_from]
    fields:
      item_id: { type: int4, references: { collection: items, onDelete: restrict } }
      valid_from: timestamptz
      price: decimal(12,4)
`;
const { url } = testServer;

/** The rows and the stored views. */
async function contentOf({ fetch }: Pick<Awaited<ReturnType<typeof startService>>, 'fetch'>): Promise<string> {
  return (await (await fetch('/products')).text()) + (await (await fetch('/catalogue/views')).text());
}

async function listOf(args: readonly string[], cwd: string): Promise<string> {
  const service = await startService({ args, cwd });
  const text = await contentOf(service);
  service.kill('SIGTERM');
  await service.exited;
  return text;
}

describe('catalogue copy', () => {
  test('copies everything and confirms it', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const source = await startService({ args: ['--database', 'sqlite:from.db'], cwd });
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      product_name: `Nº ${index} "x",\n`,
      unit_price: index / 100,
    }));
    const headers = { 'content-type': 'application/json' };
    await source.fetch('/products', { method: 'POST', headers, body: JSON.stringify(many) });
    const view = { collection: 'products', name: 'Cheap', definition: { query: 'unit_price=lt.5' } };
    await source.fetch('/catalogue/views', { method: 'POST', headers, body: JSON.stringify(view) });
    const before = await contentOf(source);
    expect(before).toContain('Cheap');
    source.kill('SIGTERM');
    await source.exited;

    const there = await run({ args: ['copy', '--from', 'sqlite:from.db', '--to', url, '--schema', schema], cwd });
    expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    expect(there.stdout).toContain('Copied 5077 rows from from.db');
    expect(await listOf(['--database', url, '--schema', schema], cwd)).toBe(before);

    const back = await run({ args: ['copy', '--from', url, '--schema', schema, '--to', 'sqlite:back.db'], cwd });
    expect(back.exitCode).toBe(0);
    expect(await listOf(['--database', 'sqlite:back.db'], cwd)).toBe(before);

    const again = await run({ args: ['copy', '--from', 'sqlite:from.db', '--to', url, '--schema', schema], cwd });
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('holds 5077 rows already');
  });

  test('moves users, keys, views, files and the log to PostgreSQL and back', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'collections.yaml'), WITH_ROLES);
    const schema = newSchema();
    const places = [
      ['--database', 'sqlite:from.db'],
      ['--database', url, '--schema', schema],
      ['--database', 'sqlite:back.db'],
    ] as const;
    const command = async (args: readonly string[], stdin = '') => {
      const finished = await run({ cwd, args, stdin });
      expect(finished).toMatchObject({ exitCode: 0 });
      return finished.stdout.trim();
    };
    await command(['migrate', ...places[0]]);
    const key = await command(['key', 'add', '--role', 'editor', '--name', 'erp', ...places[0]]);
    await command(['user', 'add', 'ann', '--role', 'editor', ...places[0]], 'a long password\n');

    const login = async (service: Service) => {
      const headers = { 'content-type': 'application/json', origin: service.url };
      const body = JSON.stringify({ name: 'ann', password: 'a long password' });
      const response = await service.fetch('/auth/login', { method: 'POST', headers, body });
      expect(response.status).toBeLessThan(300);
      return { ...headers, cookie: response.headers.getSetCookie()[0]!.split(';', 1)[0]! };
    };
    const start = async (args: readonly string[]) => {
      const service = await startService({ cwd, args });
      const headers = await login(service);
      const ask = async (method: string, path: string, body?: unknown, more = {}) => {
        const init = {
          method,
          headers: { ...headers, ...more },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        };
        const response = await service.fetch(path, init);
        const text = await response.text();
        expect({ path, text, ok: response.ok }).toMatchObject({ ok: true });
        return text;
      };
      return { service, ask };
    };

    const { service, ask } = await start(places[0]);
    const file = JSON.parse(await ask('POST', '/files', { a: 1 })) as { id: string };
    const item = {
      on: true,
      price: 1.5,
      tags: ['a', null],
      about: { b: [1] },
      day: '2026-11-18',
      big: '9007199254740993',
      sheet: file.id,
    };
    await ask('POST', '/items', { id: 1, name: 'Tea', ...item });
    await ask('POST', '/items', { id: 2, name: 'Jam' });
    await ask('POST', '/prices', { item_id: 1, valid_from: '2026-11-18T08:00:00Z', price: 2 });
    await ask('PATCH', '/items?id=eq.1', { price: 2.25, on: false, about: null });
    const between = (JSON.parse(await ask('GET', '/changes?order=seq.desc&limit=1&select=at')) as { at: string }[])[0]!
      .at;
    await until('a later time', () => Date.now() > Date.parse(between) + 2);
    await ask('DELETE', '/items?id=eq.2');
    await ask('POST', '/views', { collection: 'items', name: 'Cheap', definition: { query: 'price=lt.5' } });
    const content = async (given: typeof ask) => [
      await given('GET', '/items'),
      await given('GET', '/items?order=id', undefined, { prefer: `as-of=${between}` }),
      await given('GET', '/prices?select=price,items(name)'),
      JSON.parse(await given('GET', '/changes?order=seq')) as unknown,
      await given('GET', '/views?select=name,definition'),
      await given('GET', `/files/${file.id}/x`),
    ];
    const before = await content(ask);
    service.kill('SIGTERM');
    await service.exited;

    const [from, middle, back] = places.map(([, database]) => database);
    for (const [source, target] of [
      [from, middle],
      [middle, back],
    ] as const) {
      const report = await command(['copy', '--from', source!, '--to', target!, '--schema', schema, '--json']);
      expect(JSON.parse(report)).toMatchObject({ keys: 1, users: 1, views: 1, changes: 5 });
    }
    for (const target of places.slice(1)) {
      const there = await start(target);
      expect(await content(there.ask)).toEqual(before);
      const withKey = await there.service.fetch('/items', { headers: { authorization: `Bearer ${key}` } });
      expect(withKey.status).toBe(200);
      // The key of a deleted row in the log is not assigned again.
      const prefer = 'tx=rollback, return=representation';
      expect(JSON.parse(await there.ask('POST', '/items', { name: 'New' }, { prefer }))).toMatchObject([{ id: 3 }]);
      // Undo of changes from before the copy, and new ones after them.
      const undone = await there.ask('POST', '/changes/undo?collection=eq.items&kind=neq.insert');
      expect(JSON.parse(undone)).toMatchObject({ undone: 2 });
      const items = JSON.parse(await there.ask('GET', '/items?order=id')) as object[];
      expect(items).toMatchObject([
        { id: 1, on: true, price: 1.5, about: { b: [1] } },
        { id: 2, name: 'Jam' },
      ]);
      const seqs = JSON.parse(await there.ask('GET', '/changes?order=seq&select=seq')) as { seq: number }[];
      expect(seqs).toHaveLength(7);
      await there.ask('POST', '/changes/undo?seq=gt.5');
      expect(await there.ask('GET', '/items')).toBe(String(before[0]));
      there.service.kill('SIGTERM');
      await there.service.exited;
    }
    const bare = await command(['copy', '--from', 'sqlite:from.db', '--to', 'bare.db', '--without-log', '--json']);
    expect(JSON.parse(bare)).toMatchObject({ changes: 0 });
  });

  test('a webhook sends what it had not sent before a copy, and nothing twice', async () => {
    const schema = newSchema();
    let isUp = true;
    const receiver = receive(() => new Response(null, { status: isUp ? 204 : 503 }));
    const inSqlite = { DATABASE_URL: 'sqlite:from.db' };
    const inPostgres = { DATABASE_URL: url, CATALOGUE_SCHEMA: schema };
    const { start, command, folder } = webhookShop(hook('shop', receiver.url), inSqlite);
    const post = (service: Service, first: number, last: number) => {
      const rows = Array.from({ length: last - first + 1 }, (_, index) => ({ id: first + index, price: 1 }));
      return service.fetch('/items', { method: 'POST', headers: SENDS_JSON, body: JSON.stringify(rows) });
    };
    const before = await start();
    await post(before, 1, 3);
    await until('the first changes', async () => (await command('list'))[0]?.delivered === 3);
    isUp = false;
    await post(before, 4, 60);
    await until('a failure', async () => (await command('failures')).length > 0);
    before.kill('SIGTERM');
    await before.exited;

    const args = ['copy', '--from', 'sqlite:from.db', '--to', url, '--to-schema', schema, '--collections'];
    const copied = await run({ cwd: folder, args: [...args, 'collections.yaml'] });
    expect(copied.stdout).toContain('Also copied: 60 changes, 1 webhook.');
    isUp = true;
    const env = { HOOK_SECRET: SECRET, CATALOGUE_COLLECTIONS: 'collections.yaml', ...inPostgres };
    const after = await startService({ cwd: folder, env });
    await post(after, 61, 61);
    await until('the others', () => receiver.changes.length === 61);
    const keys = receiver.changes.map(({ key }) => Number(key)).sort((one, other) => one - other);
    expect(keys).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
  });

  test('from a missing source creates no schema; neither does a failed or dry-run import', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const rows = 'product_name,unit_price\nTea,1\nJam,cheap\n';
    const into = ['--database', url, '--schema', schema];
    await run({ cwd, args: ['copy', '--from', 'typo.db', '--to', url, '--schema', schema] });
    await run({ cwd, args: ['import', '-', '--format', 'csv', ...into], stdin: rows });
    await run({ cwd, args: ['import', '-', '--format', 'csv', '--keep-going', '--dry-run', ...into], stdin: rows });
    await run({ cwd, args: ['export', ...into] });
    const [found] = await testServer.admin.unsafe(
      `select count(*)::int4 as schemas from pg_namespace where nspname = '${schema}'`,
    );
    expect(found).toEqual({ schemas: 0 });
  });

  test('is all or nothing: other clients see either no table or the complete one', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const rows = 20_000;
    const lines = Array.from({ length: rows }, (_, index) => `{"product_name":"Product number ${index}"}`).join('\n');
    await run({ cwd, args: ['import', '-', '--format', 'ndjson', '--database', 'from.db'], stdin: lines });
    let isDone = false;
    const copying = run({ cwd, args: ['copy', '--from', 'from.db', '--to', url, '--schema', schema] }).then(
      (result) => {
        isDone = true;
        return result;
      },
    );
    const seen = new Set<number>();
    while (!isDone) {
      const [found] = await testServer.admin.unsafe(`select to_regclass('${schema}.products') is not null as there`);
      if (found.there) {
        const [counted] = await testServer.admin.unsafe(`select count(*)::int4 as rows from "${schema}".products`);
        seen.add(counted.rows);
      }
      await Bun.sleep(1);
    }
    expect(await copying).toMatchObject({ exitCode: 0, stderr: '' });
    expect([...seen].filter((count) => count !== rows)).toEqual([]);
  });
});
