/** Media types: the same products as JSON, CSV, NDJSON, a single object, or without nulls. */
import { describe, expect, test } from 'bun:test';
import { REFERENCE_PRODUCTS, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  ownCatalogue,
  reference,
  sendJson,
  sharedCatalogue,
  TEN_FIELDS,
} from '../../support/stories.ts';

const HEADER = Object.keys(TEN_FIELDS).join(',');
const OBJECT = 'application/vnd.pgrst.object+json';

describe.each(TWO_ENGINES)('media types on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);
  const get = (path: string, accept: string) => catalogue.fetch(path, { headers: { accept } });

  describe('JSON', () => {
    test.each(['application/json', '*/*', 'text/html, */*;q=0.1', 'application/vnd.pgrst.array+json'])(
      'is the response to Accept: %s',
      async (accept) => {
        const response = await get('/products?id=eq.5', accept);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(await response.json()).toEqual([reference(5)]);
      },
    );
  });

  describe('text/csv', () => {
    test('contains a header line and one line per product', async () => {
      const response = await get('/products?id=in.(23,14)', 'text/csv');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(response.headers.get('content-range')).toBe('0-1/*');
      const lines = [14, 23].map((id) => Object.values(reference(id)).join(','));
      expect(await response.text()).toBe(`${[HEADER, ...lines].join('\n')}\n`);
    });

    test('contains only the header line if no products match', async () => {
      expect(await (await get('/products?id=eq.0', 'text/csv')).text()).toBe(`${HEADER}\n`);
      const selected = await get('/products?id=eq.0&select=id,name:product_name', 'text/csv');
      expect(await selected.text()).toBe('id,name\n');
    });

    test('works for one product at its own URL', async () => {
      const response = await get('/products/14?select=id,unit_price', 'text/csv');
      expect(await response.text()).toBe('id,unit_price\n14,23.25\n');
    });
  });

  describe('application/x-ndjson', () => {
    test('contains one object per line', async () => {
      const response = await get('/products?limit=40', 'application/x-ndjson');
      expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const text = await response.text();
      expect(text.endsWith('}\n')).toBe(true);
      const objects = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(objects).toEqual(REFERENCE_PRODUCTS.slice(0, 40));
    });

    test('is empty if no products match', async () => {
      expect(await (await get('/products?id=eq.0', 'application/x-ndjson')).text()).toBe('');
    });
  });

  describe('application/vnd.pgrst.object+json', () => {
    test('returns the one product itself', async () => {
      for (const path of ['/products?id=eq.61', '/products/61', '/products?order=unit_price.desc&limit=1&offset=20']) {
        const response = await get(path, OBJECT);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe(`${OBJECT}; charset=utf-8`);
        expect(await response.json()).toHaveProperty('product_name');
      }
    });

    test.each([
      ['/products?id=eq.0', 0],
      ['/products?discontinued=neq.0', 10],
      ['/products?limit=2', 2],
    ])('%s does not match exactly one product: 406 with the number of matches', async (path, count) => {
      const { details } = await expectRefusal(await get(path, OBJECT), 406, 'PGRST116');
      expect(details).toContain(`${count} rows`);
    });

    test('past the end of a counted list: 406, not 416', async () => {
      const counted = { accept: OBJECT, prefer: 'count=exact' };
      const response = await catalogue.fetch('/products?offset=100', { headers: counted });
      const { details } = await expectRefusal(response, 406, 'PGRST116');
      expect(details).toContain('0 rows');
    });
  });

  describe('one product at its own URL is one object', () => {
    test.each([
      ['application/json', 'application/json'],
      ['application/vnd.pgrst.array+json', 'application/json'],
      ['application/vnd.pgrst.array+json;nulls=stripped', `${OBJECT};nulls=stripped`],
      [`${OBJECT};nulls=stripped`, `${OBJECT};nulls=stripped`],
      [OBJECT, OBJECT],
    ])('and Accept: %s returns %s', async (accept, type) => {
      const response = await get('/products/61', accept);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(await response.json()).toEqual(reference(61));
    });
  });

  describe('weights', () => {
    test.each([
      ['text/csv;q=0.4, application/json;q=0.8', 'application/json'],
      ['text/csv;q=0.8, application/json;q=0.4', 'text/csv'],
      ['text/csv, application/json', 'text/csv'],
      ['application/json;q=0.9, text/csv', 'text/csv'],
      ['image/png, text/csv;q=0.1', 'text/csv'],
      ['image/png;q=1, application/x-ndjson;q=0.2, */*;q=0.1', 'application/x-ndjson'],
      ['TEXT/CSV', 'text/csv'],
    ])('Accept: %s returns %s', async (accept, type) => {
      const response = await get('/products?limit=1', accept);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    });

    test.each(['image/png', 'text/html', 'text/*', 'application/geo+json', 'nonsense'])(
      'Accept: %s alone is not supported: 406, and the error names the supported types',
      async (accept) => {
        for (const path of ['/products', '/products/1']) {
          const { hint } = await expectRefusal(await get(path, accept), 406, 'PGRST107');
          expect(hint).toContain('text/csv');
        }
      },
    );
  });

  test('a delimiter without quotes gets 406 with a hint that shows them', async () => {
    const { hint } = await expectRefusal(await get('/products', 'text/csv;delimiter=;'), 406, 'PGRST107');
    expect(hint).toContain('text/csv;delimiter=";"');
  });

  test('responses vary by Accept', async () => {
    expect((await get('/products?limit=1', 'text/csv')).headers.get('vary')).toContain('Accept');
  });
});

