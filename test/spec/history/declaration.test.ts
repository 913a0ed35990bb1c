/** A declaration changes while a log exists: the log stays right, or starts again. */
import { describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
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
      ['a renamed field', { ...things, fields: [id, { name: 'words', type: 'text', was: 'note' }] }, 'things'],
      ['a renamed collection', { ...things, name: 'objects', was: 'things' }, 'objects'],
    ])('%s starts the log again', async (_, collection, name) => {
      const { place, time } = await begin();
      const shop = await place.open({ collections: [collection] });
      expect(await changes(shop)).toEqual([]);
      await expectRefusal(await asOf(shop, `/${name}`, time), 410, 'CAT410');
      const later = await moment();
      await shop.fetch(`/${name}/1`, { method: 'DELETE' });
      expect(await shop.list('/changes?select=collection,key,kind')).toEqual([
        { collection: name, key: '1', kind: 'delete' },
      ]);
      const past = (await (await asOf(shop, `/${name}`, later)).json()) as Row[];
      expect(past.map((row) => row.id)).toEqual([1]);
      await shop.close();
    });
  });
}
