/**
 * JSON and arrays: paths in every part of a request, containment, order and full-text search, equal on every engine.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, send } from '../../support/stories.ts';

/** Documents in the sort order of jsonb. */
const DOCS = [
  '[]',
  '""',
  '"a"',
  '"é"',
  '-1.5',
  '1.0',
  '1.5',
  '12345678901234567890',
  'false',
  'true',
  '[null]',
  '["z"]',
  '[1]',
  '[[]]',
  '[1, 2]',
  '{}',
  '{"a": 1}',
  '{"aa": 0}',
  '{"b": 1}',
  '{"a": 1, "b": 0}',
];
/** Arrays in the sort order of PostgreSQL. */
const LISTS = ['{}', '{a}', '{a,b}', '{{a,b}}', '{{a},{b}}', '{a,b,c}', '{a,NULL}', '{b}', '{NULL}'];

const DEEP = {
  name: 'Sea Buckthorn Jam',
  size: 2,
  'odd.name "x"': 1,
  origin: { iso: 'FI', organic: true, none: null },
  parts: [
    { n: 0, kg: 1.5 },
    { n: 1, kg: 1e-7 },
  ],
  notes: ['The quick brown fox', { text: 'jumps over dogs' }, 7],
  0: 'zero',
  days: [{ '2024-01-01': 5, 'a-b': { 'c-1': 6 } }],
};

