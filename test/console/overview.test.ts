/** The cards and charts of the overview come from the declaration, by types, roles and references. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { products } from '../../src/collection/products.ts';
import { widgetsOf } from '../../src/console/browser/overview/widgets.ts';

const shown = (widgets: ReturnType<typeof widgetsOf>) =>
  widgets.filter(({ isDefault }) => isDefault).map(({ id }) => id);

test('roles add the stock value and the rows below their threshold', () => {
  expect(shown(widgetsOf(products))).toEqual([
    'products.count',
    'products.value',
    'products.low',
    'products.sum.units_in_stock',
    'products.value.by.category_id',
    'products.count.by.category_id',
    'products.sum.units_in_stock.by.category_id',
  ]);
});

test('a computed field with the role value is the stock value, also without price and stock', () => {
  const { collections } = declareCatalogue({
    collections: [
      {
        name: 'lots',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int4' },
          { name: 'place', type: 'text', role: 'group' },
          { name: 'pieces', type: 'int4' },
          { name: 'worth', type: 'int8', computed: 'pieces * 3', readOnly: true, role: 'value' },
        ],
      },
    ],
  });
  const titles = widgetsOf(collections.get('lots')!).map(({ id }) => id);
  expect(titles).toEqual(expect.arrayContaining(['lots.value', 'lots.value.by.place', 'lots.sum.pieces']));
  expect(titles).not.toContain('lots.sum.worth');
});

test('without roles, choices and switches make charts, and numbers can be added up, but not keys', () => {
  const { collections } = declareCatalogue({
    collections: [
      {
        name: 'moves',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int4' },
          { name: 'code', type: 'int4', unique: true },
          { name: 'kind', type: 'text', oneOf: ['in', 'out'] },
          { name: 'done', type: 'boolean' },
          { name: 'quantity', type: 'int4' },
        ],
      },
    ],
  });
  const widgets = widgetsOf(collections.get('moves')!);
  expect(shown(widgets)).toEqual(['moves.count', 'moves.count.by.kind', 'moves.count.by.done']);
  expect(widgets.map(({ title }) => title)).toContain('Quantity by kind');
  expect(widgets.some(({ id }) => id.includes('code'))).toBe(false);
});
