/** The address of a list in the console, and its request. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { products } from '../../src/collection/products.ts';
import { previewChange } from '../../src/console/browser/api/bulk-change.ts';
import { listAddress, listUrl, pageUrl, parseQuery } from '../../src/console/browser/api/query/list.ts';
import { keyParts, keysFilter, keyText } from '../../src/console/browser/api/query/text.ts';

const collection = products;

test('an address holds filters, order and search, and parses to the same query', () => {
  const address = '/c/products?unit_price=gt.20&order=unit_price.desc&~q=50%25%20sauce';
  const query = parseQuery(collection, address.split('?')[1]!);
  expect(query.filters).toEqual([['unit_price', 'gt.20']]);
  expect(query.order).toEqual([{ name: 'unit_price', isDescending: true }]);
  expect(query.search).toBe('50% sauce');
  expect(parseQuery(collection, listAddress(query).split('?')[1]!)).toEqual(query);
});

test('the request orders by the key at last, so that pages never overlap', () => {
  const query = parseQuery(collection, 'order=unit_price.desc');
  expect(listUrl(query)).toBe('/products?order=unit_price.desc,id.asc');
  expect(pageUrl(query, 2)).toBe('/products?order=unit_price.desc,id.asc&offset=400&limit=200');
});

test('each word of a search must occur, and wildcards are literal', () => {
  const url = listUrl(parseQuery(collection, '~q=chef%20100%25'));
  expect(decodeURIComponent(url)).toContain('product_name=ilike.*chef*&product_name=ilike.*100\\%*');
});

test('the key of a row survives the address, whatever its characters', () => {
  const labels = declareCatalogue({
    collections: [
      {
        name: 'labels',
        key: ['code', 'language'],
        fields: [
          { name: 'code', type: 'text' },
          { name: 'language', type: 'text' },
        ],
      },
    ],
  }).collections.get('labels')!;
  const row = { code: 'a/b,"50%"', language: 'de' };
  expect(keyParts(keyText(labels, row))).toEqual(['a/b,"50%"', 'de']);
  expect(decodeURIComponent(keysFilter(labels, [row]))).toBe('or=(and(code.eq."a/b,\\"50%\\"",language.eq."de"))');
});

test('names that need quotes survive the address, and the request quotes them', () => {
  const odd = declareCatalogue({
    collections: [
      {
        name: 'Order Details',
        key: ['No, of'],
        fields: [
          { name: 'No, of', type: 'int4' },
          { name: 'Unit "Price"', type: 'int4' },
          { name: 'order', type: 'text' },
        ],
      },
    ],
  }).collections.get('Order Details')!;
  const query = {
    collection: odd,
    filters: [
      ['order', 'eq.x'],
      ['Unit "Price"', 'gt.2'],
      ['or', '(a.eq.1)'],
    ] as const,
    search: '',
    order: [
      { name: 'Unit "Price"', isDescending: true },
      { name: 'order', isDescending: false },
    ],
  };
  const address = listAddress(query);
  expect(address).toStartWith('/c/Order%20Details?');
  expect(parseQuery(odd, address.split('?')[1]!)).toEqual(query);
  expect(decodeURIComponent(listUrl(query))).toBe(
    String.raw`/Order Details?"order"=eq.x&"Unit \"Price\""=gt.2&or=(a.eq.1)&order="Unit \"Price\"".desc,"order".asc,"No, of".asc`,
  );
  expect(decodeURIComponent(keysFilter(odd, [{ 'No, of': 7 }]))).toBe('"No, of"=in.(7)');
});

test('a change of more rows than one transaction takes is never sent by the filter of the list', async () => {
  const rows = Array.from({ length: 1001 }, (_, at) => ({ id: at + 1 }));
  const target = { query: parseQuery(collection, ''), rows, count: rows.length };
  await expect(previewChange(target, collection.byName.get('units_in_stock')!, 0)).rejects.toThrow(
    'At most 1,000 rows',
  );
});
