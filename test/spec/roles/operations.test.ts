/** A rule may let a role change a field by some operations only: a warehouse counts, and does not set. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLLECTIONS = `
collections:
  products:
    fields: { id: int4, sku: { type: text, unique: true }, name: text, stock: int4, tags: 'text[]' }
`;
const SHOP = declaredBy(`${COLLECTIONS}
roles:
  warehouse:
    products: { read: true, create: true, update: { fields: [stock], operations: [increment, decrement] } }
  till:
    products: { read: true, update: { fields: [stock], operations: [decrement] } }
  tagger:
    products: { read: true, update: { operations: [append] } }
  clerk:
    include: [warehouse]
    products: { update: { where: 'id=eq.1', fields: [stock, name] } }
  admin: all
`);

describe.each(TWO_ENGINES)('operations of a rule on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    const row = (id: number) => ({ id, sku: `s${id}`, name: 'a', stock: 10, tags: null });
    shop = await openRoled(engine, SHOP, { products: [row(1), row(2)] });
  });
  afterEach(() => shop.close());

  const patch = (role: string, body: unknown, path = '/products?id=eq.2') =>
    shop.as(role, { sub: role }).fetch(path, sendJson('PATCH', body));
  const stock = async () => (await shop.as('admin').list('/products?order=id')).map((row) => row.stock);

  test('it changes the field by these operations', async () => {
    expect((await patch('warehouse', { stock: { increment: 5 } })).status).toBe(204);
    expect((await patch('warehouse', { stock: { decrement: 2 } }, '/products/2')).status).toBe(204);
    expect((await patch('warehouse', [{ id: 1, stock: { decrement: 1 } }], '/products')).status).toBe(204);
    expect(await stock()).toEqual([9, 13]);
  });

  test('it cannot set the field, in any way of writing', async () => {
    const problem = await expectRefusal(await patch('warehouse', { stock: 7 }), 403, '42501');
    expect(problem).toMatchObject({ message: 'permission denied for column stock of table products', field: 'stock' });
    expect(problem.hint).toBe(
      'Your role may change it only by increment, decrement, as in {"stock": {"increment": 1}}.',
    );
    await expectRefusal(await patch('warehouse', { stock: null }), 403, '42501');
    await expectRefusal(await patch('warehouse', { stock: { multiply: 0 } }), 403, '42501');
    await expectRefusal(await patch('warehouse', [{ id: 1, stock: 7 }], '/products'), 403, '42501');
    const mixed = [
      { id: 1, stock: { increment: 1 } },
      { id: 2, stock: 7 },
    ];
    await expectRefusal(await patch('warehouse', mixed, '/products'), 403, '42501');
    const merge = sendJson('POST', { id: 1, stock: 7 }, { prefer: 'resolution=merge-duplicates' });
    await expectRefusal(await shop.as('warehouse').fetch('/products', merge), 403, '42501');
    const put = sendJson('PUT', { id: 1, stock: 7 });
    await expectRefusal(await shop.as('warehouse').fetch('/products/1', put), 403, '42501');
    const batch = sendJson('POST', [{ method: 'PATCH', path: '/products?id=eq.1', body: { stock: 7 } }]);
    expect((await shop.as('warehouse').fetch('/batch', batch)).status).toBe(403);
    expect(await stock()).toEqual([10, 10]);
  });

  test('a negative number reverses an operation', async () => {
    await expectRefusal(await patch('till', { stock: { increment: 1 } }), 403, '42501');
    await expectRefusal(await patch('till', { stock: { decrement: -1 } }), 403, '42501');
    expect((await patch('till', { stock: { increment: -1 } })).status).toBe(204);
    expect(await stock()).toEqual([10, 9]);
  });

  test('without fields, the rule allows those that take an operation', async () => {
    expect((await patch('tagger', { tags: { append: 'x' } })).status).toBe(204);
    await expectRefusal(await patch('tagger', { name: 'b' }), 403, '42501');
    await expectRefusal(await patch('tagger', { stock: { increment: 1 } }), 403, '42501');
  });

  test('with several rules, one of them must allow all fields and operations', async () => {
    expect((await patch('clerk', { stock: 3, name: 'b' }, '/products?id=eq.1')).status).toBe(204);
    expect((await patch('clerk', { stock: { increment: 1 } })).status).toBe(204);
    // The rule that allows to set the stock does not cover this row, so it does not exist for the write.
    expect(await (await patch('clerk', { stock: 3 })).text()).toBe('');
    expect(await stock()).toEqual([3, 11]);
  });
});

test('mistakes in operations are reported with their line', () => {
  const mistakes = (rule: string) => {
    try {
      parseDeclaration(`${COLLECTIONS}roles:\n  a:\n    products: { read: true, update: ${rule} }\n`, 'c.yaml');
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(mistakes('{ operations: [incremnt] }')).toContain('increment');
  expect(mistakes('{ fields: [name], operations: [increment] }')).toMatch(/:7:.*name takes none of these operations/);
  expect(mistakes('{ operations: [] }')).not.toBe('');
  expect(mistakes('{ fields: [stock], operations: [set] }')).toBe('');
});
