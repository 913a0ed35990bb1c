/** How long the log and idempotency keys are kept, and what switches the log off. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Runner } from '../../../src/engine/postgres/driver.ts';
import { logPruner } from '../../../src/engine/postgres/history/log.ts';
import { keyPruner } from '../../../src/engine/postgres/write/idempotency-keys.ts';
import { openCatalogue } from '../../support/engines/catalogue.ts';
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
        await logPruner(30)!.step(sql as unknown as Runner);
        await sql.close();
      };
      await prune();
      await until('the old entry is removed', async () => (await kinds(shop)).length === 1);
      expect((await place.ask(`select seq from ${retained}`)).map(({ seq }) => Number(seq))).toEqual([1]);
      await shop.close();
    });

    test('entries of updates that changed nothing are removed after an hour, except for the last position', async () => {
      const place = newPlace();
      const shop = await place.open({ collections: [groups] });
      await shop.post('groups', { id: 1, title: 'a' });
      const table = tableOf(place, 'catalogue_changes');
      const change = async () => {
        await shop.fetch('/groups?id=eq.1', sendJson('PATCH', { title: 'a' }));
      };
      for (let round = 0; round < 3; round++) await change();
      await place.ask(`update ${table} set at = '${new Date(Date.now() - 2 * 3_600_000).toISOString()}'`);
      const seqs = async () => (await place.ask(`select seq from ${table} order by seq`)).map(({ seq }) => Number(seq));
      if (engine === 'PostgreSQL') {
        const sql = new SQL(testServer.url, { max: 1 });
        await sql.unsafe(`set search_path = "${place.schema}"`);
        await logPruner(30)!.step(sql as unknown as Runner);
        await sql.close();
      }
      await until('two entries', async () => (await seqs()).length === 2);
      expect(await seqs()).toEqual([1, 4]);
      await shop.close();
    });

    test('many old entries are removed in several steps, and newer ones stay', async () => {
      const place = newPlace();
      const shop = await place.open({ collections: [groups] });
      await shop.post(
        'groups',
        Array.from({ length: 1_203 }, (_, index) => ({ id: index })),
      );
      const table = tableOf(place, 'catalogue_changes');
      await place.ask(`update ${table} set at = '2020-01-01T00:00:00+00:00' where seq <= 1202`);
      if (engine === 'PostgreSQL') {
        const sql = new SQL(testServer.url, { max: 1 });
        await sql.unsafe(`set search_path = "${place.schema}"`);
        const pruner = logPruner(30)!;
        const removed: number[] = [];
        for (let step = 0; step < 4; step++) removed.push(await pruner.step(sql as unknown as Runner));
        expect(removed).toEqual([1_000, 202, 0, 0]);
        await sql.close();
      }
      await until('the old entries are removed', async () => (await kinds(shop)).length === 1);
      expect(await shop.list('/changes?select=key')).toEqual([{ key: '1202' }]);
      await shop.close();
    });
  });
}

test('PostgreSQL removes old idempotency keys, and keeps the others', async () => {
  const place = PLACES.PostgreSQL!();
  const shop = await place.open({ collections: [groups] });
  for (const key of ['old', 'new']) {
    const { headers, ...post } = sendJson('POST', {});
    await shop.fetch('/groups', { ...post, headers: { ...headers, 'idempotency-key': key } });
  }
  const table = `"${place.schema}".idempotency_keys`;
  await place.ask(`update ${table} set created_at = created_at - interval '2 hours' where key like '%old%'`);
  const sql = new SQL(testServer.url, { max: 1 });
  await sql.unsafe(`set search_path = "${place.schema}"`);
  expect(await keyPruner(1).step(sql as unknown as Runner)).toBe(1);
  await sql.close();
  expect(await place.ask(`select 1 from ${table}`)).toHaveLength(1);
  await shop.close();
});

test('PostgreSQL logs TRUNCATE as a delete of each row', async () => {
  const place = PLACES.PostgreSQL!();
  const shop = await place.open({ collections: [groups] });
  await shop.post('groups', [
    { id: 1, title: 'a' },
    { id: 2, title: null },
  ]);
  await place.ask('truncate groups');
  expect((await shop.list('/changes?select=key,before&kind=eq.delete&order=key')) as unknown).toEqual([
    { key: '1', before: { id: 1, title: 'a' } },
    { key: '2', before: { id: 2, title: null } },
  ]);
  await shop.close();
});

test('an adopted table is logged only with history: true', async () => {
  const place = PLACES.PostgreSQL!();
  await testServer.admin.unsafe(`create schema "${place.schema}"`);
  await place.ask('create table groups (id integer primary key, title text)');
  const triggers = `select count(*)::int4 as count from pg_trigger where not tgisinternal and tgrelid = 'groups'::regclass`;
  const plain = await place.open({ collections: [groups] });
  await plain.post('groups', { id: 1 });
  expect(await place.ask(triggers)).toEqual([{ count: 0 }]);
  await plain.close();
  const logged = await place.open({ collections: [{ ...groups, history: true }] });
  await logged.post('groups', { id: 2, title: 'b' });
  expect((await logged.list('/changes?select=key,after')) as unknown).toEqual([
    { key: '2', after: { id: 2, title: 'b' } },
  ]);
  await logged.close();
  const again = await place.open({ collections: [groups] });
  expect(await place.ask(triggers)).toEqual([{ count: 0 }]);
  await again.close();
});

test('a catalogue in memory has a log', async () => {
  const catalogue = await openCatalogue('SQLite in memory');
  await catalogue.fetch('/products/1', sendJson('PATCH', { unit_price: 19 }));
  expect((await catalogue.list('/changes?select=key,before,after')) as unknown).toEqual([
    { key: '1', before: { unit_price: 18 }, after: { unit_price: 19 } },
  ]);
  const past = await catalogue.fetch('/products/1', { headers: { prefer: 'as-of=2001-01-01' } });
  await expectRefusal(past, 410, 'CAT410');
  await catalogue.close();
});

for (const [engine, newPlace] of Object.entries(PLACES)) {
  test.each([
    ['one result', (result: object) => result],
    ['a list', (result: object) => [result]],
  ])(`an answer that an earlier version stored as %s is replayed on ${engine}`, async (_, stored) => {
    const place = newPlace();
    const shop = await place.open({ collections: [groups] });
    const post = () => shop.fetch('/groups', sendJson('POST', { id: 1 }, { 'idempotency-key': 'k' }));
    expect((await post()).status).toBe(201);
    const text = JSON.stringify(stored({ affected: 1, inserted: 1, key: ['1'] }));
    await place.ask(`update idempotency_keys set result = '${text}'`);
    const again = await post();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await shop.list('/groups?select=id')).toEqual([{ id: 1 }]);
    await shop.close();
  });
}
