/** Facets: counts of rows by the values of fields, each without the filter on its own field. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  brands:
    fields: { id: int4, name: { type: text, required: true }, country: text, secret: { type: boolean, default: false } }
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      brand_id: { type: int4, references: brands }
      price: decimal(8,2)
      added: date
      cost: int4
      colors: text[]
      more: json
      draft: { type: boolean, required: true, default: false }
      ends: timestamptz
  variants:
    fields:
      id: int4
      product_id: { type: int4, references: products }
      size: text
      color: text
      stock: int4
  tags: { fields: { id: int4, name: { type: text, required: true } } }
  product_tags:
    key: [product_id, tag_id]
    fields: { product_id: { type: int4, references: products }, tag_id: { type: int4, references: tags } }
roles:
  visitor:
    brands: { read: { where: 'secret=is.false', fields: [id, name] } }
    products: { read: { where: 'draft=is.false&or=(ends.is.null,ends.gt.{now})', fields: [id, name, brand_id, price, ends] } }
    variants: { read: { where: 'stock=gt.0', fields: [id, product_id, size] } }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  clerk:
    products: { read: true }
  admin: all
`);

const product = (id: number, brand_id: number | null, price: number | null, more: object = {}) => ({
  id,
  name: `P${id}`,
  brand_id,
  price,
  ...more,
});

const ROWS = {
  brands: [
    { id: 1, name: 'Ada', country: 'SE' },
    { id: 2, name: 'Bo "x"', country: 'SE' },
    { id: 3, name: 'Cid', country: null, secret: true },
  ],
  products: [
    product(1, 1, 10, { added: '2026-01-05', colors: ['red', 'blue'], more: { kind: 'shoe' } }),
    product(2, 1, 60, { added: '2026-02-05', colors: ['red', 'red'], more: { kind: 'shoe' } }),
    product(3, 2, 60.5, { added: '2026-02-06', colors: [], more: { kind: 'hat' } }),
    product(4, 2, 199.99, { cost: 5 }),
    product(5, 3, 200, { draft: true, cost: 900 }),
    product(6, null, null, { ends: '2001-01-01T00:00:00Z' }),
    product(7, 3, -1),
  ],
  variants: [
    { id: 1, product_id: 1, size: 'M', color: 'red', stock: 1 },
    { id: 2, product_id: 1, size: 'M', color: 'blue', stock: 1 },
    { id: 3, product_id: 1, size: 'L', color: 'red', stock: 0 },
    { id: 4, product_id: 2, size: 'M', color: 'red', stock: 0 },
    { id: 5, product_id: 2, size: null, color: 'red', stock: 3 },
    { id: 6, product_id: 3, size: 'S', color: 'blue', stock: 3 },
  ],
  tags: [
    { id: 1, name: 'wool' },
    { id: 2, name: 'warm' },
  ],
  product_tags: [
    { product_id: 1, tag_id: 1 },
    { product_id: 1, tag_id: 2 },
    { product_id: 2, tag_id: 2 },
  ],
} as unknown as Readonly<Record<string, readonly Row[]>>;

const FACETS = { accept: 'application/vnd.catalogue.facets+json' };

interface Summary {
  readonly rows: Row[];
  readonly total: number;
  readonly facets: Readonly<Record<string, Row[]>>;
  readonly bounds?: Readonly<Record<string, Row>>;
}

/** Values and counts as pairs. */
const pairs = (list: readonly Row[] | undefined) => list?.map(({ value, count }) => [value, count] as unknown);

