/** Backups in a real S3 server or a folder, and restores to a moment. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../support/generated/runs.ts';
import { type S3Server, startS3 } from '../../support/network/s3-server.ts';
import { PICTURE } from '../../support/pictures.ts';
import {
  cleanUp,
  integrityOf,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(async () => {
  await cleanUp();
  await s3.close();
});

const DECLARATION = `
collections:
  groups: { history: false, fields: { id: int4, name: text, next: { type: int4, computed: id + 1 } } }
  products:
    fields:
      id: int4
      name: { type: text, unique: true }
      price: decimal(12,4)
      tags: 'text[]'
      photo: image
      papers: 'file[]'
      group_id: { type: int4, references: { collection: groups, onDelete: restrict } }
  offers:
    key: [product_id, country]
    fields:
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
      country: text
      big: int8
`;

interface Product {
  readonly id: number;
  readonly name: string;
  readonly price: number | null;
}

interface State {
  readonly at: Date;
  readonly products: readonly Product[];
}

function newFolder(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
  return cwd;
}

const send = (service: Service, path: string, method: string, body?: unknown) =>
  service.fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Random writes in turn, and the state after each. Names change hands, so that unique values move between rows. */
class Model {
  readonly states: State[] = [];
  private readonly products = new Map<number, Product>();
  private readonly random = seededRandom();
  private count = 0;

  async write(service: Service): Promise<void> {
    const { products } = this;
    const next = () => Math.floor(this.random() * 1e6);
    const ids = [...products.keys()];
    const id = ids[next() % (ids.length || 1)];
    const kind = id === undefined ? 0 : next() % 6;
    const price = next() % 7 === 0 ? null : (next() % 100_000) / 100;
    if (kind === 1) {
      expect((await send(service, `/products/${id}`, 'PATCH', { price })).status).toBe(204);
      products.set(id!, { ...products.get(id!)!, price });
    } else if (kind === 2) {
      expect((await send(service, `/products/${id}`, 'DELETE')).status).toBe(204);
      products.delete(id!);
    } else if (kind === 3) {
      const name = `renamed ${++this.count}`;
      const old = products.get(id!)!;
      const other = { id: 1_000_000 + this.count, name: old.name, price };
      const requests = [
        { method: 'PATCH', path: `/products/${id}`, body: { name } },
        { method: 'POST', path: '/products', body: other },
        { method: 'POST', path: '/offers', body: { product_id: other.id, country: 'NL', big: '9007199254740993' } },
      ];
      expect((await send(service, '/batch', 'POST', requests)).status).toBe(200);
      products.set(id!, { ...old, name });
      products.set(other.id, other);
    } else {
      const product = { id: ++this.count, name: `product ${this.count}`, price };
      expect((await send(service, '/products', 'POST', { ...product, tags: ['a,"b', null] })).status).toBe(201);
      products.set(product.id, product);
    }
    const at = new Date();
    this.states.push({ at, products: [...products.values()].sort((one, other) => one.id - other.id) });
    // The next change is later.
    await until('the next millisecond', () => Date.now() > at.getTime() + 1);
  }

  /** The rows of the service after a write whose response was lost. */
  async adopt(service: Service): Promise<void> {
    const rows = (await (await service.fetch('/products?select=id,name,price&order=id')).json()) as Product[];
    this.products.clear();
    for (const row of rows) this.products.set(row.id, row);
  }
}

const restoreTo = (location: string, at: Date, env: Readonly<Record<string, string>>, ...flags: string[]) => {
  const cwd = newFolder();
  const args = ['restore', location, '--until', at.toISOString(), '--json', ...flags];
  return { cwd, finished: run({ cwd, env, args }) };
};

const productsIn = async (cwd: string): Promise<unknown> => {
  const args = ['export', 'products?select=id,name,price', '--format', 'json'];
  return JSON.parse((await run({ cwd, args })).stdout);
};

