/**
 * Restoring: only a damaged database counts as damaged, no data of a backup is lost silently, and no acknowledged write
 * is lost.
 */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  cleanUp,
  type Finished,
  integrityOf,
  mountTmpfs,
  run,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

/** Creates a folder with a catalogue and a backup of it. */
async function withBackup(cwd = temporaryFolder()) {
  const command = (...args: string[]) => run({ cwd, args });
  await command('migrate');
  await command('backup', 'copy.db');
  return {
    cwd,
    command,
    path: (name: string) => join(cwd, name),
    aside: () => readdirSync(cwd).filter((name) => name.includes('.damaged-')),
  };
}

/** Overwrites pages in place, like a failing disk. */
function damage(file: string, from = 4096, length = 8192): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, new Uint8Array(length).fill(0xab), 0, length, from);
  closeSync(handle);
}

/** Expects one sentence without a stack context. */
function expectRefusal({ exitCode, stdout, stderr }: Finished): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^catalogue: [^\n]+\n$/);
}

describe('a healthy database that cannot be opened is left in place:', () => {
  test('one that another process has locked', async () => {
    const { command, path, aside } = await withBackup();
    const db = new Database(path('catalogue.db'));
    db.run('pragma locking_mode = exclusive');
    db.run('begin exclusive');
    db.run("update products set product_name = 'Kept' where id = 1");
    const refused = await command('restore', 'copy.db', '--force');
    expectRefusal(refused);
    expect(refused.stderr).toContain('locked');
    db.run('commit');
    db.close();
    expect(aside()).toEqual([]);
    const { stdout } = await command('query', 'id=eq.1&select=product_name', '--json');
    expect(JSON.parse(stdout)).toEqual([{ product_name: 'Kept' }]);
  });

  test('a folder with that name', async () => {
    const { command, path, aside } = await withBackup();
    mkdirSync(path('folder'));
    writeFileSync(path('folder/precious'), '');
    const refused = await command('restore', 'copy.db', '--force', '--database', 'folder');
    expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: 'catalogue: folder is a folder\n' });
    expect(existsSync(path('folder/precious'))).toBe(true);
    expect(aside()).toEqual([]);
  });

  test('one with a WAL that cannot be opened', async () => {
    const { command, path, aside } = await withBackup();
    const before = readFileSync(path('catalogue.db'));
    mkdirSync(path('catalogue.db-wal'));
    const refused = await command('restore', 'copy.db', '--force');
    expectRefusal(refused);
    expect(readFileSync(path('catalogue.db')).equals(before)).toBe(true);
    expect(aside()).toEqual([]);
  });

  test('one on a read-only disk', async () => {
    const mounted = process.getuid?.() === 0 ? mountTmpfs('4m') : undefined;
    if (mounted === undefined) return console.error('NOT TESTED HERE: a disk that may only be read');
    const { command, aside } = await withBackup(mounted.folder);
    mounted.remount('ro');
    const refused = await command('restore', 'copy.db', '--force');
    expectRefusal(refused);
    expect(aside()).toEqual([]);
  });
});

describe('a damaged database', () => {
  for (const [what, from] of [
    ['in the middle', 4096],
    ['at its beginning', 0],
  ] as const) {
    test(`${what} is not taken from a service that has it open, and is set aside after the service stops`, async () => {
      const { cwd, command, path, aside } = await withBackup();
      const service = await startService({ cwd });
      damage(path('catalogue.db'), from);
      const refused = await command('restore', 'copy.db', '--force');
      expectRefusal(refused);
      expect(refused.stderr).toMatch(/is damaged, and a process may be using it: stop the service/);
      expect(aside()).toEqual([]);
      service.kill('SIGTERM');
      await service.exited;
      const restored = await command('restore', 'copy.db', '--force');
      expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The damaged file is kept as ') });
      expect(aside()).toContainEqual(expect.stringMatching(/^catalogue\.db\.damaged-[\dTZ-]+$/));
      expect(integrityOf(path('catalogue.db'))).toBe('ok');
    });
  }

  test('with only its WAL left is set aside, and the WAL is not replayed into the restored database', async () => {
    const { command, path, aside } = await withBackup();
    writeFileSync(path('other.db-wal'), 'what is left of a catalogue');
    expect(await command('restore', 'copy.db', '--database', 'other.db')).toMatchObject({ exitCode: 0 });
    expect(aside()).toHaveLength(1);
    expect(readFileSync(path(aside()[0]!), 'utf8')).toBe('what is left of a catalogue');
    expect(await command('check', '--database', 'other.db')).toMatchObject({ exitCode: 0 });
  });
});

test('a backup that is being served is restored with the content of its WAL', async () => {
  const { cwd, command } = await withBackup();
  const service = await startService({ cwd, args: ['--database', 'copy.db'] });
  for (let index = 0; index < 3; index++) {
    await service.fetch('/products', { method: 'POST', body: `{"product_name":"Late ${index}"}` });
  }
  await command('restore', 'copy.db', '--database', 'new.db');
  const { stdout } = await command('query', 'select=count()', '--json', '--database', 'new.db');
  expect(JSON.parse(stdout)).toEqual([{ count: 80 }]);
});

