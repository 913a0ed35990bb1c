/** Batches under roles: each request has exactly the rights of a single one, and errors reveal nothing more. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ORDER_SHOP_ROWS, ORDER_SHOP_WITH_ROLES } from '../../support/engines/order-shop.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { type ProblemBody, sendJson } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('a batch under roles on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    shop = await openRoled(engine, ORDER_SHOP_WITH_ROLES, ORDER_SHOP_ROWS);
  });
  afterEach(() => shop.close());

  const clerk = () => shop.as('clerk', { customer: 'ann' });
  const ORDER = { method: 'POST', path: '/orders', body: { customer: 'ann' } };
  const LINE = {
    method: 'POST',
    path: '/order_lines',
    body: { order_id: { $from: 0, field: 'id' }, product_id: 1, quantity: 1 },
  };
  const TAKE = { method: 'PATCH', path: '/products?id=eq.1', body: { stock: 9 }, affects: 1 };
  const outcome = async (response: Response) => {
    return { status: response.status, ...((await response.json()) as ProblemBody) };
  };
  const attempt = async (role: string | undefined, requests: unknown, headers = {}) =>
    outcome(await shop.as(role, { customer: 'ann' }).fetch('/batch', sendJson('POST', requests, headers)));
  const expectUnchanged = async () => {
    const admin = shop.as('admin');
    for (const name of Object.keys(ORDER_SHOP_ROWS))
      expect(await admin.list(`/${name}`)).toEqual([...ORDER_SHOP_ROWS[name]!]);
  };

  test('a clerk places an order', async () => {
    const response = await clerk().fetch('/batch', sendJson('POST', [ORDER, LINE, TAKE]));
    expect([response.status, ((await response.json()) as { status: number }[]).map(({ status }) => status)]).toEqual([
      200,
      [201, 201, 204],
    ]);
    expect(await shop.as('admin').list('/order_lines?order_id=eq.2')).toHaveLength(1);
  });

  test('a request without the right fails the batch with its index', async () => {
    const remove = { method: 'DELETE', path: '/orders?id=eq.1' };
    expect(await attempt('clerk', [ORDER, remove])).toMatchObject({ status: 403, code: '42501', request: 1 });
    const price = { method: 'PATCH', path: '/products?id=eq.1', body: { price: 1 } };
    expect(await attempt('clerk', [ORDER, LINE, price])).toMatchObject({ status: 403, code: '42501', request: 2 });
    expect(await attempt(undefined, [ORDER])).toMatchObject({ status: 401, code: '42501', request: 0 });
    await expectUnchanged();
  });

  test('a value comes only from rows and fields that the role may read', async () => {
    const note = { ...ORDER, body: { customer: { $from: 0, field: 'note' } } };
    expect(await attempt('clerk', [ORDER, note])).toMatchObject({ status: 403, code: '42501', request: 1 });
    // The role may create this order, and not read it.
    const other = { ...ORDER, body: { customer: 'eve' } };
    expect(await attempt('clerk', [other, LINE])).toMatchObject({ status: 403, code: '42501', request: 0 });
    expect(await attempt('inbox', [ORDER, LINE])).toMatchObject({ status: 403, code: '42501' });
    await expectUnchanged();
  });

  test('rows that the role may not change count as not affected', async () => {
    const take = { method: 'PATCH', path: '/products?id=eq.3', body: { stock: 1 }, affects: 1 };
    const absent = { ...take, path: '/products?id=eq.99' };
    const [hidden, missing] = [await attempt('clerk', [ORDER, take]), await attempt('clerk', [ORDER, absent])];
    expect(hidden).toEqual(missing);
    expect(hidden).toMatchObject({ status: 412, code: 'CAT412', request: 1 });
    await expectUnchanged();
  });

  test('an error of the database is redacted as for a single request', async () => {
    const taken = { method: 'POST', path: '/orders', body: { id: 1, customer: 'ann' } };
    const single = await outcome(await clerk().fetch('/orders', sendJson('POST', taken.body)));
    const batch = await attempt('clerk', [ORDER, taken]);
    expect({ ...batch, request: undefined }).toEqual({ ...single, request: undefined });
    expect(batch.request).toBe(1);
  });

  test('an Idempotency-Key belongs to its caller', async () => {
    const headers = { 'idempotency-key': 'k' };
    const first = await shop.as('clerk', { customer: 'ann' }).fetch('/batch', sendJson('POST', [ORDER], headers));
    const other = await shop.as('admin').fetch('/batch', sendJson('POST', [ORDER], headers));
    expect([first, other].map((each) => each.headers.get('idempotency-replayed'))).toEqual([null, null]);
    expect(await shop.as('admin').list('/orders')).toHaveLength(3);
  });
});

describe.each(TWO_ENGINES)('a collection with the name batch on %s', (engine) => {
  test('has its path, and /catalogue/batch is still the batch', async () => {
    const catalogue = declaredBy('collections: { batch: { fields: { id: int4, name: text } } }');
    const opened = await openDeclared(engine, catalogue, { batch: [{ id: 1, name: 'a' }] });
    expect(await opened.list('/batch')).toEqual([{ id: 1, name: 'a' }]);
    expect((await opened.fetch('/batch', sendJson('POST', { name: 'b' }))).status).toBe(201);
    const requests = [{ method: 'POST', path: '/batch', body: { name: { $from: 0, field: 'name' } } }];
    requests.unshift({ method: 'PATCH', path: '/batch?id=eq.1', body: { name: 'c' as never } });
    expect((await opened.fetch('/catalogue/batch', sendJson('POST', requests))).status).toBe(200);
    expect(await opened.list('/batch?select=name&order=id')).toEqual([{ name: 'c' }, { name: 'b' }, { name: 'c' }]);
    await opened.close();
  });
});
