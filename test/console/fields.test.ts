/** Field kinds of the console: each parses the text that it prints, and reports invalid text. */
import { describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import type { Value } from '../../src/collection/value.ts';

import { formatValue, kindOf, parseText, printValue } from '../../src/console/browser/fields/registry.ts';
import { joinTags, splitTags } from '../../src/import/lists.ts';

const collection = declareCatalogue({
  collections: [
    {
      name: 'things',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'label', type: 'text', required: true, maxLength: 5 },
        { name: 'price', type: 'decimal(10,2)', minimum: 0 },
        { name: 'stock', type: 'int4' },
        { name: 'active', type: 'boolean' },
        { name: 'day', type: 'date' },
        { name: 'size', type: 'text', oneOf: ['S', 'M'] },
        { name: 'labels', type: 'text[]' },
        { name: 'extra', type: 'json' },
        { name: 'photo_url', type: 'text' },
      ],
    },
  ],
}).collections.get('things')!;
const place = (name: string) => ({ collection, field: collection.byName.get(name)! });

test('the type and the rules of a field determine its kind', () => {
  const kinds = collection.fields.map(({ name }) => kindOf(place(name)).name);
  expect(kinds.join(' ')).toBe('number text number number boolean date choice array json file');
});

describe.each<[string, Value]>([
  ['label', 'Jam'],
  ['price', 12.5],
  ['stock', 1234],
  ['active', false],
  ['day', '2026-12-31'],
  ['size', 'M'],
  ['labels', ['a', 'b, c', 'say "d"'] as unknown as Value],
  ['extra', { deep: [1, 2.5] } as unknown as Value],
])('%s', (name, value) => {
  test('its printed text has the same value', () => {
    expect(parseText(place(name), printValue(place(name), value))).toEqual({ value });
  });
});

test.each([
  ['label', '', 'This field is required.'],
  ['label', 'Marmalade', 'Must have at most 5 characters.'],
  ['price', 'abc', '“abc” is not a number. Use 12.50.'],
  ['stock', 'abc', '“abc” is not a number. Use 12.'],
  ['price', '-1', 'Must be at least 0.'],
  ['stock', '1.5', 'Whole numbers only.'],
  ['size', 'XL', 'Must be one of S, M.'],
  ['extra', '{', 'This is not JSON.'],
  ['active', 'perhaps', '“perhaps” is not a valid value.'],
])('%s: “%s” is rejected with a reason', (name, text, problem) => {
  expect(parseText(place(name), text)).toEqual({ problem });
});

test('dates and numbers are read as people write them', () => {
  expect(parseText(place('day'), '31.12.2026')).toEqual({ value: '2026-12-31' });
  expect(formatValue(place('price'), 1234.5)).toBe('1,234.50');
});

test('tags with commas and quotes survive', () => {
  const tags = ['plain', 'with, comma', '"quoted"'];
  expect(splitTags(joinTags(tags))).toEqual(tags);
});
