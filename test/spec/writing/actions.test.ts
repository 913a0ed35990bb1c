/** Actions: batches of the declaration that callers run with values, and not with rights of their own. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ORDER_ROWS, ORDERS_YAML } from '../../support/engines/order-actions.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(ORDERS_YAML);

describe.each(TWO_ENGINES)('actions on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    shop = await openRoled(engine, SHOP, ORDER_ROWS);
  });
  afterEach(() => shop.close());

  const call = (action: string, body: unknown, headers: Record<string, string> = {}, customer_id: unknown = 1) =>
    shop.as('customer', { customer_id, sub: 'ann' }).fetch(`/rpc/${action}`, sendJson('POST', body, headers));
  const place = (lines: unknown, headers?: Record<string, string>, customer?: unknown) =>
    call('place_order', { lines }, headers, customer);
  const all = (path: string) => shop.as('admin').list(path);
  const stock = async () => (await all('/products?order=id')).map((row) => row.stock);
  const nothingChanged = async () => {
    expect(await stock()).toEqual([5, 100, 9]);
    expect([await all('/orders'), await all('/order_lines')]).toEqual([[], []]);
  };
  const problemOf = async (response: Response) => {
    const { code, message, details, index, field, request } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, code, message, details, index, field, request };
  };

  test('a customer places an order and gets its stored row', async () => {
    const response = await place([
      { product: 1, quantity: 2 },
      { product: 2, quantity: 1 },
    ]);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const order = (await response.json()) as object;
    expect(order).toEqual({ id: 1, customer_id: 1, note: null, placed_at: expect.any(String) });
    expect(await stock()).toEqual([3, 99, 9]);
    expect(await all('/order_lines?select=order_id,product_id,quantity,price&order=id')).toEqual([
      { order_id: 1, product_id: 1, quantity: 2, price: 199.9 },
      { order_id: 1, product_id: 2, quantity: 1, price: 49 },
    ]);
    const log = await all('/changes?select=actor,role,collection&order=seq');
    expect(log).toHaveLength(5);
    expect(new Set(log.map(({ actor, role }) => `${actor} ${role}`))).toEqual(new Set(['ann customer']));
  });

  test('twenty shoppers and five pieces: exactly five orders', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        place([
          { product: 2, quantity: 1 },
          { product: 1, quantity: 1 },
        ]),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect(await stock()).toEqual([0, 95, 9]);
    expect([(await all('/orders')).length, (await all('/order_lines')).length]).toEqual([5, 10]);
  });

  test('shoppers who order the same products in different orders do not fail', async () => {
    const lines = [
      { product: 1, quantity: 1 },
      { product: 2, quantity: 1 },
    ];
    await shop.as('admin').fetch('/products?id=eq.1', sendJson('PATCH', { stock: 100 }));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => place(at % 4 < 2 ? lines : lines.toReversed())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await stock()).toEqual([80, 80, 9]);
  });

  test('other prices, quantities, products and orders are rejected, and nothing changes', async () => {
    expect(await problemOf(await place([{ product: 1, quantity: 1, price: 0.01 }]))).toMatchObject({
      status: 400,
      code: 'PGRST204',
      field: 'price',
      index: 0,
    });
    for (const quantity of [-1, 0, 9_999, 1.5, 'many', null]) {
      const problem = await problemOf(
        await place([
          { product: 2, quantity: 1 },
          { product: 1, quantity },
        ]),
      );
      expect(problem).toMatchObject({ status: 400, index: 1, field: 'quantity' });
    }
    // More than there is: the rule of the field.
    expect(await problemOf(await place([{ product: 1, quantity: 6 }]))).toMatchObject({ status: 400, code: '23514' });
    expect(
      await problemOf(
        await place([
          { product: 2, quantity: 1 },
          { product: 3, quantity: 1 },
        ]),
      ),
    ).toMatchObject({
      status: 412,
      code: 'CAT412',
      index: 1,
      request: 1,
      details: 'Entry 2 of place_order, PATCH products, row 2 of lines. Nothing was changed.',
    });
    expect(await problemOf(await place([{ product: 77, quantity: 1 }]))).toMatchObject({ status: 412, index: 0 });
    expect(await problemOf(await place([]))).toMatchObject({ status: 400, code: '23502', field: 'lines' });
    expect(await problemOf(await place(undefined))).toMatchObject({ status: 404, code: 'PGRST202' });
    const many = Array.from({ length: 51 }, () => ({ product: 2, quantity: 1 }));
    expect(await problemOf(await place(many))).toMatchObject({ status: 400, code: '23514', field: 'lines' });
    for (const lines of [7, 'x', { product: 1 }, [7], [null], [[]]]) expect((await place(lines)).status).toBe(400);
    const foreign = { lines: [{ product: 1, quantity: 1 }], customer_id: 2 };
    expect(await problemOf(await call('place_order', foreign))).toMatchObject({ status: 404, code: 'PGRST202' });
    expect((await place([{ product: 1, quantity: 1 }], {}, null)).status).toBe(403);
    expect((await place([{ product: 1, quantity: 1 }], {}, 99)).status).toBe(409);
    await nothingChanged();
  });

  test("nobody cancels another customer's order", async () => {
    await place([{ product: 2, quantity: 1 }]);
    expect(await problemOf(await call('cancel', { order: 1 }, {}, 2))).toMatchObject({ status: 412 });
    expect(await all('/order_lines')).toHaveLength(1);
    const response = await call('cancel', { order: 1 });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect([await all('/orders'), await all('/order_lines')]).toEqual([[], []]);
  });

  test('an argument is a value, and never a part of a filter', async () => {
    const admin = (body: object) => shop.as('admin').fetch('/rpc/rename', sendJson('POST', body));
    for (const from of ['x&id=eq.1', 'x,or(id.eq.1)', 'Tent)', '*', '"Tent"', '{to}', "'; drop table products; --"]) {
      const response = await admin({ from, to: 'y', also: ['Tent', from] });
      expect([from, response.status]).toEqual([from, 200]);
      expect(await response.json()).toMatchObject({ renamed: [], made: { name: 'y' } });
    }
    const odd = 'a&b,c)d*e"f\\g{to}';
    expect((await admin({ from: 'Tent', to: odd, also: ['a,b', 'Tent'] })).status).toBe(200);
    expect(await all('/products?id=eq.1&select=name')).toEqual([{ name: odd }]);
    expect(await (await admin({ from: odd, to: 'Tent', also: [odd] })).json()).toMatchObject({
      renamed: [{ id: 1, name: 'Tent' }],
    });
  });

  test('an argument cannot name values of other entries', async () => {
    const data = { $from: 0, field: 'cost' };
    const response = await shop.as('admin').fetch('/rpc/remember', sendJson('POST', { data }));
    expect([response.status, await response.json()]).toEqual([200, { id: expect.any(Number), name: 'x', data }]);
  });

  test('filters of an action know the time', async () => {
    const order = (customer_id: number, placed_at: string) => ({ customer_id, placed_at, note: 'x' });
    const rows = [order(2, '2020-01-01T00:00:00Z'), order(1, '2020-01-01T00:00:00Z'), order(2, '2999-01-01T00:00:00Z')];
    await shop.as('admin').fetch('/orders', sendJson('POST', rows));
    const response = await shop.as('admin').fetch('/rpc/purge', { method: 'POST' });
    expect(await response.json()).toMatchObject([{ id: 3, note: 'kept' }]);
    expect((await all('/orders?order=id')).map(({ id }) => id)).toEqual([2, 3]);
  });

  test('only roles that name it can call it, by POST', async () => {
    const lines = [{ product: 1, quantity: 1 }];
    expect((await shop.as('anonymous').fetch('/rpc/place_order', sendJson('POST', { lines }))).status).toBe(401);
    expect((await call('rename', { from: 'a', to: 'b', also: [] })).status).toBe(403);
    const get = await shop.as('customer', { customer_id: 1 }).fetch('/rpc/place_order');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    expect((await call('place_order?select=id', { lines })).status).toBe(400);
    expect((await call('place_order', { lines }, { accept: 'text/csv' })).status).toBe(406);
    expect((await call('place_order', [{ lines }])).status).toBe(400);
    // The right to call it grants nothing else.
    const own = shop.as('customer', { customer_id: 1 });
    expect((await own.fetch('/orders', sendJson('POST', { customer_id: 1 }))).status).toBe(403);
    expect((await own.fetch('/products?id=eq.1', sendJson('PATCH', { stock: 1 }))).status).toBe(403);
    await nothingChanged();
  });

  test('an error reveals nothing about hidden rows', async () => {
    const text = await (await place([{ product: 1, quantity: 6 }])).text();
    expect(text).not.toContain('77');
    expect(text).not.toContain('Failing row');
  });

  test('a dry run answers the same and changes nothing', async () => {
    const response = await place([{ product: 1, quantity: 2 }], { prefer: 'tx=rollback' });
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, 'tx=rollback']);
    expect(await response.json()).toMatchObject({ customer_id: 1 });
    await nothingChanged();
  });

  test('an Idempotency-Key places one order, however often it is sent', async () => {
    const headers = { 'idempotency-key': 'mine' };
    const first = await (await place([{ product: 1, quantity: 2 }], headers)).text();
    const again = await place([{ product: 1, quantity: 2 }], headers);
    expect([await again.text(), again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
    expect((await place([{ product: 1, quantity: 1 }], headers)).status).toBe(422);
    expect(await stock()).toEqual([3, 100, 9]);
  });

  test('errors=all lists the errors of all arguments', async () => {
    const body = {
      note: 'far too long for this field',
      lines: [{ product: 'x', quantity: 0 }, { quantity: 1 }, { product: 1, quantity: 100 }],
    };
    const response = await call('place_order', body, { prefer: 'errors=all' });
    const { code, total, errors } = (await response.json()) as { code: string; total: number; errors: object[] };
    expect([response.status, code, total]).toEqual([400, 'CAT400R', 5]);
    expect(errors).toMatchObject([
      { field: 'note' },
      { index: 0, field: 'product' },
      { index: 0, field: 'quantity' },
      { index: 1, field: 'product' },
      { index: 2, field: 'quantity' },
    ]);
    await nothingChanged();
  });
});
