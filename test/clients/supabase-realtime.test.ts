/** @supabase/supabase-js subscribes to changes: `channel().on('postgres_changes', …)`, on both engines. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { ApiError } from '../../src/base/errors.ts';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { openPostgres } from '../../src/engine/postgres/engine.ts';
import { openApiPages } from '../../src/openapi/pages.ts';
import { NO_ROWS } from '../../src/plan/write/first-rows.ts';
import { makeEdgeChecks } from '../../src/response/edge-checks.ts';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../support/engines/postgres.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../support/engines/role-shop.ts';
import { openDeclaredEngine, thingsOf } from '../support/engines/shop.ts';
import { SlowWebSocket } from '../support/network/slow-websocket.ts';
import { until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

interface Seen {
  readonly eventType: string;
  readonly new: Record<string, unknown>;
  readonly old: Record<string, unknown>;
}

test('a page of an origin that is not allowed cannot subscribe', async () => {
  const edgeChecks = makeEdgeChecks({
    isOnLoopback: true,
    allowedHosts: [],
    corsOrigins: ['https://shop.example'],
    trustedProxies: [],
  });
  const shop = serveFeeds(await openDeclaredEngine('SQLite', ROLE_SHOP, ROLE_SHOP_ROWS), ROLE_SHOP, { edgeChecks });
  const join = async (origin: string) => {
    const url = `${shop.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`;
    const socket = new WebSocket(url, { headers: { origin } });
    const answers: string[] = [];
    socket.onmessage = ({ data }) => answers.push(String(data));
    const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'products' }] };
    const message = { topic: 'realtime:x', event: 'phx_join', ref: '1', payload: { config } };
    socket.onopen = () => socket.send(JSON.stringify(message));
    await until('an answer', () => answers.length > 0);
    socket.close();
    return answers[0];
  };
  expect(await join('https://shop.example')).toContain('"status":"ok"');
  expect(await join('https://evil.example')).toContain('pages of https://evil.example may not read this service');
  const open = () => shop.feed.metrics().find(({ name }) => name === 'feed_subscribers')!.value;
  await until('no feed', () => open() === 0);
  await shop.close();
});

test('an adopted table is followed with history: true, and otherwise the error says so', async () => {
  const schema = newSchema();
  await testServer.admin.unsafe(`create schema "${schema}"; create table "${schema}".logged (id integer primary key);
    create table "${schema}".unlogged (id integer primary key)`);
  const fields = [{ name: 'id', type: 'int4', required: true }];
  const catalogue = declareCatalogue({
    collections: [
      { name: 'logged', key: ['id'], fields, history: true },
      { name: 'unlogged', key: ['id'], fields },
    ],
  });
  const engine = openPostgres({ ...TEST_SETTINGS, url: testServer.url, schema, catalogue, firstRows: NO_ROWS });
  await engine.opened;
  const pages = openApiPages({ catalogue, rows: () => [], version: '1.0.0', license: 'MIT' }, () => '/');
  const service = serveFeeds(engine, catalogue, { pages });
  const client = createClient(service.url, 'any', { realtime: { timeout: 20_000 } });
  const seen: string[] = [];
  const follow = async (table?: string) => {
    const states: string[] = [];
    const options = { event: '*', schema: '*', ...(table === undefined ? {} : { table }) } as const;
    client
      .channel(`test ${table}`)
      .on('postgres_changes', options, ({ table: name, eventType }) => seen.push(`${eventType} ${name}`))
      .subscribe((state, error) => states.push(error === undefined ? state : `${state}: ${error.message}`));
    await until('the subscription', () => states.length > 0);
    return states[0];
  };
  const rejection = await follow('unlogged');
  expect(rejection).toStartWith('CHANNEL_ERROR: changes of unlogged are not logged');
  expect(rejection).toContain('history: true');
  expect(await follow()).toBe('SUBSCRIBED');
  await service.fetch('/logged', sendJson('POST', { id: 1 }));
  await until('the change', () => seen.length > 0);
  expect(seen).toEqual(['INSERT logged']);
  await client.removeAllChannels();
  await service.close();
});

test('all channels of a connection that was slow go on', async () => {
  const things = thingsOf({ name: 'text' });
  const shop = serveFeeds(await openDeclaredEngine('SQLite', things), things);
  const socket = await SlowWebSocket.open(`${shop.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`);
  const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'things' }] };
  const topics = ['realtime:a', 'realtime:b', 'realtime:c'];
  for (const topic of topics) {
    socket.send(JSON.stringify({ topic, event: 'phx_join', ref: '1', payload: { config } }));
  }
  await until('the subscriptions', () => socket.messages.length === topics.length);
  socket.pause();
  const quick = await shop.follow('/things');
  quick.take();
  for (let id = 100; id < 130; id++) {
    const row = { id, name: `${id}${'x'.repeat(250_000)}` };
    expect((await shop.fetch('/things', sendJson('POST', row))).status).toBe(201);
    await quick.next();
  }
  socket.resume();
  // A channel that was too slow gets an error, so that the client joins again.
  const isAlive = (topic: string) => {
    const own = socket.messages.filter((text) => text.startsWith(`{"topic":"${topic}"`));
    return own.some((text) => text.includes('"phx_error"')) || own.some((text) => text.includes('"name":"129x'));
  };
  await until('all channels', () => topics.every(isAlive));
  socket.close();
  await shop.close();
});

test('a client that sends without reading the replies is disconnected', async () => {
  const things = thingsOf({ name: 'text' });
  const shop = serveFeeds(await openDeclaredEngine('SQLite', things), things);
  const url = `${shop.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`;
  const [reader, writer] = await Promise.all([SlowWebSocket.open(url), SlowWebSocket.open(url)]);
  const message = JSON.stringify({ topic: 'realtime:x', event: 'x'.repeat(60_000), ref: '1', payload: {} });
  for (let sent = 1; sent <= 20; sent++) {
    reader.send(message);
    await until('the reply', () => reader.messages.length === sent);
  }
  writer.pause();
  await until('the end of the connection', () => {
    writer.send(message);
    return writer.isClosed;
  });
  expect(reader.isClosed).toBe(false);
  reader.close();
  await shop.close();
});

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    const revoked = new Set<string>();
    const clients: SupabaseClient[] = [];
    beforeEach(async () => {
      revoked.clear();
      shop = serveFeeds(await openDeclaredEngine(engine, ROLE_SHOP, ROLE_SHOP_ROWS), ROLE_SHOP, {
        pages: openApiPages({ catalogue: ROLE_SHOP, rows: () => [], version: '1.0.0', license: 'MIT' }, () => '/'),
        // The token is the name of the role.
        identify: ({ headers }) => {
          const role = (headers.get('authorization') ?? headers.get('apikey') ?? '').replace('Bearer ', '');
          if (revoked.has(role)) throw new ApiError('PGRST301', 'the key is revoked');
          return { role, claims: { supplier_id: 1 } };
        },
      });
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.removeAllChannels();
      await shop.close();
    });

    const connect = (role: string) => {
      const client = createClient(shop.url, role, { realtime: { timeout: 20_000 } });
      clients.push(client);
      return client;
    };
    const joined = async (channel: RealtimeChannel) => {
      const states: string[] = [];
      channel.subscribe((state, error) => states.push(error === undefined ? state : `${state}: ${error.message}`));
      await until('the subscription', () => states.length > 0);
      return states;
    };
    const follow = async (client: SupabaseClient, about: { event?: string; table?: string; filter?: string } = {}) => {
      const seen: Seen[] = [];
      const options = { event: '*', schema: 'public', table: 'products', ...about } as { event: '*'; schema: string };
      const channel = client.channel(`test ${clients.length}`).on('postgres_changes', options, (payload) => {
        seen.push({ eventType: payload.eventType, new: payload.new, old: payload.old });
      });
      const states = await joined(channel);
      return { seen, states, channel };
    };
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: 'Bearer admin' };
      const init = body === undefined ? { method, headers } : sendJson(method, body, headers);
      expect((await shop.fetch(path, init)).status).toBeLessThan(300);
    };

    test('a client receives inserts, updates and deletes', async () => {
      const { seen, states } = await follow(connect('admin'));
      expect(states).toEqual(['SUBSCRIBED']);
      await send('POST', '/products', { id: 9, name: 'Sencha', discontinued: 0 });
      await until('the insert', () => seen.length === 1);
      await send('PATCH', '/products?id=eq.9', { name: 'Gyokuro' });
      await until('the update', () => seen.length === 2);
      await send('DELETE', '/products?id=eq.9');
      await until('the delete', () => seen.length === 3);
      expect(seen).toMatchObject([
        { eventType: 'INSERT', new: { id: 9, name: 'Sencha' }, old: {} },
        { eventType: 'UPDATE', new: { id: 9, name: 'Gyokuro' }, old: { id: 9 } },
        { eventType: 'DELETE', new: {}, old: { id: 9 } },
      ]);
    });

    test('a filter and an event type choose changes by the row after them', async () => {
      const cheap = await follow(connect('admin'), { event: 'UPDATE', filter: 'cost=lt.5,name=neq."a, b"' });
      const listed = await follow(connect('admin'), { filter: 'name=in.(One,Two)' });
      await send('PATCH', '/products?id=eq.1', { cost: 100, name: 'Three' });
      await send('PATCH', '/products?id=eq.1', { cost: 1, name: 'a, b' });
      await send('PATCH', '/products?id=eq.2', { cost: 2, name: 'One' });
      await until('both updates', () => cheap.seen.length > 0 && listed.seen.length > 0);
      expect(cheap.seen).toMatchObject([{ eventType: 'UPDATE', new: { id: 2, cost: 2 } }]);
      expect(listed.seen).toMatchObject([{ eventType: 'UPDATE', new: { id: 2, name: 'One' } }]);
    });

    test('a client receives only the rows and fields that its role may read', async () => {
      const client = connect('supplier');
      const supplier = await follow(client);
      await send('PATCH', '/products?id=eq.4', { stock: 70 });
      await send('PATCH', '/products?id=eq.1', { cost: 70 });
      await send('PATCH', '/products?id=eq.1', { stock: 71 });
      await until('the visible update', () => supplier.seen.length > 0);
      expect(supplier.seen.map(({ new: row }) => [row.id, row.stock, 'cost' in row])).toEqual([[1, 71, false]]);
      await client.realtime.setAuth('admin');
      let stock = 100;
      await until('the change to be received', async () => {
        await send('PATCH', '/products?id=eq.4', { stock: ++stock });
        return supplier.seen.some(({ new: row }) => row.id === 4 && 'cost' in row);
      });
    });

    test('a subscription to all tables has the changes of those that the role may read', async () => {
      const [all, some] = [
        await follow(connect('admin'), { table: '*' }),
        await follow(connect('supplier'), { table: '*' }),
      ];
      expect([all.states, some.states]).toEqual([['SUBSCRIBED'], ['SUBSCRIBED']]);
      await send('POST', '/categories', { id: 9, name: 'Teapots' });
      await send('PATCH', '/products?id=eq.4', { stock: 70 });
      await send('PATCH', '/products?id=eq.1', { stock: 71 });
      await until('the changes', () => all.seen.length === 3 && some.seen.length > 0);
      expect(all.seen.map(({ new: row }) => row.name ?? row.stock)).toContain('Teapots');
      expect(some.seen.map(({ new: row }) => row.stock)).toEqual([71]);
      const filtered = await follow(connect('admin'), { table: '*', filter: 'id=eq.1' });
      expect(filtered.states[0]).toContain('name the table');
    });

    test('a text with any characters arrives', async () => {
      const { seen } = await follow(connect('admin'));
      const name = 'a\u2028id: 999999999\u2028b\u2029c\rd\ne\tf';
      await send('POST', '/products', { id: 9, name, discontinued: 0 });
      await until('the insert', () => seen.length === 1);
      await send('PATCH', '/products?id=eq.9', { name: 'Gyokuro' });
      await until('the update', () => seen.length === 2);
      expect(seen.map(({ new: row }) => row.name)).toEqual([name, 'Gyokuro']);
    });

    test('presence and broadcast are rejected with what to use instead', async () => {
      const client = connect('admin');
      const changes = { event: '*', schema: 'public', table: 'products' } as const;
      const present = client.channel('a').on('presence', { event: 'sync' }, () => {});
      const message = client.channel('b').on('broadcast', { event: 'x' }, () => {});
      const confirmed = client.channel('c', { config: { broadcast: { ack: true } } });
      for (const channel of [present, message, confirmed.on('postgres_changes', changes, () => {})]) {
        const [state] = await joined(channel);
        expect(state).toStartWith('CHANNEL_ERROR: ');
        expect(state).toContain('is not supported');
        expect(state).toContain('as rows of a collection');
        await client.removeChannel(channel);
      }
      const { channel } = await follow(client);
      expect(await channel.track({ name: 'Eve' })).toBe('error');
    });

    test('a mistake is reported, and a revoked key ends the subscription', async () => {
      const unknown = await follow(connect('admin'), { table: 'nothing' });
      expect(unknown.states[0]).toStartWith('CHANNEL_ERROR: ');
      expect(unknown.states[0]).toContain('nothing');
      const wrong = await follow(connect('admin'), { filter: 'weight=eq.1' });
      expect(wrong.states[0]).toContain('weight');
      const hidden = await follow(connect('supplier'), { table: 'categories' });
      expect(hidden.states[0]).toContain('categories');
      const { states, seen } = await follow(connect('supplier'));
      expect(states).toEqual(['SUBSCRIBED']);
      revoked.add('supplier');
      await until('the error', () => states.some((state) => state.includes('the key is revoked')));
      await send('PATCH', '/products?id=eq.1', { stock: 3 });
      expect(seen).toEqual([]);
    });
  });
}
