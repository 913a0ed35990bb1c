/** Forms of the console: their groups, and the columns of related rows. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { isNeeded } from '../../src/console/browser/api/catalogue.ts';
import { groupFields } from '../../src/console/browser/record/groups.ts';
import { nameOf } from '../../src/console/browser/record/related-row.tsx';
import { columnsOf } from '../../src/console/browser/record/related-rows.tsx';

const { collections } = declareCatalogue({
  collections: [
    {
      name: 'teas',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'image', type: 'image' },
        { name: 'name', type: 'text', required: true },
        { name: 'price', type: 'decimal(10,2)', required: true, default: 0 },
        { name: 'changed_at', type: 'timestamptz', onUpdate: 'now' },
      ],
    },
    {
      name: 'prices',
      key: ['tea_id', 'currency'],
      fields: [
        { name: 'tea_id', type: 'int4', references: { collection: 'teas', onDelete: 'cascade' } },
        { name: 'currency', type: 'text' },
        { name: 'amount', type: 'decimal(10,2)' },
        { name: 'extra', type: 'json' },
      ],
    },
  ],
});
const teas = collections.get('teas')!;
const prices = collections.get('prices')!;
const names = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name).join(' ');

test('a form has the fields in their order, then files, then what nobody can change', () => {
  const stored = groupFields(teas, teas.fields, false);
  expect([stored.sections[0]![1], stored.files, stored.fixed].map(names)).toEqual([
    'name price',
    'image',
    'id changed_at',
  ]);
  expect(names(groupFields(teas, teas.fields, true).sections[0]![1])).toBe('name price id');
  expect(teas.fields.filter((field) => isNeeded(teas, field)).map(({ name }) => name)).toEqual(['name']);
});

test('a table of related rows has neither the reference nor json, and its rows have short names', () => {
  const reference = prices.byName.get('tea_id')!;
  expect(names(columnsOf(prices, reference))).toBe('currency amount');
  expect(nameOf(prices, reference, { tea_id: 1, currency: 'EUR', amount: 2 })).toBe('EUR');
  expect(nameOf(teas, teas.byName.get('price')!, { id: 1, name: 'Assam' })).toBe('Assam');
});
