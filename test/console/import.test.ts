/** The import without a browser: formats of columns, mapping, matches, and the cells of a file. */
import { describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { notationsOf } from '../../src/console/browser/fields/parse.ts';
import { matchesOf, matchName, suggestMapping } from '../../src/console/browser/import/columns.ts';
import { readCell } from '../../src/console/browser/import/plan.ts';
import type { Sheet } from '../../src/console/browser/import/sheet.ts';

const collection = declareCatalogue({
  collections: [
    {
      name: 'prices',
      key: ['product', 'currency'],
      fields: [
        { name: 'product', type: 'int4' },
        { name: 'currency', type: 'text' },
        { name: 'code', type: 'text', unique: true },
        { name: 'label_text', type: 'text', required: true },
        { name: 'amount', type: 'decimal(12,4)' },
        { name: 'day', type: 'date' },
        { name: 'tags', type: 'text[]' },
        { name: 'extra', type: 'json' },
        { name: 'active', type: 'boolean' },
      ],
    },
  ],
}).collections.get('prices')!;
const place = (name: string) => ({ collection, field: collection.byName.get(name)! });

const sheetOf = (columns: readonly string[], ...rows: readonly (readonly unknown[])[]): Sheet => ({
  name: 'file.csv',
  columns,
  rows: rows.map((cells, at) => ({ line: at + 2, cells })),
  areTexts: true,
  separator: ';',
  notes: [],
});

const columnWith = (name: string, separator: string, ...cells: readonly string[]) => {
  const { field } = place(name);
  const rows = cells.map((cell) => [cell]);
  return notationsOf(separator, [field], rows, {}).of(field)!;
};

describe('the notation of a column', () => {
  test.each([
    [['12,50', '1.299'], ';', 'comma'],
    [['12.50', '1,299'], ';', 'point'],
    [['1.234.567'], ',', 'comma'],
    [['1,299'], ',', 'point'],
    [['1.234,5'], ',', 'comma'],
  ] as const)('%p with %p is a decimal %s', (cells, separator, notation) => {
    expect(columnWith('amount', separator, ...cells).current()).toBe(notation);
  });

  test.each([
    [['03/04/2026', '31/12/2026'], 'dayFirst'],
    [['03/04/2026', '12/31/2026'], 'monthFirst'],
    [['03.04.2026'], 'dayFirst'],
  ] as const)('%p is %s', (cells, notation) => {
    expect(columnWith('day', ';', ...cells).current()).toBe(notation);
  });

  test('a date is written with the year first, and other texts stay', () => {
    expect(columnWith('day', ';', '31/12/2026').read('3/4/2026 08:30')).toBe('2026-04-03 08:30');
    expect(columnWith('day', ';', '12/31/2026').read('3/4/2026')).toBe('2026-03-04');
    expect(columnWith('day', ';').read('2026-03-04')).toBe('2026-03-04');
  });

  test.each([
    ['Dec 31, 2026', '2026-12-31'],
    ['31. Dez. 2026', '2026-12-31'],
    ['31 March 2026, 8:05 PM', '2026-03-31 20:05'],
    ['31.12.26', '2026-12-31'],
    ['market 2026', 'market 2026'],
    ['4. Sept 2026', '2026-09-04'],
    ['Marvel 5, 2026', 'Marvel 5, 2026'],
    ['Junior 5, 2026', 'Junior 5, 2026'],
    ['31/05/26', '2026-05-31'],
    ['31-05-2026', '2026-05-31'],
    ['26-05-04', '26-05-04'],
  ])('the date %p is read as %s', (cell, iso) => {
    expect(columnWith('day', ';').read(cell)).toBe(iso);
  });

  test.each([
    ['1.299,00 €', '1299.00'],
    ['$1,299.00', '1299.00'],
    ['−12,50 EUR', '-12.50'],
    ['CHF 1’299.50', '1299.50'],
  ])('the amount %p is read as %s', (cell, plain) => {
    expect(columnWith('amount', ';', cell).read(cell)).toBe(plain);
  });

  test('three amounts are read by the one that shows its decimal mark', () => {
    const column = columnWith('amount', '\t', '1.299,00', '1.234', '2.500');
    expect(['1.299,00', '1.234', '2.500'].map((cell) => Number(column.read(cell)))).toEqual([1299, 1234, 2500]);
  });

  test('a column that does not show its notation has that of the other columns, if they agree', () => {
    const fields = ['amount', 'product'].map((name) => place(name).field);
    const read = (...cells: readonly string[]) => notationsOf(';', fields, [cells], {}).of(fields[1]!)!.read(cells[1]!);
    expect(read('12,50', '1.000')).toBe('1000');
    expect(read('12.50', '1,000')).toBe('1000');
    expect(read('12.50', '1.000')).toBe('1.000');
  });

  test('a cell is ambiguous beside cells in both notations, until a person chooses one', () => {
    const column = columnWith('amount', ';', '12,50', '0.5');
    expect(() => column.read('1.299')).toThrow('"1.299" beside "12,50"');
    column.chosen = 'point';
    expect(column.read('1.299')).toBe('1.299');
  });
});

test('columns are mapped by field names and labels, each field once', () => {
  const mapping = suggestMapping(collection, ['Product', 'CURRENCY', 'Label text', 'labelText', 'colour']);
  expect(mapping.map((field) => field?.name)).toEqual(['product', 'currency', 'label_text', undefined, undefined]);
});

test('rows are matched by the whole key, then by unique fields, then by any other field', () => {
  const sheet = sheetOf(['product', 'currency', 'code', 'amount', 'active'], ['1', 'EUR', 'A', '5', 'yes']);
  const mapping = suggestMapping(collection, sheet.columns);
  expect(matchesOf(collection, sheet, mapping).map((match) => [matchName(match), match.isUnique])).toEqual([
    ['product,currency', true],
    ['code', true],
    ['currency', false],
    ['product', false],
    ['amount', false],
  ]);
});

test('cells are read by the format of their column', () => {
  const [amount, day] = [columnWith('amount', ';', '1.299', '7,5'), columnWith('day', ';', '31.12.2026')];
  expect(readCell(place('amount'), '1.299', amount)).toEqual({ value: 1299 });
  expect(readCell(place('amount'), '1.299', columnWith('amount', ',', '7.5'))).toEqual({ value: 1.299 });
  expect(readCell(place('day'), '1.2.2026', day)).toEqual({ value: '2026-02-01' });
  expect(readCell(place('day'), 'soon', day)).toHaveProperty('problem');
  expect(readCell(place('active'), 'yes', undefined)).toEqual({ value: true });
  expect(readCell(place('tags'), '{a,"b c"}', undefined)).toEqual({ value: ['a', 'b c'] as never });
  expect(readCell(place('tags'), 'a, b', undefined)).toEqual({ value: ['a', 'b'] as never });
  expect(readCell(place('extra'), { a: 1 }, undefined)).toEqual({ value: { a: 1 } as never });
  expect(readCell(place('amount'), '', amount)).toBeUndefined();
  expect(readCell(place('label_text'), '', undefined)).toEqual({ value: '' });
  expect(readCell(place('label_text'), null, undefined)).toEqual({ value: null });
});
