/** A feed sends rows when their time comes, and removes them when it has passed, without a write. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { fromNow, TIME_SHOP } from '../../support/engines/time-shop.ts';
import type { EventClient } from '../../support/network/event-stream.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const ADMIN = { 'x-role': 'admin' };
const DAY = 86_400_000;
const SOON = 700;
const ROWS = {
  products: [{ id: 1, name: 'Tent', released: null }],
  prices: [{ id: 1, product_id: 1, amount: 5, valid_from: fromNow(-DAY), valid_to: null }],
};

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeEach(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, TIME_SHOP, ROWS), TIME_SHOP, { identify });
    });
    afterEach(() => shop.close());
    const store = async (body: object) =>
      expect((await shop.fetch('/prices', sendJson('POST', { product_id: 1, ...body }, ADMIN))).status).toBe(201);
    const change = async (id: number, body: object) =>
      expect((await shop.fetch(`/prices?id=eq.${id}`, sendJson('PATCH', body, ADMIN))).status).toBe(204);

    test('rows enter and leave by a rule with {now}', async () => {
      const prices = await shop.follow('/prices?select=id,amount');
      expect(prices.take()[0]).toEqual(['row', { id: 1, amount: 5 }]);
      await store({ id: 2, amount: 6, valid_from: fromNow(SOON) });
      expect(await prices.next()).toEqual([['insert', { id: 2, amount: 6 }]]);
      await change(2, { valid_to: fromNow(SOON) });
      expect(await prices.next()).toEqual([['delete', { id: 2 }]]);
      await change(1, { amount: 9 });
      expect(await prices.next()).toEqual([['update', { id: 1, amount: 9 }]]);
    });

    test('rows that were stored before the feed began enter as well', async () => {
      await store({ id: 2, amount: 6, valid_from: fromNow(3 * SOON) });
      const prices = await shop.follow('/prices?select=id');
      const again = await shop.follow('/prices?select=id');
      for (const { rows } of [prices, again]) await until('the price', () => rows.size === 2);
    });

    test('a filter of the request has the same effect, and related rows that become valid change their row', async () => {
      const all = await shop.follow('/prices?select=id&valid_to=gt.now', ADMIN);
      const products = await shop.follow('/products?select=id,prices(id)&prices.amount=gt.5');
      expect(all.take()).toHaveLength(1);
      expect(products.take()[0]).toEqual(['row', { id: 1, prices: [] }]);
      await store({ id: 2, amount: 6, valid_from: fromNow(SOON), valid_to: fromNow(DAY) });
      expect(await all.next()).toEqual([['insert', { id: 2 }]]);
      expect(await products.next()).toEqual([['update', { id: 1, prices: [{ id: 2 }] }]]);
      await change(2, { valid_to: fromNow(SOON) });
      expect(await all.next()).toEqual([['delete', { id: 2 }]]);
      expect(await products.next()).toEqual([['update', { id: 1, prices: [] }]]);
    });

    test('a transaction after a time that came is still one step', async () => {
      const prices = await shop.follow('/prices?select=id,amount,products(name)');
      await store({ id: 2, amount: 6, valid_from: fromNow(SOON) });
      await until('the time of the price', () => prices.events.some(({ name }) => name === 'insert'));
      prices.take();
      const requests = [
        { method: 'PATCH', path: '/products?id=eq.1', body: { name: 'Hut' } },
        { method: 'PATCH', path: '/prices?id=in.(1,2)', body: { amount: 9 } },
      ];
      expect((await shop.fetch('/batch', sendJson('POST', requests, ADMIN))).status).toBe(200);
      const updates = [1, 2].map((id) => ['update', { id, amount: 9, products: { name: 'Hut' } }] as const);
      expect(await prices.next(2)).toEqual(updates);
    });

    test('a row enters when the time of a related row comes', async () => {
      await change(1, { valid_from: fromNow(DAY) });
      const products = await shop.follow('/products?select=id');
      expect(products.take()).toEqual([['ready', {}]]);
      await change(1, { valid_from: fromNow(SOON) });
      expect(await products.next()).toEqual([['insert', { id: 1 }]]);
    });

    test('a client resumes at the time of its last event, also if nothing was written since', async () => {
      await store({ id: 2, amount: 6, valid_from: fromNow(DAY) });
      let first: EventClient;
      let wait = SOON;
      // On a busy machine, the price may begin before the feed does.
      do {
        wait *= 2;
        await change(2, { valid_from: fromNow(wait) });
        first = await shop.follow('/prices?select=id');
        first.close();
      } while (first.rows.size > 1);
      const list = async () => (await (await shop.fetch('/prices?select=id')).json()) as unknown[];
      await until('the price in the list', async () => (await list()).length === 2);
      const resumed = await shop.resume('/prices?select=id', first);
      expect(await resumed.next()).toEqual([['insert', { id: 2 }]]);
      await change(2, { amount: 8 });
      resumed.close();
      await store({ id: 3, amount: 6, valid_from: fromNow(SOON) });
      await until('the other price in the list', async () => (await list()).length === 3);
      const again = await shop.resume('/prices?select=id', resumed);
      expect(await again.next()).toEqual([['insert', { id: 3 }]]);
    });

    test('a client cannot choose a time at which hidden rows would have been visible', async () => {
      await store({ id: 2, amount: 6, valid_from: fromNow(-3 * DAY), valid_to: fromNow(-2 * DAY) });
      const first = await shop.follow('/prices?select=id');
      const moved = await shop.resume('/prices?select=id', first, {
        'last-event-id': first.position!.replace(/[^-]+$/, (Date.now() - 2.5 * DAY).toString(36).split('.')[0]!),
      });
      await store({ id: 3, amount: 7, valid_from: fromNow(-DAY) });
      expect(await moved.next()).toEqual([['insert', { id: 3 }]]);
    });

    test('a row outside the filter has no event when its time comes', async () => {
      const prices = await shop.follow('/prices?select=id&amount=lt.100');
      prices.take();
      await store({ id: 2, amount: 500, valid_from: fromNow(SOON), valid_to: fromNow(2 * SOON) });
      await store({ id: 3, amount: 7, valid_from: fromNow(4 * SOON) });
      expect(await prices.next()).toEqual([['insert', { id: 3 }]]);
    });
  });
}