describe.each([...ROLE_ENGINES])('facets on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, SHOP, ROWS);
  });
  afterAll(() => shop.close());
  const ask = async (query: string, role = 'admin', headers = {}): Promise<Summary> => {
    const response = await shop.as(role).fetch(`/products?${query}`, { headers: { ...FACETS, ...headers } });
    expect({ status: response.status, text: response.ok ? '' : await response.text() }).toEqual({
      status: 200,
      text: '',
    });
    expect(response.headers.get('content-type')).toBe('application/vnd.catalogue.facets+json; charset=utf-8');
    return (await response.json()) as Summary;
  };

  test('are returned beside the rows and their number, with titles of references and ranges', async () => {
    const response = await shop
      .as('admin')
      .fetch('/products?select=id&brand_id=in.(1,2)&price=lt.100&limit=2&facets=brand_id,price(0,50,100,200)', {
        headers: FACETS,
      });
    expect(await response.text()).toBe(
      '{"rows":[{"id":1},{"id":2}],"total":3,"facets":{' +
        '"brand_id":[{"value":1,"title":"Ada","count":2},{"value":2,"title":"Bo \\"x\\"","count":1},{"value":3,"title":"Cid","count":1}],' +
        '"price":[{"from":0,"to":50,"count":1},{"from":50,"to":100,"count":2},{"from":100,"to":200,"count":1}]},' +
        '"bounds":{"price":{"minimum":10,"maximum":199.99}}}',
    );
    expect(response.headers.get('content-range')).toBe('0-1/*');
    expect(response.headers.get('link')).toContain('rel="next"');
  });

  test('list values below, above and without a limit if there are any, and empty ranges', async () => {
    const { facets } = await ask('facets=price(0,5,100),added(2026-02-01)');
    expect(facets).toEqual({
      price: [
        { to: 0, count: 1 },
        { from: 0, to: 5, count: 0 },
        { from: 5, to: 100, count: 3 },
        { from: 100, count: 2 },
        { value: null, count: 1 },
      ],
      added: [
        { to: '2026-02-01', count: 1 },
        { from: '2026-02-01', count: 2 },
        { value: null, count: 4 },
      ],
    });
  });

  test('order values by their count, then by value, with null last among equal counts', async () => {
    const { facets, total } = await ask('facets=brand_id,draft,cost,more->>kind');
    expect(total).toBe(7);
    expect(pairs(facets.brand_id)).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
      [null, 1],
    ]);
    expect(facets.brand_id?.at(-1)).toEqual({ value: null, title: null, count: 1 } as never);
    expect(facets.draft).toEqual([
      { value: false, count: 6 },
      { value: true, count: 1 },
    ]);
    expect(pairs(facets.cost)).toEqual([
      [null, 5],
      [5, 1],
      [900, 1],
    ]);
    expect(pairs(facets['more->>kind'])).toEqual([
      [null, 4],
      ['shoe', 2],
      ['hat', 1],
    ]);
  });

  test('ignore the filters on their own field only, also in groups', async () => {
    const own = await ask('facets=brand_id,draft&or=(brand_id.eq.1,brand_id.is.null)&draft=is.false');
    expect([own.total, pairs(own.facets.brand_id), pairs(own.facets.draft)]).toEqual([
      3,
      [
        [1, 2],
        [2, 2],
        [3, 1],
        [null, 1],
      ],
      [[false, 3]],
    ]);
    const other = await ask('facets=brand_id&or=(brand_id.eq.1,cost.eq.5)');
    expect(pairs(other.facets.brand_id)).toEqual([
      [1, 2],
      [2, 1],
    ]);
    const both = await ask('facets=brand_id&and=(brand_id.eq.1,price.gt.50)');
    expect([both.total, pairs(both.facets.brand_id)]).toEqual([
      1,
      [
        [2, 2],
        [1, 1],
        [3, 1],
      ],
    ]);
  });

  test('of related rows count the rows of the list, each once', async () => {
    const { facets } = await ask('facets=variants.size,brands.country,tags.name,variants.stock');
    expect(pairs(facets['variants.size'])).toEqual([
      ['M', 2],
      ['L', 1],
      ['S', 1],
      [null, 1],
    ]);
    expect(pairs(facets['brands.country'])).toEqual([
      ['SE', 4],
      [null, 2],
    ]);
    expect(pairs(facets['tags.name'])).toEqual([
      ['warm', 2],
      ['wool', 1],
    ]);
    const red = 'select=id,variants!inner(id)&variants.color=eq.red&variants.size=eq.M';
    const filtered = await ask(`${red}&facets=variants.size,variants.color,variants.stock(0,2)`);
    expect([filtered.total, pairs(filtered.facets['variants.size']), pairs(filtered.facets['variants.color'])]).toEqual(
      [
        2,
        [
          ['M', 2],
          ['L', 1],
          [null, 1],
        ],
        [
          ['red', 2],
          ['blue', 1],
        ],
      ],
    );
    expect(filtered.facets['variants.stock']).toEqual([{ from: 0, to: 2, count: 2 }]);
    expect(filtered.bounds?.['variants.stock']).toEqual({ minimum: 0, maximum: 1 });
  });

  test('of arrays count the rows that have an element', async () => {
    const { facets } = await ask('facets=colors&colors=cs.{red}');
    expect(facets).toEqual({
      colors: [
        { value: 'red', count: 2 },
        { value: 'blue', count: 1 },
      ],
    });
  });

  test('count only rows and related rows that the role may read, and show only titles of those', async () => {
    const { total, facets, bounds } = await ask('facets=brand_id,price(0,50),variants.size', 'visitor');
    expect({ total, facets, bounds }).toEqual({
      total: 5,
      facets: {
        brand_id: [
          { value: 1, title: 'Ada', count: 2 },
          { value: 2, title: 'Bo "x"', count: 2 },
          { value: 3, title: null, count: 1 },
        ],
        price: [
          { to: 0, count: 1 },
          { from: 0, to: 50, count: 1 },
          { from: 50, count: 3 },
        ],
        'variants.size': [
          { value: 'M', count: 1 },
          { value: 'S', count: 1 },
          { value: null, count: 1 },
        ],
      },
      bounds: { price: { minimum: -1, maximum: 199.99 } },
    });
    // Without a right on brands there are no titles.
    const { facets: plain } = await ask('facets=brand_id&id=eq.1', 'clerk');
    expect(plain.brand_id).toEqual([{ value: 1, count: 1 }]);
  });

  test('of hidden fields and collections are rejected as in select', async () => {
    const refused = async (query: string, role: string) => {
      const inFacets = await shop.as(role).fetch(`/products?facets=${query}`, { headers: FACETS });
      return expectRefusal(inFacets, 403, '42501');
    };
    const selected = await expectRefusal(await shop.as('visitor').fetch('/products?select=cost'), 403, '42501');
    expect(await refused('cost', 'visitor')).toEqual(selected);
    await refused('variants.stock', 'visitor');
    await refused('tags.name', 'visitor');
    await refused('brands.country', 'visitor');
  });

  test('stay the same on every page, and their links keep them', async () => {
    const first = await shop
      .as('admin')
      .fetch('/products?select=id&limit=4&facets=draft,"price"(0,100)', { headers: FACETS });
    const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const { rows, ...summary } = (await first.json()) as Summary;
    const later = (await (await shop.as('admin').fetch(next!, { headers: FACETS })).json()) as Summary;
    expect(later).toEqual({ rows: [{ id: 5 }, { id: 6 }, { id: 7 }], ...summary });
    expect(rows).toHaveLength(4);
    expect(await ask('offset=50&facets=draft')).toEqual(expect.objectContaining({ rows: [], total: 7 }));
    const counted = await shop
      .as('admin')
      .fetch('/products?limit=2&facets=draft', { headers: { ...FACETS, prefer: 'count=exact' } });
    expect([counted.status, counted.headers.get('content-range')]).toEqual([206, '0-1/7']);
    expect(((await counted.json()) as Summary).total).toBe(7);
  });

  test('are optional: without them the answer has rows and their number', async () => {
    const { facets, total, bounds } = await ask('select=id&brand_id=eq.1');
    expect({ facets, total, bounds }).toEqual({ facets: {}, total: 2, bounds: undefined });
    expect(await ask('id=eq.99&facets=price(0,1),brand_id')).toEqual({
      rows: [],
      total: 0,
      facets: { price: [{ from: 0, to: 1, count: 0 }], brand_id: [] },
      bounds: { price: { minimum: null, maximum: null } },
    } as never);
  });

  test('have an entity tag, and another media type leaves a list as it was', async () => {
    const path = '/products?facets=brand_id&limit=1';
    const first = await shop.as('admin').fetch(path, { headers: FACETS });
    const etag = first.headers.get('etag')!;
    const again = await shop.as('admin').fetch(path, { headers: { ...FACETS, 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const hint = 'To count rows by fields, send the header Accept: application/vnd.catalogue.facets+json';
    expect((await expectRefusal(await shop.as('admin').fetch(path), 400, 'PGRST100')).hint).toBe(hint);
    expect(
      (await expectRefusal(await shop.as('admin').fetch('/products?facets=variants.size'), 400, 'PGRST100')).hint,
    ).toBe(hint);
    await expectRefusal(await shop.as('admin').fetch('/products/1', { headers: FACETS }), 406, 'PGRST107');
    await expectRefusal(await shop.as('admin').fetch('/products', sendJson('POST', [], FACETS)), 406, 'PGRST107');
  });

  test('reject what cannot be counted', async () => {
    const refused = async (facets: string, code: string, status = 400) =>
      expectRefusal(
        await shop.as('admin').fetch(`/products?facets=${encodeURIComponent(facets)}`, { headers: FACETS }),
        status,
        code,
      );
    await refused('', 'PGRST100');
    await refused('brand_id,', 'PGRST100');
    await refused('price(', 'PGRST100');
    await refused('price()', 'PGRST100');
    await refused('price(1', 'PGRST100');
    await refused('price(1)x', 'PGRST100');
    await refused('variants.products.name', 'PGRST100');
    await refused('brand_id,brand_id', 'PGRST100');
    await refused('price(5,5)', 'PGRST100');
    await refused('price(50,5)', 'PGRST100');
    await refused('price(a,b)', '22P02');
    await refused('added(2026-02-31)', '22008');
    await refused('name(a,b)', '42883');
    expect((await refused('prize', '42703')).hint).toContain('price');
    await refused('sizes.x', 'PGRST200');
    await refused('variants.siz', '42703');
    await refused(Array.from({ length: 21 }, (_, index) => `more->>k${index}`).join(','), '54000');
    await refused(`cost(${Array.from({ length: 101 }, (_, index) => index).join(',')})`, '54000');
  });

  test('list the hundred most frequent values', async () => {
    const rows = Array.from({ length: 301 }, (_, index) => ({ name: `T${index % 150}` }));
    expect((await shop.as('admin').fetch('/tags', sendJson('POST', rows))).status).toBe(201);
    const response = await shop.as('admin').fetch('/tags?name=like.T*&limit=0&facets=name', { headers: FACETS });
    const { total, facets } = (await response.json()) as Summary;
    const list = pairs(facets.name)!;
    expect([total, list.length, list[0], list[1], list[2]]).toEqual([301, 100, ['T0', 3], ['T1', 2], ['T10', 2]]);
  });

  test('of the log and of an earlier time count what was there', async () => {
    const changes = await shop.as('admin').fetch('/changes?limit=0&facets=collection,kind', { headers: FACETS });
    const log = (await changes.json()) as Summary;
    expect(log.facets.kind).toEqual([{ value: 'insert', count: log.total }]);
    const [{ at }] = (await shop.as('admin').list('/changes?select=at&order=seq.desc&limit=1')) as [{ at: string }];
    const change = sendJson('PATCH', { brand_id: 2 });
    expect((await shop.as('admin').fetch('/products?brand_id=eq.1', change)).status).toBe(204);
    const query = 'limit=1&brand_id=eq.1&facets=brand_id,variants.size';
    expect((await ask(query)).total).toBe(0);
    const earlier = await ask(query, 'admin', { prefer: `as-of="${at}"` });
    expect([earlier.total, pairs(earlier.facets.brand_id)?.[0], pairs(earlier.facets['variants.size'])?.[0]]).toEqual([
      2,
      [1, 2],
      ['M', 2],
    ]);
  });

  test('of a large list are streamed after it', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({ size: `L${index % 3}`, color: 'x'.repeat(100) }));
    expect((await shop.as('admin').fetch('/variants', sendJson('POST', rows))).status).toBe(201);
    const response = await shop.as('admin').fetch('/variants?id=gt.6&facets=size', { headers: FACETS });
    const { rows: found, total, facets } = (await response.json()) as Summary;
    const counts = ['L0', 'L1', 'L2'].map((size) => [size, 4_000]);
    expect([found.length, total, pairs(facets.size)]).toEqual([12_000, 12_000, counts]);
  });
});