describe('columns and tables', () => {
  function change(file: string, ...statements: string[]): void {
    const db = new Database(file);
    for (const sql of statements) db.run(sql);
    db.close();
  }

  test('that only the backup has are named, and left out only on request', async () => {
    const { command, path } = await withBackup();
    change(
      path('copy.db'),
      'alter table products add column note text',
      "update products set note = 'mine', product_name = 'From the backup'",
      'create table remarks (a)',
    );
    const before = readFileSync(path('catalogue.db'));
    const refused = await command('restore', 'copy.db', '--force');
    expectRefusal(refused);
    expect(refused.stderr).toMatch(/does not have: remarks, products\.note\. .+--drop-columns.+Nothing was changed/);
    expect(readFileSync(path('catalogue.db')).equals(before)).toBe(true);
    const restored = await command('restore', 'copy.db', '--force', '--drop-columns', '--json');
    expect(JSON.parse(restored.stdout)).toMatchObject({ ok: true, rows: 77, dropped: ['remarks', 'products.note'] });
    const { stdout } = await command('query', 'id=eq.1', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ product_name: 'From the backup' }]);
  });

  test('are all restored if the backup becomes a new file', async () => {
    const { command, path } = await withBackup();
    change(path('copy.db'), 'alter table products add column note text', "update products set note = 'mine'");
    expect(await command('restore', 'copy.db', '--database', 'new.db')).toMatchObject({ exitCode: 0 });
    const db = new Database(path('new.db'));
    expect(db.query('select distinct note from products').values()).toEqual([['mine']]);
    db.close();
  });

  test('that only the database has are named, because their data is lost', async () => {
    const { command, path } = await withBackup();
    change(
      path('catalogue.db'),
      "alter table products add column note text default 'none'",
      "update products set note = 'mine'",
    );
    const { exitCode, stdout } = await command('restore', 'copy.db', '--force');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('\nNot in the backup, and at their defaults now: products.note\n'),
    });
    const db = new Database(path('catalogue.db'));
    expect(db.query('select distinct note from products').values()).toEqual([['none']]);
    db.close();
  });
});

test('writes that are acknowledged during a restore are not lost', async () => {
  const { cwd, command } = await withBackup();
  const service = await startService({ cwd });
  let isDone = false;
  const restoring = command('restore', 'copy.db', '--force').then((result) => {
    isDone = true;
    return result;
  });
  const acknowledged: number[] = [];
  for (let id = 1_000; !isDone || id < 1_010; id++) {
    const { status } = await service.fetch('/products', {
      method: 'POST',
      body: JSON.stringify({ id, product_name: 'Written' }),
    });
    expect(status).toBe(201);
    acknowledged.push(id);
  }
  expect(await restoring).toMatchObject({ exitCode: 0 });
  for (let id = 5_000; id < 5_010; id++) {
    await service.fetch('/products', { method: 'POST', body: JSON.stringify({ id, product_name: 'After' }) });
  }
  service.kill('SIGKILL');
  await service.exited;
  const { stdout } = await command('query', 'id=gte.1000&select=id&limit=100000', '--json');
  const kept = (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
  // The restore replaces all earlier writes. All later writes are stored, without a gap.
  const first = kept.find((id) => id < 5_000) ?? acknowledged.at(-1)! + 1;
  expect(kept).toEqual([
    ...acknowledged.filter((id) => id >= first),
    ...Array.from({ length: 10 }, (_, at) => 5_000 + at),
  ]);
});

const UNIQUE = `collections:
  items: { fields: { id: int4, code: { type: text, unique: true }, price: int4 } }
`;

/** A receiver of webhooks, and the environment and declaration that name it. */
function receiver() {
  const received: { id: string; seq: number; key: string; kind: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const change = (await request.json()) as (typeof received)[number];
      received.push({ ...change, id: request.headers.get('webhook-id')! });
      return new Response(null, { status: 204 });
    },
  });
  const declaration = `${UNIQUE}webhooks:\n  shop: { url: 'http://127.0.0.1:${server.port}/', secret: '{env.SECRET}' }\n`;
  return { received, declaration, stop: () => server.stop(true) };
}

