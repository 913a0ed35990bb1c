/** How long the log is kept, and what switches it off. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Runner } from '../../../src/engine/postgres/driver.ts';
import { LogPruner } from '../../../src/engine/postgres/history/prune.ts';
import { PLACES, type Place } from '../../support/engines/declared.ts';
import { testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const fields = [
  { name: 'id', type: 'int4' },
  { name: 'title', type: 'text' },
];
const groups = { name: 'groups', key: ['id'], fields };

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    const tableOf = (place: Place, name: string) => (engine === 'SQLite' ? name : `"${place.schema}".${name}`);
    const kinds = async (shop: { list: (path: string) => Promise<readonly { kind?: unknown }[]> }) =>
      (await shop.list('/changes?select=kind')).map(({ kind }) => kind);

    test('history: false drops the triggers, and true starts again', async () => {
      const place = newPlace();
      const first = await place.open({ collections: [groups] });
      await first.post('groups', { id: 1 });
      await first.close();
      const second = await place.open({ collections: [{ ...groups, history: false }] });
      await second.post('groups', { id: 2 });
      await second.close();
      const third = await place.open({ collections: [groups] });
      await third.post('groups', { id: 3 });
      expect((await third.list('/changes?select=key')).map(({ key }) => key)).toEqual(['1', '3']);
      const early = { headers: { prefer: 'as-of=2001-01-01' } };
      await expectRefusal(await third.fetch('/groups', early), 410, 'CAT410');
      await third.close();
    });

    test('a new field is logged, and earlier entries have its default', async () => {
      const place = newPlace();
      const first = await place.open({ collections: [groups] });
      await first.post('groups', { id: 1, title: 'a' });
      await first.close();
      const size = { name: 'size', type: 'int4', required: true, default: 7 };
      const second = await place.open({ collections: [{ ...groups, fields: [...fields, size] }] });
      await second.fetch('/groups?id=eq.1', sendJson('PATCH', { size: 8 }));
      expect((await second.list('/changes?select=before,after')) as unknown[]).toEqual([
        { before: null, after: { id: 1, size: 7, title: 'a' } },
        { before: { size: 7 }, after: { size: 8 } },
      ]);
      await second.close();
    });

    test('old entries are removed, and the log begins after them', async () => {
      const place = newPlace();
      const shop = await place.open({ collections: [groups] });
      await shop.post('groups', [{ id: 1 }, { id: 2 }]);
      const [table, retained] = [tableOf(place, 'catalogue_changes'), tableOf(place, 'catalogue_history')];
      await place.ask(`update ${table} set at = '2020-01-01T00:00:00+00:00' where seq = 1`);
      // On PostgreSQL, an instance looks for old entries once a minute.
      const prune = async () => {
        if (engine === 'SQLite') return;
        const sql = new SQL(testServer.url, { max: 1 });
        await sql.unsafe(`set search_path = "${place.schema}"`);
        await new LogPruner(30).step(sql as unknown as Runner);
        await sql.close();
      };
      await prune();
      await until('the old entry is removed', async () => (await kinds(shop)).length === 1);
      expect((await place.ask(`select seq from ${retained}`)).map(({ seq }) => Number(seq))).toEqual([1]);
      await shop.close();
    });
  });
}
