/**
 * The search index on SQLite never changes a result: for any search and any writer it finds the same rows as a table
 * scan.
 */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Collection, declareCatalogue } from '../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../src/collection/draft.ts';
import type { Value } from '../../src/collection/value.ts';
import type { Output } from '../../src/engine/sql/output.ts';
import { compileRead } from '../../src/engine/sql/read.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { sqliteDialect } from '../../src/engine/sqlite/dialect.ts';
import { prepareSchema } from '../../src/engine/sqlite/schema/migrate.ts';
import { compilePrefiltered } from '../../src/engine/sqlite/search/index-candidates.ts';
import { countPending, hasSearchIndex, indexPending } from '../../src/engine/sqlite/search/search-index.ts';
import { wholeRow } from '../../src/plan/read/shape.ts';
import type { Expression, Predicate, ReadPlan } from '../../src/plan/types.ts';
import { foldCase, looseCase, lowerCase } from '../../src/text/case.ts';
import { startOfWords, stemEnglish } from '../../src/text/search/english.ts';
import type { SearchMode } from '../../src/text/search/index.ts';
import { RUNS } from '../support/generated/generators.ts';

/** Fields may have names that SQLite and FTS5 use internally, and a key need not be a number. */
const catalogue = declareCatalogue({
  collections: [
    {
      name: 'notes',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'oid', type: 'text' },
        { name: 'rank', type: 'text' },
        { name: 'size', type: 'int4' },
      ],
    },
    {
      name: 'labels',
      key: ['shelf', 'code'],
      fields: [
        { name: 'code', type: 'text' },
        { name: 'shelf', type: 'int4' },
      ],
    },
    {
      name: 'tickets',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int8' },
        { name: 'title', type: 'text' },
      ],
    },
  ],
});
const notes = catalogue.collections.get('notes')!;
const labels = catalogue.collections.get('labels')!;
const tickets = catalogue.collections.get('tickets')!;
const TEXTS = notes.fields.filter(({ type }) => type.name === 'text');

function expressionOf(collection: Collection, name: string): Expression {
  const field = collection.byName.get(name)!;
  return { kind: 'field', field, type: field.type };
}

const WORDS = [
  'hope hoping hopped berries berry flying flies skies sky dying die tied reliability reliable capably generalization',
  'relational rationally universities university agreed news ugly early bible bibles vietnamization hesitancy enable',
  'the of and tea teas oil ox I x 12 007 1.5kg 0.75l 1e5abc -40 12v-24v a-b-c well-being-s pre-berries',
  'İstanbul ISTANBUL ıi ſauce sauce K9 kelvin ΣΊΣΥΦΟΣ σίσυφος straße STRASSE ẞ Lakkalikööri KÖÖRI ǅ ﬆ ΐ ①abc é é',
  'https://example.com/Shop?Id=1 jo@example.com foo.comédie a/bécole ~/x.y <b>bold</b> &amp;more 日本語 日本 😀😀😀😀 "quoted" it\'s',
]
  .join(' ')
  .split(' ');
const GLUE = [' ', ' ', ' ', '', '-', '.', '/', ', ', "'", '\n', '\u00a0'];

const word = fc.oneof({ arbitrary: fc.constantFrom(...WORDS), weight: 8 }, fc.string({ maxLength: 5 }));
const text = fc
  .array(fc.tuple(word, fc.constantFrom(...GLUE)), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.flat().join('').replaceAll('\0', ''));
/** Changes the case or cuts the text, because people do not always search for the exact text. */
const query = fc
  .tuple(text, fc.nat(3), fc.constantFrom('as it is', 'upper', 'lower', 'cut'))
  .map(([whole, at, how]) => {
    if (how === 'upper') return whole.toUpperCase();
    if (how === 'lower') return whole.toLowerCase();
    return how === 'cut' ? [...whole].slice(at, at + 5).join('') : whole;
  });
