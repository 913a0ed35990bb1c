/** The declared search: words, order, score, marks and pages, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const DECLARATION = declaredBy(`
collections:
  brands:
    fields: { id: int4, name: { type: text, required: true }, country: text }
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      brand_id: { type: int4, references: brands }
      sku: text
      gtin: int8
      description: text
      tags: text[]
      price: decimal(12,4)
      secret: boolean
    search: { fields: { name: 3, brand.name: 2, sku: 2, gtin: 1, tags: 1, description: 1 }, language: english }
queries:
  find: { parameters: { words: text }, read: 'products?search=wfts.{words}&price=lt.100&select=id' }
  cheap: { read: 'products?price=lt.75&select=id' }
roles:
  admin: all
  guest:
    call: [find]
    products: { read: { where: secret=is.false, fields: [id, name, brand_id, sku, price, tags] } }
    brands: { read: { where: country=eq.de, fields: [id, name, country] } }
`);

const BRANDS = [
  { id: 1, name: 'Ada', country: 'de' },
  { id: 2, name: 'Löwe & Co', country: 'fr' },
];
const PRODUCTS = [
  [1, 'Red shoe', 1, 'AB-1234/5', 4006381333931, 'A comfortable shoe for long walks.', ['outdoor'], 80, false],
  [2, 'Blue shoe', 1, 'AB-1235', null, 'Like the red one, but blue.', ['outdoor', 'sale'], 70, false],
  [3, 'Red shirt', 2, 'CD-1', null, 'Cotton & <linen>.', null, 20, false],
  [4, 'Shoelaces', 2, 'CD-2', null, null, null, 5, false],
  [5, 'Running shoes', 1, 'EF-77', null, 'For runners who run.', null, 120, false],
  [6, 'Prototype zephyr shoe', 1, 'XX-1', null, 'Not for sale.', null, 999, true],
  [7, 'Café crème', 2, 'GH-3', null, 'Strong coffee', null, 4, false],
].map(([id, name, brand_id, sku, gtin, description, tags, price, secret]) => {
  return { id, name, brand_id, sku, gtin, description, tags, price, secret };
});

describe.each(TWO_ENGINES)('a declared search on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, DECLARATION, { brands: BRANDS, products: PRODUCTS as never });
  });
  afterAll(() => shop.close());

  const idsAs = async (role: string, words: string, more = '') => {
    const rows = await shop.as(role).list(`/products?search=wfts.${encodeURIComponent(words)}&select=id${more}`);
    return rows.map(({ id }) => id);
  };
  const ids = (words: string, more = '') => idsAs('admin', words, more);

  test('all words must be there, and the best row comes first', async () => {
    expect(await ids('red shoe')).toEqual([1, 2]);
    expect((await ids('shoe')).toSorted()).toEqual([1, 2, 4, 5, 6]);
    expect((await ids('shoes')).toSorted()).toEqual([1, 2, 5, 6]);
  });

  test('or, a minus sign and quotes work as in a web search', async () => {
    expect((await ids('shirt or laces or crème')).toSorted()).toEqual([3, 7]);
    expect(await ids('shoe -red -zephyr')).toEqual([5]);
    expect(await ids('"red shoe"')).toEqual([1]);
    expect(await ids('"shoe red"')).toEqual([]);
    expect(await ids('-red')).toEqual([]);
    expect(await ids('')).toEqual([]);
    expect(await ids('the')).toEqual([2]);
    // Without a word on both sides, it is a word.
    expect([await ids('or'), await ids('red or')]).toEqual([[], await ids('red')]);
  });

  test('word forms, case and accents do not matter', async () => {
    expect(await ids('RUN')).toEqual([5]);
    expect(await ids('cafe creme')).toEqual([7]);
    expect((await ids('lowe')).toSorted()).toEqual([3, 4, 7]);
  });

  test('the last word may be incomplete', async () => {
    expect((await ids('red sho')).toSorted()).toEqual([1, 2]);
    expect(await ids('prot')).toEqual([6]);
    expect([(await ids('AB-12')).toSorted(), await ids('ab-1234/'), await ids('"AB-12"')]).toEqual([[1, 2], [1], []]);
    expect([await ids('red AB-12'), await ids('red -AB-1234')]).toEqual([
      [1, 2],
      [3, 2],
    ]);
  });

  test('a misspelling finds the word', async () => {
    expect(await ids('prototpye')).toEqual([6]);
    expect(await ids('cotfon')).toEqual([3]);
    expect(await ids('red shrit')).toEqual([3]);
    expect(await ids('ab-1233')).toEqual([]);
  });

  test('a code typed in whole comes first', async () => {
    expect((await ids('AB-1234/5'))[0]).toBe(1);
    expect((await ids('ab12345'))[0]).toBe(1);
    expect((await ids('4006381333931'))[0]).toBe(1);
    expect(await ids('400638')).toEqual([1]);
  });

  test('search combines with filters, order, columns, counts and embeddings', async () => {
    expect(await ids('shoe', '&price=lt.100&order=price')).toEqual([4, 2, 1]);
    expect(await ids('shoe', '&order=search.desc,price&limit=1')).toHaveLength(1);
    const response = await shop
      .as('admin')
      .fetch('/products?search=wfts.red&select=name,search,brand:brands(name)&limit=1', {
        headers: { prefer: 'count=exact' },
      });
    expect(response.headers.get('content-range')).toBe('0-0/3');
    const [row] = (await response.json()) as [Record<string, unknown>];
    expect(Object.keys(row)).toEqual(['name', 'search', 'brand']);
    expect(row.search).toBeGreaterThan(0);
    expect(await shop.as('admin').list('/products?search=wfts.red&select=count()')).toEqual([{ count: 3 }]);
    expect(await ids('red', '&search=gt.1000000000')).toEqual([]);
  });

  test('a stored query searches, and its call', async () => {
    const rows = (path: string, as = 'admin') => shop.as(as).list(`/rpc/${path}`);
    expect(await rows('find?words=red sho')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await rows('find?words=shoe&order=price&limit=2')).toEqual([{ id: 4 }, { id: 2 }]);
    expect(await rows('cheap?search=wfts.red&order=id')).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await rows('cheap?search=wfts.red&select=search.count()')).toEqual([{ count: 2 }]);
    expect([await rows('find?words=löwe', 'guest'), await rows('find?words=ada', 'guest')]).toEqual([
      [],
      [{ id: 1 }, { id: 2 }],
    ]);
    const none = await shop.as('admin').fetch('/rpc/find', sendJson('POST', { words: null }));
    expect(await none.json()).toEqual([]);
    await expectRefusal(await shop.as('admin').fetch('/rpc/find?words=a&search=wfts.b'), 400, 'PGRST127');
  });

  test('facets cannot count highlights', async () => {
    const headers = { accept: 'application/vnd.catalogue.facets+json' };
    const response = await shop.as('admin').fetch('/products?search=wfts.shoe&facets=search->highlight', { headers });
    await expectRefusal(response, 400, 'PGRST127');
  });

  test('facets count the rows that were found', async () => {
    const headers = { accept: 'application/vnd.catalogue.facets+json' };
    const response = await shop
      .as('admin')
      .fetch('/products?search=wfts.shoe&facets=brand_id&select=id&limit=1&brand_id=eq.2', { headers });
    expect(await response.json()).toEqual({
      rows: [{ id: 4 }],
      total: 1,
      facets: {
        brand_id: [
          { value: 1, title: 'Ada', count: 4 },
          { value: 2, title: 'Löwe & Co', count: 1 },
        ],
      },
    });
  });

  test('suggestions complete the last word, with counts', async () => {
    const headers = { accept: 'application/vnd.catalogue.facets+json' };
    const suggest = async (role: string, words: string) => {
      const query = `search=wfts.${words}&facets=search->words&select=id&limit=0`;
      const { facets } = (await (await shop.as(role).fetch(`/products?${query}`, { headers })).json()) as {
        facets: Record<string, { value: string; count: number }[]>;
      };
      return facets['search->words']!.map(({ value, count }) => [value, count]);
    };
    expect(await suggest('admin', 'sho')).toEqual([
      ['shoe', 3],
      ['shoelaces', 1],
      ['shoes', 1],
    ]);
    expect(await suggest('admin', 'red sho')).toEqual([['shoe', 2]]);
    expect(await suggest('guest', 'zep')).toEqual([]);
    expect(await suggest('guest', 'red sho')).toEqual([['shoe', 1]]);
    expect(
      (await shop.as('admin').list('/products?search=wfts.laces or cof&select=search->words'))[0] as unknown,
    ).toEqual({
      words: ['coffee'],
    });
  });

  test('a highlight marks the words and escapes the rest', async () => {
    const [row] = await shop.as('admin').list('/products?search=wfts.cotton&select=search->highlight');
    expect(row as unknown).toEqual({ highlight: { description: '<mark>Cotton</mark> &#38; &#60;linen&#62;.' } });
    const rows = await shop.as('admin').list('/products?search=wfts.red sho&select=id,search->highlight&order=id');
    expect(rows[0] as unknown).toEqual({
      id: 1,
      highlight: {
        name: '<mark>Red</mark> <mark>shoe</mark>',
        description: 'A comfortable <mark>shoe</mark> for long walks.',
      },
    });
  });

  test('a member of a highlight or of the words is a column', async () => {
    const rows = (select: string) => shop.as('admin').list(`/products?search=wfts.cot&select=${select}`);
    const description = '<mark>Cotton</mark> &#38; &#60;linen&#62;.';
    expect(await rows('marked:search->highlight->>description')).toEqual([{ marked: description }] as never);
    expect(await rows('first:search->words->>0')).toEqual([{ first: 'cotton' }] as never);
    expect(await rows('search->highlight::text')).toEqual([
      { highlight: JSON.stringify({ description }).replace('":"', '": "') },
    ] as never);
  });

  test('pages by offset and by links have every row once', async () => {
    const all = await ids('shoe or red or coffee');
    const paged: unknown[] = [];
    for (let offset = 0; offset < all.length; offset += 2) {
      paged.push(...(await ids('shoe or red or coffee', `&limit=2&offset=${offset}`)));
    }
    expect(paged).toEqual(all);
    let next: string | undefined = '/products?search=wfts.shoe%20or%20red%20or%20coffee&select=id&limit=2';
    const linked: unknown[] = [];
    while (next !== undefined) {
      const response: Response = await shop.as('admin').fetch(next);
      linked.push(...((await response.json()) as { id: number }[]).map(({ id }) => id));
      next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(linked).toEqual(all);
  });

  test('every page by offset has highlights', async () => {
    const path = '/products?search=wfts.shoe&select=id,search->highlight&order=search.desc,price';
    const all = await shop.as('admin').list(path);
    expect(all.length).toBe(5);
    for (let offset = 0; offset < all.length; offset++) {
      const page = await shop.as('admin').list(`${path}&limit=2&offset=${offset}`);
      expect(page).toEqual(all.slice(offset, offset + 2));
    }
  });

  test('a role finds only words of rows and fields that it may read', async () => {
    expect(await idsAs('guest', 'zephyr')).toEqual([]);
    // Not a correction of a word, since no visible row has it.
    expect(await idsAs('guest', 'zephir')).toEqual([]);
    expect(await idsAs('guest', 'cotton')).toEqual([]);
    expect(await idsAs('guest', 'lowe')).toEqual([]);
    expect((await idsAs('guest', 'ada')).toSorted()).toEqual([1, 2, 5]);
    expect(await idsAs('guest', 'red shoe')).toEqual([1]);
    const rows = await shop.as('guest').list('/products?search=wfts.shoe&select=search->highlight&id=eq.1');
    expect(rows as unknown).toEqual([{ highlight: { name: 'Red <mark>shoe</mark>' } }]);
  });

  test('a mark never cuts a character in two', async () => {
    const admin = shop.as('admin');
    const names = ['xxxxx', 'xxxx'].map((first) => `${first} whistle ${'😀'.repeat(400)}`);
    const rows = names.map((name, at) => ({ id: 60 + at, name, brand_id: 1, secret: false }));
    await admin.fetch('/products', sendJson('POST', rows));
    const marked = await admin.list('/products?search=wfts.whistle&select=search->highlight&order=id');
    await admin.fetch('/products?id=gte.60', { method: 'DELETE' });
    const shown = (text: string, faces: number) => `${text} <mark>whistle</mark> ${'😀'.repeat(faces)}…`;
    expect(marked as unknown).toEqual([
      { highlight: { name: shown('xxxxx', 143) } },
      { highlight: { name: shown('xxxx', 143) } },
    ]);
  });

  test('a compound is found with and without its hyphen, and its parts anywhere', async () => {
    const admin = shop.as('admin');
    const names = ['Wi-Fi router', 'Wifi cable', 'Fi and wi', 'In-ear plug'];
    const rows = names.map((name, nth) => ({ id: 20 + nth, name }));
    await admin.fetch('/products', sendJson('POST', rows));
    const found = async (words: string) => (await ids(words)).toSorted((one, other) => Number(one) - Number(other));
    for (const words of ['wifi', 'WiFi']) expect([words, await found(words)]).toEqual([words, [20, 21]]);
    expect(await found('wi-fi')).toEqual([20, 21, 22]);
    expect(await ids('wifi router')).toEqual([20]);
    expect(await ids('wi-fi cable')).toEqual([21]);
    expect(await ids('"wi-fi"')).toEqual([20, 21]);
    expect(await ids('router -wifi')).toEqual([]);
    expect(await ids('cable -wi-fi')).toEqual([]);
    expect(await ids('inear')).toEqual([23]);
    expect(await ids('in-ear')).toEqual([23]);
    const [marked] = await admin.list('/products?search=wfts.wifi router&select=search->highlight');
    expect(marked as unknown).toEqual({ highlight: { name: '<mark>Wi-Fi</mark> <mark>router</mark>' } });
    await admin.fetch('/products?id=gte.20', { method: 'DELETE' });
  });

  test('a change is found at once', async () => {
    const admin = shop.as('admin');
    await admin.fetch('/products', sendJson('POST', { id: 50, name: 'Umbrella', brand_id: 1, secret: false }));
    expect(await ids('umbrella')).toEqual([50]);
    await admin.fetch('/products?id=eq.50', sendJson('PATCH', { name: 'Parasol' }));
    expect(await ids('umbrella')).toEqual([]);
    expect(await ids('parasol')).toEqual([50]);
    await admin.fetch('/brands?id=eq.1', sendJson('PATCH', { name: 'Lovelace' }));
    expect((await ids('lovelace')).toSorted()).toEqual([1, 2, 5, 50, 6]);
    await admin.fetch('/brands?id=eq.1', sendJson('PATCH', { name: 'Ada' }));
    await admin.fetch('/products?id=eq.50', { method: 'DELETE' });
    expect(await ids('parasol')).toEqual([]);
  });

  test('requests that make no sense are rejected', async () => {
    const admin = shop.as('admin');
    for (const query of [
      'search=not.wfts.red',
      'or=(search.wfts.red,id.eq.1)',
      'search=fts.red',
      'search=wfts(german).red',
      'search=wfts.red&search=wfts.shoe',
      'select=search',
      'order=search',
      'search=wfts.red&search->highlight=not.is.null',
      'search=wfts.red&search->highlight->>name=like.*a*',
      'search=wfts.red&or=(search->words.cs.{red},id.eq.1)',
      'search=wfts.red&order=search->words',
      'search=wfts.red&order=search->highlight->>name',
    ]) {
      await expectRefusal(await admin.fetch(`/products?${query}`), 400, 'PGRST127');
    }
    await expectRefusal(await admin.fetch('/products?search=wfts.red&select=search->marks'), 400, '42703');
    const write = sendJson('PATCH', { price: 1 });
    await expectRefusal(await admin.fetch('/products?search=wfts.red', write), 400, 'PGRST127');
    await expectRefusal(await admin.fetch('/products/1?search=wfts.red'), 400, 'PGRST127');
    const asOf = { headers: { prefer: 'as-of=2026-01-01' } };
    await expectRefusal(await admin.fetch('/products?search=wfts.red', asOf), 400, 'PGRST127');
    const many = Array.from({ length: 70 }, (_, index) => `w${index}`).join(' ');
    await expectRefusal(await admin.fetch(`/products?search=wfts.${many}`), 400, '54000');
    const long = await expectRefusal(await admin.fetch(`/products?search=wfts.${'a'.repeat(20_000)}`), 400, '54000');
    expect(long.message).toBe('a search may have 10000 characters, not 20000');
    await expectRefusal(await admin.fetch('/brands?search=wfts.red'), 400, '42703');
  });
});

test.each(TWO_ENGINES)('the score of many heavy fields stays a whole number of four bytes on %s', async (engine) => {
  const names = Array.from({ length: 30 }, (_, nth) => `text_${nth}`);
  const heavy = declaredBy(`
collections:
  notes:
    fields: { id: int4, ${names.map((name) => `${name}: text`).join(', ')} }
    search: { fields: { ${names.map((name) => `${name}: 100`).join(', ')} }, language: simple }
`);
  const note = (id: number, text: string) => ({ id, ...Object.fromEntries(names.map((name) => [name, text])) });
  const others = Array.from({ length: 200 }, (_, nth) => ({ id: 10 + nth, text_0: 'often' }));
  const rows = [note(1, 'rare '.repeat(70)), { id: 2, text_0: 'rare rare' }, ...others];
  const shop = await openDeclared(engine, heavy, { notes: rows });
  const find = async (words: string) => {
    const found = await shop.list(`/notes?search=wfts.${words}&select=id,search&limit=2`);
    return found.map(({ id, search }) => ({ id, isSmall: Number(search) < 2 ** 31 }));
  };
  expect((await find(`often ${'rare '.repeat(63)}`))[0]).toEqual({ id: 1, isSmall: true });
  expect(await find('rare rare')).toEqual([
    { id: 2, isSmall: true },
    { id: 1, isSmall: true },
  ]);
  await shop.close();
});
