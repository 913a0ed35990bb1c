/** Filters of the console in words, and the search over several fields. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { filterField } from '../../src/console/browser/api/query/filters.ts';
import { listUrl, parseQuery } from '../../src/console/browser/api/query/list.ts';
import {
  describeFilter,
  operatorsOf,
  parseCondition,
  parseList,
  parseOperand,
  printCondition,
} from '../../src/console/browser/find/conditions.ts';
import { parseGroup, printGroup } from '../../src/console/browser/find/or-groups.ts';
import { matches } from '../../src/console/browser/find/palette.tsx';
import { addExactly } from '../../src/console/browser/grid/foot.tsx';
import { percentFactor } from '../../src/console/browser/grid/many-rows/bulk-dialog.tsx';
import { MAX_HEIGHT, scrollTopFor, windowAt } from '../../src/console/browser/grid/row-window.ts';
import { columnsOf, moveColumn, toggleColumn } from '../../src/console/browser/views/columns.ts';

const collection = declareCatalogue({
  collections: [
    {
      name: 'things',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'label', type: 'text', required: true },
        { name: 'sku', type: 'text', unique: true },
        { name: 'price', type: 'decimal(10,2)' },
        { name: 'active', type: 'boolean' },
        { name: 'tags', type: 'text[]' },
      ],
    },
  ],
}).collections.get('things')!;
const place = (name: string) => filterField(collection, collection.byName.get(name)!);

test.each([
  ['price', 'gt.1234.5', 'Price > 1,234.5'],
  ['price', 'is.null', 'Price is empty'],
  ['price', 'not.is.null', 'Price is not empty'],
  ['label', 'ilike.*50\\%*', 'Label contains 50%'],
  ['label', 'ilike.Ch*', 'Label begins with Ch'],
  ['label', 'in.("a, b",c)', 'Label: a, b, c'],
  ['label', 'orempty.in.(a,b)', 'Label: empty, a, b'],
  ['label', 'not.eq.Chai', 'Label not = Chai'],
  ['active', 'is.true', 'Active Yes'],
  ['tags', 'cs.{"hot"}', 'Tags has hot'],
  ['label', 'wfts.chef -gumbo', 'Label matches the web search chef -gumbo'],
])('%s=%s reads “%s”', (name, condition, words) => {
  expect(describeFilter(place(name), name, condition)).toBe(words);
  expect(printCondition(parseCondition(condition))).toBe(condition);
});

test('operands are read as in a cell, lists get parentheses, and a field offers the operators of its type', () => {
  expect(parseOperand(place('price'), 'gt', '12,50')).toEqual({ value: '12.5' });
  expect(parseOperand(place('price'), 'gt', 'much')).toEqual({ problem: '“much” is not a number. Use 12.50.' });
  expect(parseOperand(place('price'), 'in', '1, 2')).toEqual({ value: '(1, 2)' });
  expect(parseList('(1,"a, \\"b\\"")')).toEqual(['1', 'a, "b"']);
  expect(operatorsOf(place('tags'))).toContain('ov');
  expect(operatorsOf(place('price'))).not.toContain('ilike');
  expect(operatorsOf(place('price'))).not.toContain('within');
});

test('a search finds titles, unique texts and tags; each word must occur in one of them', () => {
  const url = decodeURIComponent(listUrl(parseQuery(collection, '~q=hot%20a%22b')));
  expect(url).toContain('or=(label.ilike."*hot*",sku.ilike."*hot*",tags.cs."{\\"hot\\"}")');
  expect(url).toContain('or=(label.ilike."*a\\"b*"');
  // Without a field to search, no row matches, rather than all of them.
  const fields = [{ name: 'a b', type: 'int4' }];
  const numbers = declareCatalogue({ collections: [{ name: 'numbers', key: ['a b'], fields }] });
  const search = listUrl(parseQuery(numbers.collections.get('numbers')!, '~q=hot%20tea'));
  expect(decodeURIComponent(search)).toBe('/numbers?"a b"=is.null&order="a b".asc');
});

test('the palette matches the beginnings of words', () => {
  expect(matches('New row in Products', 'new prod')).toBe(true);
  expect(matches('New row in Products', 'ducts')).toBe(false);
});

test('a list that is higher than a browser allows scrolls to every row', () => {
  const list = { viewport: 800, total: 10_000_000, rowHeight: 36 };
  const last = scrollTopFor(9_999_999, { ...list, scrollTop: 0 })!;
  expect(last).toBeLessThanOrEqual(MAX_HEIGHT - 800);
  const end = windowAt({ ...list, scrollTop: last });
  expect(end.last).toBe(9_999_999);
  expect(end.offset + end.topOf(9_999_999) + 36).toBeLessThanOrEqual(last + 801);
  expect(windowAt({ viewport: 360, total: 100, rowHeight: 36, scrollTop: 72 })).toMatchObject({ first: 0, offset: 0 });
  expect(scrollTopFor(5, { viewport: 360, total: 100, rowHeight: 36, scrollTop: 0 })).toBeUndefined();
});

test('columns are hidden and moved, and the title stays first', () => {
  const names = (settings: object) => columnsOf(collection, settings).map(({ field }) => field.name);
  expect(names({})).toEqual(['label', 'id', 'sku', 'price', 'active', 'tags']);
  expect(names(moveColumn(collection, {}, 'tags', 'sku'))).toEqual(['label', 'id', 'tags', 'sku', 'price', 'active']);
  expect(names(moveColumn(collection, {}, 'tags', 'label'))[0]).toBe('label');
  expect(names(toggleColumn({}, 'id'))).not.toContain('id');
  expect(names(toggleColumn(toggleColumn({}, 'id'), 'id'))).toContain('id');
});

test('sums and percentages are exact', () => {
  expect(addExactly(['0.1', '0.2', '-1', '9007199254740993'])).toBe('9007199254740992.3');
  expect(addExactly(['NaN'])).toBeUndefined();
  expect([percentFactor('5'), percentFactor('7.5'), percentFactor('-150')]).toEqual(['1.05', '1.075', '-0.50']);
});

test('a group of conditions is read as it was printed, and other expressions are left to the query language', () => {
  const { collections } = declareCatalogue({
    collections: [
      {
        name: 'things',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int4' },
          { name: 'a.b, c', type: 'text' },
        ],
      },
    ],
  });
  const things = collections.get('things')!;
  const pairs = [
    ['id', 'in.(1,2)'],
    ['a.b, c', 'not.ilike.*x, ("y")*'],
    ['id', 'is.null'],
  ] as const;
  const text = printGroup(things, pairs)!;
  expect(text).toBe('(id.in.(1,2),"a.b, c".not.ilike."*x, (\\"y\\")*",id.is.null)');
  expect(parseGroup(things, text)).toEqual(pairs);
  expect(parseGroup(things, '(id.eq.1,and(id.gt.1,id.lt.3))')).toBeUndefined();
  expect(
    printGroup(things, [
      ['id', 'eq.1'],
      ['other.name', 'eq.1'],
    ]),
  ).toBeUndefined();
});
