/** Fields with translations: the language of a request decides which field a name means. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { describe as describeCatalogue } from '../../../src/openapi/described.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ids, sendJson } from '../../support/stories.ts';

const SHOP = declareCatalogue(
  parseDeclaration(
    `
language: en
collections:
  categories: { fields: { id: int4, name: { type: text, translations: [de] } } }
  products:
    fields:
      id: int4
      name: { type: text, required: true, maxLength: 20, translations: [de, pt-BR] }
      category_id: { type: int4, references: categories }
    search: { fields: { name: 2, category_id.name: 1 }, language: english }
  names:
    fields:
      id: int4
      slug: { type: text, unique: true, translations: [de] }
      label: { type: text, indexed: true, translations: [zh-hant, pt, sr-Latn, he] }
queries:
  named: { parameters: { part: { type: text } }, read: 'products?name=eq.{part}&order=id' }
  german: { read: 'products?select=id,name&order=name&lang=de-AT', mediaType: text/csv }
  spoken: { parameters: { lang: { type: text } }, read: 'products?select=id,name&name=eq.{lang}' }
roles:
  admin: all
  visitor: { call: [named, german, spoken], categories: { read: true }, products: { read: true }, names: { read: true } }
  english: { categories: { read: true }, products: { read: { fields: [id, name] } } }
  short: { products: { read: { where: 'name=like.S*' } } }
`,
    'shop.yaml',
  ),
);
const ROWS = {
  categories: [{ id: 1, name: 'Shoes', name_de: 'Schuhe' }],
  products: [
    { id: 1, name: 'Boot', name_de: 'Stiefel', name_pt_br: 'Bota', category_id: 1 },
    { id: 2, name: 'Sandal', name_de: null, name_pt_br: null, category_id: 1 },
    { id: 3, name: 'Tent', name_de: 'Zelt', name_pt_br: null, category_id: null },
  ],
  // Ties, texts that only one language has, and texts that none has.
  names: Array.from({ length: 24 }, (_, nth) => ({
    id: nth + 1,
    slug: `s${nth}`,
    slug_de: nth % 4 === 0 ? 'gleich' : null,
    label: nth % 7 === 0 ? null : `e${(nth * 17) % 9}`,
    label_zh_hant: nth % 2 === 0 ? `字${(nth * 5) % 6}` : null,
    label_pt: nth % 3 === 0 ? `é${nth % 5}` : null,
    label_sr_latn: nth % 5 === 0 ? `ž${nth}` : null,
    label_he: nth % 2 === 1 ? `א${nth % 4}` : null,
  })),
};
const GERMAN = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };

for (const engine of ROLE_ENGINES) {
  describe(`translations on ${engine}`, () => {
    let shop: Roled;
    beforeAll(async () => {
      shop = await openRoled(engine, SHOP, ROWS);
    });
    afterAll(() => shop.close());
    const get = (path: string, headers: Record<string, string> = GERMAN, role = 'visitor') =>
      shop.as(role).fetch(path, { headers });
    const names = async (path: string, headers?: Record<string, string>, role?: string) =>
      ((await (await get(path, headers, role)).json()) as { name: string }[]).map(({ name }) => name);
    const admin = (path: string, method: string, body: object, headers: Record<string, string> = {}) =>
      shop.as('admin').fetch(path, sendJson(method, body, headers));

    test('a name means the translation, and the text itself where there is none', async () => {
      const answer = await get('/products?select=name&order=id');
      expect(await answer.json()).toEqual([{ name: 'Stiefel' }, { name: 'Sandal' }, { name: 'Zelt' }]);
      expect(answer.headers.get('content-language')).toBe('de');
      expect(answer.headers.get('vary')).toContain('Accept-Language');
      expect(await names('/products?select=name&order=id', {})).toEqual(['Boot', 'Sandal', 'Tent']);
      expect(await names('/products?select=name&order=id&lang=pt-br', {})).toEqual(['Bota', 'Sandal', 'Tent']);
      expect(await names('/products?select=name&order=id&lang=en')).toEqual(['Boot', 'Sandal', 'Tent']);
      expect(await names('/products?select=name&order=id', { 'accept-language': 'it, *;q=0.1' })).toContain('Boot');
    });

    test('the whole row, an item, embedded rows and a stored query are in the language as well', async () => {
      expect(await (await get('/products?id=eq.1')).json()).toEqual([
        { id: 1, name: 'Stiefel', name_de: 'Stiefel', name_pt_br: 'Bota', category_id: 1 },
      ]);
      expect(await (await get('/products/3')).json()).toMatchObject({ name: 'Zelt', name_de: 'Zelt' });
      expect(await (await get('/products?select=categories(name)&id=eq.2')).json()).toEqual([
        { categories: { name: 'Schuhe' } },
      ]);
      expect(await names('/rpc/named?part=Zelt')).toEqual(['Zelt']);
      expect(await names('/rpc/named?part=Zelt', {})).toEqual([]);
      expect(await names('/rpc/named?part=Zelt&lang=de&limit=1', {})).toEqual(['Zelt']);
      expect((await get('/rpc/named?part=Zelt&lang=it', {})).status).toBe(400);
      // A parameter of this name is no language.
      expect(await names('/rpc/spoken?lang=Zelt')).toEqual(['Zelt']);
      // The language of a stored query is that of every caller.
      // The second answer is cached.
      for (const headers of [{}, {}, {}, { 'accept-language': 'pt-BR' }]) {
        const file = await get('/rpc/german', headers);
        expect([await file.text(), file.headers.get('content-language')]).toEqual([
          'id,name\n2,Sandal\n1,Stiefel\n3,Zelt\n',
          'de',
        ]);
      }
      const { link } = Object.fromEntries((await get('/rpc/german?limit=2', {})).headers);
      const rest = await get(/<([^>]+)>; rel="next"/.exec(link!)![1]!, {});
      expect(await rest.text()).toBe('id,name\n3,Zelt\n');
    });

    test('filters, order and groups follow it; a missing translation is found by its own field', async () => {
      expect(ids((await (await get('/products?name=eq.Zelt')).json()) as { id: number }[])).toEqual([3]);
      expect(
        ids(
          (await (await get('/products?categories.name=eq.Schuhe&select=id,categories!inner()&order=id')).json()) as {
            id: number;
          }[],
        ),
      ).toEqual([1, 2]);
      expect(await names('/products?select=name&order=name.desc')).toEqual(['Zelt', 'Stiefel', 'Sandal']);
      expect(await (await get('/products?select=name,count()&order=name&limit=1')).json()).toEqual([
        { name: 'Sandal', count: 1 },
      ]);
      expect(ids((await (await get('/products?name_de=is.null')).json()) as { id: number }[])).toEqual([2]);
    });

    test('tags and caches differ by language', async () => {
      for (const path of ['/products?order=id', '/products/1']) {
        const tags = [];
        for (let time = 0; time < 3; time++) {
          for (const headers of [GERMAN, {}]) {
            const response = await get(path, headers);
            expect(await response.text()).toContain(headers === GERMAN ? '"name":"Stiefel"' : '"name":"Boot"');
            tags.push(response.headers.get('etag'));
          }
        }
        expect(new Set(tags).size).toBe(2);
      }
    });

    test('a role that may not read a translation gets the text itself, and rules mean the field itself', async () => {
      expect(await names('/products?select=name&order=id', GERMAN, 'english')).toEqual(['Boot', 'Sandal', 'Tent']);
      expect(await names('/products?select=name&order=id', GERMAN, 'short')).toEqual(['Sandal']);
    });

    test('a write in a language writes the translation', async () => {
      expect((await admin('/products', 'POST', { id: 9, name: 'Sock' })).status).toBe(201);
      const german = { 'content-language': 'de', prefer: 'return=representation', ...GERMAN };
      const changed = await admin('/products?name=eq.Sock', 'PATCH', { name: 'Socke' }, german);
      expect(await changed.json()).toMatchObject([{ id: 9, name: 'Socke', name_de: 'Socke' }]);
      expect(await names('/products?select=name&id=eq.9', {})).toEqual(['Sock']);
      expect(
        (await admin('/products', 'PATCH', [{ id: 9, name: 'Strumpf' }], { 'content-language': 'de' })).status,
      ).toBe(204);
      expect(await names('/products?select=name&id=eq.9')).toEqual(['Strumpf']);
      const batch = [{ method: 'PATCH', path: '/products?name=eq.Strumpf', body: { name: 'Socken' }, affects: 1 }];
      expect((await admin('/batch', 'POST', batch, { 'content-language': 'de', ...GERMAN })).status).toBe(200);
      expect(await names('/products?select=name&id=eq.9')).toEqual(['Socken']);
      const path = '/products?id=eq.9&lang=de&select=name';
      const shown = [{ method: 'PATCH', path, body: { name: 'Sock' }, headers: { prefer: 'return=representation' } }];
      const answers = await admin('/batch', 'POST', shown, { 'accept-language': 'pt-BR' });
      expect(await answers.json()).toMatchObject([{ body: [{ name: 'Socken' }] }]);
      const created = await admin('/products', 'POST', { name: 'Schal' }, { 'content-language': 'de' });
      const hint = 'With Content-Language: de, name means name_de. Send both of them without the header.';
      expect(await created.json()).toMatchObject({ code: '23502', hint });
      const keyed = (language: string) =>
        admin('/products/9', 'PATCH', { name: 'Key' }, { 'content-language': language, 'idempotency-key': '"k"' });
      expect((await keyed('de')).status).toBe(204);
      await expectRefusal(await keyed('en'), 422, 'CAT422');
      const both = await admin('/products/9', 'PATCH', { name: 'a', name_de: 'b' }, { 'content-language': 'de' });
      await expectRefusal(both, 400, 'PGRST102');
      await expectRefusal(
        await admin('/products/9', 'PATCH', { name: 'x'.repeat(21) }, { 'content-language': 'de' }),
        400,
        '23514',
      );
      await expectRefusal(
        await admin('/products/9', 'PATCH', { name: 'a' }, { 'content-language': 'it' }),
        400,
        'PGRST100',
      );
      expect((await shop.as('admin').fetch('/products/9', { method: 'DELETE' })).status).toBe(204);
    });

    test('a link of a call names the language of a header, unless the call has a language of its own', async () => {
      const first = async (path: string) => /<([^>]+)>/.exec((await get(path)).headers.get('link')!)![1]!;
      expect(await names(await first('/rpc/named?part=Zelt&limit=1'), {})).toEqual(['Zelt']);
      expect(await first('/rpc/spoken?lang=Zelt&limit=1')).toBe('/rpc/spoken?lang=Zelt&limit=1');
      expect(await first('/rpc/german?limit=2')).toBe('/rpc/german?limit=2');
    });

    test('all pages of a link with a language have this language', async () => {
      const seen: string[] = [];
      let next: string | undefined = '/products?select=name&limit=1&order=id&lang=de';
      while (next !== undefined) {
        const page = await get(next, {});
        seen.push(...((await page.json()) as { name: string }[]).map(({ name }) => name));
        next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(['Stiefel', 'Sandal', 'Zelt']);
    });

    test.each(['label', 'label.desc', 'label.nullsfirst', 'label.desc.nullslast,id.desc', 'slug,label'])(
      'pages by %s have each row once in every language, by the keys of the order',
      async (order) => {
        for (const lang of ['zh-Hant', 'pt', 'he']) {
          const all = ids((await (await get(`/names?order=${order}&lang=${lang}`, {})).json()) as { id: number }[]);
          const seen: number[] = [];
          let next: string | undefined =
            `/names?order=${order}&select=${lang === 'he' ? 'id' : 'id,label,slug'}&limit=6`;
          while (next !== undefined) {
            // Only the first request names the language.
            const page = await get(next, seen.length === 0 ? { 'accept-language': lang } : {});
            expect(/<([^>]+)>; rel="first"/.exec(page.headers.get('link')!)![1]).toContain(`lang=${lang}`);
            seen.push(...(ids((await page.json()) as { id: number }[]) as number[]));
            next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
            expect(next ?? '').not.toContain('offset');
          }
          expect(seen).toEqual(all as number[]);
        }
      },
    );

    test('tags with scripts and regions mean the nearest language', async () => {
      const shown = async (language: string) =>
        (await get('/names?limit=1', { 'accept-language': language })).headers.get('content-language');
      const expected = {
        'zh-TW,zh;q=0.9': 'zh-Hant',
        'zh-CN': 'en',
        'pt-BR, de;q=0.5': 'pt-BR',
        'pt-PT': 'pt',
        'sr-Latn-RS, *;q=0.1': 'sr-Latn',
        'sr-RS, he': 'he',
        'iw-IL': 'he',
        'de;q=0, pt;q=0.2, he;q=0.3': 'he',
        '*;q=0.5, de-CH-1996': 'de',
        'en_US, x, -, de;q=zero': 'en',
        [Array.from({ length: 500 }, () => 'it').join()]: 'en',
      };
      for (const [header, language] of Object.entries(expected))
        expect([header, await shown(header)]).toEqual([header, language]);
    });

    test('a translation need not be unique, and an upsert identifies rows by the field itself', async () => {
      const german = { 'content-language': 'de', prefer: 'resolution=merge-duplicates,return=representation' };
      expect((await admin('/names?id=eq.2', 'PATCH', { slug: 'gleich' }, german)).status).toBe(200);
      const upserted = await admin('/names?on_conflict=slug', 'POST', { slug: 'gleich' }, german);
      expect([201, 400]).toContain(upserted.status);
      const merged = await admin(
        '/names?on_conflict=slug',
        'POST',
        { slug: 's1', slug_de: 'anders' },
        { prefer: german.prefer },
      );
      expect(await merged.json()).toMatchObject([{ id: 2, slug: 's1', slug_de: 'anders' }]);
    });

    test('a search finds and marks the texts of the language, with word forms, and the others where there are none', async () => {
      const found = (words: string, headers?: Record<string, string>, role?: string) =>
        names(`/products?select=name&search=wfts.${words}`, headers, role);
      expect(await found('stiefeln')).toEqual(['Stiefel']);
      expect(await found('schuh')).toEqual(['Stiefel', 'Sandal']);
      expect(await found('sandals')).toEqual(['Sandal']);
      expect(await found('boot')).toEqual([]);
      expect(await found('boots', {})).toEqual(['Boot']);
      expect(await names('/products?select=name&search=wfts(english).stiefel')).toEqual(['Stiefel']);
      expect(await found('stiefel', {})).toEqual([]);
      expect(await found('botas', { 'accept-language': 'pt-BR' })).toEqual(['Bota']);
      expect(await (await get('/products?select=search->highlight&search=wfts.zelt')).json()).toEqual([
        { highlight: { name: '<mark>Zelt</mark>' } },
      ]);
      const facets = await get('/products?search=wfts.s&facets=search->words&limit=0', {
        ...GERMAN,
        accept: 'application/vnd.catalogue.facets+json',
      });
      expect(((await facets.json()) as { total: number }).total).toBe(0);
      // A role that may not read the translation finds the text itself.
      expect(await found('stiefel', GERMAN, 'english')).toEqual([]);
      expect(await found('boot', GERMAN, 'english')).toEqual(['Boot']);
      await admin('/products?id=eq.2', 'PATCH', { name_de: 'Latschen' });
      expect(await found('latsche')).toEqual(['Latschen']);
      expect(await found('sandal')).toEqual([]);
      await admin('/products?id=eq.2', 'PATCH', { name_de: null });
      expect(await found('sandal')).toEqual(['Sandal']);
    });

    test('an unknown language in the address is an error that names those that exist', async () => {
      const refused = await get('/products?lang=it');
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        code: 'PGRST100',
        hint: 'Use en, de, pt-BR, zh-Hant, pt, sr-Latn, he.',
      });
    });

    test('a tag of thousands of parts means no language', async () => {
      const long = `de-x${'-a'.repeat(50_000)}`;
      expect((await get(`/products?lang=${long}`)).status).toBe(400);
      expect((await get('/products', { 'accept-language': `${long}, de;q=0.5` })).headers.get('content-language')).toBe(
        'de',
      );
    });
  });
}

test('the description names the parameter and the headers of languages', () => {
  const { paths } = openApiDocument(describeCatalogue({ catalogue: SHOP, rows: () => [] })) as unknown as {
    paths: Record<string, Record<string, { parameters: { $ref: string }[] }>>;
  };
  const named = (method: string) => paths['/products']![method]!.parameters.map(({ $ref }) => $ref.split('/').at(-1));
  expect(named('get')).toEqual(expect.arrayContaining(['lang', 'Accept-Language']));
  expect(named('get')).not.toContain('Content-Language');
  expect(named('patch')).toEqual(expect.arrayContaining(['lang', 'Accept-Language', 'Content-Language']));
});

test('mistakes in translations are reported with their lines', () => {
  const read = (field: string) => () =>
    parseDeclaration(`collections:\n  t: { fields: { id: int4, ${field} } }\n`, 't.yaml');
  expect(read('name: { type: int4, translations: [de] }')).toThrow('type int4 has no translations; use text');
  expect(read('name: { type: text, translations: [de, de] }')).toThrow('translations has de twice');
  expect(read('name: { type: text, translations: [German!] }')).toThrow('is not a language');
  expect(read('name: { type: text, translations: [de] }, name_de: text')).toThrow('name_de is declared already');
  expect(read('name: { type: text, translations: [pt-BR, pt-br] }')).toThrow('translations has pt-BR twice');
  expect(read('a: { type: text, translations: [pt-BR] }, a_pt: { type: text, translations: [br] }')).toThrow(
    'a_pt_br is declared already',
  );
  expect(() =>
    parseDeclaration("collections: { t: { fields: { id: int4 } } }\nqueries: { q: { read: 't?lang=it' } }", 't.yaml'),
  ).toThrow('lang: it is not a language of this catalogue; use en');
  expect(read('name: { type: text, translations: [en] }')).toThrow('en is the language of name itself');
  const many = Array.from({ length: 400 }, (_, nth) => `f${nth}: { type: text, translations: [de, fr, it, pt] }`);
  expect(read(many.join(', '))).toThrow('with translations there are 2001');
});
