/** The log of changes: what each kind of write leaves in it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CURSOR_ROWS } from '../../../src/base/limits/engine.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'groups',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'title', type: 'text' },
    ],
  },
  {
    name: 'items',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int8' },
      { name: 'price', type: 'decimal(8,2)', minimum: 0 },
      { name: 'is_new', type: 'boolean' },
      { name: 'tags', type: 'text[]' },
      { name: 'more', type: 'json' },
      { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
      { name: 'other_id', type: 'int4', references: { collection: 'groups', onDelete: 'set null' } },
    ],
  },
  {
    name: 'days',
    key: ['day', 'at'],
    fields: [
      { name: 'day', type: 'date' },
      { name: 'at', type: 'timestamptz' },
      { name: 'note', type: 'text' },
    ],
  },
  { name: 'quiet', key: ['id'], history: false, fields: [{ name: 'id', type: 'int4' }] },
];

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    let place: Place;
    let shop: Opened;
    beforeAll(async () => {
      place = newPlace();
      shop = await place.open({ collections: COLLECTIONS, rows: { groups: [{ id: 1, title: 'first' }] } });
    });
    afterAll(() => shop.close());
    let seen = 0;

    /** The entries since the last call, without their position and time. */
    async function news(): Promise<Row[]> {
      const rows = await shop.list(`/changes?seq=gt.${seen}`);
      seen = Number(rows.at(-1)?.seq ?? seen);
      return rows.map(({ seq: _, at: __, actor: ___, role: ____, request_id: _____, ...row }) => row);
    }
    const entry = (collection: string, key: string, kind: string, before: unknown, after: unknown) =>
      ({ collection, key, kind, before, after }) as Row;
    const write = async (method: string, path: string, body?: unknown, headers = {}) => {
      const response = await shop.fetch(
        path,
        body === undefined ? { method, headers } : sendJson(method, body, headers),
      );
      expect(response.status).toBeLessThan(300);
      return response;
    };
    const item = { price: null, is_new: null, tags: null, more: null, group_id: null, other_id: null };

    test('the first rows of a collection are not changes', async () => {
      expect(await news()).toEqual([]);
    });

    test('a new row, and several at once', async () => {
      await write('POST', '/items', { id: 1, price: 1.5, is_new: true, tags: ['a', 'b'], more: { x: [1, null] } });
      await write('POST', '/groups', [
        { id: 2, title: 'second' },
        { id: 3, title: 'third' },
      ]);
      expect(await news()).toEqual([
        entry('items', '1', 'insert', null, {
          ...item,
          id: 1,
          price: 1.5,
          is_new: true,
          tags: ['a', 'b'],
          more: { x: [1, null] },
        }),
        entry('groups', '2', 'insert', null, { id: 2, title: 'second' }),
        entry('groups', '3', 'insert', null, { id: 3, title: 'third' }),
      ]);
    });

    test('an update logs the changed fields only, and nothing if none changed', async () => {
      await write('PATCH', '/items?id=eq.1', { price: 2, is_new: true });
      await write('PATCH', '/items?id=eq.1', { price: 2 });
      await write('PATCH', '/items', [{ id: 1, tags: ['c'] }]);
      await write('PUT', '/items/1', { ...item, id: 1, price: 3 });
      expect(await news()).toEqual([
        entry('items', '1', 'update', { price: 1.5 }, { price: 2 }),
        entry('items', '1', 'update', { tags: ['a', 'b'] }, { tags: ['c'] }),
        entry(
          'items',
          '1',
          'update',
          { price: 2, is_new: true, tags: ['c'], more: { x: [1, null] } },
          { price: 3, is_new: null, tags: null, more: null },
        ),
      ]);
    });

    test('an upsert logs new and changed rows', async () => {
      const merge = { prefer: 'resolution=merge-duplicates' };
      await write(
        'POST',
        '/groups',
        [
          { id: 3, title: 'drei' },
          { id: 4, title: 'four' },
        ],
        merge,
      );
      await write('POST', '/groups', [{ id: 3, title: 'no' }], { prefer: 'resolution=ignore-duplicates' });
      expect(await news()).toEqual([
        entry('groups', '3', 'update', { title: 'third' }, { title: 'drei' }),
        entry('groups', '4', 'insert', null, { id: 4, title: 'four' }),
      ]);
    });

    test('another key is another row', async () => {
      await write('PATCH', '/groups?id=eq.4', { id: 5 });
      expect(await news()).toEqual([
        entry('groups', '4', 'delete', { id: 4, title: 'four' }, null),
        entry('groups', '5', 'insert', null, { id: 5, title: 'four' }),
      ]);
    });

    test('a delete logs the rows that it deletes and changes elsewhere', async () => {
      await write('POST', '/items', [
        { id: 2, group_id: 5, other_id: null },
        { id: 3, group_id: null, other_id: 5 },
      ]);
      await news();
      await write('DELETE', '/groups/5');
      const entries = await news();
      expect(entries).toHaveLength(3);
      expect(entries).toContainEqual(entry('groups', '5', 'delete', { id: 5, title: 'four' }, null));
      expect(entries).toContainEqual(entry('items', '2', 'delete', { ...item, id: 2, group_id: 5 }, null));
      expect(entries).toContainEqual(entry('items', '3', 'update', { other_id: 5 }, { other_id: null }));
    });

    test('a key of several fields is a list of texts', async () => {
      await write('POST', '/days', { day: '2026-01-02', at: '2026-01-02T03:04:05.6+02:00', note: 'x' });
      const [added] = (await news()) as unknown as { key: string; after: unknown }[];
      expect(added!.key).toBe('["2026-01-02","2026-01-02 01:04:05.6+00"]');
      expect(added!.after).toEqual({ day: '2026-01-02', at: '2026-01-02T01:04:05.6+00:00', note: 'x' });
    });

    test('a rejected write, a dry run and a repeated request leave nothing', async () => {
      const rejected = await shop.fetch('/items', sendJson('POST', [{ id: 8 }, { id: 9, price: -1 }]));
      expect(rejected.status).toBe(400);
      await write('POST', '/items', { id: 8 }, { prefer: 'tx=rollback' });
      await write('POST', '/groups', { id: 6 }, { 'idempotency-key': 'once' });
      await write('POST', '/groups', { id: 6 }, { 'idempotency-key': 'once' });
      expect(await news()).toEqual([entry('groups', '6', 'insert', null, { id: 6, title: null })]);
    });

    test('a collection with history: false leaves nothing', async () => {
      await write('POST', '/quiet', { id: 1 });
      expect(await news()).toEqual([]);
    });

    test('another program leaves the same entries', async () => {
      const table = engine === 'SQLite' ? 'groups' : `"${place.schema}".groups`;
      await place.ask(`insert into ${table} (id, title) values (7, 'by hand')`);
      await place.ask(`update ${table} set title = 'again' where id = 7`);
      await place.ask(`delete from ${table} where id = 7`);
      expect(await news()).toEqual([
        entry('groups', '7', 'insert', null, { id: 7, title: 'by hand' }),
        entry('groups', '7', 'update', { title: 'by hand' }, { title: 'again' }),
        entry('groups', '7', 'delete', { id: 7, title: 'again' }, null),
      ]);
    });

    test('the log has filters, order, pages and items, and is read-only', async () => {
      expect(await shop.list('/changes?collection=eq.groups&key=eq.3&select=kind,after->>title')).toEqual([
        { kind: 'insert', title: 'third' },
        { kind: 'update', title: 'drei' },
      ]);
      const page = await shop.fetch('/changes?order=seq.desc&limit=2', { headers: { prefer: 'count=exact' } });
      const [last, previous] = (await page.json()) as Row[];
      expect(Number(last!.seq)).toBeGreaterThan(Number(previous!.seq));
      expect(page.headers.get('content-range')).toMatch(/^0-1\/\d+$/);
      expect(await (await shop.fetch(`/catalogue/changes/${last!.seq}`)).json()).toEqual(last);
      expect(await shop.list('/changes?select=collection,count()&order=collection')).toContainEqual({
        collection: 'days',
        count: 1,
      });
      for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
        const response = await shop.fetch('/changes', { method });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('OPTIONS, GET, HEAD');
      }
      expect((await shop.fetch('/changes?nope=eq.1')).status).toBe(400);
      expect((await shop.fetch('/catalogue/items')).status).toBe(404);
    });

    test('a filter on a collection that does not exist finds nothing', async () => {
      expect(await shop.list('/changes?collection=eq.nothing')).toEqual([]);
      expect(await shop.list('/changes?collection=in.(nothing,quiet)&select=count()')).toEqual([{ count: 0 }]);
    });

    test('a long log is read to its end', async () => {
      const rows = Array.from({ length: CURSOR_ROWS + 10 }, (_, index) => ({ id: 1_000 + index, title: 'many' }));
      await write('POST', '/groups', rows);
      expect(await news()).toHaveLength(rows.length);
      const counted = await shop.list('/changes?collection=eq.groups&after->>title=eq.many&select=count()');
      expect(counted).toEqual([{ count: rows.length }]);
    });
  });
}
