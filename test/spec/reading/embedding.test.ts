/** Embedding: one request reads related rows. These tests cover behaviour that the recorded responses do not show. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_EMBED_DEPTH, MAX_EMBEDS } from '../../../src/base/limits/http.ts';
import { type Catalogue, ENGINES } from '../../support/engines/catalogue.ts';
import { openShop } from '../../support/engines/shop.ts';
import { expectRefusal } from '../../support/stories.ts';

describe.each(Object.keys(ENGINES))('embedding on %s', (engine) => {
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openShop(engine);
  });
  afterAll(() => shop.close());

  const read = async (path: string) => (await shop.fetch(path)).json() as Promise<unknown>;

  test('a single row embeds like a list, and its version depends on the row alone', async () => {
    const plain = await shop.fetch('/products/1');
    const embedding = await shop.fetch('/products/1?select=id,categories(category_name),prices(currency)');
    expect(await embedding.json()).toEqual({
      id: 1,
      categories: { category_name: 'Beverages' },
      prices: [{ currency: 'EUR' }, { currency: 'JPY' }],
    });
    const version = plain.headers.get('etag')!.replaceAll('"', '');
    expect(embedding.headers.get('etag')).toStartWith(`"${version}.`);
  });

  test('embedded lists are ordered by their key', async () => {
    const [{ products }] = (await read('/categories?select=products(id)&id=eq.1')) as [{ products: { id: number }[] }];
    expect(products.map(({ id }) => id)).toEqual(products.map(({ id }) => id).toSorted((one, other) => one - other));
  });

  test('NDJSON, HEAD, pages and their links include the embedding', async () => {
    const path = '/products?select=id,categories(id)&limit=2';
    const lines = await (await shop.fetch(path, { headers: { accept: 'application/x-ndjson' } })).text();
    expect(lines).toBe('{"id":1,"categories":{"id":1}}\n{"id":2,"categories":{"id":1}}\n');
    const head = await shop.fetch(path, { method: 'HEAD' });
    expect(head.headers.get('content-range')).toBe('0-1/*');
    const next = /<([^>]*)>; rel="next"/.exec(head.headers.get('link')!)![1]!;
    expect(await read(next)).toEqual([
      { id: 3, categories: { id: 2 } },
      { id: 4, categories: { id: 2 } },
    ]);
  });

  test('links keep the parameters of an embedding', async () => {
    const response = await shop.fetch(
      '/categories?select=id,p:products(id)&p.id=lt.5&p.order=id.desc&p.limit=2&limit=1&offset=1',
    );
    const first = /<([^>]*)>; rel="first"/.exec(response.headers.get('link')!)![1]!;
    expect(await read(first)).toEqual([{ id: 1, p: [{ id: 2 }, { id: 1 }] }]);
  });

  test('an embedding that selects nothing can be ordered by any of its fields', async () => {
    const shown = await read('/products?select=id,suppliers!supplier_id(company_name)&order=suppliers(company_name)');
    const names = (shown as { id: number }[]).map(({ id }) => ({ id }));
    expect(await read('/products?select=id,supplier_id()&order=supplier_id(company_name)')).toEqual(names);
    await expectRefusal(await shop.fetch('/products?select=id,supplier_id()&order=supplier_id(nme)'), 400, '42703');
  });

  test('rows can be ordered by a field of an embedded row, but not of an embedded list', async () => {
    const rows = (await read(
      '/products?select=id,categories(category_name)&order=categories(category_name).desc,id&limit=1',
    )) as [{ categories: { category_name: string } }];
    expect(rows[0].categories.category_name).toBe('Seafood');
    await expectRefusal(await shop.fetch('/categories?select=id,products(id)&order=products(id)'), 400, 'PGRST118');
  });

  test('only is.null and not.is.null test whether an embedding is empty', async () => {
    const rows = async (filter: string) => (await read(`/categories?select=id,products(id)&${filter}`)) as unknown[];
    expect([...(await rows('products=is.null')), ...(await rows('products=not.is.null'))]).toHaveLength(11);
    for (const filter of ['products=is.not_null', 'products=not.is.not_null', 'products=is.true', 'products=eq.1']) {
      for (const each of [filter, `or=(${filter.replace('=', '.')},id.eq.1)`]) {
        const response = await shop.fetch(`/categories?select=id,products(id)&${each}`);
        const { message, hint } = await expectRefusal(response, 400, '42703');
        expect(message).toBe('column categories.products does not exist');
        expect(hint).toContain('products=not.is.null');
      }
    }
    // A filter by the name of a field applies to the field, even if an embedding has the same name.
    const named = await read('/products?select=id,category_id:categories(id)&category_id=eq.1&limit=1');
    expect(named).toEqual([{ id: 1, category_id: { id: 1 } }]);
  });

  test('aggregates work over fields of an embedded row', async () => {
    const path = '/prices?select=...products(unit_price.max()),count()&currency=eq.EUR';
    expect(await read(path)).toEqual([{ max: 123.79, count: 36 }]);
  });

  test('an embedding with an alias has no other name, in filters, order and conditions', async () => {
    const both = 'select=id,suppliers!second_supplier_id(country),main:suppliers!supplier_id(country)';
    expect(await read(`/products?${both}&main.country=eq.UK&id=in.(4,19,20)`)).toEqual([
      { id: 4, suppliers: null, main: null },
      { id: 19, suppliers: null, main: { country: 'UK' } },
      { id: 20, suppliers: null, main: { country: 'UK' } },
    ]);
    const aliased = '/products?select=id,main:suppliers!supplier_id(country)';
    await expectRefusal(await shop.fetch(`${aliased}&suppliers.country=eq.UK`), 400, 'PGRST108');
    await expectRefusal(await shop.fetch(`${aliased}&order=suppliers(country)`), 400, 'PGRST108');
    await expectRefusal(await shop.fetch(`${aliased}&suppliers=is.null`), 400, '42703');
  });

  test('a quoted name is one name, whatever its characters, also in parameters and links', async () => {
    const path = '/products?select=id,"a.b":categories(id)&"a.b".id=eq.2&"a.b".or=(id.eq.1,id.eq.2)&order=id&limit=2';
    const response = await shop.fetch(path);
    expect(await response.json()).toEqual([
      { id: 1, 'a.b': null },
      { id: 2, 'a.b': null },
    ]);
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link')!)![1]!;
    expect(await read(next)).toEqual([
      { id: 3, 'a.b': { id: 2 } },
      { id: 4, 'a.b': { id: 2 } },
    ]);
    await expectRefusal(await shop.fetch('/products?select=id,"a.b":categories(id)&a.b.id=eq.2'), 400, 'PGRST108');
  });

  test('a page of a to-one embedding contains its row or nothing', async () => {
    const one = '/products?select=id,categories(id)&id=eq.1';
    expect(await read(`${one}&categories.limit=5`)).toEqual([{ id: 1, categories: { id: 1 } }]);
    expect(await read(`${one}&categories.limit=0`)).toEqual([{ id: 1, categories: null }]);
    expect(await read(`${one}&categories.offset=1`)).toEqual([{ id: 1, categories: null }]);
    expect(await read('/products?select=id,...categories(category_id:id)&categories.limit=1&id=eq.1')).toEqual([
      { id: 1, category_id: 1 },
    ]);
  });

  test('the limit, offset and aggregates of an embedding decide whether !inner and not.is.null match', async () => {
    expect(await read('/categories?select=id,products!inner(id)&products.offset=12')).toEqual([
      { id: 3, products: [{ id: 68 }] },
    ]);
    expect(await read('/categories?select=id,products()&products.offset=12&products=not.is.null')).toEqual([{ id: 3 }]);
    expect(await read('/categories?select=id,products!inner(id)&products.limit=0')).toEqual([]);
    expect(await read('/categories?select=id,products!inner(count())&id=gt.9')).toEqual([
      { id: 10, products: [{ count: 0 }] },
      { id: 11, products: [{ count: 0 }] },
    ]);
    expect(await read('/categories?select=id,products!inner(available,count())&products.offset=1&id=gt.6')).toEqual([
      { id: 7, products: [{ available: true, count: 4 }] },
      { id: 8, products: [{ available: true, count: 9 }] },
    ]);
  });

  test('an embedding that contains only empty embeddings shows nothing', async () => {
    expect(await read('/products?select=id,categories(products(),...categories())&id=eq.1')).toEqual([{ id: 1 }]);
  });

  test('if a field and an embedding have the same name, the embedding is shown', async () => {
    expect(await read('/products?select=...categories(id),id&id=eq.3')).toEqual([{ id: 2 }]);
    const csv = await shop.fetch('/products?select=categories(id),id&id=eq.3', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('id,categories\n3,"{""id"": 2}"\n');
  });

  test('two embeddings of the same collection need different names', async () => {
    const twice = 'suppliers!supplier_id(country),suppliers!second_supplier_id(country)';
    const { hint } = await expectRefusal(await shop.fetch(`/products?select=id,${twice}`), 400, '42712');
    expect(hint).toContain('other:suppliers');
    const spread = '...suppliers!supplier_id(a:country),...suppliers!second_supplier_id(b:country)';
    await expectRefusal(await shop.fetch(`/products?select=id,${spread}`), 400, '42712');
    expect(
      await read('/products?select=id,...supplier_id(a:id),...second_supplier_id(b:id),x:supplier_id(id)&id=eq.1'),
    ).toEqual([{ id: 1, a: 8, b: 12, x: { id: 8 } }]);
  });

  test('a spread column needs a unique name', async () => {
    for (const select of [
      '...categories(id,...parent_id(id))',
      '...categories(*,parent_id(id))',
      '...labels(label,label)',
      '...stock_moves(*,...products(*))',
      'categories(id,...parent_id(id))&order=categories(id)',
    ]) {
      const { hint } = await expectRefusal(await shop.fetch(`/products?select=sku,${select}`), 400, '42702');
      expect(hint).toContain('other:');
    }
    expect(await read('/products?select=sku,categories(id,...parent_id(id))&id=eq.1')).toEqual([
      { sku: expect.any(String), categories: { id: 9 } },
    ]);
    expect(await read('/products?select=...categories(*,...parent_id(*))&id=eq.1')).toMatchObject([{ id: 9 }]);
  });

  test('rows can be grouped by embedded rows, lists and columns', async () => {
    expect(await read('/products?select=categories(category_name),count()&category_id=lt.3')).toEqual([
      { categories: { category_name: 'Beverages' }, count: 12 },
      { categories: { category_name: 'Condiments' }, count: 12 },
    ]);
    expect(await read('/products?select=count(),labels(label)&id=in.(7,11,15)')).toEqual([{ count: 3, labels: [] }]);
    // The syntax used in the Supabase documentation.
    expect(await read('/categories?select=id,products(count)&id=eq.1')).toEqual(
      await read('/categories?select=id,products(count())&id=eq.1'),
    );
    expect(await read('/products?select=count,n:count::text&id=in.(7,11,15)')).toEqual([{ count: 3, n: '3' }]);
    expect(
      await read('/products?select=...categories(name:category_name),count()&order=categories(name).desc&limit=1'),
    ).toEqual([{ name: 'Seafood', count: 12 }]);
    expect(await read('/categories?select=id,products(count(),suppliers!supplier_id(country))&id=eq.5')).toEqual([
      { id: 5, products: expect.arrayContaining([{ count: expect.any(Number), suppliers: { country: 'Italy' } }]) },
    ]);
    // Two columns with the same name form separate groups, although only one is shown.
    const ids = '/products?select=id,...categories(id),count()&category_id=eq.1&id=lt.30&order=id.desc';
    expect(await read(ids)).toEqual(Array.from({ length: 3 }, () => ({ id: 1, count: 1 })));
    const ungrouped = '/products?select=categories(category_name),count()&order=categories(category_name)';
    await expectRefusal(await shop.fetch(ungrouped), 400, '42803');
  });

  test('requests that PostgREST rejects or answers wrongly work', async () => {
    const dearest = '...products(id)&products.order=unit_price.desc&products.limit=2';
    expect(await read(`/categories?select=name:category_name,${dearest}&id=eq.1`)).toEqual([
      { name: 'Beverages', id: [38, 43] },
    ]);
    expect(await read('/prices?select=products(tags->0)&product_id=eq.1&limit=1')).toEqual([
      { products: { tags: 'spicy' } },
    ]);
    expect(await read('/products?select=id,...categories(category_name,products())&id=eq.1')).toEqual([
      { id: 1, category_name: 'Beverages' },
    ]);
    expect(await read('/products?select=category_id(category_name),count()&category_id=eq.1')).toEqual([
      { category_id: { category_name: 'Beverages' }, count: 12 },
    ]);
    const days = (await read('/products?select=created_at::date,count()')) as { created_at: string }[];
    expect(new Set(days.map((day) => day.created_at)).size).toBe(days.length);
  });

  test('a count over a to-one embedding counts the rows that have one', async () => {
    expect(await read('/products?select=n:count(),...suppliers!second_supplier_id(count())')).toEqual([
      { n: 77, count: 20 },
    ]);
    expect(await read('/products?select=...suppliers!second_supplier_id!inner(count()),n:count()')).toEqual([
      { n: 20, count: 20 },
    ]);
  });

  test('rows can be ordered by a path inside an embedded field', async () => {
    const rows = (await read(
      '/products?select=id,s:suppliers!supplier_id(contact)&order=s(contact->>name).desc.nullslast&limit=1',
    )) as [{ s: { contact: { name: string } } }];
    const names = (
      (await read('/suppliers?select=contact->>name,products!supplier_id!inner()')) as { name: string }[]
    ).map(({ name }) => name);
    expect(rows[0].s.contact.name).toBe(
      names
        .filter((name) => name !== null)
        .toSorted()
        .at(-1)!,
    );
  });

  test('an order by a nested embedding follows the JSON order, and accepts paths into it', async () => {
    const ids = async (path: string) => ((await read(path)) as { id: number }[]).map(({ id }) => id);
    const parents = '/products?select=id,categories(parent_id(id,category_name))&id=in.(1,4,10,16)';
    // 9 sorts before 10, and a shorter list before a longer one.
    expect(await ids(`${parents}&order=categories(parent_id),id`)).toEqual([1, 16, 10, 4]);
    expect(await ids(`${parents}&order=categories(parent_id->>category_name).desc,id`)).toEqual([4, 10, 1, 16]);
    const labels = '/prices?select=id:product_id,products(...labels(label))&currency=eq.JPY&product_id=in.(1,3,7)';
    expect(await ids(`${labels}&order=products(label).desc`)).toEqual([3, 1, 7]);
    expect(await read('/products?select=count(),...categories(parent_id(id))&order=categories(parent_id)')).toEqual([
      { parent_id: { id: 9 }, count: expect.any(Number) },
      { parent_id: { id: 10 }, count: expect.any(Number) },
      { parent_id: null, count: expect.any(Number) },
    ]);
    const inside = '/products?select=id,categories(category_name)&order=categories(category_name->x)';
    await expectRefusal(await shop.fetch(inside), 400, '42883');
  });

  test('a field names a relationship only from the referring side; a constraint does not resolve a self-reference', async () => {
    await expectRefusal(await shop.fetch('/categories?select=id,category_id(id)'), 400, 'PGRST200');
    await expectRefusal(
      await shop.fetch('/categories?select=id,categories!categories_parent_id_fkey(id)'),
      400,
      'PGRST200',
    );
  });

  test('the first of two hints or join types wins, and a third is rejected', async () => {
    const one = 'select=id,suppliers!supplier_id!second_supplier_id(id)&id=in.(1,2)';
    expect(await read(`/products?${one}`)).toEqual([
      { id: 1, suppliers: { id: 8 } },
      { id: 2, suppliers: { id: 1 } },
    ]);
    expect(await read('/products?select=id,second_supplier_id!left!inner(id)&id=eq.2')).toEqual([
      { id: 2, second_supplier_id: null },
    ]);
    const third = '/products?select=id,suppliers!supplier_id!inner!left(id)';
    await expectRefusal(await shop.fetch(third), 400, 'PGRST100');
  });

  test('what is not a name of an embedding has no parentheses', async () => {
    await expectRefusal(await shop.fetch('/products?select=id,categories->id(id)'), 400, 'PGRST100');
    await expectRefusal(await shop.fetch('/products?select=id,count(id)'), 400, 'PGRST100');
  });

  test('the error for an ambiguous relationship lists all candidates', async () => {
    const response = await shop.fetch('/products?select=id,suppliers(id)');
    expect(response.status).toBe(300);
    expect(await response.json()).toMatchObject({
      code: 'PGRST201',
      details: [{ cardinality: 'many-to-one' }, { cardinality: 'many-to-one' }],
      hint: expect.stringContaining('suppliers!products_supplier_id_fkey'),
    });
  });

  test('the hint names the most similar relationship', async () => {
    const { hint } = await expectRefusal(await shop.fetch('/products?select=id,categorys(id)'), 400, 'PGRST200');
    expect(hint).toContain("'categories'");
  });

  test('the depth and number of embeddings are limited', async () => {
    const nested = (depth: number): string => (depth === 0 ? 'id' : `id,parent_id(${nested(depth - 1)})`);
    expect((await shop.fetch(`/categories?select=${nested(MAX_EMBED_DEPTH)}`)).status).toBe(200);
    await expectRefusal(await shop.fetch(`/categories?select=${nested(MAX_EMBED_DEPTH + 1)}`), 400, '54000');
    await expectRefusal(await shop.fetch(`/categories?select=${'parent_id('.repeat(40_000)}`), 400, '54000');
    const many = Array.from({ length: MAX_EMBEDS + 1 }, (_, index) => `a${index}:categories(id)`).join(',');
    await expectRefusal(await shop.fetch(`/products?select=${many}`), 400, '54000');
  });

  test('rows returned by a write embed the current state of changed rows and the old state of deleted rows', async () => {
    const written = async (method: string, path: string, body?: unknown) => {
      const headers = { prefer: 'return=representation, tx=rollback, resolution=merge-duplicates' };
      const response = await shop.fetch(path, { method, headers, body: JSON.stringify(body) });
      return response.json();
    };
    const parents = 'select=id,parent_id(category_name),categories(id)';
    const rows = [
      { id: 1, category_name: 'Tea', parent_id: 100 },
      { id: 100, category_name: 'Hot', parent_id: null },
    ];
    expect(await written('POST', `/categories?${parents}`, rows)).toEqual([
      { id: 1, parent_id: { category_name: 'Hot' }, categories: [] },
      { id: 100, parent_id: null, categories: [{ id: 1 }] },
    ]);
    const back = 'select=id,categories(id,products(id))&categories.products.id=lt.4';
    expect(await written('PATCH', `/products?id=eq.1&${back}`, { category_id: 2 })).toEqual([
      { id: 1, categories: { id: 2, products: [{ id: 1 }, { id: 3 }] } },
    ]);
    expect(
      await written('POST', '/product_labels?select=products(labels(label))', {
        product_id: 5,
        label_id: '383a2fc1-4c76-4e92-93c0-899a66983e70',
      }),
    ).toEqual([{ products: { labels: [{ label: 'limited' }] } }]);
    expect(await written('DELETE', '/categories?id=eq.11&select=id,parent_id(categories(id))')).toEqual([
      { id: 11, parent_id: { categories: [{ id: 4 }, { id: 6 }, { id: 8 }, { id: 11 }] } },
    ]);
  });

  test('rows returned by a write are ordered by key, and deleted related rows still satisfy !inner', async () => {
    const written = async (method: string, path: string, body?: unknown) => {
      const headers = { prefer: 'return=representation, tx=rollback, resolution=merge-duplicates' };
      return (await shop.fetch(path, { method, headers, body: JSON.stringify(body) })).json();
    };
    const prices = 'product_id=lt.3&select=product_id,currency,products(id)';
    const inOrder = [
      { product_id: 1, currency: 'EUR', products: { id: 1 } },
      { product_id: 1, currency: 'JPY', products: { id: 1 } },
      { product_id: 2, currency: 'SEK', products: { id: 2 } },
    ];
    expect(await written('PATCH', `/prices?${prices}`, { amount: 1 })).toEqual(inOrder);
    expect(await written('DELETE', `/prices?${prices}`)).toEqual(inOrder);
    const given = [
      { product_id: 1, currency: 'EUR', amount: 5 },
      { product_id: 1, currency: 'AAA', amount: 6 },
    ];
    const merged = '/prices?select=currency,products!inner(*)&products.sku=like.*';
    expect(await written('POST', merged, given)).toMatchObject([{ currency: 'EUR' }, { currency: 'AAA' }]);
    const labelled = '/products?id=in.(6,12,18)&select=id,labels!inner()';
    expect(await written('DELETE', labelled)).toEqual([{ id: 6 }, { id: 12 }]);
  });

  test('the limit of a write holds for every query plan', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const prefer = { prefer: 'return=representation, tx=rollback' };
      const response = await shop.fetch('/stock_moves?order=id&limit=1&select=id', {
        method: 'DELETE',
        headers: prefer,
      });
      expect((await response.json()) as unknown[]).toHaveLength(1);
      const composite = await shop.fetch('/prices?order=product_id,currency&limit=2', {
        method: 'DELETE',
        headers: prefer,
      });
      expect((await composite.json()) as unknown[]).toHaveLength(2);
    }
  });
});
