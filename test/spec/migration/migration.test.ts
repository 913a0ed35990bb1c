/**
 * Migrations: additive changes are applied and reported. Changes that could lose or invalidate stored data are listed
 * and rejected.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { FILES, withFiles } from '../../../src/collection/files.ts';
import {
  collectionsOf,
  type Declaration,
  type Opened,
  PLACES,
  type Place,
  refusalOf,
} from '../../support/engines/declared.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const ID: FieldDraft = { name: 'id', type: 'int4' };

function items(...fields: readonly FieldDraft[]): CollectionDraft {
  return { name: 'items', key: ['id'], fields: [ID, ...fields] };
}

const KINDS: CollectionDraft = { name: 'kinds', key: ['id'], fields: [ID, { name: 'label', type: 'text' }] };

describe.each(Object.keys(PLACES))('migration on %s', (engine) => {
  const open: Opened[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  async function opened(place: Place, declaration: Declaration): Promise<Opened> {
    const result = await place.open(declaration);
    open.push(result);
    return result;
  }

  /** Creates a database with these rows and closes it. */
  async function filled(declaration: Declaration, rows: Readonly<Record<string, readonly object[]>>): Promise<Place> {
    const place = PLACES[engine]!();
    const { post, close } = await place.open(declaration);
    for (const [name, list] of Object.entries(rows)) await post(name, list);
    await close();
    return place;
  }

  /** Expects a rejection with these words, the same words in the plan, and unchanged rows. */
  async function expectRefused(place: Place, declaration: Declaration, ...words: readonly string[]): Promise<void> {
    const before = [await place.layout(), await place.ask('select * from items order by id')];
    const { problems } = await place.plan(declaration);
    const refusal = await refusalOf(place, declaration);
    expect(refusal).toContain('nothing was changed');
    expect(problems.map((problem) => problem.words)).toEqual([...words]);
    for (const each of words) expect(refusal).toContain(each);
    expect([await place.layout(), await place.ask('select * from items order by id')]).toEqual(before);
  }

  describe('additive changes', () => {
    const FIRST = items({ name: 'title', type: 'text' }, { name: 'kind_id', type: 'int4' });
    const ROWS = [
      { title: 'one', kind_id: 1 },
      { title: 'two', kind_id: 2 },
    ];

    test('files of a version that did not store their owner stay, and new ones are stored beside them', async () => {
      const current = collectionsOf(items({ name: 'manual', type: 'file' }));
      const older = withFiles(current.collections).map((draft) =>
        draft.name === FILES ? { ...draft, fields: draft.fields.filter(({ name }) => name !== 'owner') } : draft,
      );
      const place = PLACES[engine]!();
      const upload = ({ fetch }: Opened) => fetch('/files', send('POST', 'text/plain', 'how to'));
      const first = await place.open({ collections: older });
      const { id } = (await (await upload(first)).json()) as { id: string };
      await first.close();
      const second = await opened(place, current);
      expect((await upload(second)).status).toBe(201);
      expect(await (await second.fetch(`/files/${id}/x`)).text()).toBe('how to');
      expect(await second.list('/files')).toHaveLength(2);
    });

    test('new fields, indexes, rules, references and collections are created and reported, and all rows are kept', async () => {
      const place = await filled(collectionsOf(FIRST), { items: ROWS });
      const second: Declaration = {
        collections: [
          items(
            { name: 'title', type: 'text', required: true, indexed: true, unique: true, maxLength: 10 },
            { name: 'kind_id', type: 'int4', references: { collection: 'kinds', onDelete: 'restrict' } },
            { name: 'note', type: 'text' },
            { name: 'stock', type: 'int4', required: true, default: 7 },
          ),
          KINDS,
        ],
        rows: {
          kinds: [
            { id: 1, label: 'a' },
            { id: 2, label: 'b' },
          ],
        },
      };
      const STEPS = [
        'require items.title',
        'change the rules of items.title',
        'add field items.note',
        'add field items.stock',
        'add unique constraint items_title_key',
        'create index items_title',
        'create index items_kind_id',
        'add reference items_kind_id_fkey',
        'create table kinds',
      ];
      expect((await place.plan(second)).steps).toEqual(expect.arrayContaining(STEPS));
      const { engine: made, list, fetch, post } = await opened(place, second);
      expect([...(made.steps ?? [])].filter((step) => !step.includes('catalogue_')).sort()).toEqual([...STEPS].sort());
      expect(await list('/items')).toEqual([
        { id: 1, title: 'one', kind_id: 1, note: null, stock: 7 },
        { id: 2, title: 'two', kind_id: 2, note: null, stock: 7 },
      ]);
      await expectRefusal(await fetch('/items', sendJson('POST', { title: 'one' })), 409, '23505');
      await expectRefusal(await fetch('/items', sendJson('POST', { title: 'x', kind_id: 9 })), 409, '23503');
      await post('items', { title: 'three', kind_id: 1 });
      expect(await list('/items?select=kind_id,stock&title=eq.three')).toEqual([{ kind_id: 1, stock: 7 }]);
    });

    test('an unchanged declaration changes nothing, even if the table has extra columns', async () => {
      const place = await filled(collectionsOf(FIRST), { items: ROWS });
      await place.ask('alter table items add column remark text');
      const before = await place.layout();
      const { engine: made, list } = await opened(
        place,
        collectionsOf({ ...FIRST, title: 'Things', description: 'All.' }),
      );
      expect(made.steps).toEqual([]);
      expect(await list('/items?select=title')).toEqual([{ title: 'one' }, { title: 'two' }]);
      expect(await place.layout()).toEqual(before);
    });

    test('columns added outside the service survive migrations, and can be declared', async () => {
      const place = await filled(collectionsOf(FIRST), { items: ROWS });
      await place.ask('alter table items add column remark text');
      await place.ask("update items set remark = 'r' || id");
      await place.ask('create index by_remark on items (remark)');
      const stricter = items({ name: 'title', type: 'text', required: true, maxLength: 9 }, FIRST.fields[2]!);
      await (await opened(place, collectionsOf(stricter))).post('items', { title: 'three' });
      expect(await place.ask('select id, remark from items order by id')).toEqual([
        { id: 1, remark: 'r1' },
        { id: 2, remark: 'r2' },
        { id: 3, remark: null },
      ]);
      expect(JSON.stringify(await place.layout())).toContain('by_remark');
      const declared = items(...stricter.fields.slice(1), { name: 'remark', type: 'text', maxLength: 5, unique: true });
      const { list } = await opened(place, collectionsOf(declared));
      expect(await list('/items?select=remark')).toEqual([{ remark: 'r1' }, { remark: 'r2' }, { remark: null }]);
    });

    test('objects that somebody dropped manually are created again', async () => {
      const place = await filled(collectionsOf(items({ name: 'title', type: 'text', indexed: true })), { items: [] });
      await place.ask('drop index items_title');
      const { engine: made } = await opened(
        place,
        collectionsOf(items({ name: 'title', type: 'text', indexed: true })),
      );
      expect(made.steps).toEqual(['create index items_title']);
    });

    test('removed rules no longer apply', async () => {
      const strict = items({
        name: 'title',
        type: 'text',
        required: true,
        unique: true,
        oneOf: ['a', 'b'],
        indexed: true,
      });
      const place = await filled(collectionsOf(strict), { items: [{ title: 'a' }] });
      const { engine: made, post, list } = await opened(place, collectionsOf(items({ name: 'title', type: 'text' })));
      expect([...(made.steps ?? [])].sort()).toEqual([
        'change the rules of items.title',
        'drop index items_title',
        'drop unique constraint items_title_key',
        'no longer require items.title',
      ]);
      await post('items', [{ title: 'c' }, { title: 'c' }, { title: null }]);
      expect(await list('/items?select=title')).toEqual(['a', 'c', 'c', null].map((title) => ({ title })));
    });

    test('a referring table keeps its rows when the referenced table is rebuilt', async () => {
      const child = (onDelete: 'cascade' | 'set null'): CollectionDraft => ({
        name: 'kinds',
        key: ['id'],
        fields: [ID, { name: 'item_id', type: 'int4', references: { collection: 'items', onDelete } }],
      });
      const first = collectionsOf(items({ name: 'title', type: 'text' }), child('cascade'));
      const place = await filled(first, {
        items: [{ title: 'a' }, { title: 'b' }],
        kinds: [{ item_id: 1 }, { item_id: 2 }],
      });
      const second = collectionsOf(
        items({ name: 'title', type: 'text', required: true, maxLength: 5 }),
        child('set null'),
      );
      const { fetch, list } = await opened(place, second);
      expect(await list('/kinds')).toEqual([
        { id: 1, item_id: 1 },
        { id: 2, item_id: 2 },
      ]);
      expect((await fetch('/items?id=eq.1', { method: 'DELETE' })).status).toBe(204);
      expect(await list('/kinds?id=eq.1')).toEqual([{ id: 1, item_id: null }]);
    });

    test('a new collection can start with rows that refer to each other and to themselves', async () => {
      const tree: CollectionDraft = {
        name: 'kinds',
        key: ['id'],
        fields: [ID, { name: 'parent_id', type: 'int4', references: { collection: 'kinds', onDelete: 'restrict' } }],
      };
      const place = await filled(collectionsOf(FIRST), { items: ROWS });
      const rows = {
        kinds: [
          { id: 1, parent_id: 2 },
          { id: 2, parent_id: 2 },
        ],
      };
      const { list } = await opened(place, { collections: [FIRST, tree], rows });
      expect(await list('/kinds')).toEqual(rows.kinds);
    });
  });

  describe('destructive changes', () => {
    const COLOURED = items({ name: 'title', type: 'text' }, { name: 'colour', type: 'text' });
    const ROWS = [
      { title: 'a', colour: 'red' },
      { title: 'b', colour: 'blue' },
      { title: 'c', colour: null },
    ];

    test('a removed field is rejected, and dropped if that is allowed', async () => {
      const place = await filled(collectionsOf(COLOURED), { items: ROWS });
      const without = collectionsOf(items({ name: 'title', type: 'text' }));
      await expectRefused(place, without, 'items.colour is no longer declared, and 2 rows have a value');
      expect(await refusalOf(place, without)).toContain('catalogue migrate --allow drop:items.colour');
      // Permissions for other fields and collections have no effect.
      expect(await refusalOf(place, { ...without, allowed: ['drop:items.title', 'drop:items'] })).toContain('colour');
      const { engine: made, list } = await opened(place, { ...without, allowed: ['drop:items.colour'] });
      expect(made.steps).toEqual(['drop field items.colour']);
      expect(await list('/items')).toEqual([1, 2, 3].map((id, at) => ({ id, title: ROWS[at]!.title })));
    });

    test('if a new field may be a renamed one, the error explains how to keep its values', async () => {
      const place = await filled(collectionsOf(COLOURED), { items: ROWS });
      const renamed = collectionsOf(items({ name: 'title', type: 'text' }, { name: 'paint', type: 'text' }));
      expect(await refusalOf(place, renamed)).toContain(
        'items.colour is no longer declared, and 2 rows have a value; if paint is its new name, declare it with was: colour',
      );
      const other = collectionsOf(items({ name: 'title', type: 'text' }, { name: 'paint', type: 'int4' }));
      expect(await refusalOf(place, other)).not.toContain('was: colour');
    });

    test('a removed collection is rejected, and dropped if that is allowed', async () => {
      const place = await filled(collectionsOf(COLOURED, KINDS), { items: ROWS, kinds: [{ label: 'x' }] });
      await expectRefused(place, collectionsOf(COLOURED), 'kinds is no longer declared, and holds 1 row');
      const { engine: made, list } = await opened(place, { ...collectionsOf(COLOURED), allowed: ['drop:kinds'] });
      expect(made.steps).toEqual(['drop table kinds']);
      expect(await list('/items')).toHaveLength(3);
      await expect(place.ask('select * from kinds')).rejects.toThrow();
    });

    test('a referenced collection is dropped together with the references to it', async () => {
      const referring = items({
        name: 'kind_id',
        type: 'int4',
        references: { collection: 'kinds', onDelete: 'cascade' },
      });
      const place = await filled(collectionsOf(referring, KINDS), { kinds: [{ label: 'x' }], items: [{ kind_id: 1 }] });
      const without = collectionsOf(items({ name: 'kind_id', type: 'int4' }));
      const { list, post } = await opened(place, { ...without, allowed: ['drop:kinds'] });
      await post('items', { kind_id: 99 });
      expect(await list('/items?select=kind_id')).toEqual([{ kind_id: 1 }, { kind_id: 99 }]);
    });
  });

  describe('a changed type', () => {
    const PRICED = items({ name: 'price', type: 'decimal(12,4)', indexed: true, minimum: 0 });

    test('values are converted through their text if that is allowed', async () => {
      const place = await filled(collectionsOf(PRICED), { items: [{ price: 4.5 }, { price: 12 }, { price: null }] });
      const asText = collectionsOf(items({ name: 'price', type: 'text', indexed: true }));
      await expectRefused(place, asText, 'items.price becomes text, and was decimal(12,4): 3 rows are converted');
      const first = await opened(place, { ...asText, allowed: ['convert:items.price'] });
      expect(await first.list('/items?select=price&order=price.asc')).toEqual([
        { price: '12' },
        { price: '4.5' },
        { price: null },
      ]);
      // Changes the type back, with another rule.
      const back = collectionsOf(items({ name: 'price', type: 'decimal(6,1)', required: false, maximum: 100 }));
      const second = await opened(place, { ...back, allowed: ['convert:items.price'] });
      expect(await second.list('/items?select=price&order=price.asc')).toEqual([
        { price: 4.5 },
        { price: 12 },
        { price: null },
      ]);
    });

    test('the error counts rows that cannot be converted, and no option allows them', async () => {
      const place = await filled(collectionsOf(PRICED), { items: [{ price: 4.5 }, { price: 12 }, { price: 0.25 }] });
      const whole = collectionsOf(items({ name: 'price', type: 'int4', minimum: 0, indexed: true }));
      await expectRefused(
        place,
        whole,
        'items.price becomes int4, and was decimal(12,4): 2 rows hold a value that is not a valid int4',
      );
      expect(await refusalOf(place, { ...whole, allowed: ['convert:items.price'] })).toContain(
        '2 rows hold a value that is not a valid int4',
      );
      await place.ask('update items set price = 3 where price <> 12');
      const { list, fetch } = await opened(place, { ...whole, allowed: ['convert:items.price'] });
      expect(await list('/items?select=price&price=gte.3')).toEqual([{ price: 3 }, { price: 12 }, { price: 3 }]);
      await expectRefusal(await fetch('/items', sendJson('POST', { price: -1 })), 400, '23514');
    });

    test('an empty table needs no permission', async () => {
      const place = await filled(collectionsOf(PRICED), {});
      const { engine: made } = await opened(place, collectionsOf(items({ name: 'price', type: 'json' })));
      expect(made.steps).toContain('change the type of items.price to json');
    });

    test('a key and the fields that refer to it change type together', async () => {
      const of = (type: string): Declaration => ({
        collections: [
          {
            name: 'items',
            key: ['id'],
            fields: [
              { name: 'id', type },
              { name: 'title', type: 'text' },
            ],
          },
          {
            name: 'kinds',
            key: ['id'],
            fields: [ID, { name: 'item_id', type, references: { collection: 'items', onDelete: 'restrict' } }],
          },
        ],
        allowed: ['convert:items.id', 'convert:kinds.item_id'],
      });
      const place = await filled(of('int4'), { items: [{ title: 'a' }], kinds: [{ item_id: 1 }] });
      const wide = await opened(place, of('int8'));
      await wide.post('items', { title: 'b' });
      expect(await wide.list('/items?select=id')).toEqual([{ id: 1 }, { id: 2 }]);
      const text = await opened(place, of('text'));
      await text.post('items', { id: 'x' });
      expect(await text.list('/items?select=id')).toEqual([{ id: '1' }, { id: '2' }, { id: 'x' }]);
      await expectRefusal(await text.fetch('/kinds', sendJson('POST', { item_id: 'y' })), 409, '23503');
      expect(await text.list('/kinds')).toEqual([{ id: 1, item_id: '1' }]);
    });
  });

  describe('rules that stored rows violate', () => {
    const PLAIN = items({ name: 'sku', type: 'text' }, { name: 'kind_id', type: 'int4' });
    const ROWS = [
      { sku: 'A-1', kind_id: 1 },
      { sku: 'A-1', kind_id: 2 },
      { sku: 'bad', kind_id: 3 },
      { sku: null, kind_id: null },
    ];
    const with_ = (sku: Partial<FieldDraft>, kind: Partial<FieldDraft> = {}) =>
      collectionsOf(items({ name: 'sku', type: 'text', ...sku }, { name: 'kind_id', type: 'int4', ...kind }), KINDS);

    test('a required field: the error counts rows without a value, and allowing it fills them with the default', async () => {
      const place = await filled(collectionsOf(PLAIN, KINDS), { items: ROWS });
      await expectRefused(place, with_({ required: true }), '1 row has no sku: items.sku becomes required');
      expect(await refusalOf(place, with_({ required: true }))).not.toContain('--allow');
      const byDefault = with_({ required: true, default: 'none' });
      await expectRefused(place, byDefault, '1 row has no sku: items.sku becomes required');
      const { list } = await opened(place, { ...byDefault, allowed: ['fill:items.sku'] });
      expect(await list('/items?select=sku&id=gte.3')).toEqual([{ sku: 'bad' }, { sku: 'none' }]);
    });

    test('a new required field without a default is rejected', async () => {
      const place = await filled(collectionsOf(PLAIN), { items: ROWS });
      const more = collectionsOf(items(...PLAIN.fields.slice(1), { name: 'code', type: 'text', required: true }));
      await expectRefused(place, more, '4 rows have no code: items.code is new, required, and without a default');
    });

    test('a rule: the error counts rows that violate it, and allowing it clears their values', async () => {
      const place = await filled(collectionsOf(PLAIN, KINDS), { items: ROWS });
      const pattern = with_({ pattern: '^[A-Z]-[0-9]$' });
      await expectRefused(place, pattern, '1 row breaks the rules of items.sku (pattern ^[A-Z]-[0-9]$)');
      const short = with_({ maxLength: 2, pattern: '^[A-Z]' }, { maximum: 2 });
      await expectRefused(
        place,
        short,
        '3 rows break the rules of items.sku (maxLength 2, pattern ^[A-Z])',
        '1 row breaks the rules of items.kind_id (maximum 2)',
      );
      const { list } = await opened(place, { ...short, allowed: ['clear:items.sku', 'clear:items.kind_id'] });
      expect(await list('/items?select=sku,kind_id')).toEqual([
        { sku: null, kind_id: 1 },
        { sku: null, kind_id: 2 },
        { sku: null, kind_id: null },
        { sku: null, kind_id: null },
      ]);
    });

    test('unique fields: the error counts rows that repeat a value', async () => {
      const place = await filled(collectionsOf(PLAIN, KINDS), { items: ROWS });
      await expectRefused(place, with_({ unique: true }), '1 row repeats the sku of another: items (sku) is unique');
      await place.ask("update items set sku = 'A-2' where id = 2");
      const { engine: made } = await opened(place, with_({ unique: true }));
      expect(made.steps).toEqual(['add unique constraint items_sku_key']);
    });

    test('a reference: the error counts rows without a target, taking the rows of a new collection into account', async () => {
      const references = { collection: 'kinds', onDelete: 'restrict' } as const;
      const place = await filled(collectionsOf(PLAIN), { items: ROWS });
      const declaration = {
        ...with_({}, { references }),
        rows: {
          kinds: [
            { id: 1, label: 'a' },
            { id: 3, label: 'c' },
          ],
        },
      };
      await expectRefused(
        place,
        declaration,
        '1 row refers to rows of kinds that do not exist: items.kind_id becomes a reference',
      );
      const { list } = await opened(place, { ...declaration, allowed: ['clear:items.kind_id'] });
      expect(await list('/items?select=kind_id')).toEqual([
        { kind_id: 1 },
        { kind_id: null },
        { kind_id: 3 },
        { kind_id: null },
      ]);
      expect(await list('/kinds?select=id')).toEqual([{ id: 1 }, { id: 3 }]);
    });

    test('the error lists all obstacles at once', async () => {
      const place = await filled(collectionsOf(PLAIN, KINDS), { items: ROWS });
      const much = collectionsOf(items({ name: 'sku', type: 'int4', required: true, unique: true }));
      const { problems } = await place.plan(much);
      expect(problems.map(({ words }) => words)).toEqual([
        'items.sku becomes int4, and was text: 3 rows hold a value that is not a valid int4',
        'kinds is no longer declared, and holds 0 rows',
        'items.kind_id is no longer declared, and 3 rows have a value',
      ]);
    });
  });

  describe('renaming', () => {
    const BEFORE = collectionsOf(items({ name: 'title', type: 'text', unique: true, maxLength: 9 }), {
      ...KINDS,
      fields: [ID, { name: 'item_id', type: 'int4', references: { collection: 'items', onDelete: 'restrict' } }],
    });
    const AFTER = collectionsOf(
      {
        name: 'things',
        was: 'items',
        key: ['number'],
        fields: [
          { name: 'number', type: 'int4', was: 'id' },
          { name: 'name', type: 'text', was: 'title', unique: true, maxLength: 9 },
        ],
      },
      {
        ...KINDS,
        fields: [
          ID,
          {
            name: 'thing_id',
            type: 'int4',
            was: 'item_id',
            references: { collection: 'things', onDelete: 'restrict' },
          },
        ],
      },
    );

    test('a renamed field or collection keeps its rows, keys and references', async () => {
      const place = await filled(BEFORE, {
        items: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
        kinds: [{ item_id: 1 }],
      });
      await place.ask('delete from items where id = 3');
      const { engine: made, list, post, fetch } = await opened(place, AFTER);
      expect(made.steps).toContain('rename table items to things');
      expect(made.steps).toContain('rename field things.title to name');
      expect(made.steps!.filter((step) => step.startsWith('change'))).toEqual([]);
      await post('things', { name: 'd' });
      expect(await list('/things')).toEqual([
        { number: 1, name: 'a' },
        { number: 2, name: 'b' },
        { number: 4, name: 'd' },
      ]);
      expect(await list('/kinds')).toEqual([{ id: 1, thing_id: 1 }]);
      const taken = await expectRefusal(await fetch('/things', sendJson('POST', { name: 'a' })), 409, '23505');
      expect(taken.message).toContain('things_name_key');
      await expectRefusal(await fetch('/kinds', sendJson('POST', { thing_id: 9 })), 409, '23503');
      await expectRefusal(await fetch('/things/1', { method: 'DELETE' }), 409, '23503');
    });

    test('the rename keys may stay in the file', async () => {
      const place = await filled(BEFORE, { items: [{ title: 'a' }] });
      await (await opened(place, AFTER)).close();
      open.pop();
      expect(await place.plan(AFTER)).toEqual({ steps: [], problems: [] });
      expect((await opened(place, AFTER)).engine.steps).toEqual([]);
    });
  });

  describe('a changed key', () => {
    test('is accepted if the rows have unique values, and rejected otherwise', async () => {
      const coded = (key: string) => ({ ...items({ name: 'code', type: 'text' }), key: [key] });
      const place = await filled(collectionsOf(coded('id')), { items: [{ code: 'a' }, { code: 'a' }, { code: null }] });
      await expectRefused(
        place,
        collectionsOf(coded('code')),
        '1 row has no code: items.code becomes required',
        '1 row repeats the code of another: items (code) is the key',
      );
      await place.ask("update items set code = 'b' where id = 2");
      await place.ask("update items set code = 'c' where id = 3");
      const { list, fetch, post } = await opened(place, collectionsOf(coded('code')));
      await post('items', { id: 1, code: 'd' });
      expect(await (await fetch('/items/b')).json()).toEqual({ id: 2, code: 'b' });
      expect(await list('/items?select=code,id')).toEqual([
        { code: 'a', id: 1 },
        { code: 'b', id: 2 },
        { code: 'c', id: 3 },
        { code: 'd', id: 1 },
      ]);
      await place.ask("delete from items where code = 'd'");
      const back = await opened(place, collectionsOf(coded('id')));
      await back.post('items', { code: 'e' });
      expect(await back.list('/items?select=id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    });
  });

  describe('a key that is also a reference, in a database whose earlier version assigned it', () => {
    const references = { collection: 'kinds', onDelete: 'restrict' } as const;
    const declared = collectionsOf(KINDS, {
      ...items({ name: 'title', type: 'text' }),
      fields: [
        { ...ID, references },
        { name: 'title', type: 'text' },
      ],
    });

    /**
     * Creates a database like the earlier version, which recorded the reference but had a constraint only on
     * PostgreSQL.
     */
    async function numbered(rows: readonly object[]): Promise<Place> {
      const place = await filled(collectionsOf(KINDS, items({ name: 'title', type: 'text' })), {
        kinds: [{ id: 1 }, { id: 2 }],
        items: rows,
      });
      const record = `{"name":"id","type":"int4","references":${JSON.stringify(references)}},{"name":"title"`;
      await place.ask(
        `update catalogue_declaration set declaration = replace(declaration, '{"name":"id","type":"int4"},{"name":"title"', '${record}')`,
      );
      if (engine === 'PostgreSQL') {
        await place.ask('alter table items add constraint items_id_fkey foreign key (id) references kinds deferrable');
      }
      return place;
    }

    test('is no longer assigned, and rows are kept', async () => {
      const place = await numbered([{ title: 'a' }]);
      expect((await place.plan(declared)).steps).toContain('change the key of items');
      const { fetch, list, post } = await opened(place, declared);
      await expectRefusal(await fetch('/items', sendJson('POST', { title: 'b' })), 400, '23502');
      await post('items', { id: 2, title: 'b' });
      await expectRefusal(await fetch('/items', sendJson('POST', { id: 3, title: 'c' })), 409, '23503');
      expect(await list('/items')).toEqual([
        { id: 1, title: 'a' },
        { id: 2, title: 'b' },
      ]);
      expect(await place.plan(declared)).toEqual({ steps: [], problems: [] });
    });

    if (engine === 'SQLite') {
      test('a row without a referenced row is reported, and nothing is changed', async () => {
        const place = await numbered([{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
        await expectRefused(
          place,
          declared,
          '1 row refers to rows of kinds that do not exist: items.id becomes a reference',
        );
      });
    }
  });

  test('of ten instances that start together one migrates, and all serve', async () => {
    const place = await filled(collectionsOf(items({ name: 'title', type: 'text' })), { items: [{ title: 'a' }] });
    const next = collectionsOf(
      items({ name: 'title', type: 'text', required: true }, { name: 'note', type: 'text' }),
      KINDS,
    );
    const all = await Promise.all(Array.from({ length: 10 }, () => opened(place, next)));
    expect(all.filter(({ engine: made }) => (made.steps?.length ?? 0) > 0)).toHaveLength(1);
    for (const { list } of all) expect(await list('/items')).toEqual([{ id: 1, title: 'a', note: null }]);
  });
});