test('a backup in S3 becomes the state of any later moment, also after kill -9', async () => {
  const location = s3.newLocation();
  const env = { ...s3.environment, CATALOGUE_BACKUP_KEY: 'a key of some length' };
  const cwd = newFolder();
  const args = ['--backup-to', location, '--backup-every', '1h', '--backup-log-every', '1s', '--log-level', 'info'];
  const start = async () => {
    const service = await startService({ cwd, env, args });
    const storedAt = async () => {
      const metrics = await (await service.fetch('/metrics')).text();
      return 1000 * Number(/^catalogue_backup_log_timestamp_seconds (.*)$/m.exec(metrics)![1]);
    };
    return { service, storedSince: (time: number) => until('the log in S3', async () => (await storedAt()) > time) };
  };
  const model = new Model();
  let { service, storedSince } = await start();
  await storedSince(0);
  const second = Math.floor(Date.now() / 1000);
  await until('the moment of the backup', () => Math.floor(Date.now() / 1000) > second);
  for (let count = 0; count < 40; count++) await model.write(service);
  await storedSince(Date.now());
  for (let count = 0; count < 20; count++) await model.write(service);
  const lost = send(service, '/products', 'POST', { id: 5_000_000, name: 'in flight' }).catch(() => undefined);
  service.kill('SIGKILL');
  await lost;
  await service.exited;

  ({ service, storedSince } = await start());
  await model.adopt(service);
  await send(service, '/groups', 'POST', { id: 7, name: 'without a log' });
  const file = (await (await service.fetch('/files', { method: 'POST', body: PICTURE })).json()) as { id: string };
  const withFiles = { id: 6_000_000, name: 'with files', photo: file.id, papers: [file.id], group_id: 7 };
  expect((await send(service, '/products', 'POST', withFiles)).status).toBe(201);
  await model.adopt(service);
  for (let count = 0; count < 40; count++) await model.write(service);
  await storedSince(Date.now());
  // The stored log reaches beyond the last state.
  await send(service, '/products', 'POST', { id: 7_000_000, name: 'later' });
  await storedSince(Date.now());
  service.kill('SIGKILL');
  await service.exited;
  // One backup is enough: the second process continues its log.
  const listed = await run({ cwd, env, args: ['backups', location, '--json'] });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ encrypted: true }]);
  const [object] = readdirSync(s3.folderOf(location)).filter((name) => /\.log\.enc\._S3rver_object$/.test(name));
  expect(readFileSync(join(s3.folderOf(location), object!)).includes('product')).toBe(false);

  // The machine is gone: another folder has only the declaration and the key.
  const { states } = model;
  const chosen = [states[0]!, states[59]!, states.at(-1)!];
  const restored = chosen.map(({ at }) => restoreTo(location, at, env));
  for (const [index, { cwd: folder, finished }] of restored.entries()) {
    expect(await finished).toMatchObject({ exitCode: 0 });
    expect(await productsIn(folder)).toEqual(chosen[index]!.products);
  }
  const last = restored.at(-1)!.cwd;
  expect(integrityOf(join(last, 'catalogue.db'))).toBe('ok');
  const again = await startService({ cwd: last });
  const grouped = await again.fetch('/products?id=eq.6000000&select=groups(name)');
  expect(await grouped.json()).toEqual([{ groups: { name: 'without a log' } }]);
  const photo = await again.fetch(`/files/${file.id}/x`);
  expect(new Uint8Array(await photo.arrayBuffer())).toEqual(PICTURE);
  expect(await (await again.fetch('/offers?select=big&limit=1')).text()).toContain('9007199254740993');
  // The log came along: a change from before the loss is undone.
  const [change] = (await (await again.fetch('/changes?key=eq.6000000&select=seq')).json()) as { seq: number }[];
  expect((await again.fetch(`/changes/undo?seq=eq.${change!.seq}`, { method: 'POST' })).status).toBe(200);
  expect(await (await again.fetch('/products?id=eq.6000000')).json()).toEqual([]);
});

const nextSecond = () => {
  const second = Math.floor(Date.now() / 1000);
  return until('the next second', () => Math.floor(Date.now() / 1000) > second);
};

