/** The index of a declared search follows the declaration and every write, also of other programs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { describeDatabase, maintenanceOf } from '../../../src/engine/open.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const BRANDS: CollectionDraft = {
  name: 'brands',
  key: ['id'],
  fields: [
    { name: 'id', type: 'int4' },
    { name: 'name', type: 'text' },
  ],
};
const PRODUCTS: CollectionDraft = {
  name: 'products',
  key: ['code', 'size'],
  fields: [
    { name: 'code', type: 'text' },
    { name: 'size', type: 'int4' },
    { name: 'name', type: 'text' },
    { name: 'brand_id', type: 'int4', references: { collection: 'brands', onDelete: 'set null' } },
  ],
};
const NAME = { name: 'name', path: ['name'], weight: 1 };
const BRAND = { name: 'brand.name', path: ['brand_id', 'name'], weight: 1 };
const searched = (language: 'simple' | 'german', ...fields: (typeof NAME)[]) => [
  BRANDS,
  { ...PRODUCTS, search: { language, fields } },
];
const ROWS = {
  brands: [{ id: 1, name: 'Müller' }],
  products: [
    { code: 'a', size: 1, name: 'Rote Schuhe', brand_id: 1 },
    { code: 'a', size: 2, name: 'Blaue Hose', brand_id: null },
  ],
};

describe.each(Object.entries(PLACES))('the index of a declared search on %s', (engine, newPlace) => {
  let place: Place;
  let opened: Opened;
  beforeAll(async () => {
    place = newPlace();
    opened = await place.open({ collections: [BRANDS, PRODUCTS], rows: ROWS });
  });
  afterAll(() => opened.close());

  const reopen = async (collections: readonly CollectionDraft[]) => {
    await opened.close();
    opened = await place.open({ collections });
  };
  const sizes = async (words: string) =>
    (await opened.list(`/products?search=wfts.${encodeURIComponent(words)}`)).map(({ size }) => size);
  const settings = () => ({
    ...TEST_SETTINGS,
    schema: place.schema,
    collections: '',
    replicas: [],
    replicaLagSeconds: 10,
    idempotencyHours: 24,
  });
  const findings = async (collections: readonly CollectionDraft[]) => {
    const checked = await maintenanceOf(place.url, declareCatalogue({ collections }), settings()).check(() => {});
    return checked.filter(({ check }) => check === 'declared search').map(({ ok, detail }) => [ok, detail]);
  };

  test('adding, changing and removing it migrates the index', async () => {
    await reopen(searched('simple', NAME));
    expect([await sizes('schuhe'), await sizes('"schuh"'), await sizes('muller')]).toEqual([[1], [], []]);
    await reopen(searched('german', NAME, BRAND));
    expect([await sizes('"schuh"'), await sizes('"mueller"'), await sizes('hosen')]).toEqual([[1], [1], [2]]);
    await reopen([BRANDS, PRODUCTS]);
    expect((await opened.fetch('/products?search=wfts.hose')).status).toBe(400);
    await opened.post('products', { code: 'b', size: 3, name: 'Gelber Schuh', brand_id: 1 });
    await reopen(searched('german', NAME, BRAND));
    expect((await sizes('schuh')).toSorted()).toEqual([1, 3]);
    // Beginnings of words with an umlaut, in both spellings.
    await opened.post('products', { code: 'b', size: 6, name: 'Muenze', brand_id: null });
    expect((await sizes('muell')).toSorted()).toEqual([1, 3]);
    expect([await sizes('Mün'), await sizes('muen'), await sizes('Münz')]).toEqual([[6], [6], [6]]);
    await opened.fetch('/products?size=eq.6', { method: 'DELETE' });
  });

  test('rows are written after the search is removed, whatever the name of the collection', async () => {
    const [categories, own] = [{ ...BRANDS, name: 'categories' }, newPlace()];
    const before = await own.open({ collections: [{ ...categories, search: { language: 'french', fields: [NAME] } }] });
    // It has nothing but an ending.
    await before.post('categories', { id: 2, name: 'eeer' });
    expect((await before.list('/categories?search=wfts.eeer')).length).toBe(1);
    await before.close();
    const without = await own.open({ collections: [categories] });
    expect((await without.fetch('/categories', sendJson('POST', { id: 1, name: 'Tents' }))).status).toBe(201);
    await without.close();
  });

  test('a service with an earlier search does not index or read the words of a newer one', async () => {
    const [newer, own] = [searched('german', NAME, BRAND), newPlace()];
    const [before, rows] = [
      await own.open({ collections: searched('simple', NAME), rows: ROWS }),
      '/products?search=wfts.',
    ];
    expect((await before.list(`${rows}schuhe`)).length).toBe(1);
    const after = await own.open({ collections: newer });
    const row = { code: 'z', size: 9, name: 'Warme Schuhe', brand_id: 1 };
    expect((await before.fetch('/products', sendJson('POST', row))).status).toBe(201);
    const refused = await expectRefusal(await before.fetch(`${rows}schuhe`), 503, 'CAT503');
    expect(refused.details).toBe('Another instance of the service has a newer declaration or version.');
    const sizesAfter = async (words: string) =>
      (await after.list(`${rows}${words}&order=size`)).map(({ size }) => size);
    expect([await sizesAfter('"schuh"'), await sizesAfter('mueller')]).toEqual([
      [1, 9],
      [1, 9],
    ]);
    await after.close();
    await (await own.open({ collections: [BRANDS, PRODUCTS] })).close();
    expect((await before.fetch(`${rows}schuhe`)).status).toBe(503);
    await before.close();
  });

  test('writes of another program are found, also through references', async () => {
    await place.ask("insert into products (code, size, name) values ('c', 4, 'Grüner Hut')");
    expect(await sizes('hut')).toEqual([4]);
    await place.ask("update products set size = 5, name = 'Grüne Mütze' where size = 4");
    expect([await sizes('hut'), await sizes('muetze')]).toEqual([[], [5]]);
    await place.ask("update brands set name = 'Schmidt' where id = 1");
    expect([await sizes('muller'), (await sizes('schmidt')).toSorted()]).toEqual([[], [1, 3]]);
    await opened.fetch('/brands?id=eq.1', { method: 'DELETE' });
    expect(await sizes('schmidt')).toEqual([]);
    await place.ask('delete from products where size = 5');
    expect(await sizes('muetze')).toEqual([]);
  });

  test('keys and fields may have the names of columns of the index', async () => {
    const names = ['doc', 'Seq', 'nth', 'c0', 'c1', 'r'];
    const table: CollectionDraft = {
      name: 'notes',
      key: names.slice(0, 3),
      fields: [...names, 'name'].map((name): FieldDraft => ({ name, type: 'text' })),
      search: { language: 'german', fields: [NAME] },
    };
    const shops = newPlace();
    const shop = await shops.open({ collections: [table] });
    const row = Object.fromEntries(names.map((name) => [name, name]));
    await shop.post('notes', { ...row, name: 'Hut' });
    expect(await shop.list('/notes?search=wfts.hut&c0=eq.c0')).toEqual([{ ...row, name: 'Hut' }]);
    await shop.fetch('/notes?doc=eq.doc', sendJson('PATCH', { doc: 'other', name: 'Schal' }));
    expect([await shop.list('/notes?search=wfts.hut'), (await shop.list('/notes?search=wfts.schal')).length]).toEqual([
      [],
      1,
    ]);
    await shop.close();
    const checked = await maintenanceOf(shops.url, declareCatalogue({ collections: [table] }), {
      ...settings(),
      schema: shops.schema,
    }).check(() => {});
    expect(checked.filter(({ check }) => check === 'declared search').map(({ ok }) => ok)).toEqual([true]);
  });

  test('a key may have the name of a variable of a trigger', async () => {
    const hats: CollectionDraft = {
      name: 'hats',
      key: ['found'],
      fields: [
        { name: 'found', type: 'text' },
        { name: 'name', type: 'text' },
      ],
      search: { language: 'english', fields: [NAME] },
    };
    const other = newPlace();
    const shop = await other.open({ collections: [hats] });
    const keys = async (word: string) => (await shop.list(`/hats?search=wfts.${word}`)).map(({ found }) => found);
    await shop.post('hats', { found: 'a', name: 'Fedora' });
    expect(await keys('fedora')).toEqual(['a']);
    await shop.fetch('/hats?found=eq.a', sendJson('PATCH', { found: 'b', name: 'Trilby' }));
    expect([await keys('fedora'), await keys('trilby')]).toEqual([[], ['b']]);
    await shop.fetch('/hats?found=eq.b', { method: 'DELETE' });
    expect(await keys('trilby')).toEqual([]);
    await shop.close();
  });

  test('the search of collections with long names can be added, changed and removed', async () => {
    const names = [45, 48, 50, 63].map((bytes) => 'hats_'.padEnd(bytes, 'x'));
    names.push(...['ä', 'ö'].map((last) => 'caps_'.padEnd(61, 'x') + last));
    const references = ['a', 'b'].map((last) => 'brand_'.padEnd(62, 'x') + last);
    const shop = (language: 'simple' | 'german', ...fields: (typeof NAME)[]): CollectionDraft[] => [
      BRANDS,
      ...names.map((name) => ({
        name,
        key: ['id'],
        fields: [
          ...BRANDS.fields,
          ...references.map(
            (name): FieldDraft => ({ name, type: 'int4', references: { collection: 'brands', onDelete: 'set null' } }),
          ),
        ],
        search: { language, fields },
      })),
    ];
    const own = newPlace();
    const [first, second] = references.map((name) => ({ name: `${name}.name`, path: [name, 'name'], weight: 1 }));
    const rows = {
      brands: [
        { id: 1, name: 'Müller' },
        { id: 2, name: 'Schmidt' },
      ],
      ...Object.fromEntries(
        names.map((name, nth) => [name, [{ id: nth, name: 'Rote Hüte', [references[0]!]: 1, [references[1]!]: 2 }]]),
      ),
    };
    const found = async (opened: Opened, word: string) =>
      (await Promise.all(names.map((name) => opened.list(`/${name}?search=wfts.${word}`)))).map((list) =>
        list.map(({ id }) => id),
      );
    const each = names.map((_, nth) => [nth]);
    const none = names.map(() => []);
    let opened = await own.open({ collections: shop('simple', NAME), rows });
    expect([await found(opened, 'hüte'), await found(opened, '"hut"')]).toEqual([each, none]);
    await opened.close();
    opened = await own.open({ collections: shop('german', NAME, first!, second!) });
    expect([await found(opened, 'hut'), await found(opened, 'mueller'), await found(opened, 'schmidt')]).toEqual([
      each,
      each,
      each,
    ]);
    await opened.fetch('/brands?id=eq.2', sendJson('PATCH', { name: 'Weber' }));
    for (const name of names) await opened.post(name, { id: 100, name: 'Tuch' });
    expect([await found(opened, 'weber'), await found(opened, 'schmidt')]).toEqual([each, none]);
    expect(await found(opened, 'tuch')).toEqual(names.map(() => [100]));
    await opened.close();
    expect((await own.plan({ collections: shop('german', NAME, first!, second!) })).steps).toEqual([]);
    opened = await own.open({ collections: shop('simple', NAME).map(({ search, ...rest }) => rest) });
    for (const name of names) await opened.post(name, { id: 101, name: 'Schal' });
    await opened.close();
    const parts =
      engine === 'PostgreSQL'
        ? "select relname from pg_class where relname like '%\\_search\\_%' and relnamespace = current_schema::regnamespace union all select proname from pg_proc where pronamespace = current_schema::regnamespace and proname like '%\\_search\\_%'"
        : "select name from sqlite_schema where name glob '*_search_words*' or name glob '*_search_stale*'";
    expect(await own.ask(parts)).toEqual([]);
  });

  test('a table of another program with a name as of an index stays', async () => {
    const own = newPlace();
    await (await own.open({ collections: [BRANDS] })).close();
    await own.ask('create table _old_search_words (word text)');
    await own.ask("insert into _old_search_words values ('Rot')");
    await (await own.open({ collections: searched('german', NAME) })).close();
    expect(await own.ask('select word from _old_search_words')).toEqual([{ word: 'Rot' }]);
  });

  test('an undone change is found as it was before', async () => {
    await opened.fetch('/products?size=eq.3', sendJson('PATCH', { name: 'Mantel' }));
    expect(await sizes('mantel')).toEqual([3]);
    const [change] = await opened.list('/changes?order=seq.desc&limit=1');
    expect((await opened.fetch(`/changes/undo?seq=eq.${change!.seq}`, { method: 'POST' })).status).toBe(200);
    expect([await sizes('mantel'), await sizes('gelber')]).toEqual([[], [3]]);
  });

  test('rows that changed are indexed without a search, and their earlier words leave the index', async () => {
    const stale = () => place.ask('select 1 from "_products_search_stale" limit 1');
    const wordsOf = async () => {
      const rows = await place.ask('select word from "_products_search_words"');
      const recent = await place.ask('select names from "_products_search_recent"');
      const names = recent.flatMap(({ names }) =>
        String(names)
          .split('\n')
          .filter((_, at) => at % 2 === 1),
      );
      return [...new Set([...rows.map(({ word }) => String(word)), ...names])].sort();
    };
    const count = async (words: string) => (await sizes(words)).length;
    // Chinese characters have a group each.
    const character = (size: number) => String.fromCodePoint(0x4e00 + size);
    const named = (size: number) => ({ code: 'many', size, name: `Socke erste Wahl ${character(size)}` });
    const many = Array.from({ length: 2_100 }, (_, size) => named(size));
    await opened.post('products', many);
    await until('they are indexed', async () => (await stale()).length === 0);
    expect(await count('socke "erste wahl"')).toBe(many.length);
    await opened.fetch('/products?code=eq.many', sendJson('PATCH', { name: 'Socke zweite Wahl' }));
    await until('the words are gone', async () => !(await wordsOf()).includes('erste'));
    expect([await count('zweite'), await count('erste')]).toEqual([many.length, 0]);
    await opened.fetch('/products?code=eq.many', { method: 'DELETE' });
    await until('all words are gone', async () => !(await wordsOf()).includes('socke'));
    expect(await wordsOf()).toEqual(['', 'blaue', 'gelber', 'hose', 'rote', 'schuh', 'schuhe']);
    expect(await findings(searched('german', NAME, BRAND))).toEqual([[true, '0 changed rows not indexed yet']]);
    await opened.post('products', { code: 'many', size: 1, name: 'Socke dritte Wahl' });
    expect([await sizes('socke'), await sizes('zweite')]).toEqual([[1], []]);
    await opened.fetch('/products?code=eq.many', { method: 'DELETE' });
  });

  test('a row that changes often leaves a short list of its earlier forms', async () => {
    const listed = async () => (await place.ask('select 1 from "_products_search_words" where stem = \'\'')).length;
    const before = await listed();
    for (const name of ['Rot', 'Blau', 'Gelb', 'Lila', 'Grau']) {
      await opened.fetch('/products?size=eq.2', sendJson('PATCH', { name: `${name}e Hose` }));
      expect(await sizes(`${name}e hose`)).toEqual([2]);
      expect(await sizes('blaue')).toEqual(name === 'Blau' ? [2] : []);
    }
    expect(await listed()).toBeLessThanOrEqual(before + 1);
  });

  test('a row that changes all the time is always found', async () => {
    let isOver = false;
    const change = async () => {
      for (let nth = 0; !isOver; nth++) {
        await opened.fetch('/products?size=eq.2', sendJson('PATCH', { name: `Blaue Hose ${nth}` }));
      }
    };
    const changes = Promise.all([change(), change()]);
    for (let nth = 0; nth < 20; nth++) expect(await sizes('hose')).toEqual([2]);
    isOver = true;
    await changes;
  });

  test('its tables are not described as collections, and no request reads them', async () => {
    expect((await opened.fetch('/_products_search_words')).status).toBe(404);
    const { collections, leftOut } = await describeDatabase(place.url, settings());
    expect([collections.map(({ draft }) => draft.name).toSorted(), leftOut]).toEqual([['brands', 'products'], []]);
  });

  test.if(engine === 'PostgreSQL')('check reads one state of the index while others change it', async () => {
    await sizes('alles');
    let found: ReturnType<typeof findings> | undefined;
    await testServer.admin.begin(async (others) => {
      await others.unsafe(`set local search_path = "${place.schema}"`);
      await others.unsafe('lock table "_products_search_words"');
      found = findings(searched('german', NAME, BRAND));
      const waiting = `select 1 from pg_locks where not granted and relation = '"_products_search_words"'::regclass`;
      await until('the check waits for the words', async () => (await others.unsafe(waiting)).length > 0);
      await others.unsafe("update products set name = 'Weite Hose' where size = 2");
    });
    expect(await found).toEqual([[true, '0 changed rows not indexed yet']]);
    expect(await sizes('weite')).toEqual([2]);
  });

  test('check compares the index with the rows', async () => {
    const collections = searched('german', NAME, BRAND);
    await sizes('alles');
    expect(await findings(collections)).toEqual([[true, '0 changed rows not indexed yet']]);
    // Without a service that indexes it in the background.
    await opened.close();
    await place.ask("insert into products (code, size, name) values ('d', 9, 'Schal')");
    expect(await findings(collections)).toEqual([[true, '1 changed row not indexed yet']]);
    await place.ask('delete from "_products_search_words" where word = \'hose\'');
    await place.ask('delete from "_products_search_recent" where letter = \'h\'');
    expect(await findings(collections)).toEqual([[false, 'the index differs from 1 rows']]);
    opened = await place.open({ collections });
  });
});
