/** Feeds of the real program: several processes, revoked keys, ended sessions, and the stop of the service. */
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { EventClient } from '../../support/network/event-stream.ts';
import { folderWithRoles, PLACES } from '../../support/processes/access-folder.ts';
import { cleanUp, type Launch, run, startService, temporaryFolder, until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const PASSWORD = 'correct horse battery';
const PATH = '/products?select=id,unit_price';

async function command(launch: Launch, args: readonly string[], stdin?: string): Promise<string> {
  const done = await run({ ...launch, args, ...(stdin === undefined ? {} : { stdin }) });
  expect(done).toMatchObject({ exitCode: 0 });
  return done.stdout.trim();
}

const addKey = async (launch: Launch, name: string) => {
  const added = await command(launch, ['key', 'add', '--name', name, '--role', 'editor', '--json']);
  return { authorization: `Bearer ${(JSON.parse(added) as { key: string }).key}` };
};

for (const [place, launchIn] of Object.entries(PLACES)) {
  describe(`on ${place}`, () => {
    test('changes by another process arrive, and a client resumes on the other process', async () => {
      const launch = await launchIn();
      const [first, second] = [await startService(launch), await startService({ ...launch, args: ['--workers', '2'] })];
      const headers = await addKey(launch, 'shop');
      const write = async (price: number) => {
        const init = sendJson('PATCH', { unit_price: price }, headers);
        expect((await first.fetch('/products?id=eq.1', init)).status).toBe(204);
      };
      const client = await (await EventClient.open(second.fetch, PATH, { headers })).ready();
      client.take();
      await write(20);
      expect(await client.next()).toEqual([['update', { id: 1, unit_price: 20 }]]);
      const metrics = await (await second.fetch('/metrics')).text();
      expect(metrics).toMatch(/^catalogue_feed_subscribers 1$/m);
      expect(metrics).toMatch(/^catalogue_feed_events_total 1$/m);
      second.kill('SIGTERM');
      await client.ended();
      expect(client.text).toMatch(/retry: \d+\n\n$/);
      expect(await second.exited).toBe(0);
      await write(21);
      const resumed = await EventClient.open(first.fetch, PATH, { headers, from: client });
      expect(await resumed.next()).toEqual([['update', { id: 1, unit_price: 21 }]]);
      resumed.close();
    });

    test('clients without credentials leave feeds to those with a key', async () => {
      const launch = { ...(await launchIn()), cwd: await folderWithRoles({ isOpen: true }) };
      const service = await startService({ ...launch, args: ['--max-feeds', '4'] });
      const headers = await addKey(launch, 'shop');
      const list = '/products?select=id,product_name';
      const anonymous = await Promise.all([1, 2, 3].map(() => EventClient.open(service.fetch, list)));
      const statuses = anonymous.map(({ response }) => response!.status);
      expect(statuses.sort()).toEqual([200, 200, 429]);
      const client = await (await EventClient.open(service.fetch, PATH, { headers })).ready();
      client.take();
      const init = sendJson('PATCH', { unit_price: 20 }, headers);
      expect((await service.fetch('/products?id=eq.1', init)).status).toBe(204);
      expect(await client.next()).toEqual([['update', { id: 1, unit_price: 20 }]]);
      for (const each of [...anonymous, client]) each.close();
    });

    test('a revoked key and an ended session end their feeds, also at an address of the key, and no others', async () => {
      const launch = await launchIn();
      const service = await startService(launch);
      const [revoked, kept] = [await addKey(launch, 'revoked'), await addKey(launch, 'kept')];
      await command(launch, ['user', 'add', 'ann', '--role', 'editor'], PASSWORD);
      const login = await service.fetch(
        '/auth/login',
        sendJson('POST', { name: 'ann', password: PASSWORD }, { origin: service.url }),
      );
      const cookie = { cookie: login.headers.get('set-cookie')!.split(';')[0]! };
      const open = async (headers: Record<string, string>, path = PATH) =>
        (await EventClient.open(service.fetch, path, { headers })).ready();
      const address = await command(launch, ['key', 'sign', 'revoked', PATH]);
      const [byRevoked, byKept, bySession, atAddress] = await Promise.all([
        open(revoked),
        open(kept),
        open(cookie),
        open({}, address),
      ]);
      const resumed = await EventClient.open(service.fetch, address, { from: atAddress });
      expect(resumed.response!.status).toBe(200);
      await command(launch, ['key', 'revoke', 'revoked']);
      await Promise.all([byRevoked.ended(), atAddress.ended(), resumed.ended()]);
      for (const [headers, path] of [
        [revoked, PATH],
        [{}, address],
      ] as const) {
        const again = await EventClient.open(service.fetch, path, { headers, from: byRevoked });
        expect(again.response!.status).toBe(401);
      }
      expect(
        (await service.fetch('/auth/logout', { method: 'POST', headers: { ...cookie, origin: service.url } })).status,
      ).toBeLessThan(300);
      await bySession.ended();
      expect(byKept.isEnded).toBe(false);
      byKept.close();
      await until('no feed', async () =>
        /^catalogue_feed_subscribers 0$/m.test(await (await service.fetch('/metrics')).text()),
      );
    });
  });
}

const SHOP = `collections:
  categories: { fields: { id: int4 } }
  products:
    fields: { id: int4, name: text, stock: int4, category_id: { type: int4, references: categories } }
`;
/** Each change of a product affects every list of this kind, and each test of a row reads many others. */
const COSTLY =
  '/products?select=id,categories!inner(id,products!inner(id,categories!inner(products!inner(id))))&categories.products.categories.products.name=match.x$';

const ENVIRONMENTS: Readonly<Record<string, () => Record<string, string>>> = {
  'an SQLite file': () => ({}),
  PostgreSQL: () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() }),
};

// In a process of its own, whose end is also that of the costly reads.
for (const [place, environmentOf] of Object.entries(ENVIRONMENTS)) {
  test(`a costly list does not delay the events of others, on ${place}`, async () => {
    const cwd = temporaryFolder();
    await Bun.write(join(cwd, 'collections.yaml'), SHOP);
    const service = await startService({ cwd, env: environmentOf(), args: ['--query-timeout', '50'] });
    const send = async (method: string, path: string, body: unknown) =>
      expect((await service.fetch(path, sendJson(method, body))).ok).toBe(true);
    await send('POST', '/categories', [{ id: 1 }, { id: 2 }, { id: 3 }]);
    const products = Array.from({ length: 1_500 }, (_, index) => {
      return { id: index + 1, name: `a name of product ${index} `.repeat(8), stock: 0, category_id: (index % 3) + 1 };
    });
    await send('POST', '/products', products);
    const client = await (await EventClient.open(service.fetch, '/products?select=id,stock&id=eq.1')).ready();
    client.take();
    const costly = await Promise.all(
      [1, 2, 3, 4].map((each) => EventClient.open(service.fetch, `${COSTLY}&id=neq.${each}`, { from: client })),
    );
    for (let stock = 1; stock <= 5; stock++) {
      await send('PATCH', '/products?id=eq.1', { stock });
      expect(await client.next()).toEqual([['update', { id: 1, stock }]]);
    }
    for (const { isEnded } of costly) expect(isEnded).toBe(false);
    for (const each of [client, ...costly]) each.close();
  });
}