test('a moment is restored with all changes before it, or not at all', async () => {
  const cwd = newFolder();
  const env = { CATALOGUE_BACKUP_KEY: 'a key of some length' };
  const leftover = 'catalogue.db.backup.partial-0badcafe';
  writeFileSync(join(cwd, leftover), 'the copy of a killed backup');
  utimesSync(join(cwd, leftover), 0, 0);
  const stored = (ending: string) => readdirSync(join(cwd, 'kept')).filter((name) => name.endsWith(ending));
  const args = ['--backup-to', 'file:kept', '--backup-every', '1h', '--backup-log-every', '1s'];
  const service = await startService({ cwd, env, args });
  await until('the first backup', () => !readdirSync(cwd).includes(leftover) && stored('.db.enc').length === 1);
  await nextSecond();
  // One id for all requests.
  const headers = { 'content-type': 'application/json', 'x-request-id': 'same' };
  const write = async (id: number) => {
    const response = await service.fetch('/products', { method: 'POST', headers, body: JSON.stringify({ id }) });
    expect(response.status).toBe(201);
    const at = new Date();
    await until('the next millisecond', () => Date.now() > at.getTime() + 1);
    return at;
  };
  const first = await write(1);
  await write(2);
  expect(await run({ cwd, env, args: ['backup', 'file:kept'] })).toMatchObject({ exitCode: 0 });
  await nextSecond();
  const third = await write(3);
  await write(4);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);

  const kept = `file:${join(cwd, 'kept')}`;
  const idsAt = async (at: Date) => {
    const { cwd: folder, finished } = restoreTo(kept, at, env);
    expect(await finished).toMatchObject({ exitCode: 0 });
    return ((await productsIn(folder)) as Product[]).map(({ id }) => id);
  };
  expect(await idsAt(first)).toEqual([1]);
  expect(await idsAt(third)).toEqual([1, 2, 3]);
  const { exitCode, stdout } = await restoreTo(kept, new Date('2090-01-01'), env).finished;
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('may be missing') });
  expect(await idsAt(new Date(/Use --until (\S+Z)/.exec(stdout)![1]!))).toEqual([1, 2, 3, 4]);

  copyFileSync(join(cwd, 'kept', stored('.db.enc').at(-1)!), join(cwd, 'renamed'));
  const renamed = await run({ cwd, env, args: ['restore', 'renamed', '--database', 'new.db'] });
  expect(renamed).toMatchObject({ exitCode: 0 });
});

test('rows without a history go with the rows that they refer to', async () => {
  const cwd = temporaryFolder();
  const product = '{ type: int4, required: true, references: { collection: products, onDelete: cascade } }';
  writeFileSync(
    join(cwd, 'collections.yaml'),
    `collections:
  products: { fields: { id: int4 } }
  notes: { history: false, fields: { id: int4, product_id: ${product}, about_id: { type: int4, references: { collection: products, onDelete: set null } } } }
  replies: { history: false, fields: { id: int4, note_id: { type: int4, references: { collection: notes, onDelete: cascade } } } }
`,
  );
  const args = ['--backup-to', 'file:kept', '--backup-every', '1h', '--backup-log-every', '1s'];
  mkdirSync(join(cwd, 'kept'));
  await run({ cwd, args: ['migrate'] });
  const rows = {
    products: '[{"id":1},{"id":2},{"id":3}]',
    notes:
      '[{"id":1,"product_id":1,"about_id":2},{"id":2,"product_id":2,"about_id":3},{"id":3,"product_id":2,"about_id":2}]',
    replies: '[{"id":1,"note_id":1},{"id":2,"note_id":2}]',
  };
  for (const [collection, stdin] of Object.entries(rows))
    expect(
      await run({ cwd, args: ['import', '-', '--collection', collection, '--format', 'json'], stdin }),
    ).toMatchObject({ exitCode: 0 });
  const service = await startService({ cwd, args });
  await until('the first backup', () => readdirSync(join(cwd, 'kept')).some((name) => name.endsWith('.db')));
  await nextSecond();
  for (const id of [1, 3]) expect((await send(service, `/products/${id}`, 'DELETE')).status).toBe(204);
  const read = async ({ fetch }: Service) => await (await fetch('/notes?select=id,about_id,replies(id)')).json();
  const expected = [
    { id: 2, about_id: null, replies: [{ id: 2 }] },
    { id: 3, about_id: 2, replies: [] },
  ];
  expect(await read(service)).toEqual(expected);
  const at = new Date();
  await nextSecond();
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  const restored = await run({
    cwd,
    args: ['restore', 'file:kept', '--until', at.toISOString(), '--database', 'new.db'],
  });
  expect(restored).toMatchObject({ exitCode: 0 });
  expect(await read(await startService({ cwd, args: ['--database', 'new.db'] }))).toEqual(expected);
});

