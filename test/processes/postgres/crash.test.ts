/**
 * A PostgreSQL that is killed. Its sequence goes back over rolled-back writes, and with `synchronous_commit = off` or
 * after a failover also over commits. Feeds and webhooks send every change that is stored afterwards.
 */
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newServer, newStandby, type OwnServer, pidIn } from '../../support/engines/postgres.ts';
import { EventClient } from '../../support/network/event-stream.ts';
import { ReconnectingClient } from '../../support/network/reconnecting-client.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

/** Nothing but a commit writes the log of PostgreSQL. */
const LAZY = { wal_writer_delay: '10000', bgwriter_delay: '10000', autovacuum: 'off', checkpoint_timeout: '3600' };
const ITEMS = '/items?select=id,name';
const CHANGES = '/changes?select=seq,key,after->>name';

const servers: OwnServer[] = [];
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await cleanUp();
  for (const server of servers.splice(0)) await Promise.race([server.stop().catch(() => undefined), Bun.sleep(5_000)]);
});

async function serverWith(values: Readonly<Record<string, string>>): Promise<OwnServer> {
  const server = await newServer(values);
  servers.push(server);
  return server;
}

/** A shop with a webhook, which this process receives. */
async function shopOn(url: string) {
  const delivered = new Set<number>();
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { after } = (await request.json()) as { after: { id: number } };
      delivered.add(after.id);
      return new Response(null, { status: 204 });
    },
  });
  ends.push(() => receiver.stop(true));
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'collections.yaml'),
    `collections:
  items: { fields: { id: int4, name: text } }
webhooks:
  erp: { url: 'http://127.0.0.1:${receiver.port}/', secret: 'whsec_${Buffer.alloc(32, 7).toString('base64')}' }
`,
  );
  const env = { DATABASE_URL: url, CATALOGUE_COLLECTIONS: 'collections.yaml' };
  const service = await startService({ cwd, env, args: ['--webhook-networks', '127.0.0.0/8'] });
  const follow = (path: string, key: string) => {
    const client = new ReconnectingClient(service.fetch, path, [key]);
    ends.push(() => client.close());
    return client;
  };
  return { service, delivered, items: follow(ITEMS, 'id'), changes: follow(CHANGES, 'seq') };
}

const post = async (service: Service, rows: readonly object[], headers = {}) =>
  (await service.fetch('/items', sendJson('POST', rows, headers)).catch(() => undefined))?.status;

const numbered = (from: number, count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, name }));

/** The id of a feed that begins now. It also moves the feeds of the service to the newest position. */
async function newestId(service: Service): Promise<string> {
  const client = await (await EventClient.open(service.fetch, ITEMS)).ready();
  client.close();
  return client.position!;
}

async function kill({ dataFolder }: OwnServer): Promise<void> {
  const pid = await pidIn(dataFolder);
  const children = Bun.spawnSync(['pgrep', '-P', String(pid)])
    .stdout.toString()
    .trim()
    .split('\n')
    .map(Number);
  for (const each of [pid, ...children]) process.kill(each, 'SIGKILL');
}

/** It does not start while a process of the killed one uses its memory. */
async function restart(server: OwnServer): Promise<void> {
  await until('PostgreSQL', () =>
    server.start().then(
      () => true,
      () => false,
    ),
  );
}

const list = async (service: Service, path: string) => (await service.fetch(path)).json() as Promise<unknown[]>;

/** The feeds show what is stored, and the webhook received each of these rows. */
async function expectComplete({ service, delivered, items, changes }: Shop, ids: readonly number[]): Promise<void> {
  for (const [client, path] of [
    [items, `${ITEMS}&order=id`],
    [changes, `${CHANGES}&order=seq`],
  ] as const) {
    await until(`the feed of ${path}`, async () => Bun.deepEquals(client.rows, await list(service, path)));
    expect(client.current!.contradictions).toEqual([]);
  }
  await until('the webhook', () => ids.every((id) => delivered.has(id)));
}

type Shop = Awaited<ReturnType<typeof shopOn>>;

test('after a crash that takes back rolled-back writes, no change is missed', async () => {
  const server = await serverWith(LAZY);
  const shop = await shopOn(server.url);
  const { service } = shop;
  expect(await post(service, numbered(1, 1, 'before'))).toBe(201);
  await expectComplete(shop, [1]);
  expect(await post(service, numbered(100, 300, 'dry run'), { prefer: 'tx=rollback' })).toBe(201);
  await newestId(service);
  await kill(server);
  await restart(server);
  await until('a write', async () => (await post(service, numbered(2, 1, 'after'))) === 201);
  for (let id = 10; id < 400; id += 10) expect(await post(service, numbered(id, 10, 'after'))).toBe(201);
  await expectComplete(shop, [2, ...numbered(10, 390, '').map(({ id }) => id)]);
});

test('a crash that loses commits resets the clients that saw them', async () => {
  const server = await serverWith({ ...LAZY, synchronous_commit: 'off' });
  const shop = await shopOn(server.url);
  const { service } = shop;
  const admin = new SQL(server.url, { max: 1 });
  expect(await post(service, numbered(1, 1, 'before'))).toBe(201);
  await expectComplete(shop, [1]);
  await admin.unsafe('checkpoint');
  await admin.close();
  expect(await post(service, numbered(2, 5, 'lost'))).toBe(201);
  await expectComplete(shop, [2, 3, 4, 5, 6]);
  const lost = await newestId(service);
  shop.delivered.clear();
  await kill(server);
  await restart(server);
  await until('a write', async () => (await post(service, numbered(11, 5, 'after'))) === 201);
  expect(await list(service, '/items?name=eq.lost')).toEqual([]);
  await expectComplete(shop, [11, 12, 13, 14, 15]);
  expect(await post(service, numbered(21, 50, 'after'))).toBe(201);
  const headers = { 'last-event-id': lost };
  const late = await (await EventClient.open(service.fetch, ITEMS, { headers })).ready();
  late.close();
  expect(late.events[0]).toEqual({ name: 'reset', data: {} });
  await expectComplete(
    shop,
    numbered(21, 50, '').map(({ id }) => id),
  );
});

test('after a failover to a standby without rolled-back writes, no change is missed', async () => {
  const primary = await serverWith({ ...LAZY, synchronous_standby_names: 'standby' });
  const standby = await newStandby(primary);
  servers.push(standby);
  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  const shop = await shopOn(`postgres://postgres:secret@${hosts}/postgres?target_session_attrs=read-write`);
  const { service } = shop;
  expect(await post(service, numbered(1, 1, 'before'))).toBe(201);
  await expectComplete(shop, [1]);
  expect(await post(service, numbered(100, 300, 'dry run'), { prefer: 'tx=rollback' })).toBe(201);
  await newestId(service);
  await kill(primary);
  const admin = new SQL(standby.url, { max: 1 });
  await admin.unsafe(`alter system set synchronous_standby_names = ''`);
  await admin.unsafe('select pg_promote()');
  await admin.close();
  await until('a write', async () => (await post(service, numbered(2, 1, 'after'))) === 201);
  for (let id = 10; id < 400; id += 10) expect(await post(service, numbered(id, 10, 'after'))).toBe(201);
  await expectComplete(shop, [2, ...numbered(10, 390, '').map(({ id }) => id)]);
});
