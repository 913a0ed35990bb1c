/** Computed numbers are exact to the last digit, as in PostgreSQL. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, ownCatalogue, sendJson, sharedCatalogue } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('computed numbers of the reference products on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);
  const text = async (query: string, accept = 'application/json') =>
    (await catalogue.fetch(`/products?${query}`, { headers: { accept } })).text();

  test.each([
    ['unit_price.sum()', '[{"sum":2220.21}]'],
    ['unit_price.avg()', '[{"avg":28.8338961038961039}]'],
    ['unit_price.avg()::text', '[{"avg":"28.8338961038961039"}]'],
    ['unit_price.avg()::numeric', '[{"avg":28.8338961038961039}]'],
    ['unit_price.avg()::float8', '[{"avg":28.833896103896105}]'],
    ['unit_price.avg()::int', '[{"avg":29}]'],
    ['units_in_stock.avg()', '[{"avg":40.5064935064935065}]'],
    ['units_in_stock.sum()', '[{"sum":3119}]'],
    ['a:unit_price.max(),b:unit_price.min()', '[{"a":263.5,"b":2.5}]'],
    ['unit_price.max()::text', '[{"max":"263.5"}]'],
    ['unit_price::int8.sum()', '[{"sum":2224}]'],
  ])('select=%s', async (select, expected) => {
    expect(await text(`select=${select}`)).toBe(expected);
  });

  test('averages are ordered as numbers, and are the same in CSV and JSON', async () => {
    const averages = await text('select=category_id,unit_price.avg()&order=avg.desc&limit=3', 'text/csv');
    expect(averages).toBe('category_id,avg\n6,54.0066666666666667\n1,37.9791666666666667\n7,32.3700000000000000\n');
  });
});

describe.each(TWO_ENGINES)('computed numbers on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const text = async (query: string) => (await catalogue.fetch(`/products?id=gt.77&${query}`)).text();
  const store = async (...rows: readonly object[]) => {
    const body = rows.map((row, index) => ({ id: 900 + index, product_name: 'x', ...row }));
    const keys = new Set(body.flatMap(Object.keys));
    const whole = body.map((row) => ({ ...Object.fromEntries([...keys].map((key) => [key, null])), ...row }));
    expect((await catalogue.fetch('/products', sendJson('POST', whole))).status).toBe(201);
  };

  test('the average of 0.1, 0.2 and 0.3 is 0.2', async () => {
    await store({ unit_price: 0.1 }, { unit_price: 0.2 }, { unit_price: 0.3 });
    expect(await text('select=unit_price.avg(),unit_price.sum()')).toBe('[{"avg":0.20000000000000000000,"sum":0.6}]');
  });

  test('a sum has all its digits', async () => {
    const most = { unit_price: 99999999.9999 };
    await store(...Array.from({ length: 1_200 }, () => most));
    expect(await text('select=unit_price.sum()')).toBe('[{"sum":119999999999.88}]');
    expect(await text('select=unit_price.sum()::text,unit_price.avg()')).toBe(
      '[{"sum":"119999999999.88","avg":99999999.999900000000}]',
    );
  });

  test('an integer of 64 bits is exact, and a larger one is rejected', async () => {
    const [most, least] = ['9223372036854775807', '-9223372036854775808'];
    await store({ quantity_per_unit: most }, { quantity_per_unit: least }, { quantity_per_unit: ' 2147483648 ' });
    expect(await text('select=n:quantity_per_unit::int8')).toBe(`[{"n":${most}},{"n":${least}},{"n":2147483648}]`);
    expect(await text('select=quantity_per_unit::int8.max()')).toBe(`[{"max":${most}}]`);
    expect(await text('select=quantity_per_unit::int8.sum()')).toBe('[{"sum":2147483647}]');
    expect(await text('select=n:quantity_per_unit::int8&id=eq.901')).toBe(`[{"n":${least}}]`);
    await catalogue.fetch('/products/902', sendJson('PATCH', { quantity_per_unit: '9223372036854775808' }));
    const { message } = await expectRefusal(
      await catalogue.fetch('/products?id=gt.77&select=quantity_per_unit::int8'),
      400,
      '22003',
    );
    expect(message).toBe('value "9223372036854775808" is out of range for type bigint');
  });

  test('a text of many digits keeps them when cast to a number', async () => {
    const long = '123456789012345678901234567890.123456789';
    await store({ quantity_per_unit: long }, { quantity_per_unit: '-1.50' }, { quantity_per_unit: '1e25' });
    expect(await text('select=n:quantity_per_unit::numeric&order=id')).toBe(
      `[{"n":${long}},{"n":-1.50},{"n":1${'0'.repeat(25)}}]`,
    );
    expect(await text('select=quantity_per_unit::numeric.sum()::text')).toBe(
      '[{"sum":"123466789012345678901234567888.623456789"}]',
    );
    expect(await text('select=n:quantity_per_unit::numeric,count()')).toBe(
      `[{"n":-1.50,"count":1},{"n":1${'0'.repeat(25)},"count":1},{"n":${long},"count":1}]`,
    );
  });

  test('a value without a JSON number is a text, as in PostgREST', async () => {
    await store({ quantity_per_unit: 'NaN' }, { quantity_per_unit: 'Infinity' }, { quantity_per_unit: '-inf' });
    const shown = '[{"n":"NaN"},{"n":"Infinity"},{"n":"-Infinity"}]';
    expect(await text('select=n:quantity_per_unit::numeric&order=id')).toBe(shown);
    expect(await text('select=n:quantity_per_unit::float8&order=id')).toBe(shown);
    expect(await text('select=a:quantity_per_unit::numeric.max(),b:quantity_per_unit::numeric.sum()')).toBe(
      '[{"a":"NaN","b":"NaN"}]',
    );
    await expectRefusal(
      await catalogue.fetch('/products?id=gt.77&select=quantity_per_unit::numeric.max()::int'),
      400,
      '0A000',
    );
  });

  test('the response of a write is equally exact, and so is its replay', async () => {
    await store({ unit_price: 0.1 }, { unit_price: 0.2 }, { unit_price: 0.4 });
    const change = sendJson('PATCH', { reorder_level: 1 }, { prefer: 'return=representation' });
    const path = '/products?id=gte.900&select=unit_price.avg(),reorder_level::int8.sum()';
    expect(await (await catalogue.fetch(path, change)).text()).toBe('[{"avg":0.23333333333333333333,"sum":3}]');
    const headers = { prefer: 'return=representation', 'idempotency-key': 'twice' };
    for (let time = 0; time < 2; time++) {
      const created = sendJson('POST', { id: 990, product_name: '9007199254740993' }, headers);
      const answer = await catalogue.fetch('/products?select=product_name::int8', created);
      expect(await answer.text()).toBe('[{"product_name":9007199254740993}]');
    }
  });
});

test.each(TWO_ENGINES)('zero and halves of stored numbers are exact on %s', async (engine) => {
  const things = await openDeclared(engine, thingsOf({ share: 'decimal(18,18)', size: 'float8' }));
  try {
    const row = { id: 1, share: 0, size: 2012.754150390625 };
    expect((await things.fetch('/things', sendJson('POST', row))).status).toBe(201);
    expect(await things.list('/things?share=eq.0')).toEqual([row]);
    // PostgreSQL converts a float to 15 digits, and breaks ties to even.
    const cast = await things.fetch('/things?select=share,size::numeric');
    expect(await cast.text()).toBe('[{"share":0,"size":2012.75415039062}]');
  } finally {
    await things.close();
  }
});
