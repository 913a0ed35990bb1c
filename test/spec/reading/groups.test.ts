/** Groups of many rows: counts and sums are exact and ordered, for few groups and for many. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ownCatalogue, sendJson } from '../../support/stories.ts';

/**
 * Exceeds the number of rows whose sum fits exactly into a double, the number of groups that fit into memory, and the
 * size of a small table.
 */
const ROWS = 21_000;

describe.each(TWO_ENGINES)('groups on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const text = async (query: string) => (await catalogue.fetch(`/products?id=gt.77&${query}`)).text();

  test('have exact counts and sums, for any number of groups', async () => {
    const rows = Array.from({ length: ROWS }, (_, index) => ({
      product_name: `Part ${index}`,
      category_id: index % 2 === 0 ? null : 7,
      quantity_per_unit: index % 2 === 0 ? '"½" \\ a' : null,
      unit_price: index % 2 === 0 ? 99999999.9999 : index < 2 ? null : -0.0001,
      units_in_stock: index,
      reorder_level: index % 4 === 0 ? null : 5,
    }));
    expect((await catalogue.fetch('/products', sendJson('POST', rows))).status).toBe(201);
    const [half, quarter] = [ROWS / 2, ROWS / 4];
    expect(
      await text('select=quantity_per_unit,category_id,count(),price:unit_price.sum(),unit_price.sum()::text'),
    ).toBe(
      `[{"quantity_per_unit":"\\"½\\" \\\\ a","category_id":null,"count":${half},"price":1049999999998.95,"sum":"1049999999998.95"},` +
        `{"quantity_per_unit":null,"category_id":7,"count":${half},"price":-1.0499,"sum":"-1.0499"}]`,
    );
    expect(
      await text('select=reorder_level,discontinued,rows:count()::text,reorder_level.sum()&order=reorder_level.desc'),
    ).toBe(
      `[{"reorder_level":null,"discontinued":0,"rows":"${quarter}","sum":null},` +
        `{"reorder_level":5,"discontinued":0,"rows":"${3 * quarter}","sum":${15 * quarter}}]`,
    );
    const stocks = await text('select=units_in_stock,count()&order=units_in_stock.desc&offset=20500&limit=2');
    expect(stocks).toBe('[{"units_in_stock":499,"count":1},{"units_in_stock":498,"count":1}]');
    expect(await text('select=units_in_stock,count()&units_in_stock=lt.2')).toBe(
      '[{"units_in_stock":0,"count":1},{"units_in_stock":1,"count":1}]',
    );
    expect(await text('select=units_in_stock,count()&units_in_stock=gt.30000')).toBe('[]');
    const all = await catalogue.fetch('/products?select=discontinued,count()&order=count.desc');
    expect(await all.json()).toEqual([
      { discontinued: 0, count: ROWS + 67 },
      { discontinued: 1, count: 10 },
    ]);
  });
});