test('the log continues after all entries expired, and a backup is made when it is due', async () => {
  const cwd = newFolder();
  await run({
    cwd,
    args: ['import', '-', '--collection', 'products', '--format', 'csv'],
    stdin: 'id,name\n1,Tea\n2,Jam\n',
  });
  {
    using db = new Database(join(cwd, 'catalogue.db'));
    db.run('delete from catalogue_changes');
  }
  await run({ cwd, args: ['backup', 'file:kept'] });
  const stored = () => readdirSync(join(cwd, 'kept'));
  const [only] = stored();
  const due = new Date(Date.now() - 3_597_000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  renameSync(join(cwd, 'kept', only!), join(cwd, 'kept', only!.replace(/\d{8}T\d{6}Z/, due)));
  const args = ['--backup-to', 'file:kept', '--backup-every', '1h', '--backup-log-every', '0'];
  const service = await startService({ cwd, args });
  await until('the backup', () => stored().filter((name) => name.endsWith('.db')).length === 2);
  expect(stored().at(-1)).toMatch(/Z-2-[\da-f]{8}-[\da-f]{16}\.db$/);
  service.kill('SIGTERM');
  await service.exited;
});

test('a backup of a wrong clock does not put off the next one', async () => {
  const cwd = newFolder();
  await run({ cwd, args: ['migrate'] });
  await run({ cwd, args: ['backup', 'file:kept'] });
  const stored = () => readdirSync(join(cwd, 'kept'));
  const [only] = stored();
  renameSync(join(cwd, 'kept', only!), join(cwd, 'kept', only!.replace(/\d{8}T/, '20990101T')));
  const service = await startService({ cwd, args: ['--backup-to', 'file:kept', '--backup-every', '1s'] });
  await until('the next backup', () => stored().filter((name) => name.endsWith('.db')).length > 1);
  const metrics = await (await service.fetch('/metrics')).text();
  expect(Number(/^catalogue_backup_timestamp_seconds (.*)$/m.exec(metrics)![1])).toBeLessThan(Date.now() / 1000);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('a backup of a wrong clock counts as the oldest one', async () => {
  const cwd = newFolder();
  await run({ cwd, args: ['migrate'] });
  await run({ cwd, args: ['backup', 'file:kept'] });
  const stored = () => readdirSync(join(cwd, 'kept')).filter((name) => name.endsWith('.db'));
  const [only] = stored();
  const late = only!.replace(/\d{8}T/, '20990101T');
  renameSync(join(cwd, 'kept', only!), join(cwd, 'kept', late));
  const start = (...args: readonly string[]) => startService({ cwd, args: ['--backup-to', 'file:kept', ...args] });
  const service = await start('--backup-every', '1h', '--backup-log-every', '0');
  await until('a backup at the start', () => stored().length > 1);
  expect((await send(service, '/products', 'POST', { id: 7, name: 'new' })).status).toBe(201);
  service.kill('SIGTERM');
  await service.exited;
  await run({ cwd, args: ['backup', 'file:kept'] });
  expect(await run({ cwd, args: ['restore', 'file:kept', '--database', 'new.db'] })).toMatchObject({ exitCode: 0 });
  const restored = new Database(join(cwd, 'new.db'), { readonly: true });
  expect(restored.query('select name from products').all()).toEqual([{ name: 'new' }]);
  restored.close();
  const again = await start('--backup-every', '1s', '--backup-keep', '1');
  await until('one backup, of now', () => stored().length === 1 && stored()[0] !== late);
  again.kill('SIGTERM');
  await again.exited;
});

/** Passes requests on to the S3 server, unless they are held. */
function holdingS3(isHeld: (request: Request) => boolean | Promise<unknown>) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      await isHeld(request);
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'PUT' ? await request.bytes() : undefined;
      return fetch(`${s3.environment.S3_ENDPOINT}${pathname}${search}`, { method, headers, ...(body && { body }) });
    },
  });
  return { env: { ...s3.environment, S3_ENDPOINT: server.url.origin }, stop: () => server.stop(true) };
}

