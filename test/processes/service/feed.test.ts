/** Feeds of the real program: several processes, revoked keys, ended sessions, and the stop of the service. */
import { afterEach, describe, expect, test } from 'bun:test';
import { EventClient } from '../../support/network/event-stream.ts';
import { folderWithRoles, PLACES } from '../../support/processes/access-folder.ts';
import { cleanUp, type Launch, run, startService, until } from '../../support/processes/process.ts';
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

    test('a revoked key and an ended session end their feeds, and no others', async () => {
      const launch = await launchIn();
      const service = await startService(launch);
      const [revoked, kept] = [await addKey(launch, 'revoked'), await addKey(launch, 'kept')];
      await command(launch, ['user', 'add', 'ann', '--role', 'editor'], PASSWORD);
      const login = await service.fetch(
        '/auth/login',
        sendJson('POST', { name: 'ann', password: PASSWORD }, { origin: service.url }),
      );
      const cookie = { cookie: login.headers.get('set-cookie')!.split(';')[0]! };
      const open = async (headers: Record<string, string>) =>
        (await EventClient.open(service.fetch, PATH, { headers })).ready();
      const [byRevoked, byKept, bySession] = await Promise.all([open(revoked), open(kept), open(cookie)]);
      await command(launch, ['key', 'revoke', 'revoked']);
      await byRevoked.ended();
      const again = await EventClient.open(service.fetch, PATH, { headers: revoked, from: byRevoked });
      expect(again.response!.status).toBe(401);
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