describe.each(TWO_ENGINES)('media types of written products on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const sparse = { ...TEN_FIELDS, quantity_per_unit: null, unit_price: null, supplier_id: null };
  const { quantity_per_unit: _q, unit_price: _p, supplier_id: _s, ...withoutNulls } = sparse;
  const create = (body: object, headers: Record<string, string> = {}) =>
    catalogue.fetch('/products', sendJson('POST', body, headers));
  const get = (path: string, accept: string) => catalogue.fetch(path, { headers: { accept } });

  test('nulls=stripped omits nulls, in a list and in one object', async () => {
    await create(sparse);
    const list = await get('/products?id=gte.77', 'application/vnd.pgrst.array+json;nulls=stripped');
    expect(list.headers.get('content-type')).toContain('nulls=stripped');
    expect(await list.json()).toEqual([reference(77), withoutNulls]);
    const one = await get('/products?id=eq.1001', `${OBJECT};nulls=stripped`);
    expect(await one.json()).toEqual(withoutNulls);
    expect(await (await get('/products/1001', `${OBJECT};nulls=stripped`)).json()).toEqual(withoutNulls);
  });

  test('CSV leaves null empty, and quotes empty texts, commas, quotes and line ends', async () => {
    await create({ ...sparse, quantity_per_unit: '', product_name: 'a "b", c\nd' });
    const response = await get('/products?id=eq.1001&select=product_name,quantity_per_unit,unit_price', 'text/csv');
    expect(await response.text()).toBe('product_name,quantity_per_unit,unit_price\n"a ""b"", c\nd","",\n');
  });

  test('CSV begins with a byte order mark if requested', async () => {
    const path = '/products?id=eq.1&select=product_name';
    const response = await get(path, 'text/csv;bom=true');
    expect(response.headers.get('content-type')).toBe('text/csv;bom=true; charset=utf-8');
    expect([...new Uint8Array(await response.arrayBuffer())].slice(0, 4)).toEqual([0xef, 0xbb, 0xbf, 0x70]);
    const plain = await get(path, 'text/csv');
    expect(plain.headers.get('etag')).not.toBe(response.headers.get('etag'));
    expect([...new Uint8Array(await plain.arrayBuffer())][0]).toBe(0x70);
  });

  test('CSV for spreadsheets begins with a byte order mark and escapes formulas in texts, but not numbers', async () => {
    const names = ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', '=a,"b"', '1-1', ' =1', '＝1'];
    for (const [index, product_name] of names.entries()) {
      await create({ ...sparse, id: 2_000 + index, product_name, units_in_stock: -5 });
    }
    const path = '/products?id=gte.2000&select=product_name,units_in_stock';
    const response = await get(path, 'text/csv;spreadsheet=true');
    expect(response.headers.get('content-type')).toBe('text/csv;spreadsheet=true; charset=utf-8');
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const text = decoder.decode(await response.arrayBuffer());
    const shown = ["'=1+1", '+1', '-1', "'@sum", "'\t=1", `"'\r=1"`, `"'=a,""b"""`, '1-1', ' =1', "'＝1"];
    expect(text).toBe(['\uFEFFproduct_name,units_in_stock', ...shown.map((cell) => `${cell},-5`), ''].join('\n'));
    const named = await get('/products?id=eq.1&select="=1":id', 'text/csv;spreadsheet=true');
    expect(decoder.decode(await named.arrayBuffer())).toBe("\uFEFF'=1\n1\n");
    expect(await (await get(path, 'text/csv')).text()).toContain('\n=1+1,-5\n');
  });

  test('cells are separated by a semicolon or a tab, and numbers have a decimal comma, if requested', async () => {
    await create({ ...sparse, id: 2_100, product_name: 'a;b, "c"\td', unit_price: -12.5, units_in_stock: 7 });
    await create({ ...sparse, id: 2_101, product_name: '1.5', unit_price: 3, units_in_stock: null });
    const path = '/products?id=gte.2100&select=product_name,unit_price,units_in_stock';
    for (const [accept, type, lines] of [
      [
        'text/tab-separated-values',
        '',
        ['product_name\tunit_price\tunits_in_stock', '"a;b, ""c""\td"\t-12.5\t7', '1.5\t3\t'],
      ],
      ['text/csv;delimiter=";"', '', ['product_name;unit_price;units_in_stock', '"a;b, ""c""\td";-12.5;7', '1.5;3;']],
      [
        'text/csv; DELIMITER=";" ;decimal=","',
        'text/csv;delimiter=";";decimal=","',
        ['product_name;unit_price;units_in_stock', '"a;b, ""c""\td";-12,5;7', '1.5;3;'],
      ],
      ['text/csv;decimal=","', '', ['product_name,unit_price,units_in_stock', '"a;b, ""c""\td","-12,5",7', '1.5,3,']],
      [
        'text/tab-separated-values;decimal=","',
        '',
        ['product_name\tunit_price\tunits_in_stock', '"a;b, ""c""\td"\t-12,5\t7', '1.5\t3\t'],
      ],
    ] as const) {
      const response = await get(path, accept);
      expect(response.headers.get('content-type')).toBe(`${type === '' ? accept : type}; charset=utf-8`);
      expect(await response.text()).toBe(`${lines.join('\n')}\n`);
    }
    const spreadsheet = await get(path, 'text/csv;spreadsheet=true;delimiter=";";decimal=","');
    expect(new Uint8Array(await spreadsheet.clone().arrayBuffer())[0]).toBe(0xef);
    expect(await spreadsheet.text()).toContain('\n"a;b, ""c""\td";-12,5;7\n');
    const sums = await get(
      '/products?id=gte.2100&select=unit_price.sum(),count()',
      'text/csv;delimiter=";";decimal=","',
    );
    expect(await sums.text()).toBe('sum;count\n-9,5;2\n');
  });

  test('another delimiter or decimal sign is not available', async () => {
    for (const accept of [
      'text/csv;delimiter="|"',
      'text/csv;decimal="x"',
      'text/tab-separated-values;delimiter=";"',
    ]) {
      await expectRefusal(await get('/products', accept), 406, 'PGRST107');
      expect((await get('/products?limit=1', `${accept}, application/json;q=0.5`)).status).toBe(200);
    }
    const both = await get('/products?limit=1', 'text/csv;delimiter=",";q=0.4, application/json;q=0.5');
    expect(both.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('a line end in a name does not break an NDJSON line', async () => {
    await create({ ...TEN_FIELDS, product_name: 'two\nlines' });
    const text = await (await get('/products?id=eq.1001', 'application/x-ndjson')).text();
    expect(text.split('\n')).toHaveLength(2);
  });

  test('return=representation uses the requested media type', async () => {
    const headers = { prefer: 'return=representation', accept: 'text/csv' };
    const created = await catalogue.fetch('/products?select=id,units_in_stock', sendJson('POST', TEN_FIELDS, headers));
    expect(created.status).toBe(201);
    expect(await created.text()).toBe('id,units_in_stock\n1001,41\n');
    const removed = await catalogue.fetch('/products?id=eq.1001', {
      method: 'DELETE',
      headers: { prefer: 'return=representation', accept: OBJECT },
    });
    expect(await removed.json()).toEqual(TEN_FIELDS);
  });

  test('a write whose response would not be one object is rejected and rolled back', async () => {
    const headers = { prefer: 'return=representation', accept: OBJECT };
    await expectRefusal(await create([TEN_FIELDS, { ...TEN_FIELDS, id: 1002 }], headers), 406, 'PGRST116');
    const removal = { method: 'DELETE', headers };
    await expectRefusal(await catalogue.fetch('/products?id=lt.10', removal), 406, 'PGRST116');
    expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS]);
  });

  test('a write whose response type is not supported is rejected before it runs', async () => {
    await expectRefusal(await create(TEN_FIELDS, { accept: 'image/png' }), 406, 'PGRST107');
    expect(await catalogue.list()).toHaveLength(77);
  });
});
