/** Rules that follow references, for the rows that a write produces: nobody writes into another customer's order. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { PATH_SHOP, PATH_SHOP_ROWS } from '../../support/engines/path-shop.ts';
import { type Client, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ids, send, sendJson } from '../../support/stories.ts';

const MERGE = { prefer: 'resolution=merge-duplicates' };
const RETURNED = { prefer: 'return=representation' };

for (const engine of ROLE_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    let before: string;
    const open = async () => {
      shop = await openRoled(engine, PATH_SHOP, PATH_SHOP_ROWS);
      before = await stored();
    };
    beforeAll(open);
    afterEach(async () => {
      if ((await stored()) === before) return;
      await shop.close();
      await open();
    });
    afterAll(() => shop.close());
    const stored = async () =>
      (await Promise.all([...PATH_SHOP.collections.keys()].map((name) => shop.as('admin').text(`/${name}`)))).join(
        '\n',
      );
    const ann = (): Client => shop.as('customer', { customer_id: 1 });
    const gardener = (): Client => shop.as('gardener');
    const refused = async (response: Promise<Response>, status = 403, code = '42501') => {
      const problem = await expectRefusal(await response, status, code);
      expect(await stored()).toBe(before);
      return problem;
    };
    const accepted = async (response: Promise<Response>) => {
      const { status } = await response;
      expect(status).toBeLessThan(300);
    };
    const line = (order: number, product: number, more = {}) => ({
      order_id: order,
      product_id: product,
      quantity: 1,
      ...more,
    });

    test('a line may be added to an own open order, and to no other one', async () => {
      await refused(ann().fetch('/order_lines', sendJson('POST', line(3, 4))));
      await refused(ann().fetch('/order_lines', sendJson('POST', line(3, 4), RETURNED)));
      await refused(ann().fetch('/order_lines', sendJson('POST', line(2, 1))));
      await refused(ann().fetch('/order_lines', sendJson('POST', line(4, 1))));
      await refused(ann().fetch('/order_lines', sendJson('POST', line(1, 2, { id: 70 }))));
      await accepted(ann().fetch('/order_lines', sendJson('POST', line(1, 4))));
    });

    test('an order of somebody else and one that does not exist look the same', async () => {
      const foreign = await refused(ann().fetch('/order_lines', sendJson('POST', line(3, 4))));
      const missing = await refused(ann().fetch('/order_lines', sendJson('POST', line(99, 4))));
      expect(missing).toEqual(foreign);
      const moves: readonly ((order: number) => Promise<Response>)[] = [
        (order) => ann().fetch('/order_lines/2', sendJson('PATCH', { order_id: order })),
        (order) => ann().fetch('/order_lines', sendJson('PATCH', [{ id: 2, order_id: order }])),
        (order) => ann().fetch('/order_lines', sendJson('POST', [{ id: 2, ...line(order, 4) }], MERGE)),
        (order) => ann().fetch('/order_lines?id=eq.50', sendJson('PUT', { id: 50, ...line(order, 4) })),
      ];
      for (const move of moves) expect(await refused(move(99))).toEqual(await refused(move(3)));
    });

    test('one forbidden row of an array, a CSV file or an import rejects all of them', async () => {
      const lines = [line(1, 4), line(3, 4), line(1, 3)];
      const problem = await refused(ann().fetch('/order_lines', sendJson('POST', lines)));
      expect(problem).toMatchObject({ index: 1 });
      const csv = 'order_id,product_id,quantity\n1,4,1\n3,4,1\n';
      await refused(ann().fetch('/order_lines', send('POST', 'text/csv', csv)));
      const all = await ann().fetch('/order_lines', sendJson('POST', lines, { prefer: 'errors=all' }));
      expect(await all.json()).toMatchObject({ code: 'CAT400R', errors: [{ code: '42501', index: 1 }] });
      await accepted(ann().fetch('/order_lines', sendJson('POST', [line(1, 4), line(1, 3)])));
    });

    test('an upsert neither changes nor creates lines of other orders', async () => {
      const path = '/order_lines?on_conflict=order_id,product_id';
      await refused(ann().fetch(path, sendJson('POST', [line(3, 1, { quantity: 8 })], MERGE)));
      await refused(ann().fetch(path, sendJson('POST', [line(3, 4, { quantity: 8 })], MERGE)));
      await refused(ann().fetch('/order_lines', sendJson('POST', [{ id: 4, ...line(1, 4) }], MERGE)));
      await refused(ann().fetch('/order_lines', sendJson('POST', [{ id: 1, ...line(3, 4) }], MERGE)));
      await accepted(ann().fetch(path, sendJson('POST', [line(1, 1, { quantity: 8 }), line(1, 4)], MERGE)));
      expect(await ann().list('/order_lines?select=quantity&id=eq.1')).toEqual([{ quantity: 8 }]);
    });

    test('a line cannot move into another order, and lines of others do not exist', async () => {
      await refused(ann().fetch('/order_lines/2', sendJson('PATCH', { order_id: 3 })));
      await refused(ann().fetch('/order_lines?id=eq.1', sendJson('PATCH', { order_id: 2 }, RETURNED)));
      await refused(ann().fetch('/order_lines', sendJson('PATCH', [{ id: 2, order_id: 3 }])));
      await refused(ann().fetch('/order_lines/4', sendJson('PATCH', { quantity: 5 })), 404, 'CAT404');
      await refused(ann().fetch('/order_lines', sendJson('PATCH', [{ id: 4, quantity: 5 }])), 404, 'CAT404');
      await refused(ann().fetch('/order_lines/3', sendJson('PATCH', { quantity: 5 })), 404, 'CAT404');
      await refused(ann().fetch('/order_lines/4', { method: 'DELETE' }), 404, 'CAT404');
      const changed = await ann().fetch('/order_lines?id=gt.0', sendJson('PATCH', { quantity: 5 }, RETURNED));
      expect(ids((await changed.json()) as { id: number }[])).toEqual([1, 2]);
      const deleted = await ann().fetch('/order_lines?id=gt.0', { method: 'DELETE', headers: RETURNED });
      expect(ids((await deleted.json()) as { id: number }[])).toEqual([1, 2]);
    });

    test('PUT creates or replaces only own lines', async () => {
      await refused(ann().fetch('/order_lines?id=eq.50', sendJson('PUT', { id: 50, ...line(3, 4) })));
      await refused(ann().fetch('/order_lines/4', sendJson('PUT', { id: 4, ...line(1, 4) })), 404, 'CAT404');
      await accepted(ann().fetch('/order_lines?id=eq.50', sendJson('PUT', { id: 50, ...line(1, 4) })));
    });

    test('in a batch, a rule sees what earlier requests stored', async () => {
      const batch = (order: number) => [
        { method: 'POST', path: '/orders', body: { id: 60, customer_id: 1 } },
        { method: 'POST', path: '/order_lines', body: line(order, 4) },
      ];
      const foreign = await ann().fetch('/batch', sendJson('POST', batch(3)));
      expect(await foreign.json()).toMatchObject({ code: '42501', request: 1 });
      expect(await stored()).toBe(before);
      await accepted(ann().fetch('/batch', sendJson('POST', batch(60))));
      expect(ids(await ann().list('/orders?order=id'))).toEqual([1, 2, 60]);
    });

    test('rows of one array may refer to each other, and are checked after all are stored', async () => {
      const child = { id: 11, name: 'child', hidden: false, parent_id: 10 };
      const parent = (hidden: boolean) => ({ id: 10, name: 'parent', hidden, parent_id: null });
      const post = (rows: unknown) => gardener().fetch('/categories', sendJson('POST', rows));
      await refused(post([parent(true), child]));
      await refused(post([child, parent(true)]));
      await refused(post(child));
      await refused(post({ id: 12, name: 'below secret', parent_id: 2 }));
      await accepted(post([child, parent(false)]));
      expect(ids(await gardener().list('/categories?id=gte.10'))).toEqual([10, 11]);
    });

    test('a row that comes to refer to itself is tested as it is after the change', async () => {
      const own = { id: 4, hidden: true, parent_id: 4 };
      await refused(gardener().fetch('/categories?id=eq.4', sendJson('PATCH', own)));
      await refused(gardener().fetch('/categories/4', sendJson('PATCH', own)));
      await refused(gardener().fetch('/categories', sendJson('PATCH', [own])));
      await refused(gardener().fetch('/categories', sendJson('POST', own, MERGE)));
      await refused(gardener().fetch('/categories/4', sendJson('PUT', { ...own, name: 'x' })));
      await accepted(gardener().fetch('/categories?id=eq.4', sendJson('PATCH', { ...own, hidden: false })));
    });

    test('a change of the written rows themselves decides, as they are after it', async () => {
      await refused(gardener().fetch('/categories?id=in.(1,4)', sendJson('PATCH', { hidden: true })));
      await refused(
        gardener().fetch(
          '/categories',
          sendJson('PATCH', [
            { id: 4, name: 'x' },
            { id: 1, hidden: true },
          ]),
        ),
      );
      await refused(
        gardener().fetch(
          '/categories',
          sendJson(
            'POST',
            [
              { id: 4, hidden: false },
              { id: 1, hidden: true },
            ],
            MERGE,
          ),
        ),
      );
      await accepted(gardener().fetch('/categories?id=eq.1', sendJson('PATCH', { hidden: true })));
    });
  });
}
