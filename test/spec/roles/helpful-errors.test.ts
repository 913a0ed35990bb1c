/** Errors say what the caller can do, and name only what the caller may read. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`collections:
  products:
    fields:
      id: int4
      status: { type: text, default: live }
      stock: { type: int4, required: true, minimum: 0 }
      reserve: { type: int4, required: true, minimum: 3 }
      image: image
  orders:
    fields: { id: int4, product_id: { type: int4, references: products } }
actions:
  buy:
    parameters: { product: int4, quantity: int4 }
    batch:
      - method: PATCH
        path: products?id=eq.{product}&status=eq.live
        body: { stock: { decrement: '{quantity}' } }
        affects: 1
        message: sold out or no longer available
  reserve:
    parameters: { product: int4, field: int4 }
    batch:
      - { method: PATCH, path: 'products?id=eq.{product}', body: { reserve: { decrement: '{field}' } } }
  take:
    parameters: { product: int4, quantity: int4 }
    batch:
      - { method: PATCH, path: 'products?id=eq.{product}', body: { stock: { decrement: '{quantity}' } }, affects: 1 }
roles:
  anonymous: { products: { read: { where: 'status=eq.live', fields: [id] } } }
  warehouse:
    products:
      read: { where: 'status=eq.live', fields: [id, stock, image] }
      update: { fields: [stock, reserve] }
  customer:
    products: { read: { where: 'status=eq.live', fields: [id, stock] } }
    call: [buy, take, reserve]
  admin: all
`);

describe.each(TWO_ENGINES)('errors on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, SHOP, {
      products: [
        { id: 1, status: 'live', stock: 5, reserve: 9, image: null },
        { id: 2, status: 'retired', stock: 5, reserve: 9, image: null },
      ],
    });
  });
  afterAll(() => shop.close());

  const patch = (role: string, body: object) => shop.as(role).fetch('/products?id=eq.1', sendJson('PATCH', body));
  const call = (action: string, body: object) => shop.as('customer').fetch(`/rpc/${action}`, sendJson('POST', body));

  const refused = async (action: string, body: object, status: number) => {
    const response = await call(action, body);
    expect(response.status).toBe(status);
    return (await response.json()) as Record<string, unknown>;
  };

  test('the declared limit of a readable field is named, that of a hidden one is not', async () => {
    const computed = await expectRefusal(await patch('warehouse', { stock: { decrement: 500 } }), 400, '23514');
    expect(computed).toMatchObject({ details: 'stock must be at least 0', field: 'stock' });
    const taken = await refused('take', { product: 1, quantity: 500 }, 400);
    expect(taken.details).toBe('Entry 1 of take, PATCH products. stock must be at least 0');
    const reserve = await refused('reserve', { product: 1, field: 7 }, 400);
    expect(reserve.details).toBe('Entry 1 of reserve, PATCH products. Nothing was changed.');
  });

  test('an entry of an action has its own message if the stored rows do not permit it', async () => {
    const message = 'sold out or no longer available';
    for (const body of [
      { product: 2, quantity: 1 },
      { product: 99, quantity: 1 },
    ]) {
      expect(await refused('buy', body, 412)).toMatchObject({ code: 'CAT412', message, request: 0 });
    }
    const sold = await refused('buy', { product: 1, quantity: 6 }, 400);
    expect(sold).toMatchObject({ code: '23514', message, field: 'stock' });
    const wrong = await refused('buy', { product: 1, quantity: 'x' }, 400);
    expect(wrong.message).not.toBe(message);
    expect((await call('buy', { product: 1, quantity: 0 })).status).toBe(204);
  });

  test('a visitor learns that credentials are missing', async () => {
    const visitor = shop.as(undefined);
    const hint = 'Log in, or send a key or a token in the header Authorization: Bearer.';
    expect((await expectRefusal(await visitor.fetch('/orders'), 401, '42501')).hint).toBe(hint);
    const created = visitor.fetch('/orders', sendJson('POST', { id: 1 }));
    expect((await expectRefusal(await created, 401, '42501')).hint).toBe(hint);
    const called = visitor.fetch('/rpc/buy', sendJson('POST', { product: 1, quantity: 1 }));
    expect((await expectRefusal(await called, 401, '42501')).hint).toBe(
      `Your role may not call it, or may not read its rows. ${hint}`,
    );
    const changed = visitor.fetch('/products?id=eq.1', sendJson('PATCH', { stock: 1 }));
    expect((await expectRefusal(await changed, 401, '42501')).hint).toEndWith(hint);
    expect((await expectRefusal(await shop.as('customer').fetch('/orders'), 403, '42501')).hint).toBeNull();
  });

  test('a hint lists only paths that the caller may use', async () => {
    const path = '/catalogue/nothing';
    const hintFor = async (role: string | undefined) =>
      (await expectRefusal(await shop.as(role).fetch(path), 404, 'PGRST205')).hint;
    expect(await hintFor(undefined)).toBe('Available: no collection for your role.');
    expect(await hintFor('warehouse')).toBe('Available: /files.');
    expect(await hintFor('admin')).toBe('Available: /changes, /files.');
    const { hint } = await expectRefusal(
      await shop.as('warehouse').fetch('/products/1/pictur', { method: 'PUT', body: 'x' }),
      404,
      'PGRST125',
    );
    expect(hint).toBe('Available: /products, /products/<id>/image and /products/<id>, without a trailing slash.');
  });

  test('an undo by a field that says who wrote needs the permission to read it', async () => {
    const undo = (role: string, filter: string) =>
      shop.as(role, { sub: 'ann' }).fetch(`/changes/undo?${filter}`, { method: 'POST' });
    const denied = await expectRefusal(await undo('warehouse', 'actor=eq.bob'), 403, '42501');
    expect(denied).toMatchObject({ message: 'permission denied for column actor of table changes', field: 'actor' });
    await expectRefusal(await undo('warehouse', 'or=(role.eq.admin,seq.eq.1)'), 403, '42501');
    expect((await undo('warehouse', 'seq=gt.0')).status).toBe(200);
    expect((await undo('admin', 'actor=eq.bob')).status).toBe(200);
  });

  test('the hint for broken JSON fits the body of an action', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await shop.as('customer').fetch('/rpc/buy', { method: 'POST', body: '{"product": 1,', headers });
    expect((await expectRefusal(broken, 400, 'PGRST102')).hint).toBe('Send valid JSON, as in {"name": "value"}.');
  });
});