const operators = fc
  .array(fc.tuple(fc.constantFrom(' & ', ' | ', ' <-> ', ' <2> ', ' & !', ' | !', ' <-> !'), word), { maxLength: 3 })
  .chain((rest) => word.map((first) => [first, ...rest.flat()]))
  .map((parts) =>
    parts.map((part, index) => (index % 2 === 1 ? part : `'${part.replaceAll(/[\\'\0]/g, '') || 'x'}'`)).join(''),
  );

const of = fc.constantFrom(...TEXTS.map(({ name }) => expressionOf(notes, name)));
const search: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    kind: fc.constant('search' as const),
    of,
    mode: fc.constantFrom<SearchMode>('plfts', 'phfts', 'wfts'),
    config: fc.constantFrom('english', 'simple'),
    query,
  }),
  fc.record({
    kind: fc.constant('search' as const),
    of,
    mode: fc.constant<SearchMode>('fts'),
    config: fc.constantFrom('english', 'simple'),
    query: fc.oneof(operators, fc.constantFrom('berr:*', 'ho:*', 'reliabl:* | tea', 'univers:* & !news', 'sau:*b')),
  }),
);
const pattern: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    kind: fc.constant('like' as const),
    of,
    pattern: fc
      .array(fc.oneof(query, fc.constantFrom('%', '_', '%')), { maxLength: 4 })
      .map((parts) => `%${parts.join('').replaceAll('\\', '')}%`),
    caseless: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('regex' as const),
    of,
    pattern: fc
      .tuple(fc.constantFrom('', '^'), query, fc.constantFrom('', '$'))
      .map(([start, middle, end]) => start + middle.replaceAll(/[^\p{L}\p{N} ]/gu, '') + end),
    caseless: fc.boolean(),
  }),
);
const condition: fc.Arbitrary<Predicate> = fc.letrec<{ any: Predicate }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    search,
    pattern,
    fc.record({ kind: fc.constantFrom('all' as const, 'any' as const), terms: fc.array(tie('any'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), term: tie('any') }),
    fc.constant<Predicate>({ kind: 'compare', of: expressionOf(notes, 'size'), operator: '=', value: 1 }),
  ),
})).any;

const OUTPUT: Output = { form: 'json', stripNulls: false };

function planOf(where: Predicate, from = notes): ReadPlan {
  const order = from.key.map(({ name }) => ({ expression: expressionOf(from, name), descending: false }));
  return { kind: 'read', from, columns: wholeRow(from), where, order, offset: 0 };
}

function searchFor(query: string, of: Expression): Predicate {
  return { kind: 'search', of, mode: 'plfts', config: 'english', query };
}

let connection: Connection;
let db: Database;

function indexAll(collection = notes): void {
  for (let round = 0; round < 10; round++) if (!indexPending(connection, collection, 1)) return;
  throw new Error('there are always more');
}

/** Returns whether the index was used. */
function expectSame(where: Predicate, collection = notes): boolean {
  const plan = planOf(where, collection);
  const narrowed = compilePrefiltered(plan, OUTPUT);
  if (narrowed === undefined) return false;
  expect(connection.rows(narrowed.statement)).toEqual(connection.rows(compileRead(plan, OUTPUT, sqliteDialect)));
  return true;
}

function store(rows: readonly (readonly [string | null, string | null])[]): void {
  const sql = 'insert into notes ("oid", "rank", size) values (?, ?, ?)';
  for (const [index, row] of rows.entries()) connection.run({ sql, params: [...row, index % 3] });
}

beforeAll(() => {
  connection = new Connection(':memory:', {
    prepare: (opened) => {
      db = opened;
      prepareSchema(db, { catalogue, firstRows: () => [] });
    },
  });
});
afterAll(() => connection.close());

