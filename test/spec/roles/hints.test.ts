/** Error hints for missing permissions, and for keys that are not numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`collections:
  products:
    fields: { id: int4, name: text, cost: int4, stock: int4 }
  orders:
    key: number
    fields: { number: uuid, note: text }
  units:
    key: code
    fields: { code: text, name: text }
roles:
  stranger: {}
  stocker: { products: { read: { where: 'id=lt.9', fields: [id, stock] }, update: { fields: [stock] } } }
  pricer: { products: { read: { where: 'id=gt.0', fields: [id, cost] }, update: { fields: [cost] } } }
  clerk: { include: [stocker, pricer] }
  buyer: { products: { read: { where: 'or=(id.eq.{claims.product},name.in.({claims.names}),name.eq.{claims.role})' } } }
  admin: all
`);

for (const engine of TWO_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    beforeAll(async () => {
      shop = await openRoled(engine, SHOP, { products: [{ id: 1, name: 'Chai', cost: 2, stock: 3 }] });
    });
    afterAll(() => shop.close());

    test('the hint for a role without any permission says so', async () => {
      const stranger = shop.as('stranger');
      const hint = 'Available: no collection for your role';
      expect((await expectRefusal(await stranger.fetch('/prodcts'), 404, 'PGRST205')).hint).toBe(`${hint}.`);
      expect((await expectRefusal(await stranger.fetch('/a/b/c'), 404, 'PGRST125')).hint).toStartWith(`${hint},`);
      expect(JSON.stringify(await expectRefusal(await stranger.fetch('/products'), 403, '42501'))).not.toContain('id');
    });

    test('if no single rule allows all requested fields, the hint names them, and each one alone is readable', async () => {
      const clerk = shop.as('clerk');
      for (const path of ['/products?select=cost,stock', '/products?select=stock&cost=gt.1']) {
        const { message, hint } = await expectRefusal(await clerk.fetch(path), 403, '42501');
        expect(message).toBe('permission denied for table products');
        expect(hint).toBe('No rule of your role may read all of cost, stock: name fewer of them at once.');
      }
      const both = sendJson('PATCH', { cost: 1, stock: 1 });
      const { hint } = await expectRefusal(await clerk.fetch('/products?id=eq.1', both), 403, '42501');
      expect(hint).toStartWith('No rule of your role may update all of cost, stock: ');
      expect(await clerk.list('/products?select=cost')).toEqual([{ cost: 2 }]);
      expect(await clerk.list('/products?select=stock')).toEqual([{ stock: 3 }]);
    });

    test('an administrator reads as another role, and nobody else does', async () => {
      const [admin, clerk] = [shop.as('admin'), shop.as('clerk')];
      const inRole = (role: string, init: RequestInit = {}) => ({
        ...init,
        headers: { ...init.headers, 'x-as-role': role },
      });
      expect(await (await admin.fetch('/products', inRole('stocker'))).json()).toEqual([{ id: 1, stock: 3 }]);
      await expectRefusal(await admin.fetch('/products?select=name', inRole('stocker')), 403, '42501');
      await expectRefusal(await admin.fetch('/products', inRole('nobody')), 403, '42501');
      await expectRefusal(await clerk.fetch('/products', inRole('admin')), 403, '42501');
      const write = sendJson('PATCH', { stock: 9 });
      await expectRefusal(await admin.fetch('/products?id=eq.1', inRole('stocker', write)), 403, '42501');
      expect(await clerk.list('/products?select=stock')).toEqual([{ stock: 3 }]);
    });

    test('an administrator reads with the claims of another person what that person reads, and nobody else does', async () => {
      const [admin, clerk] = [shop.as('admin', { product: 1, sub: 'ann' }), shop.as('clerk', { product: 1 })];
      const asked = (claims: unknown, headers = {}) => ({
        headers: { 'x-as-role': 'buyer', 'x-as-claims': JSON.stringify(claims), ...headers },
      });
      for (const claims of [{}, { product: 1 }, { product: 2, sub: 'bob' }, { names: ['Chai'] }, { role: 'admin' }]) {
        const own = shop.as('buyer', { ...claims, role: 'buyer' });
        for (const path of ['/products', '/products?select=name&order=id.desc', '/products/1', '/orders']) {
          const [preview, real] = [await admin.fetch(path, asked(claims)), await own.fetch(path)];
          expect([preview.status, await preview.text()]).toEqual([real.status, await real.text()]);
        }
      }
      // Without other claims, those of the administrator stay. With them, none of the administrator's is left.
      expect(await (await admin.fetch('/products', { headers: { 'x-as-role': 'buyer' } })).json()).toHaveLength(1);
      expect(await (await admin.fetch('/products', asked({}))).json()).toEqual([]);
      for (const wrong of ['', '5', '[]', 'null', '{', 'product=1'])
        await expectRefusal(await admin.fetch('/products', asked({}, { 'x-as-claims': wrong })), 400, 'CAT400');

      await expectRefusal(await clerk.fetch('/products', asked({ product: 1 })), 403, '42501');
      const claimsOnly = { headers: { 'x-as-claims': '{"product":1}' } };
      for (const role of ['clerk', 'buyer', 'anonymous', undefined])
        expect((await shop.as(role).fetch('/products', claimsOnly)).status).toBeOneOf([401, 403]);
      expect(await (await admin.fetch('/products?select=id', claimsOnly)).json()).toEqual([{ id: 1 }]);
      const write = sendJson('PATCH', { stock: 9 }, claimsOnly.headers);
      await expectRefusal(await admin.fetch('/products?id=eq.1', write), 403, '42501');
      expect(await shop.as('clerk').list('/products?select=stock')).toEqual([{ stock: 3 }]);
    });

    test('the example in a hint has the type of the key', async () => {
      const hintFor = async (path: string) =>
        (await expectRefusal(await shop.as('admin').fetch(path, { method: 'DELETE' }), 400, '21000')).hint;
      expect(await hintFor('/products')).toStartWith('Add a filter such as id=eq.1.');
      expect(await hintFor('/orders')).toMatch(
        /^Add a filter such as number=eq\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\./,
      );
      expect(await hintFor('/units')).toStartWith('Add a filter such as code=eq.<code>.');
    });

    test('the error for a body whose key differs from the URL says that no row matches', async () => {
      const put = async (path: string, body: unknown) =>
        (await expectRefusal(await shop.as('admin').fetch(path, sendJson('PUT', body)), 400, 'PGRST115')).details;
      expect(await put('/products/1', { id: 2 })).toEndWith('; no row of the body has it.');
      expect(await put('/products?id=eq.1', [{ id: 2 }, { id: 3 }])).toEndWith('; no row of the body has it.');
    });
  });
}