test('changes are stored while a backup is made, and while old ones are removed', async () => {
  const cwd = newFolder();
  const location = s3.newLocation();
  const [second, removal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const logs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let backups = 0;
  const proxy = holdingS3(({ method, url }) => {
    const [duringBackup, duringRemoval] = logs;
    if (method === 'PUT' && url.endsWith('.log')) (backups < 2 ? undefined : nextLog())?.resolve();
    if (method === 'PUT' && url.endsWith('.db') && ++backups === 2) {
      second.resolve();
      return duringBackup.promise;
    }
    if (method !== 'DELETE') return false;
    removal.resolve();
    return duringRemoval.promise;
  });
  const waiting = [...logs];
  const nextLog = () => waiting.shift();
  const args = ['--backup-to', location, '--backup-every', '4s', '--backup-keep', '1', '--backup-log-every', '1s'];
  const service = await startService({ cwd, env: proxy.env, args });
  for (const [index, held] of [second, removal].entries()) {
    await held.promise;
    expect((await send(service, '/products', 'POST', { id: index + 1 })).status).toBe(201);
    await logs[index]!.promise;
  }
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.stderr()).not.toContain('backup failed');
  await proxy.stop();
});

test('a place that does not answer does not delay the end of the service', async () => {
  const cwd = newFolder();
  const asked = Promise.withResolvers<void>();
  const proxy = holdingS3(() => {
    asked.resolve();
    return new Promise(() => {});
  });
  const args = ['--backup-to', s3.newLocation(), '--backup-every', '1h', '--log-level', 'info'];
  const service = await startService({ cwd, env: proxy.env, args });
  await asked.promise;
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.stderr()).not.toContain('no answer in time');
  await proxy.stop();
});

test('an import without a history, and another key, begin a new backup', async () => {
  const cwd = newFolder();
  const args = ['--backup-to', 'file:kept', '--backup-every', '1h', '--backup-log-every', '1s'];
  const keys = ['a key of some length', 'another key of some length', ''];
  const stored = (ending: string) => {
    const kept = join(cwd, 'kept');
    return existsSync(kept) ? readdirSync(kept).filter((name) => name.endsWith(ending)) : [];
  };
  const backups = () => [...stored('.db'), ...stored('.db.enc')].length;
  const logs = () => [...stored('.log'), ...stored('.log.enc')].length;
  const moments: { env: Record<string, string>; at: Date; ids: number[] }[] = [];
  const ids: number[] = [];
  for (const key of keys) {
    const env = { CATALOGUE_BACKUP_KEY: key };
    const expected = backups() + 1;
    const service = await startService({ cwd, env, args });
    /** Stores a row, waits until the change is stored in the place, and remembers its time. */
    const store = async () => {
      await nextSecond();
      const before = logs();
      const id = ids.length + 1;
      expect((await send(service, '/products', 'POST', { id })).status).toBe(201);
      ids.push(id);
      await until('the log of the change', () => logs() > before);
      const [change] = (await (await service.fetch('/changes?order=seq.desc&limit=1')).json()) as { at: string }[];
      moments.push({ env, at: new Date(change!.at), ids: [...ids] });
    };
    await until('the backup with this key', () => backups() === expected);
    await store();
    if (key === '') {
      const load = ['import', '-', '--collection', 'products', '--format', 'csv', '--no-history'];
      expect(await run({ cwd, args: load, stdin: `id\n${ids.push(ids.length + 1)}\n` })).toMatchObject({ exitCode: 0 });
      await until('the backup after the import', () => backups() === expected + 1);
      await store();
    }
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  }
  const kept = `file:${join(cwd, 'kept')}`;
  const restored = moments.map(({ at, env }) => restoreTo(kept, at, env));
  for (const [index, { cwd: folder, finished }] of restored.entries()) {
    expect(await finished).toMatchObject({ exitCode: 0 });
    expect(((await productsIn(folder)) as Product[]).map(({ id }) => id)).toEqual(moments[index]!.ids);
  }
});

