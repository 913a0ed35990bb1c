/** Rules that follow references: a row is visible by what its related rows contain. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PATH_SHOP, PATH_SHOP_ROWS } from '../../support/engines/path-shop.ts';
import { type Client, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ids } from '../../support/stories.ts';

for (const engine of ROLE_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    beforeAll(async () => {
      shop = await openRoled(engine, PATH_SHOP, PATH_SHOP_ROWS);
    });
    afterAll(() => shop.close());
    const json = async (client: Client, path: string): Promise<unknown> => JSON.parse(await client.text(path));
    const visitor = (): Client => shop.as(undefined);
    const customer = (id: unknown): Client => shop.as('customer', { customer_id: id });
    const buyer = (claims: Record<string, unknown> = { customer_id: 2 }): Client => shop.as('buyer', claims);

    test('a reference leads to the row that decides, in one step or in two', async () => {
      expect(ids(await customer(1).list('/order_lines'))).toEqual([1, 2, 3]);
      expect(ids(await customer(2).list('/order_lines'))).toEqual([4, 5]);
      expect(ids(await visitor().list('/texts'))).toEqual([1]);
    });

    test('a missing or ill-typed claim allows nothing, also below a negation', async () => {
      for (const claim of [undefined, null, 'x', 99, [1]])
        expect(await customer(claim).list('/order_lines')).toEqual([]);
      expect(ids(await buyer().list('/products'))).toEqual([4]);
      expect(await buyer({}).list('/products')).toEqual([]);
      expect(await buyer({ customer_id: 'x' }).list('/products')).toEqual([]);
    });

    test('a hint and a field name choose between references to the same collection', async () => {
      expect(ids(await visitor().list('/products'))).toEqual([1, 4]);
      expect(ids(await visitor().list('/categories'))).toEqual([1, 4]);
    });

    test('a list of rows, and rows behind a join collection, need one that matches', async () => {
      expect(ids(await buyer().list('/orders'))).toEqual([2, 3]);
      expect(ids(await buyer().list('/customers'))).toEqual([2]);
      expect(ids(await visitor().list('/labels'))).toEqual([1]);
      expect(await visitor().list('/product_labels')).toEqual([{ product_id: 1, label_id: 1 }]);
    });

    test('filters, pages, counts and groups see only these rows', async () => {
      const counted = await customer(1).fetch('/order_lines?limit=1&offset=1', { headers: { prefer: 'count=exact' } });
      expect(counted.headers.get('content-range')).toBe('1-1/3');
      expect(ids(await customer(1).list('/order_lines?quantity=gte.1&order=quantity.desc'))).toEqual([2, 3, 1]);
      expect(await customer(2).list('/order_lines?select=quantity.sum()')).toEqual([{ sum: 8 }]);
      expect(await customer(2).list('/order_lines?select=order_id,count()')).toEqual([{ order_id: 3, count: 2 }]);
      expect(ids(await customer(2).list('/order_lines?id=in.(1,4)'))).toEqual([4]);
      expect(ids(await visitor().list('/texts?body=ilike.*a*'))).toEqual([1]);
    });

    test('by key, a hidden row does not exist', async () => {
      expect((await customer(2).fetch('/order_lines/5')).status).toBe(200);
      await expectRefusal(await customer(2).fetch('/order_lines/1'), 404, 'CAT404');
      await expectRefusal(await customer(2).fetch('/order_lines/99'), 404, 'CAT404');
    });

    test('embedded rows are restricted at every depth, whatever leads to them', async () => {
      expect(await json(visitor(), '/products?select=id,texts(id)')).toEqual([
        { id: 1, texts: [{ id: 1 }] },
        { id: 4, texts: [] },
      ]);
      expect(await json(customer(1), '/products?select=id,order_lines(id)&id=eq.1')).toEqual([
        { id: 1, order_lines: [{ id: 1 }] },
      ]);
      expect(ids(await customer(1).list('/products?select=id,order_lines!inner()&order=id'))).toEqual([1, 4]);
      expect(await json(customer(1), '/customers?select=id,orders(id,order_lines(id,products(name)))')).toEqual([
        {
          id: 1,
          orders: [
            {
              id: 1,
              order_lines: [
                { id: 1, products: { name: 'Tent' } },
                { id: 2, products: null },
              ],
            },
            { id: 2, order_lines: [{ id: 3, products: { name: 'Lamp' } }] },
          ],
        },
      ]);
      expect(await json(visitor(), '/products?select=id,labels(name)&order=id')).toEqual([
        { id: 1, labels: [{ name: 'new' }] },
        { id: 4, labels: [] },
      ]);
    });

    test('a rule sees related rows that the role may not read', async () => {
      await expectRefusal(await shop.as('buyer', {}).fetch('/order_lines'), 403, '42501');
      expect(ids(await buyer().list('/orders'))).toEqual([2, 3]);
    });
  });
}
