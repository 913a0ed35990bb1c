/** Read permissions: rows and fields that a role may not read are invisible to it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { type As, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ids } from '../../support/stories.ts';

for (const engine of ROLE_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    beforeAll(async () => {
      shop = await openRoled(engine, ROLE_SHOP, ROLE_SHOP_ROWS, { plans: true });
    });
    afterAll(() => shop.close());
    const as: As = (role, claims) => shop.as(role, claims);
    const anonymous = () => as(undefined);
    const supplier = (id: unknown) => as('supplier', { supplier_id: id });

    describe('rows', () => {
      test('a list contains the rows, and * the fields, that the rule allows', async () => {
        expect(await anonymous().list('/products')).toEqual([
          { id: 1, name: 'Assam', price: 1, category_id: 1 },
          { id: 2, name: 'Sencha', price: 2, category_id: 2 },
          { id: 4, name: 'Espresso', price: 4, category_id: 3 },
        ]);
      });

      test('a hidden row gives the same 404 as a row that does not exist', async () => {
        const hidden = await expectRefusal(await anonymous().fetch('/products/3'), 404, 'CAT404');
        const absent = await expectRefusal(await anonymous().fetch('/products/9'), 404, 'CAT404');
        expect(hidden.message.replace('3', '9')).toBe(absent.message);
        expect(await anonymous().list('/products?id=eq.3')).toEqual([]);
      });

      test('that are hidden are not counted, in pages or aggregates', async () => {
        const page = await anonymous().fetch('/products?limit=2', { headers: { prefer: 'count=exact' } });
        expect(page.headers.get('content-range')).toBe('0-1/3');
        expect(page.headers.get('link')).toContain('offset=2');
        expect(await anonymous().list('/products?select=count(),price.sum(),price.max()')).toEqual([
          { count: 3, sum: 7, max: 4 },
        ]);
        expect(await anonymous().list('/products?select=category_id,count()&order=category_id')).toEqual([
          { category_id: 1, count: 1 },
          { category_id: 2, count: 1 },
          { category_id: 3, count: 1 },
        ]);
      });

      test('that are hidden are not embedded, counted in an embedding, or matched through one', async () => {
        expect(await anonymous().list('/categories?select=name,products(name)')).toEqual([
          { name: 'Tea', products: [{ name: 'Assam' }] },
          { name: 'Coffee', products: [{ name: 'Espresso' }] },
        ] as never);
        expect(await anonymous().list('/categories?select=name,products(count())&id=eq.3')).toEqual([
          { name: 'Coffee', products: [{ count: 1 }] },
        ] as never);
        expect(await anonymous().list('/products?select=id,categories(name)&id=eq.2')).toEqual([
          { id: 2, categories: null },
        ] as never);
        expect(ids(await anonymous().list('/products?select=id,categories!inner(name)'))).toEqual([1, 4]);
        expect(ids(await anonymous().list('/products?select=id,categories()&categories=is.null'))).toEqual([2]);
        expect(ids(await anonymous().list('/products?select=id,categories(name)&order=categories(name)'))).toEqual([
          4, 1, 2,
        ]);
        expect(await anonymous().list('/products?select=...categories(category:name),count()&order=count')).toEqual([
          { count: 1, category: 'Coffee' },
          { count: 1, category: 'Tea' },
          { count: 1, category: null },
        ]);
      });

      test('that are hidden in a junction collection connect nothing', async () => {
        expect(await anonymous().list('/products?select=id,tags(name)')).toEqual([
          { id: 1, tags: [{ name: 'new' }] },
          { id: 2, tags: [] },
          { id: 4, tags: [{ name: 'best' }] },
        ] as never);
        expect(await anonymous().list('/tags?select=id,products(id)&products=not.is.null')).toEqual([
          { id: 1, products: [{ id: 1 }] },
          { id: 2, products: [{ id: 4 }] },
        ] as never);
      });
    });

    describe('fields', () => {
      test.each([
        ['select', '/products?select=id,cost'],
        ['a cast', '/products?select=cost::text'],
        ['an aggregate', '/products?select=cost.sum()'],
        ['a filter', '/products?cost=gt.0'],
        ['logic', '/products?or=(id.eq.1,cost.gt.0)'],
        ['order', '/products?order=cost'],
        ['an embedded select', '/categories?select=products(cost)'],
        ['an embedded filter', '/categories?select=products(id)&products.cost=gt.0'],
        ['an embedded order', '/categories?select=products(id)&products.order=cost'],
        ['an order by an embedding', '/products?select=id,categories()&order=categories(hidden)'],
        ['the name of a relation', '/products?select=supplier_id(name)'],
        ['a hint', '/products?select=suppliers!supplier_id(name)'],
        ['an item', '/products/1?select=cost'],
      ])('a hidden field cannot be named in %s', async (_, path) => {
        const response = await anonymous().fetch(path);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        await expectRefusal(response, 401, '42501');
        expect((await as('admin').fetch(path)).status).toBe(200);
      });

      test('no hint names a hidden field', async () => {
        const { hint } = await expectRefusal(await anonymous().fetch('/products?select=kost'), 400, '42703');
        expect(hint).toBe('The fields are id, name, price, category_id.');
        const none = await expectRefusal(await anonymous().fetch('/products?select=nothing(id)'), 400, 'PGRST200');
        expect(none.hint).toBe('products is related to: categories, product_tags, tags.');
      });
    });

    describe('collections', () => {
      test('a collection that a role may not read is denied: 401 without credentials, 403 otherwise', async () => {
        const response = await anonymous().fetch('/suppliers');
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect((await expectRefusal(response, 401, '42501')).message).toBe('permission denied for table suppliers');
        const denied = await supplier(1).fetch('/categories');
        expect(denied.headers.get('www-authenticate')).toBeNull();
        await expectRefusal(denied, 403, '42501');
        await expectRefusal(await anonymous().fetch('/products?select=suppliers(name)'), 401, '42501');
      });

      test('no hint names a collection for which the role has no permission', async () => {
        const { hint } = await expectRefusal(await supplier(1).fetch('/categoris'), 404, 'PGRST205');
        expect(hint).toBe('Available: /suppliers, /products.');
        const options = await anonymous().fetch('/supplierz', { method: 'OPTIONS' });
        expect((await expectRefusal(options, 404, 'PGRST205')).hint).toBeNull();
        expect((await anonymous().fetch('/suppliers', { method: 'OPTIONS' })).status).toBe(200);
      });

      test('an undeclared role is rejected', async () => {
        expect((await expectRefusal(await as('ghost').fetch('/products'), 403, '42501')).message).toBe(
          'role "ghost" does not exist',
        );
      });
    });

    describe('claims', () => {
      test('are usable as values in a rule', async () => {
        expect(ids(await supplier(1).list('/products'))).toEqual([1, 2, 3]);
        expect(ids(await supplier(2).list('/products'))).toEqual([4, 5]);
        expect(ids(await supplier('2').list('/products'))).toEqual([4, 5]);
        expect(await supplier(2).list('/suppliers')).toEqual([{ id: 2, name: 'Bean' }]);
      });

      test.each([[undefined], [null], ['x'], ['1 or 1=1'], [true], [[1]], [{ id: 1 }], [1.5], [2 ** 60]])(
        'a claim that is missing or of another type matches nothing: %p',
        async (claim) => {
          expect(await supplier(claim).list('/products')).toEqual([]);
          expect(await supplier(claim).list('/products?id=not.eq.0')).toEqual([]);
        },
      );

      test('every item of a nested list claim is used', async () => {
        const buyer = as('buyer', { app: { categories: [2, 3] } });
        expect(ids(await buyer.list('/products?select=id,cost'))).toEqual([2, 3, 4, 5]);
      });
    });

    describe('roles that include others', () => {
      const buyer = () => as('buyer', { app: { categories: [3] } });

      test('see the rows of all their rules, and * selects the fields that all of these rules allow', async () => {
        expect(await buyer().list('/products')).toEqual([
          { id: 1, name: 'Assam', price: 1, category_id: 1 },
          { id: 2, name: 'Sencha', price: 2, category_id: 2 },
          { id: 3, name: 'Old tea', price: 3, category_id: 3 },
          { id: 4, name: 'Espresso', price: 4, category_id: 3 },
          { id: 5, name: 'Old bean', price: 5, category_id: 3 },
        ]);
      });

      test('a request that names a field sees the rows of the rules that allow it', async () => {
        expect(ids(await buyer().list('/products?select=id,cost'))).toEqual([3, 4, 5]);
        expect(ids(await buyer().list('/products?select=id&cost=gt.0'))).toEqual([3, 4, 5]);
        expect(await buyer().list('/categories?select=name,products(cost)')).toEqual([
          { name: 'Tea', products: [] },
          { name: 'Coffee', products: [{ cost: 1.5 }, { cost: 2 }, { cost: 2.5 }] },
        ] as never);
        await expectRefusal(await buyer().fetch('/products/1?select=cost'), 404, 'CAT404');
        expect((await buyer().fetch('/products/4?select=cost')).status).toBe(200);
      });
    });

    describe('answers', () => {
      test('of different roles and claims are never mixed up, cached or not', async () => {
        for (let again = 0; again < 4; again++) {
          expect(await anonymous().list('/products?select=id')).toHaveLength(3);
          expect(await as('admin').list('/products?select=id')).toHaveLength(5);
          expect(await supplier(1).list('/products?select=id')).toHaveLength(3);
          expect(await supplier(2).list('/products?select=id')).toHaveLength(2);
          expect(await supplier(3).list('/products?select=id')).toEqual([]);
        }
      });

      test('are cacheable only by the caller', async () => {
        for (const path of ['/products', '/products/1', '/products/3', '/suppliers']) {
          const { headers } = await anonymous().fetch(path);
          expect(headers.get('vary')).toContain('Authorization');
          expect(headers.get('cache-control')).toBe('private, no-cache');
        }
      });

      test('have an ETag of the visible data', async () => {
        const seen = await anonymous().fetch('/products/1');
        const whole = await as('admin').fetch('/products/1');
        expect(seen.headers.get('etag')).not.toBe(whole.headers.get('etag'));
        const again = await anonymous().fetch('/products/1', {
          headers: { 'if-none-match': seen.headers.get('etag')! },
        });
        expect(again.status).toBe(304);
      });

      test('with query plans require full permissions', async () => {
        const accept = { headers: { accept: 'application/vnd.pgrst.plan+json' } };
        expect((await as('admin').fetch('/products', accept)).status).toBe(200);
        await expectRefusal(await supplier(1).fetch('/products', accept), 403, '42501');
      });

      test('as CSV, with stripped nulls, and as one object also follow the rules', async () => {
        const csv = await anonymous().text('/products', { headers: { accept: 'text/csv' } });
        expect(csv).toBe('id,name,price,category_id\n1,Assam,1,1\n2,Sencha,2,2\n4,Espresso,4,3\n');
        const object = { headers: { accept: 'application/vnd.pgrst.object+json' } };
        await expectRefusal(await anonymous().fetch('/products?id=eq.3', object), 406, 'PGRST116');
      });
    });
  });
}