test('places and times that cannot be used are one sentence', async () => {
  const cwd = newFolder();
  const command = async (...args: string[]) => (await run({ cwd, args })).stderr;
  await command('migrate');
  expect(await command('restore', 'file:nowhere')).toContain(
    'nowhere cannot be read: the file or folder does not exist',
  );
  expect(await command('restore', 'file:.')).toContain('. has no backups');
  expect(await command('restore', 'file:.', '--until', '2026-11-18T08:30:00')).toContain('a time with its zone');
  const unstored = await command('restore', 'catalogue.db', '--until', '2026-11-18T08:30:00Z');
  expect(unstored).toContain('catalogue.db is not one of the backups in .');
  expect(await command('backups')).toContain('backups cannot be read');
  const stored = await run({ cwd, env: s3.environment, args: ['backup', 's3://elsewhere/shop'] });
  expect(stored.stderr).toMatch(/^catalogue: s3:\/\/elsewhere\/shop cannot be written: .*NoSuchBucket.*\n$/);
  const { S3_ENDPOINT, ...keys } = s3.environment;
  for (const [env, words] of [
    [{ S3_ENDPOINT: 'http://127.0.0.1:1', ...keys }, 'nothing answers at the address in S3_ENDPOINT'],
    [{ S3_ENDPOINT: S3_ENDPOINT! }, 'set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to its keys'],
  ] as const) {
    const { stderr } = await run({ cwd, env, args: ['backup', 's3://shop/other'] });
    expect(stderr).toBe(`catalogue: s3://shop/other cannot be written: ${words}\n`);
  }
  const serve = async (...args: string[]) => (await run({ cwd, args: ['serve', '--port', '0', ...args] })).stderr;
  expect(await serve('--backup-every', '1h', '--backup-to', 'elsewhere')).toContain('s3://bucket/path or file:');
  expect(await serve('--backup-every', '1h', '--backup-key', 'short')).toContain('at least 16 characters');
  const postgres = ['--database', 'postgres://me:hidden@127.0.0.1:1/catalogue'];
  expect(await serve('--backup-every', '1h', ...postgres)).toMatch(
    /^catalogue: --backup-every is for SQLite.*pg_basebackup/,
  );
  expect(await serve('--backup-every', '1h', '--database', ':memory:')).toContain('--backup-every needs a file');
});

test('a command backs up to a place, and a damaged or foreign copy is not restored', async () => {
  const cwd = newFolder();
  const env = { CATALOGUE_BACKUP_KEY: 'a key of some length' };
  const command = (...args: string[]) => run({ cwd, env, args });
  await command('migrate');
  mkdirSync(join(cwd, 'kept'));
  // Rows that are not encrypted are never in the place, not even for a moment.
  const seen = new Set<string | null>();
  const watcher = watch(join(cwd, 'kept'), (_, name) => seen.add(name));
  expect(await command('backup', 'file:kept', '--json')).toMatchObject({ exitCode: 0 });
  await until('the names of its files', () => seen.size > 0);
  watcher.close();
  expect([...seen].filter((name) => !name?.endsWith('.enc'))).toEqual([]);
  const [{ backup: name }] = JSON.parse((await command('backups', 'file:kept', '--json')).stdout) as [
    { backup: string },
  ];
  const other = { CATALOGUE_BACKUP_KEY: 'another key of some length' };
  for (const wrong of [other, {}]) {
    const { exitCode, stderr } = await run({ cwd, env: wrong, args: ['restore', 'file:kept', '--database', 'new.db'] });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot be decrypted|is encrypted/);
  }
  expect(await command('restore', `kept/${name}`, '--database', 'new.db')).toMatchObject({ exitCode: 0 });
  const path = join(cwd, 'kept', name);
  const bytes = readFileSync(path);
  for (const damaged of [bytes.with(bytes.length - 40, 1 ^ bytes.at(-40)!), bytes.subarray(0, -17)]) {
    writeFileSync(path, damaged);
    const refused = await command('restore', 'file:kept', '--database', 'other.db');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be decrypted') });
  }
  expect(readdirSync(join(cwd, 'kept'))).toEqual([name]);
  expect(readdirSync(cwd)).not.toContain('other.db');
});