describe.each(TWO_ENGINES)('JSON and arrays on %s', (engine) => {
  let things: Catalogue;
  beforeAll(async () => {
    things = await openDeclared(engine, thingsOf({ doc: 'json', list: 'text[]', word: 'text' }));
    const rows = [
      { id: 1, doc: DEEP, list: ['x', null, 'y"z'], word: 'plain' },
      { id: 2, doc: { size: 2, origin: { iso: 'DE' } }, list: [], word: null },
      { id: 3, doc: { size: 10, origin: 'unknown' }, list: null, word: null },
      { id: 4, doc: null, list: ['x'], word: null },
    ];
    // JavaScript would write 2.0 as 2.
    const body = JSON.stringify(rows).replace('{"size":2,"origin":{"iso":"DE"}}', '{"size":2.0,"origin":{"iso":"DE"}}');
    expect((await things.fetch('/things', send('POST', 'application/json', body))).status).toBe(201);
  });
  afterAll(() => things.close());

  const answer = async (query: string) => (await things.fetch(`/things?${query}`)).text();
  const ids = async (query: string) => (await things.list(`/things?select=id&${query}`)).map(({ id }) => id);

  describe('a path', () => {
    test.each([
      ['doc->size', '{"size":2}'],
      ['doc->>size', '{"size":"2"}'],
      ['doc->origin->>iso', '{"iso":"FI"}'],
      ['doc->origin', '{"origin":{"iso": "FI", "none": null, "organic": true}}'],
      ['doc->>origin', '{"origin":"{\\"iso\\": \\"FI\\", \\"none\\": null, \\"organic\\": true}"}'],
      ['doc->origin->none', '{"none":null}'],
      ['doc->origin->>organic', '{"organic":"true"}'],
      ['doc->parts->1->kg', '{"kg":0.0000001}'],
      ['doc->parts->-1->>kg', '{"kg":"0.0000001"}'],
      ['doc->parts->-3', '{"parts":null}'],
      ['doc->parts->99999999999', '{"parts":null}'],
      ['doc->name->x', '{"x":null}'],
      ['doc->0', '{"doc":null}'],
      ['doc->days->0->2024-01-01', '{"2024-01-01":5}'],
      ['doc->days->0->>2024-01-01', '{"2024-01-01":"5"}'],
      ['doc->days->0->a-b->c-1', '{"c-1":6}'],
      ['n:doc->days->0->a-b->c-1::text', '{"n":"6"}'],
      ['doc->"odd.name \\"x\\""', '{"odd.name \\"x\\"":1}'],
      ['first:list->>0', '{"first":"x"}'],
      ['last:list->-1', '{"last":"y\\"z"}'],
      ['none:list->1', '{"none":null}'],
      ['n:doc->parts->0->kg::int4', '{"n":2}'],
    ])('select=%s returns %s', async (select, shown) => {
      expect(await answer(`select=${encodeURIComponent(select)}&id=eq.1`)).toBe(`[${shown}]`);
    });

    test.each([
      ['doc->>size=eq.2', [1]],
      ['doc->size=eq.2', [1, 2]],
      ['doc->size=gt.2', [3]],
      ['doc->size=in.(2,3)', [1, 2]],
      ['doc->size=isdistinct.2', [3, 4]],
      ['doc->origin->>iso=like.F*', [1]],
      ['doc->origin->>iso=is.null', [3, 4]],
      ['doc->origin->none=is.null', [2, 3, 4]],
      ['doc->origin->none=eq.null', [1]],
      ['or=(doc->origin->>iso.eq.DE,doc->size.eq.10)', [2, 3]],
      ['and=(doc->parts->0->>kg.eq.1.5,list->>0.eq.x)', [1]],
      ['list->>0=eq.x', [1, 4]],
      ['doc->days->0->2024-01-01=eq.5', [1]],
      ['or=(doc->days->0->>2024-01-01.eq.5,doc->days->0->a-b->>c-1.eq.7)', [1]],
      ['order=doc->days->0->a-b->c-1.desc.nullslast,id.desc', [1, 4, 3, 2]],
      ['id=in.(  )', []],
      ['id=in.( 1,4 ) ', [1, 4]],
      ['or=(id.in.( ),id.eq.2)', [2]],
      ['doc->>name=ilike.*JAM', [1]],
      ['doc->>name=fts.buckthorns', [1]],
      ['order=doc->size.desc.nullslast', [3, 1, 2, 4]],
      ['order=doc->origin->>iso.nullsfirst,id.desc', [4, 3, 2, 1]],
    ])('%s finds %p', async (query, found) => {
      expect(await ids(query)).toEqual(found as never);
    });

    test('equal conditions have the values of their own request, whatever an earlier one had', async () => {
      const doc = encodeURIComponent(JSON.stringify(DEEP));
      for (const conditions of [
        (json: string, text: string) => `doc=eq.${json}&word=eq.${text}`,
        (json: string, text: string) => `word=eq.${text}&doc=eq.${json}`,
        (json: string, text: string) => `id=gte.1&word=eq.${text}&doc=eq.${json}&limit=2`,
      ]) {
        expect(await ids(conditions('true', 'true'))).toEqual([]);
        expect(await ids(conditions('"a"', 'plain'))).toEqual([]);
        expect(await ids(conditions(doc, 'plain'))).toEqual([1]);
      }
    });

    test('can be grouped by, ordered and counted', async () => {
      const sizes = await things.list('/things?select=doc->size,count()&order=doc->size.desc');
      expect(sizes).toEqual([
        { size: null, count: 1 },
        { size: 10, count: 1 },
        { size: 2, count: 2 },
      ]);
      expect(await answer('select=doc->origin->>iso,count()&doc=not.is.null')).toBe(
        '[{"iso":"DE","count":1},{"iso":"FI","count":1},{"iso":null,"count":1}]',
      );
      expect(await answer('select=doc->size::int4.sum()')).toBe('[{"sum":14}]');
    });

    test('accepts a single value for an array of one, as PostgreSQL does', async () => {
      const shown = await things.list('/things?select=a:doc->size->0,b:doc->size->>-1,c:doc->size->1&id=eq.2');
      expect(shown).toEqual([{ a: 2, b: '2.0', c: null }]);
      expect(await things.list('/things?select=id&doc->origin->>0=eq.unknown')).toEqual([{ id: 3 }]);
      expect(await things.list('/things?select=id&list->0->>0=eq.x')).toEqual([{ id: 1 }, { id: 4 }]);
    });

    test('works only inside json and arrays', async () => {
      await expectRefusal(await things.fetch('/things?select=word->x'), 400, '42883');
      await expectRefusal(await things.fetch('/things?doc->origin->organic=is.true'), 400, '42804');
      expect(await answer('select=id->x&limit=1')).toBe('[{"x":null}]');
    });
  });

  describe('containment', () => {
    test.each([
      ['doc=cs.{"origin":{"iso":"FI"}}', [1]],
      ['doc=cs.{"size":2.00}', [1, 2]],
      ['doc=cs.{"parts":[{"n":1},{"n":0}]}', [1]],
      ['doc=cs.{"parts":[{"n":2}]}', []],
      ['doc=cs.{"notes":["The quick brown fox"]}', [1]],
      ['doc=cs.{"notes":"The quick brown fox"}', []],
      ['doc->notes=cs."The quick brown fox"', [1]],
      ['doc=cd.{"size":10,"origin":"unknown","more":1}', [3]],
      ['doc=not.cs.{"size":2}', [3]],
      ['list=cs.{x}', [1, 4]],
      ['list=cs.{NULL}', []],
      ['list=cs.{}', [1, 2, 4]],
      ['list=cd.{x,y}', [2, 4]],
      ['list=ov.{"y\\"z",q}', [1]],
      ['list=not.ov.{x}', [2]],
      ['list=eq.{x}', [4]],
      ['list=in.("{}","{x}")', [2, 4]],
    ])('%s finds %p', async (query, found) => {
      expect(await ids(query.replaceAll('"', '%22'))).toEqual(found as never);
    });

    test.each([
      ['doc=ov.{a}', '42883'],
      ['list=like.*x*', '42883'],
      ['list=fts.x', '42883'],
      ['list=eq(any).{{x}}', '42704'],
      ['doc=eq.{bad', '22P02'],
      ['list=cs.x', '22P02'],
    ])('%s is rejected with %s', async (query, code) => {
      await expectRefusal(await things.fetch(`/things?${query}`), 400, code);
    });
  });

  test('full-text search finds words in JSON texts at any depth, and phrases within one text', async () => {
    expect(await ids('doc=fts.jump')).toEqual([1]);
    expect(await ids('doc=plfts.fox dog')).toEqual([1]);
    expect(await ids('doc=phfts.brown fox')).toEqual([1]);
    expect(await ids('doc=phfts.fox jumps')).toEqual([]);
    expect(await ids('doc=fts.origin')).toEqual([]);
  });

  test('nulls=stripped removes null members at any depth and keeps null elements', async () => {
    const accept = { headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' } };
    const stripped = await things.fetch('/things?select=id,word,list,doc->origin&id=lt.3', accept);
    expect(await stripped.text()).toBe(
      '[{"id":1,"word":"plain","list":["x",null,"y\\"z"],"origin":{"iso":"FI","organic":true}},{"id":2,"list":[],"origin":{"iso":"DE"}}]',
    );
  });

  test('json and arrays sort as in PostgreSQL', async () => {
    const own = await openDeclared(engine, thingsOf({ doc: 'json', list: 'text[]' }));
    const rows = [...DOCS.keys()].map((at) => {
      const list = LISTS[at] === undefined ? 'null' : JSON.stringify(LISTS[at]);
      return `{"id":${at + 1},"doc":${DOCS[at]},"list":${list}}`;
    });
    await own.fetch('/things', send('POST', 'application/json', `[${rows.reverse().join(',')}]`));
    const inOrder = async (query: string) => (await own.list(`/things?select=id&${query}`)).map(({ id }) => Number(id));
    const first = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
    expect(await inOrder('order=doc')).toEqual(first(DOCS.length));
    expect(await inOrder('order=list&list=not.is.null')).toEqual(first(LISTS.length));
    expect(await inOrder('doc=lt.[1]&order=doc.desc')).toEqual(first(12).reverse());
    expect(await inOrder('list=gt.{a,b}&order=list')).toEqual(first(LISTS.length).slice(3));
    expect(await (await own.fetch('/things?select=list.max(),least:list.min()')).text()).toBe(
      '[{"max":[null],"least":[]}]',
    );
    await own.close();
  });

  test('an index accepts json and arrays of any length, and containment finds them', async () => {
    const fields = [
      { name: 'id', type: 'int4' },
      { name: 'doc', type: 'json', indexed: true },
      { name: 'list', type: 'text[]', indexed: true },
      { name: 'numbers', type: 'int8[]', indexed: true },
    ];
    const indexed = await openDeclared(
      engine,
      declareCatalogue({ collections: [{ name: 'things', key: ['id'], fields }] }),
    );
    const words = Array.from({ length: 1000 }, () => crypto.randomUUID());
    const row = { id: 1, doc: { words, long: words.join(' ') }, list: words, numbers: words.map((_, index) => index) };
    expect((await indexed.fetch('/things', send('POST', 'application/json', JSON.stringify(row)))).status).toBe(201);
    const filters = [`list=cs.{${words[7]}}`, `doc=cs.{"words":["${words[8]}"]}`, 'numbers=ov.{-1,999}'];
    for (const filter of [...filters, 'order=list', 'order=doc.desc&limit=1']) {
      expect(await indexed.list(`/things?select=id&${filter}`)).toEqual([{ id: 1 }]);
    }
    await indexed.close();
  });
});