describe('the search index', () => {
  const rows = fc.array(fc.tuple(fc.option(text), fc.option(text)), { minLength: 1, maxLength: 12 });

  test('finds the same rows as a table scan', () => {
    let asked = 0;
    fc.assert(
      fc.property(rows, fc.array(condition, { minLength: 1, maxLength: 10 }), (stored, conditions) => {
        db.run('delete from notes');
        store(stored);
        indexAll();
        expect(countPending(db, notes)).toBe(0);
        for (const each of conditions) if (expectSame(each)) asked++;
      }),
      { numRuns: 100 * RUNS },
    );
    expect(asked).toBeGreaterThan(100);
  });

  test('finds a text by any of its own words and substrings', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...TEXTS),
        fc.nat(),
        fc.nat(8),
        fc.boolean(),
        (stored, { name }, from, length, caseless) => {
          db.run('delete from notes');
          store([name === TEXTS[0]!.name ? [stored, null] : [null, stored]]);
          indexAll();
          const characters = [...stored];
          const at = from % characters.length;
          const part = characters.slice(at, at + length).join('');
          const escaped = part.replaceAll(/[\\%_]/g, '\\$&');
          const likes = { kind: 'like', of: expressionOf(notes, name), pattern: `%${escaped}%`, caseless } as const;
          expectSame(likes);
          for (const each of stored.split(/\s/)) {
            for (const config of ['english', 'simple']) {
              expectSame({ kind: 'search', of: likes.of, mode: 'plfts', config, query: each });
            }
          }
        },
      ),
      { numRuns: 30 * RUNS },
    );
  });

  test('reflects every write, by any statement, indexed or pending', () => {
    const id = fc.integer({ min: 1, max: 6 });
    const write = fc.oneof(
      fc.tuple(fc.constant('insert or replace into notes (id, "oid", "rank") values (?, ?, ?)'), id, text, text),
      fc.tuple(
        fc.constant('insert into notes (id, "oid") values (?, ?) on conflict (id) do update set "rank" = ?'),
        id,
        text,
        text,
      ),
      fc.tuple(fc.constant('insert or fail into notes ("oid") values (?)'), text),
      fc.tuple(fc.constant('update notes set "rank" = ? where id = ?'), fc.option(text), id),
      fc.tuple(fc.constant('update or replace notes set id = ? where id = ?'), id, id),
      fc.tuple(fc.constant('update or replace notes set _rowid_ = ? where id = ?'), id, id),
      fc.tuple(fc.constant('delete from notes where id = ?'), id),
      fc.constant(['index'] as const),
    );
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 20 }), fc.array(condition), (writes, conditions) => {
        db.run('delete from notes');
        for (const [sql, ...values] of writes) {
          if (sql === 'index') indexPending(connection, notes, 1);
          else connection.run({ sql, params: values as Value[] });
        }
        const ownTexts = connection.rows({ sql: 'select "oid", "rank" from notes', params: [] }).flatMap((row) =>
          TEXTS.map(({ name }): Predicate => {
            return { kind: 'like', of: expressionOf(notes, name), pattern: String(row[name]), caseless: true };
          }),
        );
        const asked = [...conditions, ...ownTexts.filter((each) => each.kind === 'like' && !/\\/.test(each.pattern))];
        for (const each of asked) expectSame(each);
        indexAll();
        for (const each of asked) expectSame(each);
      }),
      { numRuns: 30 * RUNS },
    );
  });

  test('finds rows whose key is beyond the exact range of a double', () => {
    db.run("insert into tickets values (9007199254740993, 'saffron'), (-9007199254740993, 'tea')");
    indexAll(tickets);
    expect(countPending(db, tickets)).toBe(0);
    expect(expectSame(searchFor('saffron', expressionOf(tickets, 'title')), tickets)).toBe(true);
  });

  test('has the right rows after a vacuum if the key is not the row id', () => {
    for (let at = 0; at < 30; at++) db.run('insert into labels values (?, ?)', [`jar ${at % 7} of saffron ${at}`, at]);
    db.run('delete from labels where shelf % 3 = 0');
    indexAll(labels);
    const where = searchFor('saffron 7', expressionOf(labels, 'code'));
    expect(expectSame(where, labels)).toBe(true);
    db.run('vacuum');
    expect(expectSame(where, labels)).toBe(true);
    expect(connection.rows(compilePrefiltered(planOf(where, labels), OUTPUT)!.statement)).toHaveLength(1);
  });

  const namesLike = (pattern: string) =>
    db.query('select name from sqlite_schema where name like ?').values(pattern).flat();

  test('survives every migration of its collection', () => {
    const [id, title] = tickets.draft.fields;
    const before: CollectionDraft = {
      ...tickets.draft,
      name: 'kegs',
      fields: [id!, title!, { name: 'note', type: 'text' }],
    };
    const migrations: readonly CollectionDraft[] = [
      { ...before, fields: [...before.fields, { name: 'maker', type: 'text' }] },
      { ...before, fields: [id!, { ...title!, maxLength: 40 }, { name: 'remark', was: 'note', type: 'text' }] },
      { ...before, name: 'casks', was: 'kegs', fields: [id!, { ...title!, required: true }] },
    ];
    const allowed = ['drop:kegs.maker', 'drop:casks.remark', 'drop:kegs.note'];
    const all = (draft: CollectionDraft) =>
      declareCatalogue({ collections: [...[...catalogue.collections.values()].map((each) => each.draft), draft] });
    let now = all(before).collections.get('kegs')!;
    prepareSchema(db, { catalogue: all(before), firstRows: () => [] });
    for (const [at, each] of ['tea', 'saffron', 'salt'].entries()) {
      db.run('insert into kegs (id, title, note) values (?, ?, ?)', [at * 10 + 1, each, 'saffron']);
    }
    for (const draft of migrations) {
      indexAll(now);
      expect(countPending(db, now)).toBe(0);
      prepareSchema(db, { catalogue: all(draft), firstRows: () => [], allowed });
      now = all(draft).collections.get(draft.name)!;
      expect(hasSearchIndex(db, now)).toBe(true);
      const where = searchFor('saffron', expressionOf(now, 'title'));
      for (const isIndexed of [false, true]) {
        if (isIndexed) indexAll(now);
        expect(connection.rows(compilePrefiltered(planOf(where, now), OUTPUT)!.statement)).toHaveLength(1);
      }
    }
    expect(namesLike('%kegs%')).toEqual([]);
    prepareSchema(db, { catalogue, firstRows: () => [], allowed: ['drop:casks'] });
    expect(namesLike('%casks%')).toEqual([]);
  });
});

test('the common prefix of a stem is a prefix of each of its words', () => {
  const endings =
    's es ies ied ed eed eedly ing ingly edly y ly tional ency ancy ably ently izer ization ational ation ator alism ality ally fulness ously ousness iveness ivity bility bly logy fully lessly alize icate icity ical ful ness ative ment ement ion e ll'.split(
      ' ',
    );
  const words = fc
    .tuple(fc.stringMatching(/^[a-z]{1,6}$/), fc.array(fc.constantFrom(...endings), { maxLength: 3 }))
    .map(([start, ends]) => start + ends.join(''));
  fc.assert(
    fc.property(fc.oneof(words, fc.constantFrom(...WORDS.map(lowerCase))), (each) => {
      expect(each).toStartWith(startOfWords(stemEnglish(each)));
    }),
    { numRuns: 1_500 * RUNS },
  );
});

test('letters that any operator treats as equal are equal in the index', () => {
  const letters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((letter) =>
    /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(letter),
  );
  expect(letters.length).toBeGreaterThan(2_000);
  expect(letters.map((letter) => looseCase(lowerCase(letter)))).toEqual(letters.map(looseCase));
  expect(letters.map((letter) => looseCase(foldCase(letter)))).toEqual(letters.map(looseCase));
});
