/**
 * Random writes, while clients disconnect and resume: at every position, the rows that a client assembled equal the
 * list as of that position. No event is lost, repeated or out of order.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { EventClient } from '../support/network/event-stream.ts';
import { DATABASES } from '../support/processes/databases.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const YAML = `
collections:
  groups: { fields: { id: int4, title: text } }
  items:
    fields:
      id: int4
      name: { type: text, unique: true }
      price: decimal(8,2)
      group_id: { type: int4, references: { collection: groups, onDelete: cascade } }
  links:
    key: [item_id, group_id]
    fields:
      item_id: { type: int4, references: { collection: items, onDelete: cascade } }
      group_id: { type: int4, references: { collection: groups, onDelete: cascade } }
`;
const SHOP = declaredBy(YAML);
const LISTS: readonly (readonly [path: string, keys: readonly string[]])[] = [
  ['/items', ['id']],
  ['/items?select=id,name&price=gte.3', ['id']],
  ['/items?select=id,of:groups!items_group_id_fkey(title)&order=price.desc', ['id']],
  ['/groups?select=id,title,items!items_group_id_fkey(id,price)', ['id']],
  ['/items?select=id,via:groups!links!inner(title)', ['id']],
  ['/links', ['item_id', 'group_id']],
  ['/items?id=in.(1,2,21)', ['id']],
  ['/items?group_id=eq.2&select=id,name', ['id']],
  ['/items?or=(name.eq.a,group_id.is.null)&id=not.eq.3', ['id']],
];

const small = fc.integer({ min: 1, max: 6 });
const group = fc.constantFrom(1, 2, 3);
const item = fc.record({
  id: small,
  name: fc.option(fc.constantFrom('a', 'b', 'ä', 'x "y"')),
  price: fc.constantFrom(null, 0, 2.5, 3, 9),
  group_id: fc.option(group),
});
const MERGE = { prefer: 'resolution=merge-duplicates' };
interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}
const single: fc.Arbitrary<Sent> = fc.oneof(
  item.map((row) => ({ path: '/items', init: sendJson('POST', row, MERGE) })),
  item.map((row) => ({ path: '/items', init: sendJson('POST', row) })),
  item.map((row) => ({ path: '/items', init: sendJson('POST', row, { prefer: 'tx=rollback' }) })),
  item.map((row) => ({ path: '/items', init: sendJson('POST', [row, { id: row.id + 20 }], MERGE) })),
  fc.tuple(group, fc.constantFrom('t', 'u', null)).map(([id, title]) => ({
    path: '/groups',
    init: sendJson('POST', [{ id, title }], MERGE),
  })),
  fc.tuple(small, group).map(([item_id, group_id]) => ({
    path: '/links',
    init: sendJson('POST', { item_id, group_id }, { prefer: 'resolution=ignore-duplicates' }),
  })),
  fc
    .tuple(small, group)
    .map(([id, to]) => ({ path: `/links?item_id=eq.${id}`, init: sendJson('PATCH', { group_id: to }) })),
  small.map((id) => ({ path: `/items?id=gte.${id}`, init: sendJson('PATCH', { price: id }) })),
  fc.tuple(small, small).map(([id, to]) => ({ path: `/items?id=eq.${id}`, init: sendJson('PATCH', { id: to }) })),
  small.map((id) => ({ path: `/items?id=eq.${id}`, init: { method: 'DELETE' } })),
  group.map((id) => ({ path: `/groups?id=eq.${id}`, init: { method: 'DELETE' } })),
);
const batch: fc.Arbitrary<Sent> = fc.array(small, { minLength: 1, maxLength: 3 }).map((ids) => ({
  path: '/batch',
  init: sendJson('POST', [
    ...ids.map((id) => ({ method: 'DELETE', path: `/items?id=eq.${id}` })),
    { method: 'POST', path: '/items', body: { id: ids[0], price: 5 } },
  ]),
}));
const write = fc.oneof({ weight: 6, arbitrary: single }, { weight: 1, arbitrary: batch });
/** A write, a pause, or the reconnection of one client. */
const action = fc.oneof(
  { weight: 5, arbitrary: write },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map((pauseMs) => ({ pauseMs })) },
  { weight: 2, arbitrary: fc.nat(LISTS.length - 1).map((client) => ({ client })) },
);
const RUNS = 4 * Number(process.env.RUNS ?? 1);
const SEED = Number(process.env.SEED ?? 42);

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeAll(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, SHOP), SHOP);
    });
    afterAll(() => shop.close());

    test('the rows of a client equal the list at every position', async () => {
      const actions = fc.array(action, { minLength: 20, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(actions, async (list) => {
          const clients = await Promise.all(LISTS.map(([path, keys]) => shop.follow(path, {}, keys)));
          const all = LISTS.map((_, index) => [clients[index]!]);
          // Not awaited: transactions overlap.
          const pending: Promise<Response>[] = [];
          for (const each of list) {
            if ('path' in each) pending.push(shop.fetch(each.path, each.init));
            else if ('pauseMs' in each) await Bun.sleep(each.pauseMs);
            else {
              const [path, keys] = LISTS[each.client]!;
              clients[each.client]!.close();
              clients[each.client] = await shop.resume(path, clients[each.client]!, {}, keys);
              all[each.client]!.push(clients[each.client]!);
            }
          }
          for (const { status } of await Promise.all(pending)) expect(status).toBeLessThan(500);
          await caughtUp(shop.fetch, clients);
          for (const [index, connections] of all.entries()) {
            for (const client of connections) await expectExact(shop, LISTS[index]![0], client);
            clients[index]!.close();
          }
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });
  });
}

/** Compares every step that the client received with the list as of its position. */
async function expectExact(shop: FeedService, path: string, client: EventClient): Promise<void> {
  expect(client.contradictions).toEqual([]);
  for (const [position, rows] of client.steps) {
    expect([position, sorted([...rows.values()])]).toEqual([position, sorted(await shop.listAt(path, position))]);
  }
}

function sorted(rows: readonly object[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

type Fetch = FeedService['fetch'];

async function listOf(fetch: Fetch, path: string): Promise<readonly string[]> {
  return sorted((await (await fetch(path)).json()) as object[]);
}

async function caughtUp(fetch: Fetch, clients: readonly EventClient[]): Promise<void> {
  for (const [index, [path]] of LISTS.entries()) {
    const expected = JSON.stringify(await listOf(fetch, path));
    await until(
      `${path} to be ${expected}`,
      () => JSON.stringify(sorted([...clients[index]!.rows.values()])) === expected,
    );
  }
}

for (const [system, environment] of DATABASES) {
  describe(`a service on ${system}`, () => {
    afterEach(cleanUp);

    test('clients resume after kill -9 and miss nothing', async () => {
      const cwd = temporaryFolder();
      await Bun.write(`${cwd}/collections.yaml`, YAML);
      const env = environment();
      const start = () => startService({ cwd, env });
      const kills = 3;
      let service: Service = await start();
      let clients = await Promise.all(LISTS.map(([path, keys]) => EventClient.open(service.fetch, path, { keys })));
      const writes = fc.sample(write, { numRuns: 40 * kills, seed: SEED });
      for (let kill = 0; kill < kills; kill++) {
        const sending = writes.slice(kill * 40, (kill + 1) * 40).map(async ({ path, init }, index) => {
          await Bun.sleep(index * 5);
          // The service may be gone.
          await service.fetch(path, init).catch(() => undefined);
        });
        await Bun.sleep(150);
        service.kill('SIGKILL');
        await service.exited;
        await Promise.all(sending);
        for (const client of clients) await client.ended();
        service = await start();
        clients = await Promise.all(
          LISTS.map(([path, keys], index) => EventClient.open(service.fetch, path, { keys, from: clients[index]! })),
        );
        await caughtUp(service.fetch, clients);
        expect(clients.flatMap(({ contradictions }) => contradictions)).toEqual([]);
      }
    });
  });
}
