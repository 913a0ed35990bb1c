/** Rules that follow references, for files, the log, earlier rows, undo, and the feed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { PATH_SHOP, PATH_SHOP_ROWS } from '../../support/engines/path-shop.ts';
import { identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { gradient } from '../../support/pictures.ts';
import { ids, send, sendJson } from '../../support/stories.ts';

const ADMIN = { 'x-role': 'admin' };
const VISITOR = {};
const customer = (id: number) => ({ 'x-role': 'customer', 'x-claims': JSON.stringify({ customer_id: id }) });

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeEach(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, PATH_SHOP, PATH_SHOP_ROWS), PATH_SHOP, { identify });
    });
    afterEach(() => shop.close());
    const get = async <Of = { id: number }[]>(path: string, headers: Record<string, string>) =>
      (await (await shop.fetch(path, { headers })).json()) as Of;
    const change = async (path: string, body: object, headers: Record<string, string> = ADMIN) =>
      expect((await shop.fetch(path, sendJson('PATCH', body, headers))).status).toBe(204);

    test('a file is visible while a related row makes its row visible', async () => {
      const upload = send('POST', 'image/png', gradient(20, 20, 1), ADMIN);
      const { id } = (await (await shop.fetch('/files', upload)).json()) as { id: string };
      await change('/texts?id=eq.2', { image: id });
      const status = async () => (await shop.fetch(`/files/${id}/x`)).status;
      expect(await status()).toBe(404);
      await change('/products?id=eq.2', { status: 'live' });
      expect(await status()).toBe(200);
      await change('/categories?id=eq.1', { hidden: true });
      expect(await status()).toBe(404);
    });

    test('the log shows changes of rows whose related rows, as they are now, allow them', async () => {
      await change('/order_lines?id=eq.1', { quantity: 3 });
      await change('/order_lines?id=eq.5', { quantity: 8 });
      await change('/order_lines?id=eq.2', { order_id: 3 });
      const log = (id: number) =>
        get<object[]>('/changes?collection=eq.order_lines&select=key,kind,before,after', customer(id));
      expect(await log(1)).toEqual([
        { key: '1', kind: 'update', before: { quantity: 2 }, after: { quantity: 3 } },
        { key: '2', kind: 'delete', before: { id: 2, order_id: 1, quantity: 9, product_id: 2 }, after: null },
      ]);
      expect(await log(2)).toEqual([
        { key: '5', kind: 'update', before: { quantity: 7 }, after: { quantity: 8 } },
        { key: '2', kind: 'insert', before: null, after: { id: 2, order_id: 3, quantity: 9, product_id: 2 } },
      ]);
      await change('/orders?id=eq.3', { customer_id: 1 });
      expect(await log(2)).toEqual([]);
      expect(await log(1)).toHaveLength(3);
    });

    test('a rejected write takes as many positions whether the row that it refers to is hidden or missing', async () => {
      const headers = customer(1);
      const positionAfter = async (path: string, rows: unknown, more: Record<string, string>) => {
        const method = more.prefer === undefined ? 'PATCH' : 'POST';
        const rejected = await shop.fetch(path, sendJson(method, rows, { ...headers, ...more }));
        expect(rejected.status).toBe(403);
        await change('/order_lines?id=eq.1', { quantity: { increment: 1 } }, headers);
        const [last] = await get<{ seq: number }[]>('/changes?select=seq&order=seq.desc&limit=1', headers);
        return last!.seq;
      };
      for (const [path, rowsOf, more = {}] of [
        ['/order_lines?id=eq.1', (order_id: number) => ({ order_id })],
        ['/order_lines?id=in.(1,2)', (order_id: number) => ({ order_id })],
        ['/order_lines', (order_id: number) => [{ id: 1, order_id }]],
        [
          '/order_lines',
          (order_id: number) => [
            { id: 1, quantity: 4, order_id: 1 },
            { id: 2, quantity: 4, order_id },
          ],
        ],
        ['/order_lines', (order_id: number) => ({ id: 1, order_id }), { prefer: 'resolution=merge-duplicates' }],
      ] as const) {
        const [start, hidden, missing] = [
          await positionAfter(path, rowsOf(99), more),
          await positionAfter(path, rowsOf(4), more),
          await positionAfter(path, rowsOf(99), more),
        ];
        expect({ path, positions: hidden - start }).toEqual({ path, positions: missing - hidden });
      }
    });

    test('earlier rows are read with the related rows of that time', async () => {
      const first = new Date().toISOString();
      await Bun.sleep(5);
      await change('/orders?id=eq.3', { customer_id: 1 });
      const asOf = { ...customer(2), prefer: `as-of=${first}` };
      expect(await get('/order_lines', customer(2))).toEqual([]);
      expect(ids(await get('/order_lines', asOf))).toEqual([4, 5]);
      expect(ids(await get('/order_lines', { ...customer(1), prefer: `as-of=${first}` }))).toEqual([1, 2, 3]);
    });

    test('an undo restores only rows that the rules allow', async () => {
      await change('/order_lines?id=eq.1', { quantity: 3 });
      await change('/order_lines?id=eq.5', { quantity: 8 });
      const undo = (key: number) =>
        shop.fetch(`/changes/undo?collection=eq.order_lines&key=eq.${key}`, { method: 'POST', headers: customer(1) });
      expect((await undo(1)).status).toBeLessThan(300);
      await undo(5);
      expect(await get<object[]>('/order_lines?select=id,quantity&id=in.(1,5)', ADMIN)).toEqual([
        { id: 1, quantity: 2 },
        { id: 5, quantity: 8 },
      ]);
    });

    test('rows enter and leave a feed when a related row changes', async () => {
      const texts = await shop.follow('/texts?select=id');
      const lines = await shop.follow('/order_lines?select=id,quantity', customer(2));
      texts.take();
      lines.take();
      await change('/products?id=eq.2', { status: 'live' });
      expect(await texts.next()).toEqual([['insert', { id: 2 }]]);
      await change('/categories?id=eq.1', { hidden: true });
      expect(await texts.next()).toEqual([
        ['delete', { id: 1 }],
        ['delete', { id: 2 }],
      ]);
      await change('/orders?id=eq.1', { customer_id: 2 });
      expect(await lines.next()).toEqual([
        ['insert', { id: 1, quantity: 2 }],
        ['insert', { id: 2, quantity: 9 }],
      ]);
      await change('/order_lines?id=eq.2', { order_id: 2 });
      expect(await lines.next()).toEqual([['delete', { id: 2 }]]);
      await change('/texts?id=eq.2', { body: 'still hidden' });
      await change('/categories?id=eq.1', { hidden: false });
      expect(await texts.next()).toEqual([
        ['insert', { id: 1 }],
        ['insert', { id: 2 }],
      ]);
    });

    test('an embedded row enters its list when a related row changes', async () => {
      const products = await shop.follow('/products?select=id,texts(id)&id=eq.4', VISITOR);
      expect(products.take()[0]).toEqual(['row', { id: 4, texts: [] }]);
      await change('/products?id=eq.4', { category_id: 1 });
      expect(await products.next()).toEqual([['update', { id: 4, texts: [{ id: 4 }] }]]);
    });
  });
}
