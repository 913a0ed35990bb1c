/** A default that copies a value of the referenced row, at the time of the write: the price of an order line. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text, price: 'decimal(12,2)', product_id: int4, tags: json, made: date }
  lines:
    fields:
      id: int4
      product_id: { type: int4, required: true, references: products }
      quantity: { type: int4, required: true, default: 1 }
      price: { type: 'decimal(12,2)', required: true, minimum: 0, default: '{product_id.price}' }
      tags: { type: json, default: '{product_id.tags}' }
      made: { type: date, default: '{product_id.made}' }
      name: { type: text, default: '{product_id.name}' }
      note: { type: text, default: '{x.y}' }
roles:
  shopper:
    products: { read: true }
    lines: { read: true, create: { fields: [product_id, quantity] } }
  cheap:
    lines: { read: true, create: { where: 'price=lt.10', fields: [product_id] } }
  admin: all
`);

describe.each(TWO_ENGINES)('copied values on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    const product = (id: number, price: number | null) =>
      ({ id, name: `p${id}`, price, product_id: 99, tags: [id, 'a"b'], made: '2026-11-18' }) as unknown as Row;
    shop = await openRoled(engine, SHOP, {
      products: [product(1, 12.5), product(2, 9.9), product(3, null), product(4, -1)],
    });
  });
  afterEach(() => shop.close());

  const admin = (path: string, init?: RequestInit) => shop.as('admin').fetch(path, init);
  const prices = async () => (await shop.as('admin').list('/lines?order=id')).map(({ price }) => price);

  test('every way of writing copies the values of the referenced row', async () => {
    expect((await admin('/lines', sendJson('POST', { product_id: 1 }))).status).toBe(201);
    const two = [{ product_id: 2 }, { product_id: 1, price: 7 }];
    expect((await admin('/lines?columns=product_id,price', sendJson('POST', two))).status).toBe(201);
    expect((await admin('/lines', send('POST', 'text/csv', 'product_id,quantity\n2,3\n'))).status).toBe(201);
    const batch = [
      { method: 'POST', path: '/products', body: { id: 7, price: 3 } },
      { method: 'POST', path: '/lines', body: { product_id: { $from: 0, field: 'id' } } },
    ];
    expect((await admin('/batch', sendJson('POST', batch))).status).toBe(200);
    const upsert = sendJson('POST', { id: 50, product_id: 2 }, { prefer: 'resolution=merge-duplicates' });
    expect((await admin('/lines', upsert)).status).toBe(201);
    expect(await prices()).toEqual([12.5, 9.9, 7, 9.9, 3, 9.9]);
    const [first] = await shop.as('admin').list('/lines?limit=1');
    const copied = { price: 12.5, tags: [1, 'a"b'], made: '2026-11-18', name: 'p1', note: '{x.y}' };
    expect(first as object).toMatchObject(copied);
  });

  test('the value is that of the time of the write, and stays', async () => {
    await admin('/lines', sendJson('POST', { product_id: 1 }));
    await admin('/products?id=eq.1', sendJson('PATCH', { price: 99 }));
    await admin('/lines', sendJson('POST', { product_id: 1 }));
    await admin('/lines?id=eq.1', sendJson('PATCH', { quantity: 5 }));
    expect(await prices()).toEqual([12.5, 99]);
    // An upsert that does not give it keeps it, and so does a replacement.
    const upsert = sendJson('POST', { id: 1, product_id: 2 }, { prefer: 'resolution=merge-duplicates' });
    expect((await admin('/lines', upsert)).status).toBe(200);
    expect((await admin('/lines/1', sendJson('PUT', { id: 1, product_id: 2 }))).status).toBe(204);
    expect(await prices()).toEqual([12.5, 99]);
  });

  test('a caller who may write the field can choose it; others cannot', async () => {
    expect((await admin('/lines', sendJson('POST', { product_id: 1, price: 5 }))).status).toBe(201);
    const shopper = (body: unknown) => shop.as('shopper').fetch('/lines', sendJson('POST', body));
    await expectRefusal(await shopper({ product_id: 1, price: 1 }), 403, '42501');
    await expectRefusal(await shopper({ product_id: 1, price: null }), 403, '42501');
    expect((await shopper({ product_id: 1 })).status).toBe(201);
    expect(await prices()).toEqual([5, 12.5]);
  });

  test('rules of roles and of fields apply to the copied value', async () => {
    const cheap = (product_id: number) => shop.as('cheap').fetch('/lines', sendJson('POST', { product_id }));
    expect((await cheap(2)).status).toBe(201);
    await expectRefusal(await cheap(1), 403, '42501');
    await expectRefusal(await admin('/lines', sendJson('POST', { product_id: 4 })), 400, '23514');
    await expectRefusal(await admin('/lines', sendJson('POST', { product_id: 3 })), 400, '23502');
    expect((await admin('/lines', sendJson('POST', { product_id: 55 }))).status).toBeGreaterThanOrEqual(400);
    expect(await prices()).toEqual([9.9]);
  });
});

test('mistakes in a copied default are reported with a suggestion', () => {
  const mistakes = (type: string, value: string) => {
    const yaml = `collections:
  products: { fields: { id: int4, price: 'decimal(12,2)' } }
  lines: { fields: { id: int4, product_id: { type: int4, references: products }, price: { type: '${type}', default: '${value}' } } }
`;
    try {
      parseDeclaration(yaml, 'c.yaml');
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(mistakes('decimal(12,2)', '{product_id.price}')).toBe('');
  expect(mistakes('decimal(12,2)', '{product_id.prize}')).toContain('price');
  expect(mistakes('decimal(12,2)', '{prodct_id.price}')).toContain('product_id');
  expect(mistakes('decimal(12,4)', '{product_id.price}')).toContain('make it decimal(12,2)');
});