test('a copy that was changed later is not restored, encrypted or not', async () => {
  for (const key of ['', 'a key of some length']) {
    const cwd = newFolder();
    const env = { CATALOGUE_BACKUP_KEY: key };
    const args = ['--backup-to', 'file:kept', '--backup-every', '1h', '--backup-log-every', '1s'];
    const load = ['import', '-', '--collection', 'products', '--format', 'csv'];
    expect(await run({ cwd, args: load, stdin: 'id,name\n1,a distinct name\n' })).toMatchObject({ exitCode: 0 });
    const service = await startService({ cwd, env, args });
    const stored = (kind: string) => {
      const kept = join(cwd, 'kept');
      const names = existsSync(kept) ? readdirSync(kept) : [];
      return names.filter((name) => name.replace('.enc', '').endsWith(kind)).map((name) => join(kept, name));
    };
    await until('the backup', () => stored('.db').length === 1);
    await nextSecond();
    expect((await send(service, '/products', 'POST', { id: 2, name: 'another distinct name' })).status).toBe(201);
    await until('its log', () => stored('.log').length === 1);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const { stdout } = await run({ cwd, env, args: ['backups', 'file:kept', '--json'] });
    const [{ complete_until: until_ }] = JSON.parse(stdout) as [{ complete_until: string }];
    for (const [path, ...flags] of [[stored('.db')[0]!], [stored('.log')[0]!, '--until', until_]] as const) {
      const bytes = readFileSync(path);
      // A letter of a value, which no check of the database notices.
      const at = key === '' ? bytes.indexOf('distinct') : bytes.length >> 1;
      writeFileSync(path, bytes.with(at, bytes[at]! ^ 1));
      const places = flags.length > 0 ? ['file:kept'] : ['file:kept', path];
      for (const place of places) {
        const restored = await run({ cwd, env, args: ['restore', place, ...flags, '--database', 'new.db'] });
        expect(restored).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is damaged') });
      }
      expect(existsSync(join(cwd, 'new.db'))).toBe(false);
      writeFileSync(path, bytes);
      const intact = await run({ cwd, env, args: ['restore', 'file:kept', ...flags, '--database', 'new.db'] });
      expect(intact).toMatchObject({ exitCode: 0 });
      rmSync(join(cwd, 'new.db'));
    }
  }
});

test('old backups go with their logs, a new declaration begins a new backup, and a lost place is counted', async () => {
  const cwd = newFolder();
  const location = s3.newLocation();
  const env = { ...s3.environment };
  const args = ['--backup-to', location, '--backup-every', '1s', '--backup-keep', '2', '--log-level', 'info'];
  const service = await startService({ cwd, env, args: [...args, '--backup-log-every', '1s'] });
  const messages = (text: string) => service.stderr().split(`"message":"${text}"`).length - 1;
  for (let count = 1; count <= 2; count++) {
    await send(service, '/products', 'POST', { id: count, name: `product ${count}` });
    await until('the next backup', () => messages('backup') > count);
  }
  await s3.stop();
  const metric = async (name: string) => {
    const text = await (await service.fetch('/metrics')).text();
    return Number(new RegExp(`^catalogue_${name} (.*)$`, 'm').exec(text)![1]);
  };
  await until('the failure', () => messages('backup failed') > 0);
  expect(await metric('backup_failures_total')).toBeGreaterThan(0);
  expect(await metric('backup_interval_seconds')).toBe(1);
  const before = await metric('backup_timestamp_seconds');
  await s3.start();
  await until('a backup after it', async () => (await metric('backup_timestamp_seconds')) > before);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  const list = async () => {
    const { stdout } = await run({ cwd, env, args: ['backups', location, '--json'] });
    return JSON.parse(stdout) as { backup: string }[];
  };
  expect(await list()).toHaveLength(2);
  const stems = (await list()).map(({ backup }) => backup.replace('.db', ''));
  const names = readdirSync(s3.folderOf(location));
  expect(names.filter((name) => !stems.some((stem) => name.startsWith(stem)))).toEqual([]);

  writeFileSync(join(cwd, 'collections.yaml'), DECLARATION.replace('price:', 'weight: int4\n      price:'));
  const hourly = ['--backup-to', location, '--backup-every', '1h', '--backup-log-every', '1s', '--backup-keep', '9'];
  // The same backup with its log, a day older.
  const folder = s3.folderOf(location);
  const old = 'catalogue-20200101T000000Z';
  for (const name of names) {
    if (!name.startsWith(stems[0]!)) continue;
    copyFileSync(join(folder, name), join(folder, name.replace(/^catalogue-\d+T\d+Z/, old)));
  }
  const isOld = (name: string) => name.startsWith(old);
  expect(readdirSync(folder).filter(isOld)).not.toEqual([]);
  const again = await startService({ cwd, env, args: [...hourly, '--backup-keep-for', '1d'] });
  const stored = () => readdirSync(folder).filter((name) => name.endsWith('.db._S3rver_object') && !isOld(name));
  await until('the backup of the new tables', () => stored().length === 3);
  await until('the old one is removed', () => !readdirSync(folder).some(isOld));
  again.kill('SIGTERM');
  expect(await again.exited).toBe(0);
});

