/**
 * Requests at the limits of the syntax: each gets a correct response or a clear error, and none causes a server error.
 */
import { describe, expect, test } from 'bun:test';
import { MAX_BODY_ROWS } from '../../../src/base/limits/http.ts';
import { ENGINES, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  expectUntouched,
  ids,
  ownCatalogue,
  reference,
  send,
  sendJson,
  sharedCatalogue,
} from '../../support/stories.ts';

describe.each(Object.keys(ENGINES))('corner cases of reading on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  const withNul = [
    '/products?select="a%00b":id',
    '/products?select=%00',
    '/products?order=%00',
    '/products?a%00b=eq.1',
    '/products?product_name=eq.a%00b',
    '/products?id=in.(1,%00)',
    '/products?or=(product_name.eq.a%00b)',
    '/products?limit=%00',
    '/products/1?select="a%00b":id',
    '/products/%00',
    '/prod%00ucts',
  ];
  test.each(withNul)('%s: a NUL is rejected in any position', async (path) => {
    const { message, hint } = await expectRefusal(await catalogue.fetch(path), 400, '22021');
    expect(message).toBe('invalid byte sequence for encoding "UTF8": 0x00');
    expect(hint).toContain('Remove %00');
  });

  const notUtf8 = [
    '/products?product_name=eq.%ff%fe',
    '/products?%ff%fe=eq.1',
    '/products?select=%ff',
    '/products?order=id&limit=%ff',
    '/products?or=(product_name.eq.%c3%28)',
    '/products?product_name=eq.%ed%a0%80',
    '/products/%ff',
    '/prod%ffucts',
    '/%c0%af/1',
  ];
  test.each(notUtf8)('%s: invalid UTF-8 is rejected', async (path) => {
    const { message } = await expectRefusal(await catalogue.fetch(path), 400, '22021');
    expect(message).toBe('invalid byte sequence for encoding "UTF8"');
  });

  test('a NUL is rejected in the query of a write', async () => {
    const write = sendJson('PATCH', { discontinued: 1 });
    await expectRefusal(await catalogue.fetch('/products?id=eq.1&select="a%00b":id', write), 400, '22021');
  });

  test('the names of the collection and its products may be percent-encoded', async () => {
    expect(await catalogue.list('/%70roducts?id=eq.1')).toEqual(await catalogue.list('/products?id=eq.1'));
    const item = await catalogue.fetch('/%70roduct%73/1');
    expect(item.status).toBe(200);
    expect(await item.json()).toHaveProperty('id', 1);
    await expectRefusal(await catalogue.fetch('/%70roducts/'), 404, 'PGRST125');
    await expectRefusal(await catalogue.fetch('/%71roducts'), 404, 'PGRST205');
  });

  test('an order by an unknown field is also rejected for one product', async () => {
    await expectRefusal(await catalogue.fetch('/products?order=bogus'), 400, '42703');
    await expectRefusal(await catalogue.fetch('/products/1?order=bogus'), 400, '42703');
    expect(await (await catalogue.fetch('/products/1?order=unit_price.desc&select=id')).json()).toEqual({ id: 1 });
  });

  test('an empty select returns all fields', async () => {
    for (const select of ['select=', 'select', 'select=%20']) {
      expect(await catalogue.list(`/products?id=lt.3&${select}`)).toEqual(await catalogue.list('/products?id=lt.3'));
    }
    expect(await (await catalogue.fetch('/products/1?select=')).json()).toEqual(reference(1));
  });

  test('the first of two equal parameters wins, except for limit and offset', async () => {
    const asked = async (query: string) => ids(await catalogue.list(`/products?id=lt.4&${query}`));
    expect(await asked('order=id.desc&order=id.asc')).toEqual([3, 2, 1]);
    expect(await catalogue.list('/products?id=eq.1&select=id&select=product_name')).toEqual([{ id: 1 }]);
    expect(await asked('limit=1&limit=2')).toEqual([1, 2]);
    expect(await asked('offset=1&offset=2')).toEqual([3]);
    await expectRefusal(await catalogue.fetch('/products?order=id&order=id.sideways'), 400, 'PGRST100');
  });

  test('the index of a repeated filter is ignored, because some clients number them', async () => {
    const both = 'product_name[0]=ilike.*ch*&product_name[1]=ilike.*ai*&select=id';
    expect(await catalogue.list(`/products?${both}`)).toEqual(
      await catalogue.list('/products?product_name=ilike.*ch*&product_name=ilike.*ai*&select=id'),
    );
    await expectRefusal(await catalogue.fetch('/products?product_name[a]=eq.Chai'), 400, 'PGRST100');
    await expectRefusal(await catalogue.fetch('/products?product_name[0]x=eq.Chai'), 400, 'PGRST100');
  });

  test('a preference without a value is unknown', async () => {
    for (const preference of ['timezoneX', 'timezone', 'max-affected', 'return']) {
      const strict = { headers: { prefer: `handling=strict, ${preference}` } };
      const { details } = await expectRefusal(await catalogue.fetch('/products?limit=1', strict), 400, 'PGRST122');
      expect(details).toBe(`Invalid preferences: ${preference}`);
      expect((await catalogue.fetch('/products?limit=1', { headers: { prefer: preference } })).status).toBe(200);
    }
  });
});

