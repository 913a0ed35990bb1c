/** Stored queries: requests of the declaration with parameters, called at /rpc/<name>, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openRoled, type Roled } from '../../support/engines/roles.ts';
import { mistakesIn } from '../../support/processes/declarations.ts';
import { expectRefusal, ids, send, sendJson } from '../../support/stories.ts';

const DECLARED = declareCatalogue(
  parseDeclaration(
    `collections:
  categories: { fields: { id: int4, title: { type: text, required: true } } }
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      stock: int4
      tags: 'text[]'
      category_id: { type: int4, references: categories }
queries:
  low_stock:
    description: Products to order again
    parameters: { threshold: { type: int4, default: 10 } }
    read: products?stock=lt.{threshold}&order=stock.desc
  by_ids: { parameters: { ids: 'int4[]' }, read: 'products?id=in.({ids})' }
  named: { parameters: { pattern: text, max: { type: int4, default: 99 } }, read: 'products?or=(name.ilike.{pattern},stock.gt.{max})' }
  in_category:
    parameters: { category: text }
    read: products?select=name,categories!inner(title)&categories.title=eq.{category}&order=name&limit=2
  two_at_a_time: { read: 'products?select=id&order=id&limit=2' }
  feed: { read: 'products?select=sku:id,title:name&order=id&limit=1', mediaType: 'text/csv;delimiter=";"' }
  tagged: { parameters: { tags: 'text[]' }, read: 'products?tags=cs.{tags}&select=id' }
roles:
  admin: all
  clerk: { call: [low_stock], products: { read: { where: id=lt.4 } } }
  guest: { products: { read: true } }
  caller: { call: [low_stock] }
`,
    'collections.yaml',
  ),
);

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  categories: [
    { id: 1, title: 'Drinks' },
    { id: 2, title: 'Sweets' },
  ],
  products: [
    { id: 1, name: 'Chai', stock: 39, tags: '{hot,tea}' as never, category_id: 1 },
    { id: 2, name: 'Chang', stock: 7, tags: '{cold}' as never, category_id: 1 },
    { id: 3, name: 'Cocoa', stock: 0, tags: '{hot}' as never, category_id: 1 },
    { id: 4, name: 'Fudge', stock: 9, tags: null, category_id: 2 },
    { id: 5, name: 'Gum', stock: null, tags: null, category_id: null },
  ],
};

describe.each(TWO_ENGINES)('stored queries on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, DECLARED, ROWS);
  });
  afterAll(() => shop.close());
  const admin = () => shop.as('admin');
  const list = async (path: string): Promise<Row[]> => admin().list(path);
  const shown = async (path: string): Promise<unknown> => list(path);
  const call = async (name: string, body: unknown) =>
    (await admin().fetch(`/rpc/${name}`, sendJson('POST', body))).json() as Promise<Row[]>;

  test('GET takes arguments in the query, POST in a body or a form; a default applies', async () => {
    expect(ids(await list('/rpc/low_stock'))).toEqual([4, 2, 3]);
    expect(ids(await list('/rpc/low_stock?threshold=8'))).toEqual([2, 3]);
    expect(ids(await list('/catalogue/rpc/low_stock?threshold=8'))).toEqual([2, 3]);
    expect(ids(await call('low_stock', { threshold: 8 }))).toEqual([2, 3]);
    const form = send('POST', 'application/x-www-form-urlencoded', 'threshold=8');
    expect(ids((await (await admin().fetch('/rpc/low_stock', form)).json()) as Row[])).toEqual([2, 3]);
    expect(ids((await (await admin().fetch('/rpc/low_stock', { method: 'POST' })).json()) as Row[])).toEqual([4, 2, 3]);
  });

  test('filters restrict the result; select, order, limit and embedding shape it; counts count it', async () => {
    expect(await shown('/rpc/low_stock?select=name,categories(title)&id=neq.3&order=id&limit=1')).toEqual([
      { name: 'Chang', categories: { title: 'Drinks' } },
    ]);
    const page = await admin().fetch('/rpc/low_stock?limit=2', { headers: { prefer: 'count=exact' } });
    expect([page.status, page.headers.get('content-range')]).toEqual([206, '0-1/3']);
    expect(page.headers.get('link')).toContain('</rpc/low_stock?limit=2');
    const ranged = await admin().fetch('/rpc/low_stock', { headers: { range: '1-1' } });
    expect(ids((await ranged.json()) as Row[])).toEqual([2]);
    expect(await list('/rpc/low_stock?select=count()')).toEqual([{ count: 3 }]);
    const csv = await admin().fetch('/rpc/low_stock?select=id', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('id\n4\n2\n3\n');
  });

  test('a query has a media type of its own, unless the request asks for another', async () => {
    const typeOf = async (accept?: string) => {
      const answer = await admin().fetch('/rpc/feed', { headers: accept === undefined ? {} : { accept } });
      return [answer.headers.get('content-type'), await answer.text()];
    };
    const csv = ['text/csv;delimiter=";"; charset=utf-8', 'sku;title\n1;Chai\n'];
    expect(await typeOf()).toEqual(csv);
    expect(await typeOf('*/*')).toEqual(csv);
    expect(await typeOf('text/html,application/xml;q=0.9,*/*;q=0.8')).toEqual(csv);
    expect(await typeOf('application/json')).toEqual(['application/json; charset=utf-8', '[{"sku":1,"title":"Chai"}]']);
    expect((await typeOf('text/tab-separated-values'))[1]).toBe('sku\ttitle\n1\tChai\n');
    const declared = `collections: { products: { fields: { id: int4 } } }
queries: { bad: { read: products, mediaType: text/html } }`;
    expect(await mistakesIn(declared)).toEqual([expect.stringContaining('mediaType: text/html is not available')]);
  });

  test('links lead from page to page with the arguments; a POST has none', async () => {
    const pages = async (path: string, headers: Record<string, string>) => {
      const found: unknown[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const page = await admin().fetch(next, { headers });
        found.push(await page.json());
        next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      return found;
    };
    for (const headers of [{}, { prefer: 'count=exact' }] as Record<string, string>[]) {
      const low = await pages('/rpc/low_stock?threshold=30&select=id&limit=1', headers);
      expect(low.filter((page) => (page as Row[]).length > 0)).toEqual([[{ id: 4 }], [{ id: 2 }], [{ id: 3 }]]);
      const all = (await pages('/rpc/two_at_a_time', headers)) as Row[][];
      expect(all.flat()).toEqual([1, 2, 3, 4, 5].map((id) => ({ id })));
    }
    const posted = await admin().fetch('/rpc/low_stock?limit=1', sendJson('POST', {}));
    expect([await posted.json(), posted.headers.get('link')]).toMatchObject([[{ id: 4 }], null]);
  });

  test('a condition on an embedding holds, whatever the call selects', async () => {
    const embedded = { categories: { title: 'Drinks' } };
    expect(await shown('/rpc/in_category?category=Drinks')).toEqual([
      { name: 'Chai', ...embedded },
      { name: 'Chang', ...embedded },
    ]);
    expect(await list('/rpc/in_category?category=Drinks&select=id&limit=5')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('lists, patterns and nulls are values', async () => {
    expect(ids(await list('/rpc/by_ids?ids={3,1}'))).toEqual([1, 3]);
    expect(ids(await call('by_ids', { ids: [2, null, 5] }))).toEqual([2, 5]);
    expect(await call('by_ids', { ids: [] })).toEqual([]);
    expect(await call('low_stock', { threshold: null })).toEqual([]);
    expect(await call('tagged', { tags: ['hot'] })).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await call('tagged', { tags: null })).toEqual([]);
    expect(ids(await call('named', { pattern: 'ch*', max: 30 }))).toEqual([1, 2]);
  });

  test('an argument is never a part of the request', async () => {
    for (const pattern of ['Chai,id.gt.0', 'x),or=(id.gt.0', '"', '{max}', 'x&id=gt.0']) {
      expect(await call('named', { pattern })).toEqual([]);
      expect(await list(`/rpc/named?pattern=${encodeURIComponent(pattern)}`)).toEqual([]);
    }
  });

  test('unknown, missing and ill-typed arguments are rejected', async () => {
    const rejected = async (path: string, status: number, code: string, init?: RequestInit) =>
      expectRefusal(await admin().fetch(path, init), status, code);
    expect((await rejected('/rpc/low_stok', 404, 'PGRST202')).hint).toBe(
      'Perhaps you meant to call the function low_stock',
    );
    expect((await rejected('/rpc/low_stock?treshold=5', 404, 'PGRST202')).hint).toBe('Call low_stock(threshold?).');
    expect((await rejected('/rpc/by_ids', 404, 'PGRST202')).message).toContain('by_ids without parameters');
    expect((await rejected('/rpc/low_stock?threshold=many', 400, '22P02')).hint).toBe(
      'The parameter threshold is of type integer.',
    );
    await rejected('/rpc/low_stock', 400, '22P02', sendJson('POST', { threshold: {} }));
    await rejected('/rpc/low_stock', 400, 'PGRST102', sendJson('POST', 5));
    await rejected('/rpc/low_stock', 405, 'PGRST101', { method: 'DELETE' });
    await rejected('/rpc/low_stock?select=nothing', 400, '42703');
    const options = await admin().fetch('/rpc/low_stock', { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe('OPTIONS,GET,HEAD,POST');
  });

  test('a role calls what its rules list, and sees its own rows', async () => {
    expect(ids(await shop.as('clerk').list('/rpc/low_stock'))).toEqual([2, 3]);
    await expectRefusal(await shop.as('clerk').fetch('/rpc/by_ids?ids={1}'), 403, '42501');
    await expectRefusal(await shop.as('guest').fetch('/rpc/low_stock'), 403, '42501');
    const caller = await expectRefusal(await shop.as('caller').fetch('/rpc/low_stock'), 403, '42501');
    expect(caller.hint).toBe('Your role may not call it, or may not read its rows.');
    await expectRefusal(await shop.as('clerk').fetch('/rpc/low_stock?select=*,categories(*)'), 403, '42501');
  });

  test('supabase.rpc calls it', async () => {
    const fetch = ((url: string | URL | Request, init?: RequestInit) =>
      admin().fetch(String(url).slice('http://shop.example'.length), {
        ...init,
        headers: Object.fromEntries(new Headers(init?.headers)),
      })) as typeof globalThis.fetch;
    const client = createClient('http://shop.example', 'key', { global: { fetch } });
    const { data, error, count } = await client
      .rpc('low_stock', { threshold: 20 }, { count: 'exact' })
      .select('id')
      .gt('id', 2);
    expect([error, data, count]).toEqual([null, [{ id: 4 }, { id: 3 }], 2]);
    const got = await client.rpc('by_ids', { ids: [1, 2] }, { get: true }).select('id');
    expect(got.data).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

describe.each(TWO_ENGINES)('--max-rows on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, DECLARED, ROWS, { maxRows: 2 });
  });
  afterAll(() => shop.close());

  test('limits lists, lists in rows and results of queries, and not what is counted or written', async () => {
    const admin = shop.as('admin');
    const page = await admin.fetch('/products?limit=4&offset=1', { headers: { prefer: 'count=exact' } });
    expect([page.status, page.headers.get('content-range'), ids((await page.json()) as Row[])]).toEqual([
      206,
      '1-2/5',
      [2, 3],
    ]);
    expect(ids(await admin.list('/products?limit=1'))).toEqual([1]);
    expect(await admin.list('/products?limit=0')).toEqual([]);
    const embedded = '/categories?id=eq.1&select=title,list:products(id),...products(name)';
    expect((await admin.list(embedded)) as unknown).toEqual([
      { title: 'Drinks', list: [{ id: 1 }, { id: 2 }], name: ['Chai', 'Chang'] },
    ]);
    expect((await admin.list('/categories/1?select=products(id)')) as unknown).toEqual({
      products: [{ id: 1 }, { id: 2 }],
    });
    expect(ids(await admin.list('/rpc/low_stock'))).toEqual([4, 2]);
    const update = sendJson('PATCH', { stock: 1 }, { prefer: 'return=representation, tx=rollback' });
    expect(await (await admin.fetch('/products?id=gt.0', update)).json()).toHaveLength(5);
  });
});

test('catalogue types prints the queries as functions, which test/types compiles with the client', () => {
  const kept = readFileSync(new URL('../../types/query-database.ts', import.meta.url), 'utf8');
  expect(typeScriptTypes(DECLARED)).toBe(kept);
});

test('read has the name of the collection, also URL-encoded; a parameter cannot have the name of another', async () => {
  const mistakes = (read: string, parameter: string) =>
    mistakesIn(`collections: { Order Lines: { fields: { id: int4 } } }
queries: { one: { parameters: { ${parameter}: int4 }, read: '${read}?id=eq.{${parameter}}' } }
`);
  for (const read of ['Order Lines', '/Order Lines', '/Order%20Lines'])
    expect(await mistakes(read, 'number')).toEqual([]);
  expect(await mistakes('Order Lines', 'select')).toEqual([
    '2:33 one.select: select is not a name for a parameter: it has a meaning in every request',
  ]);
});
