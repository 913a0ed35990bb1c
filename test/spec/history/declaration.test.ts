/** A declaration changes while a log exists: the log stays right, or starts again. */
import { describe, expect, test } from 'bun:test';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const id = { name: 'id', type: 'int4' };
const note = { name: 'note', type: 'text' };
const size = { name: 'size', type: 'int4' };
const things = { name: 'things', key: ['id'], fields: [id, note] };

async function moment(): Promise<string> {
  await Bun.sleep(5);
  const now = new Date().toISOString();
  await Bun.sleep(5);
  return now;
}
const asOf = (shop: Opened, path: string, time: string) => shop.fetch(path, { headers: { prefer: `as-of=${time}` } });
const changes = (shop: Opened, select = 'key,kind,before,after') => shop.list(`/changes?select=${select}`);

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    /** A thing with a note, which changes after the returned time. */
    async function begin() {
      const place = newPlace();
      const shop = await place.open({ collections: [things] });
      await shop.post('things', { id: 1, note: 'a' });
      const time = await moment();
      await shop.fetch('/things/1', sendJson('PATCH', { note: 'b' }));
      await shop.close();
      return { place, time };
    }

    test('a dropped field is left out of the log and of earlier rows', async () => {
      const { place, time } = await begin();
      const shop = await place.open({ collections: [{ ...things, fields: [id] }], allowed: ['drop:things.note'] });
      expect(await (await asOf(shop, '/things', time)).json()).toEqual([{ id: 1 }]);
      await shop.post('things', { id: 2 });
      const [first, ...others] = (await changes(shop)) as unknown as { after: object }[];
      expect(first!.after).toEqual({ id: 1 });
      expect(others.at(-1)!.after).toEqual({ id: 2 });
      await shop.close();
    });

    test('a field that returns with another type starts the log again', async () => {
      const { place, time } = await begin();
      const second = await place.open({ collections: [{ ...things, fields: [id] }], allowed: ['drop:things.note'] });
      await second.close();
      const shop = await place.open({ collections: [{ ...things, fields: [id, { name: 'note', type: 'int4' }] }] });
      expect(await changes(shop)).toEqual([]);
      await expectRefusal(await asOf(shop, '/things', time), 410, 'CAT410');
      await shop.post('things', { id: 2, note: 5 });
      expect((await changes(shop, 'after')) as unknown).toEqual([{ after: { id: 2, note: 5 } }]);
      await shop.close();
    });

    test('an added field is null in earlier rows', async () => {
      const { place, time } = await begin();
      const shop = await place.open({ collections: [{ ...things, fields: [id, note, size] }] });
      expect(await (await asOf(shop, '/things', time)).json()).toEqual([{ id: 1, note: 'a', size: null }]);
      await shop.close();
    });

    test.each([
      ['a renamed field', { ...things, fields: [id, { name: 'words', type: 'text', was: 'note' }] }, 'things', 'words'],
      ['a renamed key', { ...things, key: ['no'], fields: [{ ...id, name: 'no', was: 'id' }, note] }, 'things', 'note'],
      ['a renamed collection', { ...things, name: 'objects', was: 'things' }, 'objects', 'note'],
      [
        'a renamed collection with a renamed field',
        { ...things, name: 'objects', was: 'things', fields: [id, { name: 'words', type: 'text', was: 'note' }] },
        'objects',
        'words',
      ],
    ])('%s keeps its history, also for undo and earlier times', async (_, collection, name, field) => {
      const { place, time } = await begin();
      const shop = await place.open({ collections: [collection] });
      const [key] = collection.key;
      const entries = (await changes(shop, 'seq,collection,key,kind,before,after')) as { seq?: number }[];
      expect(entries.map(({ seq: _seq, ...rest }) => rest) as unknown[]).toEqual([
        { collection: name, key: '1', kind: 'insert', before: null, after: { [key!]: 1, [field]: 'a' } },
        { collection: name, key: '1', kind: 'update', before: { [field]: 'a' }, after: { [field]: 'b' } },
      ]);
      expect(await (await asOf(shop, `/${name}`, time)).json()).toEqual([{ [key!]: 1, [field]: 'a' }]);
      const undone = await shop.fetch(`/changes/undo?seq=eq.${entries[1]!.seq}`, { method: 'POST' });
      expect([undone.status, await shop.list(`/${name}`)]).toEqual([200, [{ [key!]: 1, [field]: 'a' }]]);
      const later = await moment();
      await shop.fetch(`/${name}/1`, { method: 'DELETE' });
      expect(await shop.list('/changes?select=collection,key,kind,before&order=seq.desc&limit=1')).toEqual([
        { collection: name, key: '1', kind: 'delete', before: { [key!]: 1, [field]: 'a' } as never },
      ]);
      expect(await (await asOf(shop, `/${name}`, later)).json()).toEqual([{ [key!]: 1, [field]: 'a' }]);
      await shop.close();
    });

    test('a field renamed to the name of a dropped one has its own earlier values', async () => {
      const place = newPlace();
      const rank = { name: 'rank', type: 'int4' };
      const first = await place.open({ collections: [{ ...things, fields: [id, note] }] });
      await first.post('things', { id: 1, note: 'a' });
      await first.close();
      const second = await place.open({
        collections: [{ ...things, fields: [id, rank] }],
        allowed: ['drop:things.note'],
      });
      await second.fetch('/things/1', sendJson('PATCH', { rank: 7 }));
      await second.close();
      const shop = await place.open({
        collections: [{ ...things, fields: [id, { ...rank, name: 'note', was: 'rank' }] }],
      });
      expect((await changes(shop, 'before,after')) as unknown).toEqual([
        { before: null, after: { id: 1, note: null } },
        { before: { note: null }, after: { note: 7 } },
      ]);
      await shop.close();
    });

    test('another key starts the log again', async () => {
      const { place, time } = await begin();
      const keyed = { ...things, key: ['note'], fields: [id, { ...note, required: true }] };
      const shop = await place.open({ collections: [keyed] });
      expect(await changes(shop)).toEqual([]);
      await expectRefusal(await asOf(shop, '/things', time), 410, 'CAT410');
      await shop.close();
    });
  });
}
