/** Two instances on one database: each sees the writes of the other at once, and neither repeats an operation. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';

const JSON_BODY = { 'content-type': 'application/json' };

describe('two instances', () => {
  const schema = newSchema();
  let engines: PostgresEngine[] = [];
  let ask: ((path: string, init?: RequestInit) => Promise<Response>)[] = [];

  beforeAll(async () => {
    for (let instance = 0; instance < 2; instance++) {
      const { url } = testServer;
      const engine = openPostgres({ ...TEST_SETTINGS, url, schema, firstRows: firstRowsOf(BUILT_IN) });
      await engine.opened;
      const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
      engines.push(engine);
      ask.push(async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init)));
    }
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    engines = [];
    ask = [];
  });
  const send = (instance: number, method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask[instance]!(path, { method, headers: { ...JSON_BODY, ...headers }, body: JSON.stringify(body) });

  test('a write on one is read on the other at once', async () => {
    for (let round = 0; round < 20; round++) {
      expect((await send(round % 2, 'PATCH', '/products/1', { units_in_stock: round })).status).toBe(204);
      const read = (await (await ask[(round + 1) % 2]!('/products/1')).json()) as { units_in_stock: number };
      expect(read.units_in_stock).toBe(round);
    }
  });

  test('an ETag from one guards a write on the other, and only one of two writers wins', async () => {
    const tag = (await ask[0]!('/products/2')).headers.get('etag')!;
    expect((await ask[1]!('/products/2')).headers.get('etag')).toBe(tag);
    const guarded = (instance: number) =>
      send(instance, 'PATCH', '/products/2', { units_in_stock: 100 + instance }, { 'if-match': tag });
    const statuses = (await Promise.all([guarded(0), guarded(1)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 412]);
  });

  test('a request that both receive with one idempotency key runs once', async () => {
    for (let round = 0; round < 10; round++) {
      const key = { 'idempotency-key': `order-${round}` };
      const post = (instance: number) => send(instance, 'POST', '/products', { product_name: `once ${round}` }, key);
      const [one, other] = await Promise.all([post(0), post(1)]);
      expect([one!.status, other!.status]).toEqual([201, 201]);
      expect(other!.headers.get('location')).toBe(one!.headers.get('location')!);
      expect(await (await ask[0]!(`/products?product_name=eq.once ${round}`)).json()).toHaveLength(1);
    }
    const otherwise = await send(1, 'POST', '/products', { product_name: 'other' }, { 'idempotency-key': 'order-1' });
    expect(otherwise.status).toBe(422);
  });

  test('client-chosen ids and assigned ids never collide', async () => {
    const [first] = (await (await ask[0]!('/products?select=id.max()')).json()) as { max: number }[];
    const base = first!.max;
    const posts = Array.from({ length: 60 }, (_, index) => {
      const chosen = index % 3 === 0 ? { id: base + 1 + index } : {};
      return send(index % 2, 'POST', '/products', { product_name: `racing ${index}`, ...chosen });
    });
    const statuses = (await Promise.all(posts)).map(
      ({ status }, index) => `${index % 3 === 0 ? 'chosen' : 'assigned'} ${status}`,
    );
    // A chosen id may already be assigned, which is a conflict for the client (409). An assigned id never fails.
    expect(statuses.filter((each) => each.startsWith('assigned') && each !== 'assigned 201')).toEqual([]);
    const stored = statuses.filter((each) => each.endsWith('201')).length;
    expect(await (await ask[1]!('/products?product_name=like.racing *&select=id')).json()).toHaveLength(stored);
  });

  test('after one has used the largest possible id, neither assigns ids, and chosen ids are still stored', async () => {
    expect((await send(0, 'POST', '/products', { id: 2147483647, product_name: 'top' })).status).toBe(201);
    expect((await send(1, 'DELETE', '/products/2147483647', undefined)).status).toBe(204);
    for (const instance of [0, 1]) {
      expect((await send(instance, 'POST', '/products', { product_name: 'next' })).status).toBe(400);
      const chosen = { id: 2147483000 + instance, product_name: 'chosen' };
      expect((await send(instance, 'POST', '/products', chosen)).status).toBe(201);
    }
    expect(await (await ask[1]!('/products?product_name=eq.next')).json()).toEqual([]);
  });

  test('conflicting bulk updates all complete without a deadlock', async () => {
    const both = [1, 2, 3, 4, 5, 6];
    const writes = Array.from({ length: 30 }, (_, index) => {
      const order = index % 2 === 0 ? both : [...both].reverse();
      return send(
        index % 2,
        'PATCH',
        '/products',
        order.map((id, at) => ({ id, [at % 2 ? 'reorder_level' : 'units_on_order']: index })),
      );
    });
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 204 && status !== 200)).toEqual([]);
  });
});