describe.each(TWO_ENGINES)('corner cases of writing on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  const withoutId: readonly [path: string, body: object][] = [
    ['/products/5', { id: null }],
    ['/products?id=eq.5', { id: null }],
    ['/products?id=eq.5&limit=1', { id: null, product_name: 'x' }],
    ['/products?id=eq.5&columns=id,product_name', { product_name: 'x' }],
    ['/products/5?columns=id,product_name', { product_name: 'x' }],
  ];
  test.each(withoutId)('PATCH %s: the id cannot be removed', async (path, body) => {
    const { message } = await expectRefusal(await catalogue.fetch(path, sendJson('PATCH', body)), 400, '23502');
    expect(message).toBe('null value in column "id" of relation "products" violates not-null constraint');
    await expectUntouched(catalogue);
  });

  test('following next returns every row once if the id is not the last order key', async () => {
    await catalogue.fetch('/products?id=eq.2', sendJson('PUT', { id: 2, product_name: 'x' }));
    for (const order of ['id,quantity_per_unit', 'id.desc,quantity_per_unit', 'quantity_per_unit,id,unit_price']) {
      const query = `order=${order}&id=gte.2&id=lt.20`;
      const seen: number[] = [];
      let url: string | undefined = `/products?limit=1&${query}`;
      for (let page = 0; url !== undefined && page < 30; page++) {
        const response = await catalogue.fetch(url);
        seen.push(...ids((await response.json()) as never));
        url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(ids(await catalogue.list(`/products?${query}`)));
    }
  });

  test('an order key after the id must still be a field', async () => {
    await expectRefusal(await catalogue.fetch('/products?order=id,bogus'), 400, '42703');
  });

  test('a price of zero is greater than every negative number and less than every positive number', async () => {
    await catalogue.fetch('/products/1', sendJson('PATCH', { unit_price: 0 }));
    const met = async (filter: string) => ids(await catalogue.list(`/products?id=eq.1&unit_price=${filter}`));
    for (const tiny of ['1e-400', '0.1e-400', `0.${'0'.repeat(400)}1`, '+1E-16383']) {
      expect([tiny, await met(`eq.${encodeURIComponent(tiny)}`)]).toEqual([tiny, []]);
      expect([tiny, await met(`lt.${encodeURIComponent(tiny)}`)]).toEqual([tiny, [1]]);
    }
    expect(await met('eq.-1e-400')).toEqual([]);
    expect(await met('gt.-1e-400')).toEqual([1]);
    expect(await met('lt.-1e-400')).toEqual([]);
    for (const zero of ['0', '-0', '0e-400', '0.000', '0e400'])
      expect([zero, await met(`eq.${zero}`)]).toEqual([zero, [1]]);
  });

  test('an empty quoted text alone in its CSV row is a row; an empty line is not', async () => {
    const csv = (lines: readonly string[], end: string) =>
      send('POST', 'text/csv', lines.join(end), { prefer: 'return=representation' });
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = ['product_name', '""', '', '"a"', '', '""'];
      const created = (await (await catalogue.fetch('/products', csv(lines, end))).json()) as {
        product_name: string;
      }[];
      expect(created.map((row) => row.product_name)).toEqual(['', 'a', '']);
    }
    await expectRefusal(await catalogue.fetch('/products', csv(['', '""', 'a'], '\n')), 400, 'PGRST204');
  });

  test('the last of two equal CSV columns wins, as with JSON keys', async () => {
    const csv = (method: string, prefer: string) =>
      send(method, 'text/csv', 'id,product_name,units_in_stock,product_name\n900,Tea,4,Green tea\n', {
        prefer: `return=representation, ${prefer}`,
      });
    const tea = { id: 900, product_name: 'Green tea', units_in_stock: 4 };
    for (const [path, init] of [
      ['/products', csv('POST', 'tx=commit')],
      ['/products', csv('POST', 'resolution=merge-duplicates')],
      ['/products?id=eq.900', csv('PATCH', 'tx=commit')],
      ['/products?id=eq.900', csv('PUT', 'tx=commit')],
      ['/products?columns=product_name,id&id=eq.900', csv('PATCH', 'tx=commit')],
    ] as const) {
      const written = await (await catalogue.fetch(path, init)).json();
      expect(written).toMatchObject([tea]);
    }
  });

  // The service rejects the request for its key after parsing it, so that the database has little to do.
  test('a body may choose an id for each of its rows', async () => {
    const keyed = (rows: number) =>
      send('POST', 'text/csv', `id,product_name\n${'900,a\n'.repeat(rows)}`, { 'idempotency-key': 'the same' });
    expect((await catalogue.fetch('/products', keyed(1))).status).toBe(201);
    await expectRefusal(await catalogue.fetch('/products', keyed(MAX_BODY_ROWS)), 422, 'CAT422');
    expect(await catalogue.list('/products?id=gt.77&select=product_name')).toEqual([{ product_name: 'a' }]);
  });

  test('a cast is made on the rows of the page alone: a name beside it that is not a number does no harm', async () => {
    await catalogue.fetch('/products', sendJson('POST', { id: 1000, product_name: '42', quantity_per_unit: '7' }));
    const number = [{ product_name: 42 }];
    expect(await catalogue.list('/products?select=product_name::int&order=id.desc&limit=1')).toEqual(number);
    expect(await catalogue.list('/products?select=product_name::int&offset=77')).toEqual(number);
    expect(await catalogue.list('/products?select=product_name::int&order=unit_price.nullsfirst&limit=1')).toEqual(
      number,
    );
    const grouped = '/products?select=supplier_id,least:product_name.min()::int&order=supplier_id.nullsfirst&limit=1';
    expect(await catalogue.list(grouped)).toEqual([{ supplier_id: null, least: 42 }]);
    await expectRefusal(await catalogue.fetch('/products?select=product_name::int'), 400, '22P02');
  });
});
