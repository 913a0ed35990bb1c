/** POST /batch: several writes, in order, all or nothing. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MAX_BATCH_REQUESTS } from '../../../src/base/limits/http.ts';
import type { CompletedRequest } from '../../../src/response/request-context.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ORDER_SHOP, ORDER_SHOP_ROWS } from '../../support/engines/order-shop.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { type ProblemBody, sendJson } from '../../support/stories.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

describe.each(TWO_ENGINES)('a batch on %s', (engine) => {
  let shop: Catalogue;
  const observed: CompletedRequest[] = [];
  beforeEach(async () => {
    observed.length = 0;
    shop = await openDeclared(engine, ORDER_SHOP, ORDER_SHOP_ROWS, { onAnswer: (answer) => observed.push(answer) });
  });
  afterEach(() => shop.close());

  const send = (requests: unknown, headers: Record<string, string> = {}) =>
    shop.fetch('/batch', sendJson('POST', requests, headers));
  const succeed = async (requests: unknown, headers?: Record<string, string>) => {
    const response = await send(requests, headers);
    const text = await response.text();
    expect({ status: response.status, text }).toEqual({ status: 200, text: expect.any(String) });
    return JSON.parse(text) as Answered[];
  };
  const stored = async () => ({
    products: await shop.list('/products'),
    orders: await shop.list('/orders'),
    order_lines: await shop.list('/order_lines'),
  });
  /** Checks that the batch fails with this error, and that nothing is stored. */
  const fail = async (requests: unknown, status: number, code: string, request?: number) => {
    const before = await stored();
    const response = await send(requests);
    const problem = (await response.json()) as ProblemBody;
    expect({ status: response.status, problem }).toMatchObject({ status, problem: { code } });
    expect(problem.request).toBe(request);
    expect(await stored()).toEqual(before);
    return problem;
  };

  const ORDER = { method: 'POST', path: '/orders', body: { customer: 'bob', total: 9 } };
  const lines = (...products: number[]) => ({
    method: 'POST',
    path: '/order_lines',
    body: products.map((product_id) => ({ order_id: { $from: 0, field: 'id' }, product_id, quantity: 1 })),
  });
  const take = (product: number, stock: number) => ({
    method: 'PATCH',
    path: `/products?id=eq.${product}&stock=eq.${stock}`,
    body: { stock: stock - 1 },
    affects: 1,
  });

  test('an order, its lines and the stock are stored together', async () => {
    const answers = await succeed([ORDER, lines(1, 2), take(1, 10), take(2, 5)]);
    expect(answers).toEqual([
      { status: 201, headers: { 'content-range': '*/*', location: '/orders?id=eq.2' }, body: null },
      { status: 201, headers: { 'content-range': '*/*' }, body: null },
      { status: 204, headers: { 'content-range': '0-0/*' }, body: null },
      { status: 204, headers: { 'content-range': '0-0/*' }, body: null },
    ]);
    expect(await shop.list('/order_lines?order_id=eq.2&select=product_id')).toEqual([
      { product_id: 1 },
      { product_id: 2 },
    ]);
    expect(await shop.list('/products?select=stock&id=lt.3')).toEqual([{ stock: 9 }, { stock: 4 }]);
  });

  test('an order takes its stock, and fails if there is too little', async () => {
    const order = (quantity: number) => [
      ORDER,
      { ...lines(), body: { order_id: { $from: 0, field: 'id' }, product_id: 2, quantity } },
      { method: 'PATCH', path: '/products/2', body: { stock: { decrement: quantity } } },
    ];
    await succeed(order(3));
    expect(await fail(order(3), 400, '23514', 2)).toMatchObject({ field: 'stock' });
    await succeed(order(2));
    expect(await shop.list('/products?id=eq.2&select=stock')).toEqual([{ stock: 0 }]);
  });

  test('/catalogue/batch is the same', async () => {
    const response = await shop.fetch('/catalogue/batch', sendJson('POST', [ORDER, lines(1)]));
    expect(response.status).toBe(200);
    expect(await shop.list('/order_lines?order_id=eq.2')).toHaveLength(1);
  });

  test.each([
    ['an unexpected number of rows', { ...take(2, 9) }, 412, 'CAT412'],
    ['a rule of a field', { method: 'PATCH', path: '/products?id=eq.1', body: { stock: -1 } }, 400, '23514'],
    ['a duplicate', { method: 'POST', path: '/products', body: { id: 1, sku: 'x', stock: 1 } }, 409, '23505'],
    [
      'a missing reference',
      { method: 'POST', path: '/order_lines', body: { order_id: 1, product_id: 9, quantity: 1 } },
      409,
      '23503',
    ],
    ['a referenced row', { method: 'DELETE', path: '/products?id=eq.1' }, 409, '23503'],
    ['a row that does not exist', { method: 'DELETE', path: '/products/99' }, 404, 'CAT404'],
    ['an unknown field', { method: 'PATCH', path: '/products?id=eq.1', body: { stok: 1 } }, 400, 'PGRST204'],
    ['an unknown collection', { method: 'POST', path: '/product', body: {} }, 404, 'PGRST205'],
    ['a method that the path does not have', { method: 'POST', path: '/products/1', body: {} }, 405, 'PGRST117'],
    ['a write without a filter', { method: 'DELETE', path: '/products' }, 400, '21000'],
    ['a wrong type', { method: 'PATCH', path: '/products?id=eq.1', body: { stock: 'many' } }, 400, '22P02'],
    ['a missing value', { method: 'POST', path: '/orders', body: { customer: null } }, 400, '23502'],
  ])('%s fails the whole batch, at every position', async (_, failing, status, code) => {
    const others = [ORDER, lines(1, 2), take(1, 10)];
    for (const [index] of [...others, failing].entries()) {
      const requests: unknown[] = others.slice(0, index);
      // Later requests do not depend on the failing one.
      await fail([...requests, failing, ...others.slice(2)], status, code, index);
    }
  });

  test('an error names the request, and the row, field and value in its body', async () => {
    const line = { order_id: { $from: 0, field: 'id' }, product_id: 1, quantity: 1 };
    const wrong = (change: object) => [ORDER, { ...lines(), body: [line, { ...line, product_id: 2, ...change }] }];
    expect(await fail(wrong({ quantity: 0 }), 400, '23514', 1)).toMatchObject({
      index: 1,
      field: 'quantity',
      value: 0,
    });
    const missing = await fail(wrong({ product_id: 99 }), 409, '23503', 1);
    expect(missing).toMatchObject({ index: 1, field: 'product_id', value: 99 });
    const order = await fail(
      [ORDER, { ...ORDER, body: { customer: 'x', total: { $from: 0, field: 'customer' } } }],
      400,
      '22P02',
      1,
    );
    expect(order).toMatchObject({ field: 'total', value: { $from: 0, field: 'customer' } });
  });

  test('a request sees the rows of the requests before it', async () => {
    const answers = await succeed([
      { method: 'POST', path: '/products', body: { id: 7, sku: 'new', stock: 1 } },
      { method: 'PATCH', path: '/products?sku=eq.new', body: { stock: 3 }, affects: 1 },
      { method: 'DELETE', path: '/products?stock=eq.3', affects: 1, headers: { Prefer: 'return=representation' } },
    ]);
    expect(answers[2]).toMatchObject({ status: 200, body: [{ id: 7, stock: 3 }] });
  });

  test('the answer contains the rows of each request in the form that it asks for', async () => {
    const prefer = { Prefer: 'return=representation' };
    const answers = await succeed([
      { ...ORDER, path: '/orders?select=id,total', headers: prefer },
      { ...ORDER, headers: { ...prefer, Accept: 'application/vnd.pgrst.object+json' } },
      { ...ORDER, path: '/orders?select=customer', headers: { ...prefer, accept: 'text/csv' } },
    ]);
    expect(answers.map(({ body }) => body)).toEqual([
      [{ id: 2, total: 9 }],
      { id: 3, customer: 'bob', note: null, total: 9, follows: null },
      'customer\nbob\n',
    ]);
    expect(answers.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json; charset=utf-8',
      'application/vnd.pgrst.object+json; charset=utf-8',
      'text/csv; charset=utf-8',
    ]);
  });

  test('preferences of the batch hold for each request that does not state its own', async () => {
    const answers = await succeed([ORDER, { ...ORDER, headers: { Prefer: 'return=minimal' } }], {
      prefer: 'return=representation',
    });
    expect(answers.map(({ body }) => body)).toEqual([[expect.objectContaining({ id: 2 })], null]);
  });

  test('a text with Content-Type: text/csv is CSV', async () => {
    const csv = { method: 'POST', path: '/products', headers: { 'Content-Type': 'text/csv' } };
    await succeed([{ ...csv, body: 'sku,stock\na,1\nb,2' }]);
    expect(await shop.list('/products?id=gt.3&select=sku,stock')).toEqual([
      { sku: 'a', stock: 1 },
      { sku: 'b', stock: 2 },
    ]);
    await fail([{ ...csv, body: [{ sku: 'c', stock: 1 }] }], 400, 'PGRST102', 0);
  });

  test('an empty list is rejected as empty, and anything else as no list', async () => {
    expect((await fail([], 400, 'PGRST102')).message).toBe('the batch is empty');
    expect((await fail({}, 400, 'PGRST102')).message).toBe('a batch is a JSON array of requests');
  });

  test('numbers keep all their digits', async () => {
    const body =
      '[{"method":"POST","path":"/orders","body":{"id":9007199254740993,"customer":"x"}},' +
      '{"method":"POST","path":"/orders","body":{"customer":"y","follows":{"$from":0,"field":"id"}}}]';
    const response = await shop.fetch('/batch', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    expect(await (await shop.fetch('/orders?customer=eq.y&select=follows')).text()).toBe(
      '[{"follows":9007199254740993}]',
    );
  });

  describe('a value of an earlier request', () => {
    test('may come from an update, a delete or a returned alias', async () => {
      const answers = await succeed([
        { method: 'PATCH', path: '/products?sku=eq.tea', body: { stock: 8 } },
        { method: 'POST', path: '/products', body: { sku: 'a', stock: { $from: 0, field: 'stock' } } },
        { method: 'DELETE', path: '/order_lines?order_id=eq.1' },
        { method: 'PATCH', path: '/products?sku=eq.a', body: { stock: { $from: 2, field: 'quantity' } }, affects: 1 },
        { ...ORDER, path: '/orders?select=code:customer', headers: { Prefer: 'return=representation' } },
        { method: 'POST', path: '/products', body: { sku: { $from: 4, field: 'code' }, stock: 1 } },
      ]);
      expect(answers.map(({ body }) => body)).toEqual([null, null, null, null, [{ code: 'bob' }], null]);
      expect(await shop.list('/products?id=gt.3&select=sku,stock')).toEqual([
        { sku: 'a', stock: 2 },
        { sku: 'bob', stock: 1 },
      ]);
    });

    test('may be part of an upsert or a bulk update', async () => {
      const from = { $from: 0, field: 'stock' };
      await succeed([
        { method: 'PATCH', path: '/products?sku=eq.tea', body: { stock: 6 } },
        { method: 'PATCH', path: '/products', body: [{ id: 2, stock: from }] },
        { method: 'PATCH', path: '/products?on_conflict=sku', body: [{ sku: { $from: 0, field: 'sku' }, price: 2 }] },
        {
          method: 'POST',
          path: '/products',
          headers: { Prefer: 'resolution=merge-duplicates' },
          body: [{ id: 3, sku: 'oil', stock: from }],
        },
        { method: 'PUT', path: '/products/1', body: { sku: 'tea', stock: from } },
      ]);
      expect(await shop.list('/products?select=stock')).toEqual([{ stock: 6 }, { stock: 6 }, { stock: 6 }]);
    });

    test('must have the type of the field and keep its rules', async () => {
      const use = (value: unknown) => [ORDER, { method: 'PATCH', path: '/products?id=eq.1', body: { stock: value } }];
      await fail(use({ $from: 0, field: 'customer' }), 400, '22P02', 1);
      await fail(use({ $from: 0, field: 'note' }), 400, '23502', 1);
      const big = { method: 'PATCH', path: '/products?id=eq.1', body: { price: 5000 } };
      await fail([big, { ...ORDER, body: { customer: 'x', total: { $from: 0, field: 'price' } } }], 400, '23514', 1);
    });

    test('needs a request that affects exactly one row', async () => {
      const none = { method: 'PATCH', path: '/products?id=eq.99', body: { stock: 1 } };
      const two = { method: 'PATCH', path: '/products?id=lt.3', body: { stock: 1 } };
      const use = { ...ORDER, body: { customer: { $from: 0, field: 'sku' } } };
      await fail([none, use], 400, '21000', 1);
      await fail([two, use], 400, '21000', 1);
    });

    test.each([
      ['the request itself', { $from: 1, field: 'id' }, 'PGRST102'],
      ['a later request', { $from: 2, field: 'id' }, 'PGRST102'],
      ['a negative number', { $from: -1, field: 'id' }, 'PGRST102'],
      ['a text', { $from: '0', field: 'id' }, 'PGRST102'],
      ['no field', { $from: 0 }, 'PGRST102'],
      ['something else besides', { $from: 0, field: 'id', or: 1 }, 'PGRST102'],
      ['an unknown field', { $from: 0, field: 'idd' }, '42703'],
    ])('cannot name %s', async (_, value, code) => {
      await fail([ORDER, { ...ORDER, body: { customer: 'x', follows: value } }, ORDER], 400, code, 1);
    });

    test('cannot multiply a long text beyond a limit', async () => {
      const note = { method: 'POST', path: '/orders', body: { customer: 'bob', note: 'x'.repeat(1_000_000) } };
      const copies = (count: number) => ({
        method: 'POST',
        path: '/orders',
        body: Array.from({ length: count }, () => ({ customer: 'bob', note: { $from: 0, field: 'note' } })),
      });
      const problem = await fail([note, copies(20), copies(20)], 400, '54000', 2);
      expect(problem.message).toContain('33554432');
      await fail([note, copies(2_000)], 400, '54000', 1);
      await succeed([note, copies(3)]);
    });

    test('cannot name the row of another value again', async () => {
      const name = { method: 'PATCH', path: '/products/1', body: { price: 2 } };
      const rows = (...prices: number[]) => [
        { id: { $from: 0, field: 'id' }, sku: 'tea', stock: prices[0] },
        { id: prices[1], sku: 'tea', stock: 1 },
      ];
      const change = { method: 'PATCH', path: '/products', body: rows(3, 1) };
      expect(await fail([name, change], 400, '21000', 1)).toMatchObject({ index: 1, field: 'id', value: 1 });
      const headers = { Prefer: 'resolution=merge-duplicates' };
      const upsert = { method: 'POST', path: '/products', headers, body: rows(3, 1) };
      expect(await fail([name, upsert], 400, '21000', 1)).toMatchObject({ index: 1, field: 'id', value: 1 });
    });

    test('must be among the columns that a request selects, as JSON', async () => {
      const use = { ...ORDER, body: { customer: 'x', follows: { $from: 0, field: 'id' } } };
      const prefer = { Prefer: 'return=representation' };
      await fail([{ ...ORDER, path: '/orders?select=total', headers: prefer }, use], 400, '42703', 1);
      await fail([{ ...ORDER, headers: { ...prefer, Accept: 'text/csv' } }, use], 400, 'PGRST102', 1);
    });

    test('may be a selected column of a request that does not return its rows', async () => {
      const [first] = await succeed([
        { ...ORDER, path: '/orders?select=id,name:customer' },
        { ...ORDER, body: { customer: { $from: 0, field: 'name' }, follows: { $from: 0, field: 'id' } } },
      ]);
      expect(first).toEqual({
        status: 201,
        headers: { 'content-range': '*/*', location: '/orders?id=eq.2' },
        body: null,
      });
      expect(await shop.list('/orders?id=eq.3&select=customer,follows')).toEqual([{ customer: 'bob', follows: 2 }]);
      const use = { ...ORDER, body: { customer: { $from: 0, field: 'note' } } };
      await fail([{ ...ORDER, path: '/orders?select=id' }, use], 400, '42703', 1);
    });

    test('is an ordinary object outside a batch', async () => {
      await shop.fetch('/orders', sendJson('POST', { customer: { $from: 0, field: 'id' } }));
      expect(await shop.list('/orders?id=eq.2&select=customer')).toEqual([{ customer: '{"$from": 0, "field": "id"}' }]);
    });
  });

  test('Prefer: tx=rollback answers and stores nothing', async () => {
    const before = await stored();
    const response = await send([ORDER, lines(1, 2), take(1, 10)], { prefer: 'tx=rollback' });
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, 'tx=rollback']);
    expect(((await response.json()) as Answered[]).map(({ status }) => status)).toEqual([201, 201, 204]);
    expect(await stored()).toEqual(before);
    await fail([ORDER, { ...ORDER, headers: { Prefer: 'tx=rollback' } }], 400, 'PGRST102', 1);
  });

  test('with an Idempotency-Key it takes effect once, and each repetition gets the same answer', async () => {
    const requests = [ORDER, { ...lines(1), headers: { Prefer: 'return=representation' } }, take(1, 10)];
    const headers = { 'idempotency-key': 'cart-1' };
    const first = await send(requests, headers);
    const again = await send(requests, headers);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
    expect([first, again].map((each) => each.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await shop.list('/orders?id=gt.1')).toHaveLength(1);
    const other = await send([ORDER], headers);
    expect([other.status, await other.json()]).toEqual([422, expect.objectContaining({ code: 'CAT422' })]);
    expect(Object.keys((await (await send([ORDER, ORDER], headers)).json()) as object)).not.toContain('request');
  });

  test('a failed batch is not remembered for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'cart-2' };
    expect((await send([ORDER, take(1, 9)], headers)).status).toBe(412);
    await shop.fetch('/products/1', sendJson('PATCH', { stock: 9 }));
    expect((await send([ORDER, take(1, 9)], headers)).status).toBe(200);
  });

  test('If-Match, If-None-Match and max-affected hold for their request', async () => {
    const change = { method: 'PATCH', path: '/products/1', body: { stock: 7 } };
    const etag = (await shop.fetch('/products/1')).headers.get('etag')!;
    await fail([ORDER, { ...change, headers: { 'If-Match': '"stale"' } }], 412, 'CAT412', 1);
    await succeed([ORDER, { ...change, headers: { 'If-Match': etag } }]);
    const put = {
      method: 'PUT',
      path: '/products/2',
      body: { sku: 'jam', stock: 1 },
      headers: { 'If-None-Match': '*' },
    };
    await fail([ORDER, put], 412, 'CAT412', 1);
    const all = { method: 'PATCH', path: '/products?id=gt.0', body: { stock: 1 } };
    await fail([ORDER, { ...all, headers: { Prefer: 'handling=strict, max-affected=2' } }], 400, 'PGRST124', 1);
    await succeed([ORDER, { ...all, headers: { Prefer: 'handling=strict, max-affected=3' } }]);
  });

  test('affects counts inserted, updated and deleted rows, and may be 0', async () => {
    const ignore = { Prefer: 'resolution=ignore-duplicates' };
    await succeed([
      { method: 'POST', path: '/products', headers: ignore, body: { id: 1, sku: 'tea', stock: 1 }, affects: 0 },
      {
        method: 'POST',
        path: '/products',
        body: [
          { sku: 'a', stock: 1 },
          { sku: 'b', stock: 1 },
        ],
        affects: 2,
      },
      { method: 'DELETE', path: '/products?sku=in.(a,b)', affects: 2 },
      { method: 'DELETE', path: '/products?sku=in.(a,b)', affects: 0 },
    ]);
    await fail([{ method: 'DELETE', path: '/products?id=eq.3', affects: 0 }], 412, 'CAT412', 0);
  });

  test.each([
    ['an object', {}, undefined],
    ['no requests', [], undefined],
    ['a text', 'x', undefined],
    ['a number as a request', [ORDER, 1], 1],
    ['a list as a request', [ORDER, []], 1],
    ['an unknown member', [ORDER, { ...ORDER, afects: 1 }], 1],
    ['no method', [{ path: '/orders', body: {} }], 0],
    ['a read', [ORDER, { method: 'GET', path: '/orders' }], 1],
    ['a method in lower case', [{ ...ORDER, method: 'post' }], 0],
    ['no path', [{ method: 'POST', body: {} }], 0],
    ['a path without a slash', [{ ...ORDER, path: 'orders' }], 0],
    ['a path of another server', [{ ...ORDER, path: 'http://other/orders' }], 0],
    ['headers that are not an object', [{ ...ORDER, headers: 'Prefer: x' }], 0],
    ['a header that is not a text', [{ ...ORDER, headers: { Prefer: 1 } }], 0],
    ['a header with a line end', [{ ...ORDER, headers: { Prefer: 'a\r\nb: c' } }], 0],
    ['a path with half a character', [{ ...ORDER, path: '/orders?note=eq.\ud800' }], 0],
    ['credentials of a request', [{ ...ORDER, headers: { Authorization: 'Bearer x' } }], 0],
    ['an Idempotency-Key of a request', [{ ...ORDER, headers: { 'Idempotency-Key': 'x' } }], 0],
    ['a fraction for affects', [{ ...ORDER, affects: 1.5 }], 0],
    ['a negative affects', [{ ...ORDER, affects: -1 }], 0],
    ['a text for affects', [{ ...ORDER, affects: '1' }], 0],
    ['a DELETE with a body', [{ method: 'DELETE', path: '/orders?id=eq.1', body: {} }], 0],
    ['a POST without a body', [{ method: 'POST', path: '/orders' }], 0],
    ['a body that is a number', [{ ...ORDER, body: 7 }], 0],
    ['an unknown content type', [{ ...ORDER, body: 'x', headers: { 'Content-Type': 'text/xml' } }], 0],
  ])('%s is rejected', async (_, requests, request) => {
    const { message, hint } = await fail(requests, 400, 'PGRST102', request);
    expect([message.length > 0, hint!.length > 0]).toEqual([true, true]);
  });

  test('the error about an unknown key names it, and the keys', async () => {
    const { message, hint } = await fail([{ method: 'PATCH', url: '/orders?id=eq.1', body: {} }], 400, 'PGRST102', 0);
    expect(message).toBe("'url' is not a key of a request");
    expect(hint).toBe('The keys are method, path, headers, body, affects.');
  });

  test('a batch in a batch is rejected', async () => {
    await fail([{ method: 'POST', path: '/batch', body: [ORDER] }], 404, 'PGRST205', 0);
  });

  test('CSV is not a batch, and neither is broken JSON', async () => {
    for (const [type, body] of [
      ['text/csv', 'method,path\nPOST,/orders'],
      ['application/json', '[{'],
      ['application/json', ''],
    ]) {
      const response = await shop.fetch('/batch', { method: 'POST', body: body!, headers: { 'content-type': type! } });
      expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual([400, 'PGRST102']);
    }
  });

  test(`up to ${MAX_BATCH_REQUESTS} requests are one batch`, async () => {
    const many = Array.from({ length: MAX_BATCH_REQUESTS }, (_, index) => ({
      ...ORDER,
      body: { customer: `c${index}` },
    }));
    expect(await succeed(many)).toHaveLength(MAX_BATCH_REQUESTS);
    expect(await shop.list('/orders?id=gt.1&select=id')).toHaveLength(MAX_BATCH_REQUESTS);
    await fail([...many, ORDER], 400, '54000');
    await fail([...many.slice(1), take(1, 9)], 412, 'CAT412', MAX_BATCH_REQUESTS - 1);
  });

  test('inserts in a row get keys in their order, and an error names the one that fails', async () => {
    const post = (body: unknown) => ({ method: 'POST', path: '/products', body });
    const product = (sku: string) => ({ sku, stock: 1 });
    const posts = [post(product('a')), post([product('b'), product('c')]), post([]), post(product('d'))];
    const answers = await succeed([...posts, post({ ...product('e'), id: 50 })]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const rows = (await shop.list('/products?stock=eq.1&order=sku')) as { id: number; sku: string }[];
    expect(rows.map(({ sku }) => sku).join('')).toBe('abcde');
    const ids = rows.slice(0, 4).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const locations = answers.map(({ headers }) => headers.location);
    const of = (index: number) => `/products?id=eq.${rows[index]!.id}`;
    expect(locations).toEqual([of(0), undefined, undefined, of(3), '/products?id=eq.50']);
    const again = [post(product('f')), post([product('g'), product('a')]), post(product('h'))];
    expect(await fail(again, 409, '23505', 1)).toMatchObject({ index: 1, field: 'sku', value: 'a' });
    await fail([...posts.slice(2, 3), post(product('f')), post({ ...product('g'), stock: -1 })], 400, '23514', 2);
  });

  test('many rows in several requests are stored, and a failure at the end undoes them', async () => {
    const rows = (from: number) => Array.from({ length: 2_000 }, (_, at) => ({ sku: `s${from + at}`, stock: 1 }));
    const posts = [0, 2_000].map((from) => ({ method: 'POST', path: '/products', body: rows(from) }));
    await fail([...posts, { ...posts[0]!, body: [...rows(4_000), { sku: 's1', stock: 1 }] }], 409, '23505', 2);
    await succeed([...posts, { method: 'DELETE', path: '/products?sku=like.s*', affects: 4_000 }]);
  });

  test('other methods get 405, and OPTIONS lists those that exist', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const response = await shop.fetch('/batch', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
    const options = await shop.fetch('/catalogue/batch', {
      method: 'OPTIONS',
      headers: { origin: 'http://a', 'access-control-request-method': 'POST' },
    });
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'OPTIONS,POST']);
    expect(options.headers.get('access-control-allow-methods')).toBe('OPTIONS,POST');
    expect((await send([ORDER])).headers.get('access-control-allow-origin')).toBe('*');
  });

  test('Accept-Profile, Content-Profile and the prefix of a proxy apply as to any path', async () => {
    expect((await send([ORDER], { 'content-profile': 'other' })).status).toBe(406);
    const [answer] = await succeed([ORDER], { 'x-forwarded-prefix': '/api' });
    expect(answer!.headers.location).toBe('/api/orders?id=eq.2');
    const response = await shop.fetch('/rest/v1/batch', sendJson('POST', [ORDER]));
    expect([response.status, ((await response.json()) as Answered[])[0]!.headers.location]).toEqual([
      200,
      '/rest/v1/orders?id=eq.3',
    ]);
    const remove = { method: 'DELETE', path: '/api/orders?id=eq.2', affects: 1 };
    await succeed([remove, { ...remove, path: '/orders?id=eq.3' }], { 'x-forwarded-prefix': '/api' });
  });

  test('the log and the metrics see one request, with the rows of all its writes', async () => {
    await succeed([ORDER, lines(1, 2), take(1, 10)]);
    expect((await send([ORDER, take(1, 10)])).status).toBe(412);
    expect(observed.map(({ call: { method }, route, status, rows }) => ({ method, route, status, rows }))).toEqual([
      { method: 'POST', route: '/batch', status: 200, rows: 4 },
      { method: 'POST', route: '/batch', status: 412, rows: undefined },
    ]);
  });

  test('batches at the same time do not disturb each other', async () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      send([{ ...ORDER, body: { customer: `c${index}` } }, lines(1), ...(index % 2 === 0 ? [] : [take(3, 5)])]),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 200 : 412)));
    expect(await shop.list('/orders?id=gt.1')).toHaveLength(10);
    expect(await shop.list('/order_lines?order_id=gt.1')).toHaveLength(10);
  });
});
