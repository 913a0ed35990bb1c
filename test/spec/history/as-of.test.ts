/** Reads as of an earlier time equal the lists that were read then. */
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
    ],
  },
  {
    name: 'items',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'price', type: 'decimal(8,2)' },
      { name: 'size', type: 'float8' },
      { name: 'is_new', type: 'boolean' },
      { name: 'day', type: 'date' },
      { name: 'tags', type: 'text[]' },
      { name: 'more', type: 'json' },
      { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
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
  { name: 'quiet', key: ['id'], history: false, fields: [{ name: 'id', type: 'int4' }] },
];

const LISTS = [
  '/groups',
  '/groups?select=title,items(id,price,tags)&order=id',
  '/items',
  '/items?price=gt.5&order=size.desc,id&limit=3',
  '/items?select=day,count(),price.sum()&order=day',
  '/items?select=id,groups!inner(title)&groups.title=like.*a*',
  '/items?id=eq.2',
  '/pairs',
];

const small = fc.integer({ min: 1, max: 6 });
const item = fc.record({
  id: small,
  price: fc.constantFrom(null, 0, 1.5, 9.99, 1000),
  size: fc.constantFrom(null, 0.1, -3e20, 0.30000000000000004),
  is_new: fc.constantFrom(null, true, false),
  day: fc.constantFrom(null, '2024-02-29', '2026-01-01'),
  tags: fc.constantFrom(null, [], ['a', 'ä "b"', null]),
  more: fc.constantFrom(null, { a: [1, { b: null }] }, [1, 2], 'text'),
  group_id: fc.constantFrom(null, 1, 2, 3),
});
const groups = fc.uniqueArray(fc.record({ id: fc.constantFrom(1, 2, 3), title: fc.constantFrom('a', 'bab', null) }), {
  selector: ({ id }) => id,
  minLength: 1,
});
const pair = fc.record({
  a: fc.constantFrom('x', '', 'ü'),
  b: fc.constantFrom(1, 1.5, 20),
  c: fc.bigInt(0n, 2n ** 62n).map(Number),
});
const MERGE = { prefer: 'resolution=merge-duplicates' };

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}
const write: fc.Arbitrary<Sent> = fc.oneof(
  item.map((row) => ({ path: '/items', init: sendJson('POST', row, MERGE) })),
  groups.map((rows) => ({ path: '/groups', init: sendJson('POST', rows, MERGE) })),
  pair.map((row) => ({ path: '/pairs', init: sendJson('POST', row, MERGE) })),
  fc.tuple(small, item).map(([id, row]) => ({ path: `/items?id=eq.${id}`, init: sendJson('PATCH', row) })),
  small.map((id) => ({ path: `/items?id=gte.${id}`, init: sendJson('PATCH', { price: id }) })),
  small.map((id) => ({ path: `/items?id=eq.${id}`, init: { method: 'DELETE' } })),
  small.map((id) => ({ path: `/groups?id=eq.${id}`, init: { method: 'DELETE' } })),
  fc.constant({ path: '/pairs?b=eq.1.5', init: { method: 'DELETE' } }),
);

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    let shop: Opened;
    beforeAll(async () => {
      shop = await newPlace().open({ collections: COLLECTIONS, rows: { groups: [{ id: 1, title: 'first' }] } });
    });
    afterAll(() => shop.close());

    const lists = (headers: Record<string, string> = {}) =>
      Promise.all(LISTS.map(async (path) => (await shop.fetch(path, { headers })).text()));
    const moment = async () => {
      await Bun.sleep(3);
      const now = new Date().toISOString();
      await Bun.sleep(3);
      return now;
    };

    test('every list equals the one that was read at that time', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(write, { minLength: 5, maxLength: 15 }), async (writes) => {
          const recorded: { time: string; lists: string[] }[] = [];
          for (const { path, init } of writes) {
            await shop.fetch(path, init);
            recorded.push({ lists: await lists(), time: await moment() });
          }
          for (const { time, lists: then } of recorded) {
            expect(await lists({ prefer: `as-of=${time}` })).toEqual(then);
          }
        }),
        { numRuns: 4 },
      );
    });

    test('an item, its version and the applied preference', async () => {
      await shop.fetch('/groups', sendJson('POST', { id: 9, title: 'old' }));
      const before = await shop.fetch('/groups/9');
      const time = await moment();
      await shop.fetch('/groups?id=eq.9', sendJson('PATCH', { title: 'new' }));
      const then = await shop.fetch('/groups/9', { headers: { prefer: `as-of="${time}"` } });
      expect(await then.json()).toEqual({ id: 9, title: 'old' });
      expect(then.headers.get('etag')).toBe(before.headers.get('etag'));
      expect(then.headers.get('preference-applied')).toBe(`as-of=${time}`);
      await shop.fetch('/groups/9', { method: 'DELETE' });
      expect((await shop.fetch('/groups/9')).status).toBe(404);
      const list = await shop.fetch('/groups?id=eq.9', { headers: { prefer: `count=exact, as-of=${time}` } });
      expect(list.headers.get('content-range')).toBe('0-0/1');
      expect((await list.json()) as Row[]).toEqual([{ id: 9, title: 'old' }]);
    });

    test('a time before the log gets 410 with the oldest time, a text that is not a time 400', async () => {
      const at = (time: string, path = '/groups') => shop.fetch(path, { headers: { prefer: `as-of=${time}` } });
      const problem = await expectRefusal(await at('2020-01-01T00:00:00Z'), 410, 'CAT410');
      expect(problem.details).toMatch(/^It begins at 20\d\d-.*\+00:00\.$/);
      expect((await expectRefusal(await at('soon'), 400, '22007')).hint).toContain('2026-11-17T09:30:00Z');
      await expectRefusal(await at(new Date().toISOString(), '/quiet'), 501, 'CAT501');
      expect((await at('2999-01-01')).status).toBe(200);
    });

    test('any time in a log with gaps, equal times and times out of order', async () => {
      const place = newPlace();
      const store = await place.open({ collections: COLLECTIONS });
      await store.post('groups', [{ id: 1, title: '0' }]);
      for (let title = 1; title <= 40; title++) {
        await store.fetch('/groups?id=eq.1', sendJson('PATCH', { title: String(title) }));
        // The entry of an update that changes nothing leaves a gap when it is removed.
        if (title % 7 === 0) await store.fetch('/groups?id=eq.1', sendJson('PATCH', { title: String(title) }));
      }
      const schema = engine === 'SQLite' ? '' : `"${place.schema}".`;
      const log = `${schema}catalogue_changes`;
      await place.ask(`delete from ${log} where collection = ''`);
      const [{ seq: first }] = (await place.ask(`select min(seq) as seq from ${log}`)) as [Row];
      // Changes come in pairs: the second has the earlier time, or both have the same.
      const at = (n: number) => new Date(Date.UTC(2999, 0, 1) + n).toISOString().replace(/\.?0*Z$/, '+00:00');
      const changes = await store.list('/changes?select=seq,after->title&order=seq');
      const stored = changes.map(({ seq, title }, n) => ({ seq, title, at: at(n - (n % 2) + (n % 4 === 0 ? 1 : 0)) }));
      for (const each of stored) await place.ask(`update ${log} set at = '${each.at}' where seq = ${each.seq}`);
      expect(stored[0]!.seq).toBe(Number(first));
      for (let n = 0; n <= stored.length; n++) {
        const last = stored.findLast((each) => each.at <= at(n));
        const response = await store.fetch('/groups/1', { headers: { prefer: `as-of=${at(n)}` } });
        const shown = ((await response.json()) as Row).title;
        expect({ n, shown }).toEqual({ n, shown: last === undefined ? null : last.title });
      }
      await store.close();
    });
  });
}
