/** The ids of events: a client resumes exactly after the change that it saw, or is reset. */
import { afterEach, describe, expect, test } from 'bun:test';
import { PLACES } from '../../support/engines/declared.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { thingsOf } from '../../support/engines/shop.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const THINGS = thingsOf({ name: 'text' });
let service: FeedService;
afterEach(() => service.close());

const send = async (method: string, path: string, body: unknown) => {
  expect((await service.fetch(path, sendJson(method, body))).ok).toBe(true);
};

/** As a dry run of this number of rows does on PostgreSQL. */
const BURN: Readonly<Record<string, string>> = {
  SQLite: "update sqlite_sequence set seq = seq + 100000 where name = 'catalogue_changes'",
  PostgreSQL: "select setval(pg_get_serial_sequence('catalogue_changes', 'seq'), 100001)",
};

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    const open = async () => {
      const place = newPlace();
      const { engine: opened } = await place.open({ collections: THINGS.draft.collections });
      service = serveFeeds(opened, THINGS);
      await send('POST', '/things', { id: 1, name: 'a' });
      return place;
    };

    test('an id whose number another change has now resets the client', async () => {
      const place = await open();
      const client = await service.follow('/things');
      client.close();
      await place.ask("update catalogue_changes set at = '2026-01-01T00:00:00+00:00'");
      await send('POST', '/things', { id: 2, name: 'b' });
      const again = await service.resume('/things', client);
      const names = ['reset', 'row', 'row', 'ready'];
      expect((await again.next(names.length)).map(([name]) => name)).toEqual(names);
    });

    test('a log that goes back resets the clients that follow it', async () => {
      const place = await open();
      const client = await service.follow('/things');
      client.take();
      await place.ask("update catalogue_changes set at = '2026-01-01T00:00:00+00:00'");
      await send('POST', '/things', { id: 2, name: 'b' });
      await client.ended();
      const again = await service.resume('/things', client);
      const names = ['reset', 'row', 'row', 'ready'];
      expect((await again.next(names.length)).map(([name]) => name)).toEqual(names);
      await send('POST', '/things', { id: 3, name: 'c' });
      expect(await again.next()).toEqual([['insert', { id: 3, name: 'c' }]]);
    });

    test('a client that received a part of many changes resumes after it', async () => {
      await open();
      const client = await service.follow('/things');
      const rows = Array.from({ length: 900 }, (_, index) => ({ id: index + 2, name: 'x' }));
      await send('POST', '/things', rows);
      await client.next(902);
      client.close();
      const ids = [...client.steps.keys()];
      expect(ids.length).toBeGreaterThan(2);
      for (const id of ids) {
        const resumed = await service.resume('/things', client, { 'last-event-id': id });
        const missed = 901 - client.steps.get(id)!.size;
        await send('PATCH', '/things?id=eq.1', { name: id });
        const events = await resumed.next(missed + 1);
        expect(new Set(events.map(([name]) => name))).toEqual(new Set(missed > 0 ? ['insert', 'update'] : ['update']));
      }
    });

    test('a client whose list has no event receives ids while it catches up, so that it never begins again', async () => {
      await open();
      const client = await service.follow('/things?id=eq.1');
      client.close();
      const rows = Array.from({ length: 900 }, (_, index) => ({ id: index + 2, name: 'x' }));
      await send('POST', '/things', rows);
      const resumed = await service.resume('/things?id=eq.1', client);
      await until('an id after each part of the changes', () => resumed.text.match(/^id: /gm)?.length === 3);
      expect(resumed.take()).toEqual([]);
    });

    test('numbers that rolled-back writes took are not changes: clients continue and resume', async () => {
      const place = await open();
      const [stays, leaves] = [await service.follow('/things'), await service.follow('/things')];
      leaves.close();
      stays.take();
      await place.ask(BURN[engine]!);
      await send('POST', '/things', { id: 2, name: 'b' });
      const insert = [['insert', { id: 2, name: 'b' }]] as never;
      expect(await stays.next()).toEqual(insert);
      expect(await (await service.resume('/things', leaves)).next()).toEqual(insert);
    });

    test('the seq of a change is also an id', async () => {
      await open();
      const [change] = (await (await service.fetch('/changes?select=seq')).json()) as [{ seq: number }];
      await send('POST', '/things', { id: 2, name: 'b' });
      const client = await service.resume('/things', await service.follow('/things'), {
        'last-event-id': String(change.seq),
      });
      expect(await client.next()).toEqual([['insert', { id: 2, name: 'b' }]]);
    });

    test('an update that changes nothing moves the position as any other does', async () => {
      await open();
      const position = async () => Number.parseInt((await service.follow('/things')).position!, 10);
      const first = await position();
      await send('PATCH', '/things?id=eq.1', { name: 'a' });
      const second = await position();
      await send('PATCH', '/things?id=eq.1', { name: 'b' });
      expect([second, await position()]).toEqual([first + 1, first + 2]);
      expect(await (await service.fetch('/changes?select=kind&order=seq')).json()).toEqual([
        { kind: 'insert' },
        { kind: 'update' },
      ]);
    });
  });
}