test('a process that copies the write-ahead log, as Litestream does, gets every acknowledged write', async () => {
  const cwd = newFolder();
  const service = await startService({ cwd });
  const file = join(cwd, 'catalogue.db');
  using reader = new Database(file, { readonly: true });
  reader.run('begin');
  const seen = reader.query('select count(*) from products').values();
  for (let round = 0; round < 20; round++) {
    const rows = Array.from({ length: 500 }, (_, index) => ({ id: 500 * round + index, name: `${round} ${index}` }));
    expect((await send(service, '/products', 'POST', rows)).status).toBe(201);
  }
  // The transaction keeps the service from emptying the log under the reader.
  for (const ending of ['', '-wal']) copyFileSync(`${file}${ending}`, join(cwd, `copy.db${ending}`));
  expect(reader.query('select count(*) from products').values()).toEqual(seen);
  reader.run('commit');
  using copy = new Database(join(cwd, 'copy.db'));
  expect(copy.query('select count(*) from products').values()).toEqual([[10_000]]);
  expect(integrityOf(join(cwd, 'copy.db'))).toBe('ok');
  expect((await send(service, '/products', 'POST', { id: 20_000, name: 'later' })).status).toBe(201);
});

/** CI installs it. It is no dependency, because registries lack its package for some platforms. */
const LITESTREAM =
  Bun.which('litestream') ??
  new URL(`../../../node_modules/@flydotio/litestream-${process.platform}-${process.arch}/litestream`, import.meta.url)
    .pathname;

test.skipIf(!existsSync(LITESTREAM))(
  'Litestream copies every acknowledged write, also of a service that is killed',
  async () => {
    const cwd = newFolder();
    const [file, replica, restored] = ['catalogue.db', 'replica', 'restored.db'].map((name) => join(cwd, name));
    let service = await startService({ cwd });
    const litestream = Bun.spawn([LITESTREAM, 'replicate', file!, `file://${replica}`], {
      stdout: 'ignore',
      stderr: Bun.file(join(cwd, 'litestream.log')),
    });
    const acknowledged: number[] = [];
    let id = 1000;
    for (let round = 1; round <= 3; round++) {
      const writer = async () => {
        while (!service.hasExited()) {
          const own = id++;
          const row = { id: own, name: `${own} ${'x'.repeat(500)}` };
          const response = await send(service, '/products', 'POST', row).catch(() => undefined);
          if (response?.status === 201) acknowledged.push(own);
        }
      };
      const writers = Promise.all([writer(), writer(), writer()]);
      await until('writes', () => acknowledged.length > 400 * round);
      service.kill('SIGKILL');
      await Promise.all([service.exited, writers]);
      service = await startService({ cwd });
    }
    service.kill('SIGTERM');
    await service.exited;
    // It copies about once a second, and not always again when it ends.
    await until('the copy', () => {
      rmSync(restored!, { force: true });
      if (Bun.spawnSync([LITESTREAM, 'restore', '-o', restored!, `file://${replica}`]).exitCode !== 0) return false;
      using copy = new Database(restored!);
      const ids = new Set(copy.query('select id from products').values().flat());
      return acknowledged.every((each) => ids.has(each));
    });
    expect(integrityOf(restored!)).toBe('ok');
    litestream.kill('SIGTERM');
    await litestream.exited;
  },
);
