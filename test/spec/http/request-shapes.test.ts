/**
 * The cache of request shapes: equal text and role give the same immutable column and order lists, by which the engines
 * cache statements. Other text or another role never gets them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ReadPlan } from '../../../src/plan/types.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { openRoled, type Roled } from '../../support/engines/roles.ts';

const LISTS = [
  '/products',
  '/products?select=id,name&order=name.desc',
  '/products?select=name,categories(name)&order=categories(name)',
  '/products?select=category_id,count()&order=count.desc',
  '/products?select=name,product_tags(tags(name))&category_id=not.is.null',
];

describe.each(TWO_ENGINES)('equal requests of a role share the shape of their plan on %s', (engine) => {
  let shop: Roled;
  let last: ReadPlan | undefined;
  beforeAll(async () => {
    const onAnswer = ({ plan }: { plan: unknown }) => {
      last = plan as ReadPlan | undefined;
    };
    shop = await openRoled(engine, ROLE_SHOP, ROLE_SHOP_ROWS, { onAnswer });
  });
  afterAll(() => shop.close());

  const planOf = async (path: string, role?: string): Promise<ReadPlan> => {
    const response = await shop.as(role).fetch(path);
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
    return last!;
  };

  test.each(LISTS)('%s', async (path) => {
    const first = await planOf(path);
    const sent = structuredClone(shapeOf(first));
    const joiner = path.includes('?') ? '&' : '?';
    for (const other of ['limit=3', 'offset=1', 'id=gt.2']) {
      const plan = await planOf(`${path}${joiner}${other}`);
      expect(plan.columns).toBe(first.columns);
      expect(plan.order).toBe(first.order);
    }
    expect(shapeOf(first)).toEqual(sent);
  });

  test('another select, order or role has its own shape', async () => {
    const { columns, order } = await planOf('/products?select=id,name&order=name');
    expect((await planOf('/products?select=id,price&order=name')).columns).not.toBe(columns);
    expect((await planOf('/products?select=id,name&order=id')).order).not.toBe(order);
    const all = await planOf('/products', 'editor');
    const visible = await planOf('/products', 'anonymous');
    expect(visible.columns.map(({ name }) => name)).toEqual(['id', 'name', 'price', 'category_id']);
    expect(all.columns.length).toBeGreaterThan(visible.columns.length);
  });
});

/** The names and kinds in a shape; fields and collections are not copied. */
function shapeOf({ columns, order }: ReadPlan) {
  return {
    columns: columns.map(({ name, expression }) => [name, expression.kind]),
    order: order.map(({ expression, descending, nulls }) => [expression.kind, descending, nulls]),
  };
}
