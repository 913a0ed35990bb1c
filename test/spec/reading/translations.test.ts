/** Fields with translations: the language of a request decides which field a name means. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { describe as describeCatalogue, openApiDocument } from '../../../src/openapi/document.ts';
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
    search: { fields: { name: 2, name_de: 2 } }
queries:
  named: { parameters: { part: { type: text } }, read: 'products?name=eq.{part}&order=id' }
roles:
  admin: all
  visitor: { call: [named], categories: { read: true }, products: { read: true } }
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

    test('a declared search finds translations that it lists, and shows them in the language', async () => {
      expect(await names('/products?select=name&search=wfts.stiefel')).toEqual(['Stiefel']);
      expect(await names('/products?select=name&search=wfts.zelt', {})).toEqual(['Tent']);
      // A role that may not read the translation does not find it.
      expect(await names('/products?select=name&search=wfts.stiefel', GERMAN, 'english')).toEqual([]);
    });

    test('an unknown language in the address is an error that names those that exist', async () => {
      const refused = await get('/products?lang=it');
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ code: 'PGRST100', hint: 'Use en, de, pt-BR.' });
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
});
