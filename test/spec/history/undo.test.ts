/** Undo: reverts exactly the changes that a filter selects, or nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'groups',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'title', type: 'text', default: 'none' },
      { name: 'parent_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
    ],
  },
  {
    name: 'items',
    key: ['id'],
    unique: [['code']],
    fields: [
      { name: 'id', type: 'int8' },
      { name: 'code', type: 'text' },
      { name: 'price', type: 'decimal(8,2)' },
      { name: 'size', type: 'float8' },
      { name: 'is_new', type: 'boolean' },
      { name: 'tags', type: 'text[]' },
      { name: 'more', type: 'json' },
      { name: 'created', type: 'timestamptz', default: 'now', readOnly: true },
      { name: 'changed', type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true },
      { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
      { name: 'other_id', type: 'int4', references: { collection: 'groups', onDelete: 'set null' } },
    ],
  },
  {
    name: 'pairs',
    key: ['a', 'b'],
    fields: [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'decimal(6,2)' },
      { name: 'c', type: 'int8' },
    ],
  },
];
const LISTS = ['/groups', '/items', '/pairs'];

const id = fc.integer({ min: 1, max: 5 });
const item = fc.record({
  id,
  code: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 2 }),
  price: fc.constantFrom(null, 0, 1.5, 9.99),
  size: fc.constantFrom(null, 0.1, -3e20, 0.30000000000000004),
  is_new: fc.constantFrom(null, true, false),
  tags: fc.constantFrom(null, [], ['a', 'ä "b"', null]),
  more: fc.constantFrom(null, { a: [1, { b: null }] }, [1.5, 2], 'text', { b: 1, a: 2 }),
  group_id: fc.constantFrom(null, 1, 2),
  other_id: fc.constantFrom(null, 1, 2, 3),
});
const groups = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(1, 2, 3),
    title: fc.constantFrom('x', null),
    parent_id: fc.constantFrom(null, 1),
  }),
  { selector: (row) => row.id, minLength: 1 },
);
const pair = fc.record({ a: fc.constantFrom('x', 'ü"'), b: fc.constantFrom(1, 1.5), c: fc.constantFrom(1, 2, null) });
const MERGE = { prefer: 'resolution=merge-duplicates' };
interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}
const write: fc.Arbitrary<Sent> = fc.oneof(
  item.map((row) => ({ path: '/items', init: sendJson('POST', row, MERGE) })),
  groups.map((rows) => ({ path: '/groups', init: sendJson('POST', rows, MERGE) })),
  fc.array(pair).map((rows) => ({ path: '/pairs', init: sendJson('POST', rows, MERGE) })),
  fc.tuple(id, item).map(([at, row]) => ({ path: `/items?id=eq.${at}`, init: sendJson('PATCH', row) })),
  id.map((at) => ({ path: `/items?id=gte.${at}`, init: sendJson('PATCH', { price: at }) })),
  id.map((at) => ({ path: `/items?id=gte.${at}`, init: { method: 'DELETE' } })),
  id.map((at) => ({ path: `/groups?id=eq.${at}`, init: { method: 'DELETE' } })),
  fc.constant({ path: '/groups?id=gt.0', init: { method: 'DELETE' } }),
  fc.tuple(item, item).map(([one, other]) => ({
    path: '/batch',
    init: sendJson('POST', [
      { method: 'PATCH', path: `/items?id=eq.${one.id}`, body: { code: null } },
      { method: 'PATCH', path: `/items?id=eq.${other.id}`, body: { code: one.code } },
    ]),
  })),
);

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    let shop: Opened;
    beforeAll(async () => {
      shop = await newPlace().open({ collections: COLLECTIONS });
    });
    afterAll(() => shop.close());

    const lists = () => Promise.all(LISTS.map(async (path) => (await shop.fetch(path)).text()));
    const last = async () => Number((await shop.list('/changes?select=seq&order=seq.desc&limit=1'))[0]?.seq ?? 0);
    const undo = (filter: string, prefer?: string) =>
      shop.fetch(`/changes/undo?${filter}`, { method: 'POST', ...(prefer && { headers: { prefer } }) });
    const undone = async (filter: string, prefer?: string) => {
      const response = await undo(filter, prefer);
      expect({ status: response.status, text: await response.clone().text() }).toMatchObject({ status: 200 });
      return (await response.json()) as { undone: number; skipped: Row[]; changes?: Row[] };
    };
    const store = async (method: string, path: string, body?: unknown, headers = {}) => {
      const init = body === undefined ? { method, headers } : sendJson(method, body, headers);
      const response = await shop.fetch(path, init);
      expect(response.status).toBeLessThan(300);
    };

    test('an undo of the changes after any moment restores that moment, and an undo of it repeats them', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), fc.nat(), async (writes, cut) => {
          const states: { seq: number; lists: string[] }[] = [{ seq: await last(), lists: await lists() }];
          for (const { path, init } of writes) {
            await shop.fetch(path, init);
            states.push({ seq: await last(), lists: await lists() });
          }
          const { seq, lists: then } = states[cut % states.length]!;
          const { seq: end, lists: now } = states.at(-1)!;
          await undone(`seq=gt.${seq}`);
          expect(await lists()).toEqual(then);
          await undone(`seq=gt.${end}`);
          expect(await lists()).toEqual(now);
        }),
        { numRuns: 20 },
      );
    });

    test('one change, with the times that the service set', async () => {
      await store('POST', '/items', { id: 100, price: 1 });
      const [before] = await shop.list('/items?id=eq.100');
      await store('PATCH', '/items?id=eq.100', { price: 2 });
      const seq = await last();
      const result = await undone(`seq=eq.${seq}`, 'return=representation');
      expect(result).toMatchObject({ undone: 1, skipped: [] });
      expect(result.changes as unknown).toEqual([
        {
          undoes: seq,
          collection: 'items',
          key: '100',
          kind: 'update',
          before: { price: 2, changed: expect.any(String) },
          after: { price: 1, changed: before!.changed },
        },
      ]);
      expect(await shop.list('/items?id=eq.100')).toEqual([before!]);
      expect(await shop.list(`/changes?seq=gt.${seq}&select=collection,key,kind,after->price`)).toEqual([
        { collection: 'items', key: '100', kind: 'update', price: 1 },
      ]);
    });

    test('a dry run answers the same and changes nothing', async () => {
      await store('POST', '/items', { id: 101, price: 1 });
      const seq = await last();
      const response = await undo(`seq=eq.${seq}`, 'tx=rollback, return=representation');
      expect(response.headers.get('preference-applied')).toBe('return=representation, tx=rollback');
      expect(await response.json()).toMatchObject({ undone: 1, changes: [{ kind: 'delete', after: null }] });
      expect(await shop.list('/items?id=eq.101&select=id')).toEqual([{ id: 101 }]);
      expect(await last()).toBe(seq);
    });

    test('rows that a later change touched are named with it, or skipped', async () => {
      await store('POST', '/items', [{ id: 110 }, { id: 111 }]);
      const start = (await last()) - 2;
      await store('PATCH', '/items?id=eq.110', { price: 5 });
      const later = await last();
      const filter = `seq=gt.${start}&kind=eq.insert`;
      const problem = await expectRefusal(await undo(filter), 409, '55000');
      expect(problem.details as unknown).toEqual([{ collection: 'items', key: '110', seq: later }]);
      expect(await undone(filter, 'conflicts=skip')).toEqual({
        undone: 1,
        skipped: [{ collection: 'items', key: '110', seq: later }],
      });
      expect(await shop.list('/items?id=in.(110,111)&select=id')).toEqual([{ id: 110 }]);
    });

    test('a change between two others of the same row is a conflict', async () => {
      await store('POST', '/pairs', { a: 'between', b: 1, c: 1 });
      const start = await last();
      for (const c of [2, 3, 4]) await store('PATCH', '/pairs?a=eq.between', { c });
      const filter = `seq=gte.${start}&seq=neq.${start + 2}`;
      const problem = await expectRefusal(await undo(filter), 409, '55000');
      expect(problem.details as unknown).toEqual([{ collection: 'pairs', key: '["between","1"]', seq: start + 2 }]);
    });

    test('a repeated undo finds its changes reverted', async () => {
      await store('POST', '/pairs', { a: 'twice', b: 1, c: 1 });
      const start = await last();
      for (const c of [2, 3]) await store('PATCH', '/pairs?a=eq.twice', { c });
      expect(await undone(`seq=eq.${start + 2}`)).toEqual({ undone: 1, skipped: [] });
      expect(await undone(`seq=eq.${start + 2}`)).toEqual({ undone: 0, undone_before: 1, skipped: [] } as never);
      const both = `seq=in.(${start + 1},${start + 2})`;
      expect(await undone(both)).toEqual({ undone: 1, undone_before: 1, skipped: [] } as never);
      expect(await shop.list('/pairs?a=eq.twice')).toMatchObject([{ c: 1 }]);
      expect(await undone(`seq=eq.${await last()}`)).toMatchObject({ undone: 1 });
      // Repeated by a later change, which is not part of this undo.
      await expectRefusal(await undo(both), 409, '55000');
    });

    test('the same undo twice at the same time: one reverts the changes, the other finds them reverted', async () => {
      await store('POST', '/pairs', { a: 'both', b: 1, c: 1 });
      for (let round = 0; round < 5; round++) {
        await store('PATCH', '/pairs?a=eq.both', { c: 2 });
        const filter = `seq=eq.${await last()}`;
        const answers = await Promise.all([undone(filter), undone(filter)]);
        expect(answers.sort((a, b) => b.undone - a.undone)).toEqual([
          { undone: 1, skipped: [] },
          { undone: 0, undone_before: 1, skipped: [] } as never,
        ]);
      }
    });

    test('an undo of a new row does not reach rows that refer to it', async () => {
      await store('POST', '/groups', { id: 120 });
      const seq = await last();
      await store('POST', '/items', { id: 120, group_id: 120 });
      await expectRefusal(await undo(`seq=eq.${seq}`), 409, '23503');
      expect(await shop.list('/items?id=eq.120&select=id')).toEqual([{ id: 120 }]);
      expect(await undone(`seq=gte.${seq}`)).toMatchObject({ undone: 2 });
      expect(await shop.list('/groups?id=eq.120')).toEqual([]);
    });

    test('concurrent writes and undos: no write is lost, and none reverted unseen', async () => {
      await store('POST', '/pairs', { a: 'race', b: 1, c: 0 });
      const add = { c: { increment: 1 } };
      for (let round = 0; round < 10; round++) {
        await store('PATCH', '/pairs?a=eq.race', add);
        const seq = await last();
        const [, response] = await Promise.all([store('PATCH', '/pairs?a=eq.race', add), undo(`seq=eq.${seq}`)]);
        expect([200, 409]).toContain(response.status);
        const gained = response.status === 200 ? 1 : 2;
        const [{ c }] = (await shop.list('/pairs?a=eq.race')) as [Row];
        expect(c).toBe(gained);
        await store('PATCH', '/pairs?a=eq.race', { c: 0 });
      }
    });

    test('more changes than one transaction reverts, of a composite key', async () => {
      const before = await shop.list('/pairs');
      const start = await last();
      await store(
        'POST',
        '/pairs',
        Array.from({ length: 1_100 }, (_, c) => ({ a: 'many', b: c, c })),
      );
      expect(await undone(`seq=gt.${start}`)).toEqual({ undone: 1_100, skipped: [] });
      expect(await shop.list('/pairs')).toEqual(before);
    });

    test('a filter is needed, and nothing else applies', async () => {
      await expectRefusal(await undo(''), 400, '21000');
      await expectRefusal(await undo('seq=eq.1&limit=1'), 400, '21000');
      await expectRefusal(await undo('sequence=eq.1'), 400, '42703');
      expect(await undone('seq=eq.999999999')).toEqual({ undone: 0, skipped: [] });
      expect(await undone('collection=eq.unknown')).toEqual({ undone: 0, skipped: [] });
      const response = await expectRefusal(await shop.fetch('/changes/undo'), 405, 'PGRST117');
      expect(response.hint).toBe('Allowed here: OPTIONS, POST.');
      expect((await shop.fetch('/catalogue/changes/undo?seq=eq.0', { method: 'POST' })).status).toBe(200);
    });
  });
}
