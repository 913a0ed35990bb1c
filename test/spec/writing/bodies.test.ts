/** Request bodies: the supported media types, and clear errors for all others. */
import { describe, expect, test } from 'bun:test';
import { MAX_JSON_DEPTH } from '../../../src/base/limits/http.ts';
import { REFERENCE_PRODUCTS, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  expectUntouched,
  ownCatalogue,
  reference,
  send,
  sendJson,
  TEN_FIELDS,
} from '../../support/stories.ts';

const JSON_TEXT = JSON.stringify(TEN_FIELDS);

describe.each(TWO_ENGINES)('request bodies on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (contentType: string, body: NonNullable<RequestInit['body']>, path = '/products') =>
    catalogue.fetch(path, send('POST', contentType, body));
  const created = () => catalogue.list('/products?id=gt.77');

  describe('JSON', () => {
    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
      'application/vnd.pgrst.object+json',
    ])('can be sent as %s', async (type) => {
      expect((await post(type, JSON_TEXT)).status).toBe(201);
      expect(await created()).toEqual([TEN_FIELDS]);
    });

    test('can be sent as bytes without a content type', async () => {
      const body = new TextEncoder().encode(JSON_TEXT);
      expect((await catalogue.fetch('/products', { method: 'POST', body })).status).toBe(201);
      expect(await created()).toEqual([TEN_FIELDS]);
    });

    test('may have spaces, line ends and a byte order mark around the value', async () => {
      expect((await post('application/json', `\uFEFF \r\n\t${JSON_TEXT}\n`)).status).toBe(201);
    });

    test.each([
      ['nothing', ''],
      ['spaces', '  \n'],
      ['text', 'product_name=Tea'],
      ['an object that does not close', JSON_TEXT.slice(0, -1)],
      ['a comma too many', '{"product_name":"Tea",}'],
      ['single quotes', "{'product_name':'Tea'}"],
      ['two documents', `${JSON_TEXT}${JSON_TEXT}`],
      ['a raw line end in a text', '{"product_name":"Te\na"}'],
      ['NaN', '{"product_name":"Tea","unit_price":NaN}'],
      ['null', 'null'],
      ['a number', '5'],
      ['a text', '"Tea"'],
      ['true', 'true'],
      ['a list of lists', '[[1]]'],
      ['a list of numbers', '[1,2]'],
    ])('%s is not a product: 400, PGRST102', async (_, body) => {
      await expectRefusal(await post('application/json', body), 400, 'PGRST102');
      await expectRefusal(
        await catalogue.fetch('/products?id=eq.1', send('PATCH', 'application/json', body)),
        400,
        'PGRST102',
      );
      await expectRefusal(await catalogue.fetch('/products/1', send('PUT', 'application/json', body)), 400, 'PGRST102');
      await expectUntouched(catalogue);
    });

    test('objects with different keys are rejected unless columns names the keys to use', async () => {
      const rows = JSON.stringify([
        { id: 100, product_name: 'Tea' },
        { id: 101, product_name: 'Milk', unit_price: 1 },
      ]);
      const { details } = await expectRefusal(await post('application/json', rows), 400, 'PGRST102');
      expect(details).toContain('row 2');
      expect((await post('application/json', rows, '/products?columns=id,product_name')).status).toBe(201);
      expect((await created()).map(({ unit_price }) => unit_price)).toEqual([null, null]);
    });

    test('keys that are JavaScript words are treated as unknown fields', async () => {
      for (const key of ['__proto__', 'constructor', 'toString', '']) {
        await expectRefusal(await post('application/json', `{"product_name":"Tea","${key}":1}`), 400, 'PGRST204');
      }
      await expectUntouched(catalogue);
    });

    test('arrays beyond the nesting limit are rejected at any depth', async () => {
      for (const depth of [MAX_JSON_DEPTH + 1, 10_000, 100_000, 1_000_000]) {
        const body = `{"product_name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const { status } = await post('application/json', body);
        expect(status).toBe(400);
      }
      await expectUntouched(catalogue);
    });
  });

  describe('CSV', () => {
    test('consists of a header line, then products; quoted cells hold commas, quotes and line ends', async () => {
      const csv = 'id,product_name,quantity_per_unit\r\n90,"Salt, fine","a ""big"" bag"\r\n91,Tea,"two\nlines"\r\n';
      expect((await post('text/csv', csv)).status).toBe(201);
      expect(await catalogue.list('/products?id=gt.77&select=id,product_name,quantity_per_unit')).toEqual([
        { id: 90, product_name: 'Salt, fine', quantity_per_unit: 'a "big" bag' },
        { id: 91, product_name: 'Tea', quantity_per_unit: 'two\nlines' },
      ]);
    });

    test('an unquoted NULL is null', async () => {
      await post('text/csv', 'id,product_name,unit_price\n90,NULL-free,NULL\n');
      expect(await catalogue.list('/products?id=eq.90&unit_price=is.null')).toHaveLength(1);
    });

    test('an empty cell is a missing value: null, the default of a required field, or an assigned id', async () => {
      const csv = 'id,product_name,quantity_per_unit,unit_price,discontinued\n,Tea,,,\n90,"","",,1\n';
      expect((await post('text/csv', csv)).status).toBe(201);
      const select = 'select=id,product_name,quantity_per_unit,unit_price,discontinued';
      expect(await catalogue.list(`/products?id=gt.77&order=id.desc&${select}`)).toEqual([
        { id: 91, product_name: 'Tea', quantity_per_unit: null, unit_price: null, discontinued: 0 },
        { id: 90, product_name: '', quantity_per_unit: '', unit_price: null, discontinued: 1 },
      ]);
      await expectRefusal(await post('text/csv', 'id,product_name\n92,\n'), 400, '23502');
      await expectRefusal(await post('text/csv', 'product_name,unit_price\nTea,""\n'), 400, '22P02');
    });

    test('an empty cell sets the field to null in an update or a replacement', async () => {
      const change = send('PATCH', 'text/csv', 'quantity_per_unit,unit_price,discontinued\n"",,\n');
      expect((await catalogue.fetch('/products?id=eq.1', change)).status).toBe(204);
      const emptied = { ...reference(1), quantity_per_unit: '', unit_price: null, discontinued: 0 };
      expect(await catalogue.list('/products?id=eq.1')).toEqual([emptied]);
      const replacement = send('PUT', 'text/csv', 'id,product_name,unit_price,discontinued\n2,Tea,,\n');
      expect((await catalogue.fetch('/products?id=eq.2', replacement)).status).toBe(204);
      const [replaced] = await catalogue.list('/products?id=eq.2');
      expect(replaced).toMatchObject({ product_name: 'Tea', unit_price: null, discontinued: 0, supplier_id: null });
    });

    test('a downloaded CSV list can be sent back unchanged: null, an empty text, the word NULL', async () => {
      const odd = [
        { ...TEN_FIELDS, id: 90, product_name: '', quantity_per_unit: null, unit_price: null, supplier_id: null },
        { ...TEN_FIELDS, id: 91, product_name: 'NULL', quantity_per_unit: '' },
      ];
      expect((await catalogue.fetch('/products', sendJson('POST', odd))).status).toBe(201);
      for (const accept of ['text/csv', 'text/csv;bom=true']) {
        const answer = await catalogue.fetch('/products', { headers: { accept } });
        const csv = await answer.arrayBuffer();
        await catalogue.fetch('/products?id=gt.0', { method: 'DELETE' });
        expect((await post('text/csv', csv)).status).toBe(201);
        expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS, ...odd]);
      }
    });

    test.each([
      ['nothing', ''],
      ['a quote that does not close', 'product_name\n"Tea'],
      ['text after a quote', 'product_name\n"Tea" bag'],
      ['a row with more cells than the header', 'product_name\nTea,5'],
      ['a row with fewer cells than the header', 'product_name,unit_price,supplier_id\nTea,5,1\nJam,5'],
      ['rows that all have fewer cells than the header', 'product_name,unit_price\nTea\nJam\n'],
    ])('%s is rejected', async (_, csv) => {
      await expectRefusal(await post('text/csv', csv), 400, 'PGRST102');
      await expectUntouched(catalogue);
    });
  });

  describe('forms', () => {
    test('curl -d sends one product as a form', async () => {
      const form = 'product_name=Ras+el+hanout&unit_price=4.20&quantity_per_unit=50%20g%20%26%20more';
      expect((await post('application/x-www-form-urlencoded', form)).status).toBe(201);
      const [product] = await created();
      expect(product).toMatchObject({
        product_name: 'Ras el hanout',
        unit_price: 4.2,
        quantity_per_unit: '50 g & more',
      });
    });

    test('PATCH accepts a form', async () => {
      const change = send('PATCH', 'application/x-www-form-urlencoded', 'units_in_stock=3');
      expect((await catalogue.fetch('/products?id=eq.2', change)).status).toBe(204);
      expect(await catalogue.list('/products?id=eq.2')).toEqual([{ ...reference(2), units_in_stock: 3 }]);
    });
  });

  describe('unsupported bodies', () => {
    test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json', '', 'application/'])(
      'the content type "%s": 400, and the error names the supported types',
      async (type) => {
        const { hint } = await expectRefusal(await post(type, JSON_TEXT), 400, 'PGRST102');
        expect(hint).toContain('application/json');
        await expectUntouched(catalogue);
      },
    );

    test.each(['iso-8859-1', 'utf-16', 'windows-1252'])('the charset %s: 415', async (charset) => {
      await expectRefusal(await post(`application/json; charset=${charset}`, JSON_TEXT), 415, 'CAT415');
    });

    test.each(['gzip', 'br', 'identity, gzip'])('the content encoding %s: 415', async (encoding) => {
      const response = await catalogue.fetch(
        '/products',
        sendJson('POST', TEN_FIELDS, { 'content-encoding': encoding }),
      );
      expect(response.headers.get('accept-encoding')).toBe('identity');
      await expectRefusal(response, 415, 'CAT415');
      await expectUntouched(catalogue);
    });

    test.each(['application/json', 'text/csv', 'application/x-www-form-urlencoded'])(
      '%s in invalid UTF-8: 400',
      async (type) => {
        const bytes = Uint8Array.from([...new TextEncoder().encode('{"product_name":"'), 0xff, 0xfe, 0x22, 0x7d]);
        await expectRefusal(await post(type, bytes), 400, '22021');
        await expectUntouched(catalogue);
      },
    );
  });
});
