/** Field values: accepted values, their stored form, and the errors for invalid values. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, ownCatalogue, send, sendJson, TEN_FIELDS } from '../../support/stories.ts';

const INTEGERS = Object.entries(TEN_FIELDS)
  .filter(([field, value]) => typeof value === 'number' && field !== 'unit_price')
  .map(([field]) => field);

describe.each(TWO_ENGINES)('values on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  /** Sends the body as text, because JavaScript does not distinguish 7 and 7.0. */
  const postText = (json: string) => catalogue.fetch('/products', send('POST', 'application/json', json));
  const post = (body: unknown) => postText(JSON.stringify(body));
  const postField = (field: string, written: string) => {
    const { [field]: _, ...others } = { ...TEN_FIELDS } as Record<string, unknown>;
    return postText(`{${JSON.stringify(others).slice(1, -1)}, ${JSON.stringify(field)}: ${written}}`);
  };
  const stored = async (field: string, id: number = TEN_FIELDS.id) =>
    ((await (await catalogue.fetch(`/products/${id}`)).json()) as Record<string, unknown>)[field];

  describe('a price', () => {
    test.each([
      ['0', 0],
      ['-0', 0],
      ['12', 12],
      ['12.50', 12.5],
      ['0.1', 0.1],
      ['"4.95"', 4.95],
      ['1e2', 100],
      ['125E-2', 1.25],
      ['99999999.9999', 99999999.9999],
      ['-99999999.9999', -99999999.9999],
      ['null', null],
    ])('%s is stored as %p', async (written, kept) => {
      expect((await postField('unit_price', written)).status).toBe(201);
      expect(await stored('unit_price')).toBe(kept);
    });

    test.each([
      ['0.00005', 0.0001],
      ['-0.00005', -0.0001],
      ['0.00004999999999999999999999', 0],
      ['-0.00004', 0],
      ['1.23445', 1.2345],
      ['-1.23445', -1.2345],
      ['1.00015', 1.0002],
      ['2.67495', 2.675],
      ['1234567.123449999999', 1234567.1234],
      ['33333333.33335', 33333333.3334],
      ['99999999.99994', 99999999.9999],
      ['"7.77775"', 7.7778],
    ])('%s is rounded to four places, halves away from zero: %d', async (written, kept) => {
      expect((await postField('unit_price', written)).status).toBe(201);
      expect(await stored('unit_price')).toBe(kept);
    });

    test.each(['100000000', '-100000000', '99999999.99995', '1e8', '1e400', '-1e400', '"Infinity"', '"1e99999"'])(
      '%s is out of range',
      async (written) => {
        const { details } = await expectRefusal(await postField('unit_price', written), 400, '22003');
        expect(details).toContain('unit_price');
        await expectUntouched(catalogue);
      },
    );

    test.each(['"cheap"', '""', '"1,50"', '"1.5 EUR"', 'true', '[]', '{}', '"0x10"', '"1_000"'])(
      '%s is invalid',
      async (written) => {
        await expectRefusal(await postField('unit_price', written), 400, '22P02');
        await expectUntouched(catalogue);
      },
    );
  });

  describe('an integer', () => {
    test.each(INTEGERS)('%s accepts all values of four bytes, and no more', async (field) => {
      const idOf = (value: number) => (field === 'id' ? value : TEN_FIELDS.id);
      for (const value of [2147483647, -2147483648]) {
        expect((await post({ ...TEN_FIELDS, [field]: value })).status).toBe(201);
        expect(await stored(field, idOf(value))).toBe(value);
        await catalogue.fetch(`/products/${idOf(value)}`, { method: 'DELETE' });
      }
      for (const written of ['2147483648', '-2147483649', '9007199254740993', '"2147483648"']) {
        await expectRefusal(await postField(field, written), 400, '22003');
      }
      await expectUntouched(catalogue);
    });

    test.each(INTEGERS)('%s rejects fractions, even 7.0, and other types', async (field) => {
      for (const written of ['7.0', '7.5', '7e0', '1e2', '"7.0"', '"seven"', '""', 'true', '[7]', '{"a":7}', '"0x7"']) {
        const { details } = await expectRefusal(await postField(field, written), 400, '22P02');
        expect(details).toContain(`field ${field}`);
      }
      await expectUntouched(catalogue);
    });

    test('may be sent as text, with a sign and surrounding spaces', async () => {
      for (const [written, value] of [
        ['"7"', 7],
        ['" +8 "', 8],
        ['"-009"', -9],
        ['-0', 0],
      ] as const) {
        await postField('units_in_stock', written);
        expect(await stored('units_in_stock')).toBe(value);
        await catalogue.fetch('/products/1001', { method: 'DELETE' });
      }
    });
  });

  describe('text', () => {
    test('from a list or an object is its JSON, with every number as it was sent', async () => {
      for (const [written, value] of [
        ['{"a":7.0,"b":[1e2,7]}', '{"a": 7.0, "b": [1e2, 7]}'],
        ['[0.10, "0.10", 12345678901234567890]', '[0.10, "0.10", 12345678901234567890]'],
        ['7.0', '7.0'],
      ] as const) {
        expect((await postField('product_name', written)).status).toBe(201);
        expect(await stored('product_name')).toBe(value);
        await catalogue.fetch('/products/1001', { method: 'DELETE' });
      }
      for (const body of ['7.0', '[7.0]', '[[7.0]]']) {
        await expectRefusal(await catalogue.fetch('/products', { method: 'POST', body }), 400, 'PGRST102');
      }
    });

    test.each([
      ['empty', ''],
      ['spaces', '  two  spaces  '],
      ['quotes and backslashes', `it's "so" \\ so`],
      ['line ends and tabs', 'a\r\nb\tc'],
      ['control characters', '\u0001\u001f\u007f\u0085'],
      ['letters of many alphabets', 'Żółć Ελλάδα кофе 茶 قهوة ข้าว'],
      ['characters beyond the first plane', '🍋 \u{1F468}\u200D\u{1F33E} 𠜎'],
      ['the same letter composed and not', 'é e\u0301'],
      ['the ends of Unicode', '\uFFFD\uFFFF\u{10FFFF}\uFEFF'],
      ['SQL', "'; drop table products; --"],
      ['the word null', 'null'],
      ['a megabyte', 'x'.repeat(1_000_000)],
    ])('is stored unchanged: %s', async (_, text) => {
      expect((await post({ ...TEN_FIELDS, product_name: text, quantity_per_unit: text })).status).toBe(201);
      expect(await stored('product_name')).toBe(text);
      expect(await stored('quantity_per_unit')).toBe(text);
    });

    test.each([
      ['7', '7'],
      ['7.0', '7.0'],
      ['1.50', '1.50'],
      ['0.00000001', '0.00000001'],
      ['12345678901234567890', '12345678901234567890'],
      ['123456789.123456789', '123456789.123456789'],
      ['true', 'true'],
      ['[1, "a"]', '[1, "a"]'],
      ['{"a": null}', '{"a": null}'],
    ])('a JSON value that is not a string is stored as its JSON text: %s', async (written, text) => {
      expect((await postField('quantity_per_unit', written)).status).toBe(201);
      expect(await stored('quantity_per_unit')).toBe(text);
    });

    test.each([
      ['a NUL', '"a\\u0000b"'],
      ['half of a surrogate pair', '"a\\ud83cb"'],
      ['the other half', '"\\udf4b"'],
      ['halves in the wrong order', '"\\udf4b\\ud83c"'],
    ])('%s is rejected', async (_, written) => {
      const { details } = await expectRefusal(await postField('product_name', written), 400, '22021');
      expect(details).toContain('product_name');
      await expectUntouched(catalogue);
    });
  });

  describe('the error for an invalid value names', () => {
    const jars = (count: number) => Array.from({ length: count }, (_, index) => ({ ...TEN_FIELDS, id: 500 + index }));

    test.each([
      ['unit_price', 'cheap', '22P02'],
      ['units_in_stock', 3_000_000_000, '22003'],
      ['product_name', null, '23502'],
      ['discontinued', null, '23502'],
      ['quantity_per_unit', 'a\u0000', '22021'],
    ])('its row and field: %s', async (field, value, code) => {
      const rows: object[] = jars(5);
      rows[2] = { ...rows[2], [field]: value };
      const { details } = await expectRefusal(await post(rows), 400, code);
      expect(details).toStartWith(`row 3, field ${field}:`);
    });

    test('only its field if the body has one row', async () => {
      const { details } = await expectRefusal(await post({ ...TEN_FIELDS, reorder_level: 'low' }), 400, '22P02');
      expect(details).toStartWith('field reorder_level:');
    });

    test('the field of an update', async () => {
      const change = sendJson('PATCH', { product_name: 'fine', category_id: 'sweet' });
      const { details } = await expectRefusal(await catalogue.fetch('/products?id=eq.1', change), 400, '22P02');
      expect(details).toStartWith('field category_id:');
      await expectUntouched(catalogue);
    });

    test('the row and field of a CSV body', async () => {
      const csv = 'id,product_name,unit_price\n101,Tea,1.5\n102,Milk,a lot\n';
      const { details } = await expectRefusal(
        await catalogue.fetch('/products', send('POST', 'text/csv', csv)),
        400,
        '22P02',
      );
      expect(details).toStartWith('row 2, field unit_price:');
    });

    test('an unknown field, and the nearest existing one', async () => {
      const problem = await expectRefusal(await post({ product_name: 'Tea', unitprice: 3 }), 400, 'PGRST204');
      expect(problem.message).toContain('unitprice');
      expect(problem.hint).toContain('unit_price');
    });
  });
});