test('a restore writes, logs and sends only the rows that differ, or sends none', async () => {
  const { received, declaration, stop } = receiver();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'collections.yaml'), declaration);
  const env = { SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
  const command = (...args: string[]) => run({ cwd, env, args });
  const rows = Array.from({ length: 200 }, (_, at) => ({ id: at + 1, code: `c${at + 1}`, price: 5 }));
  writeFileSync(join(cwd, 'rows.json'), JSON.stringify(rows));
  expect(await command('migrate')).toMatchObject({ exitCode: 0 });
  expect(await command('import', 'rows.json', '--no-history')).toMatchObject({ exitCode: 0 });
  expect(await command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
  const service = await startService({ cwd, env });
  const items = async () => (await service.fetch('/items')).json();
  const send = (method: string, path: string, body?: object) =>
    service
      .fetch(path, { method, ...(body && { body: JSON.stringify(body) }) })
      .then(({ ok }) => expect(ok).toBe(true));
  const spoil = async () => {
    await send('PATCH', '/items/1', { price: 6 });
    await send('DELETE', '/items/2');
    await send('POST', '/items', { id: 999, code: 'new', price: 1 });
  };
  const sent = () => received.map(({ key, kind }) => `${kind} ${key}`);
  const logged = async () => {
    const found = await service.fetch('/changes?actor=eq.catalogue%20restore&select=key,kind,request_id');
    const entries = (await found.json()) as { key: string; kind: string; request_id: string }[];
    return Map.groupBy(entries, (entry) => entry.request_id)
      .values()
      .map((each) => each.map(({ key, kind }) => `${kind} ${key}`).sort())
      .toArray();
  };
  const spoilt = ['update 1', 'delete 2', 'insert 999'];
  const restored = ['delete 999', 'insert 2', 'update 1'];
  await spoil();
  await until('the changes', () => sent().length === 3);
  expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
  expect([await items(), await logged()]).toEqual([rows, [restored]]);
  await until('the restored rows', () => sent().length === 6);
  expect(sent().slice(0, 3).sort()).toEqual(spoilt.toSorted());
  expect(sent().slice(3).sort()).toEqual(restored);

  await spoil();
  expect(await command('restore', 'copy.db', '--force', '--without-webhooks')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect([await items(), await logged()]).toEqual([rows, [restored, restored]]);
  await send('PATCH', '/items/3', { price: 9 });
  await until('the change after the restore', () => sent().includes('update 3'));
  expect(sent().slice(6).sort()).toEqual([...spoilt, 'update 3'].sort());

  await send('PATCH', '/items/3', { price: 5 });
  expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await logged()).toHaveLength(2);
  await stop();
});

test('a change after a restore is not taken for the lost change with its number', async () => {
  const { received, declaration, stop } = receiver();
  const env = { SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
  const inFolder = (cwd: string) => {
    writeFileSync(join(cwd, 'collections.yaml'), declaration);
    return (...args: string[]) => run({ cwd, env, args });
  };
  const [lost, found] = [temporaryFolder(), temporaryFolder()];
  const add = async (cwd: string, id: number) => {
    const service = await startService({ cwd, env });
    await service.fetch('/items', { method: 'POST', body: JSON.stringify({ id, price: 1 }) });
    await until('the change', () => received.at(-1)?.key === String(id));
    service.kill('SIGTERM');
    await service.exited;
  };
  const command = inFolder(lost);
  await command('migrate');
  const backup = join(lost, 'copy.db');
  expect(await command('backup', backup)).toMatchObject({ exitCode: 0 });
  await add(lost, 1);
  expect(await inFolder(found)('restore', backup)).toMatchObject({ exitCode: 0 });
  await add(found, 2);
  const [one, other] = received;
  expect(other!.seq).toBe(one!.seq);
  expect(other!.id).not.toBe(one!.id);
  await stop();
});

test('a restore brings back unique values that rows have exchanged since', async () => {
  const cwd = temporaryFolder();
  const command = (...args: string[]) => run({ cwd, args });
  writeFileSync(join(cwd, 'collections.yaml'), UNIQUE);
  await command('migrate');
  const change = (...statements: string[]) => {
    const db = new Database(join(cwd, 'catalogue.db'));
    for (const sql of statements) db.run(sql);
    db.close();
  };
  change("insert into items values (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)");
  expect(await command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
  change("update items set code = 'x' where id = 1", "update items set code = 'a' where id = 2");
  change("update items set code = 'b' where id = 1");
  expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
  const { stdout } = await command('query', 'items?select=id,code', '--json');
  expect(JSON.parse(stdout)).toEqual(['a', 'b', 'c'].map((code, at) => ({ id: at + 1, code })));
});

test('a restore without the declaration names the tables that it did not count, and how to name a declaration', async () => {
  const { cwd, command, path } = await withBackup();
  writeFileSync(path('shop.yaml'), 'collections: { shops: { fields: { id: int4 } }, towns: { fields: { id: int4 } } }');
  await command('migrate', '--collections', 'shop.yaml', '--database', 'shop.db');
  await command('backup', 'shop-copy.db', '--collections', 'shop.yaml', '--database', 'shop.db');
  const restored = (...args: string[]) => run({ cwd, args: ['restore', 'shop-copy.db', ...args] });
  const { stdout } = await restored('--database', 'a.db');
  expect(stdout).toContain('Restored 0 rows');
  expect(stdout).toContain('does not have these tables: shops, towns. If they have one, copy its collections.yaml');
  expect(stdout).toContain('--collections FILE');
  const named = await restored('--database', 'b.db', '--collections', 'shop.yaml');
  expect(named.stdout.trimEnd().split('\n')).toHaveLength(1);
});
