/**
 * Write permissions: a write changes only rows that its role may read and update, and creates only permitted rows.
 * Errors reveal no hidden data.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { type Client, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ids, sendJson } from '../../support/stories.ts';

const REPRESENTATION = { prefer: 'return=representation' };
const MERGE = { prefer: 'resolution=merge-duplicates' };

for (const engine of TWO_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    let before: string;
    const open = async () => {
      shop = await openRoled(engine, ROLE_SHOP, ROLE_SHOP_ROWS);
      before = await stored();
    };
    beforeAll(open);
    // A test that has stored something leaves a new shop to the next one.
    afterEach(async () => {
      if ((await stored()) === before) return;
      await shop.close();
      await open();
    });
    afterAll(() => shop.close());
    const stored = async () =>
      (await Promise.all([...ROLE_SHOP.collections.keys()].map((name) => shop.as('admin').text(`/${name}`)))).join(
        '\n',
      );
    const expectUnchanged = async () => expect(await stored()).toBe(before);
    const supplier = (): Client => shop.as('supplier', { supplier_id: 1 });
    const editor = (): Client => shop.as('editor');
    const admin = (): Client => shop.as('admin');
    const refused = async (response: Promise<Response>, status: number, code: string) => {
      const problem = await expectRefusal(await response, status, code);
      await expectUnchanged();
      return problem;
    };

    describe('a role without write permission', () => {
      const bodies: readonly [name: string, type: string, body: string][] = [
        ['invalid JSON', 'application/json', '{"name":'],
        ['no body', 'application/json', ''],
        ['a number', 'application/json', '7'],
        ['an unknown field', 'application/json', '{"secret":1}'],
        ['invalid CSV', 'text/csv', 'a,b\n1'],
        ['an unknown content type', 'image/png', 'x'],
      ];
      test.each(bodies)('gets 403 before any other error, whatever it sends: %s', async (_, type, body) => {
        for (const [method, path] of [
          ['POST', '/products'],
          ['POST', '/products?columns=!'],
          ['PATCH', '/products?id=eq.1'],
          ['PATCH', '/products/1'],
          ['PUT', '/products?id=eq.1'],
          ['PUT', '/products/1'],
        ] as const) {
          const request = { method, body, headers: { 'content-type': type } };
          await refused(shop.as(undefined).fetch(path, request), 401, '42501');
          await refused(shop.as('buyer').fetch(path, request), 403, '42501');
        }
      });
    });

    describe('changing', () => {
      test('affects only rows that pass the read and the update rules', async () => {
        const response = await supplier().fetch('/products?id=gt.0', sendJson('PATCH', { stock: 5 }, REPRESENTATION));
        expect(await response.json()).toEqual([
          { id: 1, name: 'Assam', sku: 's-1', stock: 5, supplier_id: 1 },
          { id: 2, name: 'Sencha', sku: 's-2', stock: 5, supplier_id: 1 },
        ]);
        expect(ids(await admin().list('/products?stock=eq.5'))).toEqual([1, 2]);
      });

      test.each([
        ['a row that it does not see', '/products/4'],
        ['a row that it may not change', '/products/3'],
        ['a row that is not there', '/products/99'],
      ])('by key, %s gives 404', async (_, path) => {
        const problem = await refused(supplier().fetch(path, sendJson('PATCH', { stock: 5 })), 404, 'CAT404');
        expect(problem.message).toBe('the row does not exist');
      });

      test('a hidden row in an array gives 404, and nothing is changed', async () => {
        const changes = [
          { id: 1, stock: 1 },
          { id: 4, stock: 1 },
        ];
        await refused(supplier().fetch('/products', sendJson('PATCH', changes)), 404, 'CAT404');
        expect((await supplier().fetch('/products', sendJson('PATCH', [{ id: 1, stock: 9 }]))).status).toBe(204);
      });

      test('an array with a filter and If-Match: * reveals nothing about hidden rows and fields', async () => {
        const list = (path: string, changes: unknown) =>
          supplier().fetch(path, sendJson('PATCH', changes, { 'if-match': '*' }));
        await refused(list('/products?stock=gte.0', [{ id: 4, stock: 1 }]), 412, 'CAT412');
        await refused(list('/products?stock=gte.0', [{ id: 99, stock: 1 }]), 412, 'CAT412');
        await refused(list('/products?cost=gte.0', [{ id: 1, stock: 1 }]), 403, '42501');
        expect((await list('/products?stock=gte.0', [{ id: 1, stock: 9 }])).status).toBe(204);
      });

      test('a row cannot become one that the rule does not allow', async () => {
        const moved = { supplier_id: 2 };
        await refused(supplier().fetch('/products/1', sendJson('PATCH', moved)), 403, '42501');
        await refused(supplier().fetch('/products?id=eq.1', sendJson('PATCH', moved, REPRESENTATION)), 403, '42501');
        await refused(supplier().fetch('/products', sendJson('PATCH', [{ id: 1, ...moved }])), 403, '42501');
        await refused(supplier().fetch('/products?id=eq.1', sendJson('PATCH', { supplier_id: null })), 403, '42501');
      });

      test('a row that cannot become so gets the same error, whether the row that it refers to exists or not', async () => {
        const body = { id: 1, name: 'x', discontinued: 1 };
        for (const id of [2, 999]) {
          const change = { supplier_id: id };
          const writes: readonly (readonly [Client, string, object, string?, Record<string, string>?])[] = [
            [supplier(), '/products?id=eq.1', change],
            [supplier(), '/products/1', change],
            [supplier(), '/products', [{ id: 1, ...change }]],
            [editor(), '/products/1', { ...body, ...change }, 'PUT'],
            [editor(), '/products?id=eq.1', { ...body, ...change }, 'PUT'],
            [editor(), '/products', [{ ...body, ...change }], 'POST', MERGE],
          ];
          for (const [client, path, sent, method = 'PATCH', headers = {}] of writes) {
            const problem = await refused(client.fetch(path, sendJson(method, sent, headers)), 403, '42501');
            expect(JSON.stringify(problem)).not.toContain('supplier_id');
          }
        }
      });

      test('a row cannot become one that its role may not read', async () => {
        await refused(editor().fetch('/products/1', sendJson('PATCH', { discontinued: 1 })), 403, '42501');
        await refused(editor().fetch('/products/3', sendJson('PATCH', { discontinued: 0 })), 404, 'CAT404');
      });

      test('fields that may not be updated or read are rejected', async () => {
        await refused(supplier().fetch('/products/1', sendJson('PATCH', { price: 1 })), 403, '42501');
        await refused(supplier().fetch('/products', sendJson('PATCH', [{ id: 1, price: 1 }])), 403, '42501');
        await refused(supplier().fetch('/products?price=gt.0', sendJson('PATCH', { stock: 1 })), 403, '42501');
        await refused(supplier().fetch('/products?order=price&limit=1', sendJson('PATCH', { stock: 1 })), 403, '42501');
        await refused(supplier().fetch('/products?id=eq.1&columns=price', sendJson('PATCH', {})), 403, '42501');
        const select = supplier().fetch(
          '/products?id=eq.1&select=price',
          sendJson('PATCH', { stock: 1 }, REPRESENTATION),
        );
        await refused(select, 403, '42501');
      });

      test('with several rules uses those that allow all changed fields', async () => {
        const change = async (cells: object) => {
          const rollback = { prefer: 'return=representation, tx=rollback' };
          const response = await shop.as('clerk').fetch('/products?id=gt.0', sendJson('PATCH', cells, rollback));
          return ids((await response.json()) as Row[]);
        };
        expect(await change({ stock: 1 })).toEqual([1, 3, 4, 5]);
        expect(await change({ price: 1 })).toEqual([3, 4, 5]);
        expect(await change({ price: 1, stock: 1 })).toEqual([3, 4, 5]);
        await refused(shop.as('clerk').fetch('/products/1', sendJson('PATCH', { name: 'x' })), 403, '42501');
        await refused(shop.as('pricer').fetch('/products/4', sendJson('PATCH', { price: 1 })), 403, '42501');
      });

      test('PUT replaces all fields, and needs permission for all of them', async () => {
        await refused(supplier().fetch('/products/1', sendJson('PUT', { name: 'x', supplier_id: 1 })), 403, '42501');
        await refused(supplier().fetch('/products?id=eq.1', sendJson('PUT', { id: 1, name: 'x' })), 403, '42501');
        expect((await editor().fetch('/products/1', sendJson('PUT', { name: 'x' }))).status).toBe(204);
        expect((await editor().fetch('/products?id=eq.77', sendJson('PUT', { id: 77, name: 'y' }))).status).toBe(204);
        expect(await admin().list('/products?id=in.(1,77)&select=name')).toEqual([{ name: 'x' }, { name: 'y' }]);
      });

      test('If-Match compares the version that the role sees', async () => {
        const tag = (await supplier().fetch('/products/1')).headers.get('etag')!;
        await admin().fetch('/products/1', sendJson('PATCH', { cost: 7 }));
        const match = (etag: string) => sendJson('PATCH', { stock: 3 }, { 'if-match': etag, ...REPRESENTATION });
        const changed = await supplier().fetch('/products/1', match(tag));
        expect(changed.status).toBe(200);
        expect(changed.headers.get('etag')).toBe((await supplier().fetch('/products/1')).headers.get('etag'));
        await expectRefusal(await supplier().fetch('/products/1', match(tag)), 412, 'CAT412');
        const hidden = await expectRefusal(await supplier().fetch('/products/4', match('*')), 412, 'CAT412');
        expect(hidden.details).toBe('It does not exist.');
        const whole = (await admin().fetch('/products/1')).headers.get('etag')!;
        await expectRefusal(await supplier().fetch('/products/1', match(whole)), 412, 'CAT412');
      });
    });

    describe('creating', () => {
      test('a row that the rule allows is created; other rows are rejected', async () => {
        const made = await supplier().fetch('/products', sendJson('POST', { name: 'new', supplier_id: 1 }));
        expect([made.status, made.headers.get('location')]).toEqual([201, '/products?id=eq.6']);
        before = await stored();
        for (const supplier_id of [2, null]) {
          const row = { name: 'new', supplier_id };
          await refused(supplier().fetch('/products', sendJson('POST', row)), 403, '42501');
          await refused(supplier().fetch('/products', sendJson('POST', row, REPRESENTATION)), 403, '42501');
          const list = [{ name: 'mine', supplier_id: 1 }, row];
          await refused(supplier().fetch('/products', sendJson('POST', list)), 403, '42501');
        }
        await refused(supplier().fetch('/products', sendJson('POST', { name: 'new' })), 403, '42501');
        const nobody = shop.as('supplier');
        await refused(nobody.fetch('/products', sendJson('POST', { name: 'new', supplier_id: 1 })), 403, '42501');
      });

      test('fields that may not be set are rejected', async () => {
        const row = { name: 'new', supplier_id: 1, price: 1 };
        await refused(supplier().fetch('/products', sendJson('POST', row)), 403, '42501');
        await refused(supplier().fetch('/products?columns=name,price', sendJson('POST', row)), 403, '42501');
        const { hint } = await refused(supplier().fetch('/products', sendJson('POST', { nam: 'x' })), 400, 'PGRST204');
        expect(hint).toBe("Perhaps you meant the field 'name'.");
      });

      test('a role that may not read gets no row and no key back', async () => {
        const inbox = shop.as('inbox');
        const row = { name: 'from outside', discontinued: 1 };
        const made = await inbox.fetch('/products', sendJson('POST', row));
        expect([made.status, made.headers.get('location'), await made.text()]).toEqual([201, null, '']);
        before = await stored();
        await refused(inbox.fetch('/products', sendJson('POST', row, REPRESENTATION)), 403, '42501');
        await refused(inbox.fetch('/products', sendJson('POST', row, MERGE)), 403, '42501');
        await refused(inbox.fetch('/products', sendJson('POST', { name: 'x' })), 403, '42501');
        await refused(inbox.fetch('/products'), 403, '42501');
        await refused(inbox.fetch('/products?id=gt.0', { method: 'DELETE' }), 403, '42501');
      });

      test('a row that its creator may not read is created, but not returned', async () => {
        const row = { name: 'gone', discontinued: 1 };
        await refused(editor().fetch('/products', sendJson('POST', row, REPRESENTATION)), 403, '42501');
        expect((await editor().fetch('/products', sendJson('POST', row))).status).toBe(201);
        expect(await editor().list('/products?name=eq.gone')).toEqual([]);
      });

      test('the error for a row that may not be created does not reveal whether a duplicate exists', async () => {
        const row = { name: 'x', sku: 's-4', supplier_id: 2 };
        const taken = await refused(supplier().fetch('/products', sendJson('POST', row)), 403, '42501');
        const free = await refused(
          supplier().fetch('/products', sendJson('POST', { ...row, sku: 'free' })),
          403,
          '42501',
        );
        expect(taken).toEqual(free);
      });
    });

    describe('merging', () => {
      test('needs the permissions for creating and updating', async () => {
        const row = { id: 1, name: 'merged', discontinued: 0 };
        expect((await editor().fetch('/products', sendJson('POST', row, MERGE))).status).toBe(200);
        before = await stored();
        await refused(supplier().fetch('/products', sendJson('POST', { id: 1, name: 'x' }, MERGE)), 403, '42501');
        const onSku = '/products?on_conflict=sku';
        const place = { sku: 's-1', name: 'x', supplier_id: 1, place: 1 };
        await refused(supplier().fetch(onSku, sendJson('POST', place, MERGE)), 403, '42501');
        const { place: _, ...mine } = place;
        expect((await supplier().fetch(onSku, sendJson('POST', mine, MERGE))).status).toBe(200);
      });

      test('into a row that may not be updated is rejected, and reveals nothing about it', async () => {
        const mine = (sku: string) => sendJson('POST', { sku, name: 'x', supplier_id: 1 }, MERGE);
        const hidden = await refused(supplier().fetch('/products?on_conflict=sku', mine('s-4')), 403, '42501');
        const unchangeable = await refused(supplier().fetch('/products?on_conflict=sku', mine('s-3')), 403, '42501');
        expect(hidden).toEqual(unchangeable);
        expect(JSON.stringify(hidden)).not.toMatch(/Espresso|s-4|Bean/);
      });

      test('on fields that the role may not read is rejected', async () => {
        const row = { shelf: 'A', place: 7, name: 'x', supplier_id: 1 };
        const response = supplier().fetch('/products?on_conflict=shelf,place', sendJson('POST', row, MERGE));
        await refused(response, 403, '42501');
      });
    });

    describe('deleting', () => {
      test('removes only rows that the role may read and delete', async () => {
        const gone = await supplier().fetch('/products?id=gt.0', { method: 'DELETE', headers: REPRESENTATION });
        expect(await gone.json()).toEqual([{ id: 1, name: 'Assam', sku: 's-1', stock: 0, supplier_id: 1 }]);
        expect(ids(await admin().list('/products'))).toEqual([2, 3, 4, 5]);
        before = await stored();
        await refused(editor().fetch('/products/3', { method: 'DELETE' }), 404, 'CAT404');
        await refused(supplier().fetch('/suppliers/1', { method: 'DELETE' }), 403, '42501');
      });

      test('a row with hidden referring rows stays, and the error does not name them', async () => {
        const { message, details } = await refused(editor().fetch('/suppliers/2', { method: 'DELETE' }), 409, '23503');
        expect([message, details]).toEqual([
          'update or delete on table "suppliers" violates foreign key constraint',
          'Other rows refer to it.',
        ]);
        const told = await refused(admin().fetch('/suppliers/2', { method: 'DELETE' }), 409, '23503');
        expect(told.details).toContain('is still referenced from table "products"');
      });
    });

    describe('constraint violations', () => {
      test('the error shows a duplicate value to the client that sent it', async () => {
        const { details } = await refused(
          supplier().fetch('/products', sendJson('POST', { name: 'x', sku: 's-4', supplier_id: 1 })),
          409,
          '23505',
        );
        expect(details).toBe('Key (sku)=(s-4) already exists.');
      });

      test('a duplicate value of changed rows comes before their rules', async () => {
        const other = { name: 'x', sku: 's-9', supplier_id: 1 };
        expect((await supplier().fetch('/products', sendJson('POST', other))).status).toBe(201);
        before = await stored();
        const both = { sku: 'one', supplier_id: 2 };
        await refused(supplier().fetch('/products?id=gt.0', sendJson('PATCH', both)), 409, '23505');
      });

      test('the error does not show a value that the client did not send', async () => {
        await admin().fetch('/products/2', sendJson('PATCH', { place: 7 }));
        before = await stored();
        const response = supplier().fetch('/products/2', sendJson('PATCH', { shelf: 'A' }));
        const { message, details } = await refused(response, 409, '23505');
        expect([message, details]).toEqual([
          'duplicate key value violates unique constraint',
          'Another row has one of the unique values already.',
        ]);
      });

      test('the error does not name a collection that the role may not read', async () => {
        const row = { name: 'x', category_id: 99 };
        const told = await refused(editor().fetch('/products', sendJson('POST', row)), 409, '23503');
        expect(told.details).toBe('Key (category_id)=(99) is not present in table "categories".');
        const closed = shop.as('supplier', { supplier_id: 99 });
        const mine = { name: 'x', supplier_id: 99 };
        const { details } = await refused(closed.fetch('/products', sendJson('POST', mine)), 409, '23503');
        expect(details).toBe('Key (supplier_id)=(99) is not present in table "suppliers".');
      });
    });

    describe('Idempotency-Key', () => {
      test('is scoped to the caller', async () => {
        const row = (supplier_id: number) =>
          sendJson('POST', { name: 'once', supplier_id }, { 'idempotency-key': 'k', ...REPRESENTATION });
        const first = await supplier().fetch('/products', row(1));
        const again = await supplier().fetch('/products', row(1));
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect(await again.text()).toBe(await first.text());
        const other = await shop.as('supplier', { supplier_id: 2 }).fetch('/products', row(2));
        expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null]);
        const whole = await admin().fetch('/products', row(1));
        expect([whole.status, whole.headers.get('idempotency-replayed')]).toEqual([201, null]);
        expect(await admin().list('/products?name=eq.once&select=supplier_id')).toEqual([
          { supplier_id: 1 },
          { supplier_id: 2 },
          { supplier_id: 1 },
        ]);
      });
    });
  });
}
