/** The addresses of stored views and layouts. */
import { expect, test } from 'bun:test';
import { products } from '../../src/collection/products.ts';
import { editorsIn } from '../../src/console/browser/api/presence.ts';
import { listAddress, listUrl, parseQuery, viewId } from '../../src/console/browser/api/query/list.ts';
import { groupsUrl } from '../../src/console/browser/find/value-counts.ts';
import { groupHeads } from '../../src/console/browser/grid/grid.tsx';
import { lineOf, rowAtLine, windowAt } from '../../src/console/browser/grid/row-window.ts';
import { readDefinition, viewAddress, viewQuery } from '../../src/console/browser/views/views.ts';

test('a view is its address without its id, and filters keep the view and the layout', () => {
  const query = parseQuery(products, 'unit_price=gt.20&~view=f00&~as=cards');
  expect(viewId(query)).toBe('f00');
  expect(viewQuery(query)).toBe('unit_price=gt.20&~as=cards');
  const view = { id: 'f00', name: 'Dear & new', shared: false, definition: { query: viewQuery(query), columns: {} } };
  const address = viewAddress(products, view);
  expect(address).toBe('/c/products?unit_price=gt.20&~as=cards&~view=f00');
  expect(viewId(parseQuery(products, address.split('?')[1]!))).toBe('f00');
  expect(listAddress({ ...query, filters: [] })).toContain('~as=cards');
  expect(listUrl(query)).not.toContain('~');
});

test('a definition of another client never breaks the grid', () => {
  for (const json of [null, 1, 'x', [], { query: 5, columns: { order: 'id', hidden: [1], widths: { id: -1 } } }])
    expect(readDefinition(json)).toEqual({ query: '', columns: {} });
  const definition = { query: 'id=eq.1', columns: { hidden: ['id'], widths: { id: 90 }, rowHeight: 'tall' } } as const;
  expect(readDefinition({ ...definition, more: 1 })).toEqual(definition as never);
});

test('a grouped list is sorted by the group first; the groups have the same conditions and direction', () => {
  const query = parseQuery(products, 'unit_price=gt.20&order=product_name.asc,discontinued.desc&~group=discontinued');
  expect(listUrl(query)).toBe('/products?unit_price=gt.20&order=discontinued.desc,product_name.asc,id.asc');
  const field = products.byName.get('discontinued')!;
  expect(decodeURIComponent(groupsUrl(query, field))).toBe(
    '/products?unit_price=gt.20&select=discontinued,count()&order=discontinued.desc&limit=1000',
  );
  expect(listUrl(parseQuery(products, '~group=unit_price'))).toBe('/products?order=id.asc');
});

test('every row has a line after the head of its group, and rows without a counted group have a head', () => {
  const heads = groupHeads(
    [
      { label: 'no', count: 3 },
      { label: 'yes', count: 2 },
    ],
    7,
  );
  expect(heads.map(({ start, count }) => [start, count])).toEqual([
    [0, 3],
    [3, 2],
    [5, 2],
  ]);
  const starts = heads.map(({ start }) => start);
  expect([0, 2, 3, 4, 5, 6].map((row) => lineOf(row, starts))).toEqual([1, 3, 5, 6, 8, 9]);
  expect([0, 1, 3, 4, 5, 6, 7, 8, 9].map((line) => rowAtLine(line, starts))).toEqual([0, 0, 2, 3, 3, 4, 5, 5, 6]);
  const shown = windowAt({ viewport: 360, total: 7, rowHeight: 36, scrollTop: 0, starts });
  expect([shown.first, shown.last, shown.height, shown.topOf(3)]).toEqual([0, 6, 360, 180]);
  // Rows that were deleted since the list was counted have no head.
  expect(groupHeads([{ label: 'no', count: 3 }], 0)).toEqual([]);
});

test('editors have their names once, without this page', () => {
  const sign = (id: string, key: string, owner: string | null) => ({ id, key, owner });
  const signs = [sign('a-1', '1', 'user ann'), sign('a-2', '1', 'user ann'), sign('b-1', '1', 'user ben')];
  const editors = editorsIn([...signs, sign('c-1', '2', null), sign('d-1', '3', 'user eve')], new Set(['d1']));
  expect([...editors]).toEqual([
    ['1', 'ann, ben'],
    ['2', 'Someone else'],
  ]);
});
