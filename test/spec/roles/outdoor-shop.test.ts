/** The outdoor shop of examples/shop: what each role sees, what it can do, and what it cannot. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { OUTDOOR_ROWS, OUTDOOR_SHOP } from '../../support/engines/outdoor-shop.ts';
import { type Client, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

interface Line {
  readonly product?: unknown;
  readonly variant?: unknown;
  readonly price?: unknown;
  readonly quantity?: unknown;
}

/** A green ridge tent, of which there are five. */
const TENT = { product: 1, variant: 'green', price: 1, quantity: 1 };
const HIDDEN_PRODUCTS = [10, 11];

describe.each(TWO_ENGINES)('the outdoor shop on %s', (engine) => {
  let shop: Roled;
  let visitor: Client;
  let ann: Client;
  let bob: Client;
  let editor: Client;
  beforeEach(async () => {
    shop = await openRoled(engine, OUTDOOR_SHOP, OUTDOOR_ROWS);
    visitor = shop.as(undefined);
    ann = shop.as('customer', { customer_id: 1, sub: 'ann' });
    bob = shop.as('customer', { customer_id: 2, sub: 'bob' });
    editor = shop.as('editor', { sub: 'ed' });
  });
  afterEach(() => shop.close());

  const place = (who: Client, lines: readonly Line[], headers: Record<string, string> = {}) =>
    who.fetch('/rpc/place_order', sendJson('POST', { lines }, headers));
  const write = (who: Client, method: string, path: string, body: unknown, prefer = '') =>
    who.fetch(path, sendJson(method, body, prefer === '' ? {} : { prefer }));
  const read = (who: Client, path: string): Promise<unknown> => who.list(path);
  const state = () =>
    Promise.all([...OUTDOOR_SHOP.collections.keys()].map((name) => editor.text(`/${name}?order=${keyOf(name)}`)));
  const keyOf = (name: string) =>
    OUTDOOR_SHOP.collections
      .get(name)!
      .key.map((field) => field.name)
      .join(',');

  test('visitors see live products, their variants, the prices of now, and nothing else', async () => {
    const products = await visitor.list('/products');
    expect(products.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(Object.keys(products[0]!)).toEqual([
      'id',
      'sku',
      'name',
      'category',
      'maker',
      'description',
      'description_de',
      'image',
    ]);
    expect(await visitor.list('/prices?product_id=eq.1')).toEqual([{ id: 1, product_id: 1, amount: 199.9 }]);
    for (const name of ['variants', 'prices']) {
      const ids = (await visitor.list(`/${name}`)).map(({ product_id }) => product_id);
      expect(new Set(ids)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]));
      expect(await visitor.list(`/${name}?product_id=in.(${HIDDEN_PRODUCTS})`)).toEqual([]);
    }
    expect(await read(visitor, '/categories?select=name,products(count())&name=eq.Cooking')).toEqual([
      { name: 'Cooking', products: [{ count: 2 }] },
    ]);
    const count = await visitor.fetch('/prices', { method: 'HEAD', headers: { prefer: 'count=exact' } });
    expect(count.headers.get('content-range')).toBe('0-8/9');
    for (const id of HIDDEN_PRODUCTS) expect((await visitor.fetch(`/products/${id}`)).status).toBe(404);
    for (const path of [
      ...['/stock', '/customers', '/orders', '/order_lines', '/changes', '/products?select=cost'],
      ...['/products?order=sold', '/prices?valid_to=not.is.null', '/products?select=name,order_lines(quantity)'],
      ...['/variants?select=variant,stock(pieces)'],
    ]) {
      await expectRefusal(await visitor.fetch(path), 401, '42501');
    }
    const earlier = { headers: { prefer: `as-of=${new Date().toISOString()}` } };
    await expectRefusal(await visitor.fetch('/products', earlier), 401, '42501');
    await expectRefusal(await place(visitor, [TENT]), 401, '42501');
  });

  test('the files for Google and a price comparison have every required column, and a check finds gaps', async () => {
    const feed = shop.as('feed');
    const google = await feed.fetch('/rpc/google_merchant');
    expect(google.headers.get('content-type')).toBe('text/tab-separated-values; charset=utf-8');
    const [header, ...lines] = (await google.text()).trimEnd().split('\n');
    const names = header!.split('\t');
    for (const name of ['id', 'title', 'description', 'link', 'image_link', 'availability', 'price', 'brand'])
      expect(names).toContain(name);
    expect(lines).toHaveLength(9);
    for (const line of lines) expect(line.split('\t').every((cell) => cell !== '')).toBe(true);
    expect(lines[0]).toBe(
      '199.9 EUR\tT-1\tRidge Tent\tLight tent for two people and one night\thttps://shop.example/#T-1\thttps://shop.example/pictures/T-1.webp\tin_stock\tNorth Ridge\tTents',
    );
    const german = await (await feed.fetch('/rpc/price_comparison')).text();
    expect(german.split('\n').slice(0, 2)).toEqual([
      'Preis;Artikelnummer;Name;Hersteller;Beschreibung;Link',
      '199,9;T-1;Ridge Tent;North Ridge;Leichtes Zelt für zwei Personen und eine Nacht;https://shop.example/#T-1',
    ]);
    const sold = (pieces: number) => editor.fetch('/stock?product_id=eq.4', sendJson('PATCH', { pieces }));
    await sold(0);
    for (const name of ['google_merchant', 'price_comparison']) {
      const file = await (await feed.fetch(`/rpc/${name}`)).text();
      expect([file.includes('S-2'), file.includes('B-1')]).toEqual([false, true]);
    }
    await sold(30);
    // The rows of the tests have no pictures.
    expect(await feed.list('/rpc/feed_gaps?select=sku&image=not.is.null')).toEqual([]);
    await editor.fetch('/products?id=eq.2', sendJson('PATCH', { maker: null }));
    await editor.fetch('/prices?product_id=eq.3', { method: 'DELETE' });
    const gaps = await feed.list('/rpc/feed_gaps?select=sku,gaps&or=(gaps.gt.1,prices.count().eq.0)');
    expect(gaps).toEqual([
      { sku: 'T-2', gaps: 2 },
      { sku: 'S-1', gaps: 1 },
    ]);
    await expectRefusal(await visitor.fetch('/rpc/google_merchant'), 401, '42501');
    await expectRefusal(await feed.fetch('/products?select=cost'), 403, '42501');
  });

  test('visitors read trees, German texts, and the cheapest first', async () => {
    expect((await visitor.list('/products?select=id&category=within.Camp')).map(({ id }) => id)).toHaveLength(7);
    const german = await visitor.fetch('/products?select=description&id=eq.1', {
      headers: { 'accept-language': 'de' },
    });
    expect(await german.json()).toEqual([{ description: 'Leichtes Zelt für zwei Personen und eine Nacht' }]);
    const cheapest = await visitor.list('/products?select=id,prices(amount)&order=prices(amount.min())');
    const amounts = cheapest.map(({ prices }) => (prices as unknown as { amount: number }[])[0]!.amount);
    expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
  });

  test('a product that is retired disappears with its variants and prices', async () => {
    await write(editor, 'PATCH', '/products?id=eq.1', { status: 'retired' });
    for (const path of ['/products?id=eq.1', ...['variants', 'prices'].map((name) => `/${name}?product_id=eq.1`)])
      expect(await visitor.list(path)).toEqual([]);
    await write(editor, 'PATCH', '/products?id=eq.11', { status: 'live' });
    expect(await read(visitor, '/products?select=name,prices(amount)&id=eq.11')).toEqual([
      { name: 'Winter Tent', prices: [{ amount: 599 }] },
    ]);
  });

  test('customers order, and see their own orders only', async () => {
    const ordered = await place(ann, [
      { ...TENT, quantity: 2 },
      { product: 5, variant: 'one size', price: 5, quantity: 3 },
    ]);
    expect([ordered.status, await ordered.json()]).toEqual([
      200,
      { id: 1, customer_id: 1, placed_at: expect.any(String) },
    ]);
    expect((await place(bob, [TENT])).status).toBe(200);
    expect(
      await read(ann, '/orders?select=id,customers(name),order_lines(product_id,variant,quantity,amount)'),
    ).toEqual([
      {
        id: 1,
        customers: { name: 'Ann Smith' },
        order_lines: [
          { product_id: 1, variant: 'green', quantity: 2, amount: 199.9 },
          { product_id: 5, variant: 'one size', quantity: 3, amount: 19.9 },
        ],
      },
    ]);
    expect(await bob.list('/order_lines?select=order_id,quantity')).toEqual([{ order_id: 2, quantity: 1 }]);
    expect(await bob.list('/order_lines?select=count()')).toEqual([{ count: 1 }]);
    expect((await ann.fetch('/orders/2')).status).toBe(404);
    expect(await read(ann, '/products?select=id,order_lines(quantity)&id=eq.1')).toEqual([
      { id: 1, order_lines: [{ quantity: 2 }] },
    ]);
    expect(await ann.list('/customers?select=id')).toEqual([{ id: 1 }]);
    expect(await editor.list('/stock?select=pieces&product_id=in.(1,5)&order=product_id,variant')).toEqual(
      [2, 12, 57].map((pieces) => ({ pieces })),
    );
  });

  test('a price that changes later does not change the order', async () => {
    await place(ann, [TENT]);
    await write(editor, 'PATCH', '/prices?id=eq.1', { amount: 299 });
    expect(await ann.list('/order_lines?select=amount')).toEqual([{ amount: 199.9 }]);
    await write(editor, 'PATCH', '/prices?id=eq.1', { valid_to: new Date().toISOString() });
    await expectRefusedOrder(await place(ann, [TENT]), 2, 0);
  });

  test('twenty shoppers and five pieces: exactly five orders', async () => {
    const shoppers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ann : bob));
    const answers = await Promise.all(shoppers.map((who) => place(who, [TENT])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 200)) await expectRefusedOrder(answer, 3, 0);
    expect(await editor.list('/stock?select=pieces&product_id=eq.1&variant=eq.green')).toEqual([{ pieces: 0 }]);
    expect(await editor.list('/orders?select=count()')).toEqual([{ count: 5 }]);
    expect(await editor.list('/order_lines?select=quantity.sum()')).toEqual([{ sum: 5 }]);
    expect(await editor.list('/products?select=sold&id=eq.1')).toEqual([{ sold: 5 }]);
  });

  /** The error names the entry of the action and the line of the order. */
  async function expectRefusedOrder(answer: Response, request: number, index: number): Promise<void> {
    const problem = (await answer.json()) as Record<string, unknown>;
    expect([answer.status, problem]).toMatchObject([412, { code: 'CAT412', request, index }]);
    expect(problem.details).toContain(`row ${index + 1} of lines. Nothing was changed.`);
  }

  describe('nothing changes', () => {
    let before: string[];
    beforeEach(async () => {
      await place(bob, [TENT]);
      before = await state();
    });
    afterEach(async () => expect(await state()).toEqual(before));
    const good = { product: 5, variant: 'one size', price: 5, quantity: 1 };

    test('by an order at another price', async () => {
      // A price of 2019, of 2099, of another product, and one that does not exist.
      for (const price of [12, 13, 5, 99]) await expectRefusedOrder(await place(ann, [good, { ...TENT, price }]), 2, 1);
      for (const extra of [{ amount: 0.01 }, { customer_id: 2 }, { order_id: 1 }])
        await expectRefusal(await place(ann, [{ ...TENT, ...extra }]), 400, 'PGRST204');
    });

    test('by an order of a wrong quantity', async () => {
      for (const quantity of [-1, 0, 100, 9_999])
        await expectRefusal(await place(ann, [good, { ...TENT, quantity }]), 400, '23514');
      for (const quantity of ['x', 1.5, 99_999_999_999])
        expect((await place(ann, [{ ...TENT, quantity }])).status).toBe(400);
      await expectRefusedOrder(await place(ann, [good, { ...TENT, quantity: 5 }]), 3, 1);
      // Three and two pieces are more than the four that are left.
      await expectRefusedOrder(
        await place(ann, [
          { ...TENT, quantity: 3 },
          { ...TENT, quantity: 2 },
        ]),
        3,
        1,
      );
    });

    test('by an order of a product that is not for sale', async () => {
      await expectRefusedOrder(await place(ann, [good, { ...good, product: 10, price: 10 }]), 1, 1);
      await expectRefusedOrder(await place(ann, [{ ...TENT, product: 11, variant: 'white', price: 11 }]), 1, 0);
      await expectRefusedOrder(await place(ann, [{ ...TENT, variant: 'black' }]), 3, 0);
      await expectRefusedOrder(await place(ann, [{ ...TENT, product: 77 }]), 1, 0);
    });

    test('by a customer who writes to the order of another, or to any collection', async () => {
      const line = { order_id: 1, product_id: 1, variant: 'green', price_id: 1, quantity: 1, amount: 0 };
      const merge = 'resolution=merge-duplicates';
      for (const [method, path, body, prefer] of [
        ['POST', '/order_lines', line],
        ['POST', '/order_lines?on_conflict=id', { id: 1, ...line }, merge],
        ['POST', '/orders', { customer_id: 1 }],
        ['POST', '/orders', { id: 1, customer_id: 1 }, merge],
        ['PUT', '/orders?id=eq.1', { id: 1, customer_id: 1 }],
        ['PATCH', '/orders?id=eq.1', { customer_id: 1 }],
        ['PATCH', '/orders/1', { customer_id: 1 }],
        ['DELETE', '/orders?id=eq.1', undefined],
        ['PATCH', '/stock?product_id=eq.1', { pieces: 9_999 }],
        ['PATCH', '/prices?id=eq.1', { amount: 0.01 }],
        ['PATCH', '/customers?id=eq.1', { name: 'x' }],
        ['POST', '/changes/undo?seq=gt.0', undefined],
        ['POST', '/batch', [{ method: 'PATCH', path: '/stock?product_id=eq.1', body: { pieces: 9_999 } }]],
      ] as const) {
        const answer = await write(ann, method, path, body, prefer);
        expect([method, path, answer.status]).toEqual([method, path, 403]);
      }
    });

    test('by a caller without the claim, or of another role', async () => {
      await expectRefusal(await place(shop.as('customer', { sub: 'x' }), [TENT]), 403, '42501');
      for (const role of ['warehouse', 'desk', 'auditor'])
        await expectRefusal(await place(shop.as(role, { customer_id: 1 }), [TENT]), 403, '42501');
      const unknown = await place(shop.as('customer', { customer_id: 99 }), [TENT]);
      expect([unknown.status, await unknown.json()]).toMatchObject([409, { code: '23503', request: 0 }]);
      expect((await place(shop.as('customer', { customer_id: '1 or 1=1' }), [TENT])).status).toBe(400);
    });

    test('by a warehouse that sets the stock or counts below zero', async () => {
      const warehouse = shop.as('warehouse');
      const count = (pieces: unknown) =>
        write(warehouse, 'PATCH', '/stock?product_id=eq.1&variant=eq.green', { pieces }, 'return=minimal');
      await expectRefusal(await count(9_999), 403, '42501');
      await expectRefusal(await count({ multiply: 2 }), 403, '42501');
      await expectRefusal(await count({ decrement: 5 }), 400, '23514');
      expect((await count({ increment: 2 })).status).toBe(204);
      expect((await count({ decrement: 2 })).status).toBe(204);
    });
  });

  test('an Idempotency-Key belongs to its caller', async () => {
    const key = { 'idempotency-key': 'basket-1' };
    const first = await (await place(ann, [TENT], key)).text();
    expect(await (await place(ann, [TENT], key)).text()).toBe(first);
    expect(await (await place(bob, [TENT], key)).json()).toMatchObject({ id: 2, customer_id: 2 });
    expect(await editor.list('/orders?select=customer_id&order=id')).toEqual([{ customer_id: 1 }, { customer_id: 2 }]);
  });

  test('the auditor reads the log of orders and stock, and not of customers', async () => {
    await place(ann, [TENT]);
    await write(editor, 'PATCH', '/customers?id=eq.1', { name: 'Ann Miller' });
    const log = await shop.as('auditor').list('/changes?select=actor,role,collection,kind&actor=not.is.null&order=seq');
    expect(log).toEqual(
      ['orders', 'products', 'prices', 'stock', 'order_lines'].map((collection) => ({
        ...{ actor: 'ann', role: 'customer', collection },
        kind: ['orders', 'order_lines'].includes(collection) ? 'insert' : 'update',
      })),
    );
  });
});
