/** Connections of feeds: slow clients, limits, other processes, heartbeats, the stop of the service. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { PLACES } from '../../support/engines/declared.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { testServer } from '../../support/engines/postgres.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine, thingsOf } from '../../support/engines/shop.ts';
import { newFile, TEST_OPTIONS } from '../../support/engines/sqlite.ts';
import { EventClient } from '../../support/network/event-stream.ts';
import { ReconnectingClient } from '../../support/network/reconnecting-client.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const THINGS = thingsOf({ name: 'text' });
const OF_USERS = declaredBy(`
collections: { things: { fields: { id: int4, name: text } } }
roles: { user: all }
`);
/** The headers of a caller. */
const userNamed = (sub: string) => ({ 'x-role': 'user', 'x-claims': JSON.stringify({ sub }) });
let service: FeedService;
afterEach(() => service.close());

const metric = (wanted: string) => Number(service.feed.metrics().find(({ name }) => name === wanted)?.value);
const subscribers = () => metric('feed_subscribers');
/** Opens a feed and reads nothing after its list. */
const followSlowly = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = Object.entries({ host: 'localhost', accept: 'text/event-stream', ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`);
  let text = '';
  socket.on('data', (data) => {
    text += data;
    if (text.includes('event: ready')) socket.pause();
  });
  await until('the list', () => socket.isPaused());
  socket.removeAllListeners('data');
  return socket;
};
const post = async (row: object) => {
  expect((await service.fetch('/things', sendJson('POST', row, userNamed('writer')))).status).toBe(201);
};

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    const open = async (maxFeeds = 100) => {
      service = serveFeeds(await openDeclaredEngine(engine, THINGS), THINGS, { maxFeeds });
    };

    test('a client that does not read is disconnected, the others receive everything', async () => {
      await open();
      const fast = await service.follow('/things');
      const slow = await followSlowly('/things');
      await until('two clients', () => subscribers() === 2);
      const name = 'x'.repeat(250_000);
      let written = 0;
      while (subscribers() === 2 && written < 400) await post({ id: ++written, name });
      expect(subscribers()).toBe(1);
      await until('all rows', () => fast.rows.size === written);
      slow.destroy();
    });

    /** Stores rows that fill the connections of slow clients, then rows of 1.8 MB that wait in the service. */
    const fill = async () => {
      const clients = subscribers();
      for (const ids of [
        [1, 2, 3, 4],
        [5, 6],
      ]) {
        const expected = metric('feed_events_total') + ids.length * clients;
        await post(ids.map((id) => ({ id, name: 'x'.repeat(900_000) })));
        await until('the events', () => subscribers() < clients || metric('feed_events_total') === expected);
      }
    };
    const differentLists = (count: number) => Array.from({ length: count }, (_, index) => `/things?id=neq.${-index}`);

    test('bytes that wait for the slow clients of one caller are limited: further ones are disconnected', async () => {
      await open();
      const slow = await Promise.all(differentLists(30).map((path) => followSlowly(path)));
      await fill();
      await until('the limit', () => metric('feed_unsent_bytes') > 30_000_000);
      await until('some to be disconnected', () => subscribers() < 20);
      expect(metric('feed_unsent_bytes')).toBeLessThan(32 * 1024 * 1024);
      for (const socket of slow) socket.destroy();
      await until('no client', () => subscribers() === 0);
      expect(metric('feed_unsent_bytes')).toBe(0);
    });

    test('bytes that wait for all clients are limited: the caller with the most is disconnected', async () => {
      const maxUnsentBytes = 16_000_000;
      service = serveFeeds(await openDeclaredEngine(engine, OF_USERS), OF_USERS, { identify, maxUnsentBytes });
      const many = await Promise.all(differentLists(12).map((path) => followSlowly(path, userNamed('many'))));
      const few = await followSlowly('/things', userNamed('few'));
      const ends = many.map((socket) => new Promise((resolve) => socket.on('close', resolve)));
      await fill();
      await until('some to be disconnected', () => subscribers() < 13);
      expect(metric('feed_unsent_bytes')).toBeLessThanOrEqual(maxUnsentBytes);
      let text = '';
      few.on('data', (data) => {
        text += data;
      });
      few.resume();
      await until('all rows', () => text.includes('{"id":6,'));
      for (const socket of many) socket.resume();
      await Promise.race(ends);
      for (const socket of [few, ...many]) socket.destroy();
    });

    test('long rows that change at once arrive in parts, also at clients that resume', async () => {
      await open();
      const ids = Array.from({ length: 12 }, (_, index) => index + 1);
      await post(ids.map((id) => ({ id, name: 'short' })));
      const earlier = await service.follow('/things');
      earlier.close();
      const reading = new ReconnectingClient(service.fetch, '/things', ['id']);
      const changes = new ReconnectingClient(service.fetch, '/changes?select=seq,after', ['seq']);
      await until('the lists', () => reading.rows.length === 12 && changes.rows.length >= 12);
      for (const letter of ['a', 'b']) {
        const init = sendJson('PATCH', { name: letter.repeat(900_000) });
        expect((await service.fetch('/things?id=gt.0', init)).status).toBe(204);
      }
      const resumed = await service.resume('/things', earlier);
      for (const rowsOf of [() => reading.rows, () => [...resumed.rows.values()]]) {
        await until('all rows', () => rowsOf().every((row) => (row as { name: string }).name.startsWith('b')));
      }
      await until('all changes', () => changes.rows.length === 36);
      expect([reading.current!.contradictions, resumed.contradictions]).toEqual([[], []]);
      reading.close();
      changes.close();
    });

    test('clients of one list share the bytes that wait for them', async () => {
      await open();
      const slow = await Promise.all(Array.from({ length: 30 }, () => followSlowly('/things')));
      await fill();
      expect(subscribers()).toBe(30);
      expect(metric('feed_unsent_bytes')).toBeLessThan(6_000_000);
      for (const socket of slow) socket.destroy();
    });

    test('a slow client gets a long list and resumes', async () => {
      await open();
      const name = 'y'.repeat(100_000);
      for (let id = 1; id <= 30; id++) await post({ id, name });
      const client = await service.follow('/things');
      expect(client.rows.size).toBe(30);
      client.close();
      expect((await service.fetch('/things?id=lte.20', sendJson('PATCH', { name: 'short' }))).status).toBe(204);
      const again = await service.resume('/things', client);
      await again.next(20);
      expect([...again.rows.values()].filter((row) => row.name === 'short')).toHaveLength(20);
    });

    test('a change of more rows than a step covers arrives completely', async () => {
      await open();
      const client = await service.follow('/things');
      const rows = Array.from({ length: 1_500 }, (_, id) => ({ id, name: `n${id}` }));
      await post(rows);
      await until('all rows', () => client.rows.size === rows.length);
      expect((await service.fetch('/things?id=gte.0', { method: 'DELETE' })).status).toBe(204);
      await until('no rows', () => client.rows.size === 0);
      expect(client.events.filter(({ name }) => name === 'insert')).toHaveLength(1_500);
      expect(client.events.filter(({ name }) => name === 'delete')).toHaveLength(1_500);
    });

    test('clients that open a feed while rows change get every change once', async () => {
      await open();
      const followers = [await service.follow('/things')];
      const writes: Promise<void>[] = [];
      for (let id = 1; id <= 60; id++) {
        writes.push(post({ id, name: 'a' }));
        if (id % 2 === 0) followers.push(await service.follow('/things'));
      }
      await Promise.all(writes);
      for (const { rows, contradictions } of followers) {
        await until('all rows', () => rows.size === 60);
        expect(contradictions).toEqual([]);
      }
    });

    test('more feeds than --max-feeds are rejected, until one ends', async () => {
      await open(1);
      const first = await service.follow('/things');
      const refused = await service.fetch('/things', { headers: { accept: 'text/event-stream' } });
      expect(refused.headers.get('retry-after')).toBe('2');
      expect((await expectRefusal(refused, 503, 'CAT503')).hint).toContain('--max-feeds');
      first.close();
      await until('the end of the first', () => subscribers() === 0);
      await service.follow('/things');
    });

    test('the limit also holds for clients that resume at the same time', async () => {
      await open(3);
      const first = await service.follow('/things');
      first.close();
      await until('the end of the first', () => subscribers() === 0);
      const resumed = await Promise.all(Array.from({ length: 40 }, () => service.resume('/things', first)));
      expect(resumed.filter(({ response }) => response!.status === 200)).toHaveLength(3);
    });

    test('a stop ends feeds with a time to reconnect, and a client resumes on another service', async () => {
      await open();
      const client = await service.follow('/things');
      await post({ id: 1, name: 'a' });
      await client.next(2);
      service.feed.stop();
      await client.ended();
      expect(client.text).toMatch(/retry: \d+\n\n$/);
      const headers = { accept: 'text/event-stream' };
      await expectRefusal(await service.fetch('/things', { headers }), 503, 'CAT503');
      await post({ id: 2, name: 'b' });
      const other = serveFeeds(service.engine, THINGS);
      const resumed = await EventClient.open(other.fetch, '/things', { from: client });
      expect(await resumed.next()).toEqual([['insert', { id: 2, name: 'b' }]]);
      resumed.close();
      other.feed.stop();
    });

    test('the feed has no content coding, and begins with a time to reconnect', async () => {
      await open();
      const client = await service.follow('/things', { 'accept-encoding': 'gzip, br' });
      expect(client.response!.headers.get('content-encoding')).toBeNull();
      expect(client.response!.headers.get('cache-control')).toContain('no-cache');
      expect(client.text).toStartWith('retry: 2000\n\n');
    });
  });
}

test('on SQLite, commits of other processes arrive', async () => {
  const path = newFile();
  const firstRows = firstRowsOf({ catalogue: THINGS, rows: () => [] });
  service = serveFeeds(openSqlite({ ...TEST_OPTIONS, catalogue: THINGS, path, firstRows }), THINGS);
  const client = await service.follow('/things');
  client.take();
  const db = new Database(path);
  db.run("insert into things (id, name) values (1, 'by hand')");
  db.close();
  expect(await client.next()).toEqual([['insert', { id: 1, name: 'by hand' }]]);
});

for (const [engine, newPlace] of Object.entries(PLACES)) {
  test(`on ${engine}, a position that is no longer kept resets the client`, async () => {
    const place = newPlace();
    const { engine: opened } = await place.open({ collections: THINGS.draft.collections });
    service = serveFeeds(opened, THINGS);
    const client = await service.follow('/things');
    client.close();
    for (const id of [1, 2, 3]) await post({ id, name: 'a' });
    await place.ask('update catalogue_history set seq = 2');
    const again = await service.resume('/things', client);
    const names = ['reset', 'row', 'row', 'row', 'ready'];
    expect((await again.next(names.length)).map(([name]) => name)).toEqual(names);
    expect(again.rows.size).toBe(3);
  });
}

test('a feed of an adopted table without a log is rejected with what to declare', async () => {
  const place = PLACES.PostgreSQL!();
  await testServer.admin.unsafe(`create schema "${place.schema}"`);
  await place.ask('create table things (id integer primary key, name text)');
  const { engine } = await place.open({ collections: THINGS.draft.collections });
  service = serveFeeds(engine, THINGS);
  const requests = [
    service.fetch('/things', { headers: { accept: 'text/event-stream' } }),
    service.fetch('/things', { headers: { prefer: `as-of=${new Date().toISOString()}` } }),
    service.fetch('/changes'),
    service.fetch('/changes', { headers: { accept: 'text/event-stream' } }),
    service.fetch('/changes/undo?seq=eq.1', { method: 'POST' }),
  ];
  for (const response of await Promise.all(requests)) {
    expect((await expectRefusal(response, 501, 'CAT501')).hint).toContain('history: true');
  }
});
