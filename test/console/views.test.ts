/** The addresses of stored views and layouts. */
import { expect, test } from 'bun:test';
import { products } from '../../src/collection/products.ts';
import { listAddress, listUrl, parseQuery } from '../../src/console/browser/api/query/list.ts';
import { withLayout } from '../../src/console/browser/views/layouts.ts';
import { viewAddress, viewName, viewQuery } from '../../src/console/browser/views/views.ts';

test('a view is its address without its name, and filters keep the view and the layout', () => {
  const query = parseQuery(products, 'unit_price=gt.20&~view=Dear%20%26%20new&~as=cards');
  expect(viewName(query)).toBe('Dear & new');
  expect(viewQuery(query)).toBe('unit_price=gt.20&~as=cards');
  const view = { name: 'Dear & new', query: viewQuery(query), columns: {} };
  const address = viewAddress(products, view);
  expect(address).toBe('/c/products?unit_price=gt.20&~as=cards&~view=Dear%20%26%20new');
  expect(viewName(parseQuery(products, address.split('?')[1]!))).toBe('Dear & new');
  expect(listAddress({ ...query, filters: [] })).toContain('~as=cards');
  expect(listUrl(query)).not.toContain('~');
});

test('another layout replaces the layout of the address', () => {
  const field = products.byName.get('discontinued')!;
  const query = withLayout(parseQuery(products, '~as=cards'), { kind: 'board', field });
  expect(listAddress(query)).toBe('/c/products?~as=board:discontinued');
});
