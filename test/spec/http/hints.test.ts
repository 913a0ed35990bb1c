/** Common mistakes: the error shows the correct syntax. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, send, sharedCatalogue } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('hints on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);
  const hintOf = async (path: string, code: string) =>
    (await expectRefusal(await catalogue.fetch(path), 400, code)).hint;

  test('the hint for an order in SQL syntax shows the dot syntax', async () => {
    expect(await hintOf('/products?order=unit_price+desc', '42703')).toContain('order=unit_price.desc');
    for (const order of ['-unit_price', 'unit_price:desc', 'unit_price.DESC', 'unit_price.descending']) {
      expect(await hintOf(`/products?order=${order}`, 'PGRST100')).toContain('order=field.desc');
    }
    expect(await hintOf('/products?order=id,unit_price%20DESC%20nullsLast', '42703')).toContain(
      'order=unit_price.desc.nullslast',
    );
    expect(await hintOf('/products?order=unit_prize%20desc', '42703')).not.toContain('order=unit_prize');
  });

  test.each(['GET', 'HEAD', 'PATCH', 'DELETE'])(
    'the hint for a key of the wrong type names the field: %s',
    async (method) => {
      const body = method === 'PATCH' ? JSON.stringify({ units_in_stock: 1 }) : null;
      const headers = { 'content-type': 'application/json' };
      const response = await catalogue.fetch('/products/abc', { method, headers, body });
      expect(response.status).toBe(400);
      if (method === 'HEAD') return;
      expect((await expectRefusal(response, 400, '22P02')).hint).toBe('The field id is of type integer.');
      await expectUntouched(catalogue);
    },
  );

  test('the hint for a parameter that is not a filter shows how to search and compare', async () => {
    const hint = await hintOf('/products?q=chai', 'PGRST100');
    expect(hint).toContain('field=ilike.*chai*; if the collection declares a search, search=wfts.chai');
    expect(hint).toContain('q=eq.chai');
  });

  test.each([
    [
      'id=gtt.5',
      'PGRST100',
      'gtt is not an operator (perhaps you meant gt). If it is part of the value, write id=eq.gtt.5',
    ],
    ['product_name=not.a.b', 'PGRST100', 'If it is part of the value, write product_name=eq.not.a.b'],
    ['product_name=match.(((', '2201B', 'For the character itself, write \\( or \\).'],
    ['product_name=match.[', '2201B', 'write \\[ or \\].'],
  ])('the hint for a wrong value says what to write: %s', async (query, code, hint) => {
    expect(await hintOf(`/products?${query}`, code)).toContain(hint);
  });

  test('the hint for a negative limit says what to write', async () => {
    const { hint } = await expectRefusal(await catalogue.fetch('/products?limit=-1'), 416, 'PGRST103');
    expect(hint).toBe('limit=-1 is negative. Write limit=10 for 10 rows; for all rows, leave limit out.');
  });

  test.each([
    ['page=2', 'limit=20&offset=40'],
    ['per_page=10', 'limit=20&offset=40'],
    ['sort=unit_price', 'order=FIELD.desc'],
    ['fields=id,product_name', 'select=FIELD'],
  ])('the hint for a parameter of another service names the equivalent: %s', async (query, hint) => {
    expect(await hintOf(`/products?${query}`, 'PGRST100')).toContain(hint);
  });

  test.each([
    ['unit_price!=eq.18', 'unit_price=neq.18'],
    ['unit_price!=18', 'unit_price=neq.18'],
    ['unit_price<>18', 'unit_price=neq.18'],
    ['unit_price>=18', 'unit_price=gte.18'],
    ['unit_price<=18', 'unit_price=lte.18'],
    ['unit_price>=gt.18', 'unit_price=gte.18'],
    ['unit_price<18', 'unit_price=lt.18'],
    ['unit_price%20%3E%2018', 'unit_price=gt.18'],
    ['unit_price==18', 'unit_price=eq.18'],
    ['unit_price=>18', 'unit_price=gt.18'],
    ['unit_price=!18', 'unit_price=neq.18'],
    ['product_name~=^Ch', 'product_name=match.^Ch'],
    ['product_name->>a!=eq.b', 'product_name->>a=neq.b'],
    ['product_name->>a<5', 'product_name->>a=lt.5'],
    ['products.unit_price!=eq.18', 'products.unit_price=neq.18'],
    ['unit_price>84.19', 'unit_price=gt.84.19'],
    ['unit_price<5.5', 'unit_price=lt.5.5'],
    ['unit_price>=84.19', 'unit_price=gte.84.19'],
    ['products.unit_price<5.5', 'products.unit_price=lt.5.5'],
    ['product_name!=is.null', 'product_name=not.is.null'],
    ['product_name!=in.(a,b)', 'product_name=not.in.(a,b)'],
    ['product_name!=like.*a*', 'product_name=not.like.*a*'],
    ['product_name<>ilike(any).{a,b}', 'product_name=not.ilike(any).{a,b}'],
    ['product_name!=not.is.null', 'product_name=eq.VALUE'],
    ['product_name>=is.null', 'product_name=eq.VALUE'],
    ['unit_price=!is.null', 'unit_price=not.is.null'],
    ['id::text=eq.1', 'id=eq.VALUE'],
  ])('the hint for an SQL operator shows the equivalent filter: %s', async (query, filter) => {
    expect(await hintOf(`/products?${query}`, 'PGRST100')).toStartWith(`Write ${filter}. The operators are eq, neq,`);
    const removal = await catalogue.fetch(`/products?${query}`, { method: 'DELETE' });
    expect((await expectRefusal(removal, 400, 'PGRST100')).hint).toContain(filter);
    await expectUntouched(catalogue);
  });

  test.each([
    "select=id'",
    "select='id'",
    "select=product_name->'a'",
    "order=id'",
    "on_conflict=id'",
    "columns=id'",
    "id'=eq.1",
  ])('single quotes are rejected: %s', async (query) => {
    expect(await hintOf(`/products?${query}`, 'PGRST100')).toStartWith('Leave out the single quotes.');
  });

  test.each([
    'and=(id.eq.1))',
    'or=(id.eq.1)x',
    'id=in.(1,2)x',
    'product_name=in.(Ch(ai),Chai)',
    'id=is.nullx',
    'id=not.is.null;',
    'order=id.asc;',
    'order=id)',
    'select=id)',
    'select=id::text)',
    '"id"x=eq.1',
    '"products"x.id=eq.1',
    'limit=1;',
    'offset=1)',
  ])('characters after the end are rejected: %s', async (query) => {
    const { details } = await expectRefusal(await catalogue.fetch(`/products?${query}`), 400, 'PGRST100');
    expect(details).toStartWith('unexpected ');
  });

  test('the error for an invalid value names its field, and the hint for null shows is.null', async () => {
    expect(await hintOf('/products?unit_price=eq.cheap', '22P02')).toBe('The field unit_price is of type numeric.');
    expect(await hintOf('/products?or=(id.in.(1,x),id.eq.2)', '22P02')).toBe('The field id is of type integer.');
    expect(await hintOf('/products?supplier_id=eq.null', '22P02')).toContain('supplier_id=is.null');
  });

  test.each(['product_name;unit_price\nTea;3', 'product_name\tunit_price\nTea\t3'])(
    'the hint for a CSV body without commas mentions the separator: %j',
    async (body) => {
      const response = await catalogue.fetch('/products', send('POST', 'text/csv', body));
      expect((await expectRefusal(response, 400, 'PGRST204')).hint).toContain('commas');
    },
  );

  test.each(['product_name;unit_price\nTea;3,5', 'product_name\tunit_price\nTea\t3,5'])(
    'the hint for a CSV body with another separator and decimal commas says who reads it: %j',
    async (body) => {
      const problem = await expectRefusal(
        await catalogue.fetch('/products', send('POST', 'text/csv', body)),
        400,
        'PGRST102',
      );
      expect(problem.details).toBe('The header has 1 cell, row 1 has 2.');
      expect(problem.hint).toContain('Separate cells by commas. catalogue import and the console');
    },
  );

  test('the error for a filter by an unknown field without a similar name lists all fields', async () => {
    const hint = await hintOf('/products?q=eq.chai', '42703');
    for (const field of ['id', 'product_name', 'reorder_level']) expect(hint).toContain(field);
  });

  test.each(['{"product_name":"Tea"}', ' [{"product_name":"Tea"}]', '{"product_name":"Tea & Milk=1"}'])(
    'the hint for JSON sent as a form mentions its Content-Type: %s',
    async (body) => {
      const form = send('POST', 'application/x-www-form-urlencoded', body);
      const { hint } = await expectRefusal(await catalogue.fetch('/products', form), 400, 'PGRST102');
      expect(hint).toContain('Content-Type: application/json');
      await expectUntouched(catalogue);
    },
  );
});
