/** Undo of more changes than one transaction reverts: in steps, with progress, and continued by the same request. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'groups',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'parent_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
    ],
  },
  {
    name: 'items',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'price', type: 'int4' },
      { name: 'changed', type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true },
      { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'cascade' } },
    ],
  },
];
const MANY = 1_100;

interface Line {
  readonly undone: number;
  readonly total: number;
  readonly undone_before?: number;
  readonly skipped: readonly Row[];
  readonly changes?: readonly Row[];
}

for (const [engine, newPlace] of Object.entries(PLACES)) {
  describe(engine, () => {
    let place: Place;
    let shop: Opened;
    // Each step of an undo reads the log, so that a log of all stories would take most of the time.
    beforeEach(async () => {
      place = newPlace();
      shop = await place.open({ collections: COLLECTIONS });
      await shop.post('groups', [
        { id: 1, parent_id: null },
        { id: 2, parent_id: 1 },
      ]);
      await shop.post(
        'items',
        Array.from({ length: MANY }, (_, at) => ({ id: at + 1, price: 1, group_id: 1 + (at % 2) })),
      );
    });
    afterEach(() => shop.close());

    const last = async () => Number((await shop.list('/changes?select=seq&order=seq.desc&limit=1'))[0]?.seq ?? 0);
    const undo = (filter: string, headers: Record<string, string> = {}) =>
      shop.fetch(`/changes/undo?${filter}`, { method: 'POST', headers });
    const undone = async (filter: string, prefer = '') => {
      const response = await undo(filter, { prefer });
      expect({ status: response.status, text: await response.clone().text() }).toMatchObject({ status: 200 });
      return (await response.json()) as unknown;
    };
    const raise = async () => {
      const start = await last();
      await shop.fetch('/items?id=gt.0', sendJson('PATCH', { price: { increment: 1 } }));
      return start;
    };
    const count = async (filter: string) => Number((await shop.list(`/items?select=count()&${filter}`))[0]!.count);
    const NDJSON = { accept: 'application/x-ndjson' };
    const linesOf = async (response: Response) =>
      (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);

    test('one request reverts all, and the same request again finds them reverted', async () => {
      const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
      expect(await undone(filter, 'tx=rollback')).toEqual({ undone: MANY, skipped: [] });
      expect(await count('price=eq.2')).toBe(MANY);
      expect(await undone(filter)).toEqual({ undone: MANY, skipped: [] });
      expect(await count('price=eq.1')).toBe(MANY);
      expect(await undone(filter)).toEqual({ undone: 0, undone_before: MANY, skipped: [] });
    });

    test('a line for each step, with what it changes', async () => {
      const filter = `seq=gt.${await raise()}`;
      const response = await undo(filter, { ...NDJSON, prefer: 'return=representation' });
      expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const lines = await linesOf(response);
      expect(lines[0]).toEqual({ undone: 0, total: MANY, skipped: [], changes: [] });
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.at(-1)).toMatchObject({ undone: MANY, total: MANY, skipped: [] });
      const changes = lines.flatMap((line) => line.changes!);
      expect(new Set(changes.map(({ key }) => key)).size).toBe(MANY);
      expect(changes[0]).toMatchObject({ kind: 'update', before: { price: 2 }, after: { price: 1 } });
      expect(await count('price=eq.1')).toBe(MANY);
    });

    test('a client that leaves ends the undo after a step, and the same request continues', async () => {
      const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
      const reader = (await undo(filter, NDJSON)).body!.getReader();
      await reader.read();
      await reader.cancel();
      const before = await count('price=eq.1');
      expect(before).toBeGreaterThan(0);
      const rest = (await undone(filter)) as Line;
      expect(rest.undone + rest.undone_before!).toBe(MANY);
      expect(rest.undone_before).toBeGreaterThanOrEqual(before);
      expect(await count('price=eq.1')).toBe(MANY);
    });

    test('a client that does not read does not stop the undo', async () => {
      const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
      const response = await undo(filter, NDJSON);
      await until('all to be reverted', async () => (await count('price=eq.1')) === MANY);
      expect((await linesOf(response)).at(-1)).toMatchObject({ undone: MANY, total: MANY });
    });

    test('a second undo of many changes is rejected until the first has ended', async () => {
      const both = async (): Promise<readonly [string, Response, Response]> => {
        const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
        const [one, other] = await Promise.all([undo(filter), undo(filter)]);
        // On a busy machine the second may begin after the end of the first.
        if (one!.status === 200 && other!.status === 200) return both();
        return one!.status === 200 ? [filter, one!, other!] : [filter, other!, one!];
      };
      const [filter, ended, rejected] = await both();
      expect(await ended.json()).toEqual({ undone: MANY, skipped: [] });
      expect(rejected.headers.get('retry-after')).toBe('5');
      await expectRefusal(rejected, 503, 'CAT503');
      expect(await undone(filter)).toEqual({ undone: 0, undone_before: MANY, skipped: [] });
    });

    test('one row that someone changed since rejects all of them, or is skipped', async () => {
      const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
      await shop.fetch('/items?id=eq.77', sendJson('PATCH', { price: 70 }));
      const skipped = [{ collection: 'items', key: '77', seq: await last() }];
      const problem = await expectRefusal(await undo(filter), 409, '55000');
      expect(problem.details as unknown).toEqual(skipped);
      expect(await count('price=eq.2')).toBe(MANY - 1);
      const lines = await linesOf(await undo(filter, { ...NDJSON, prefer: 'conflicts=skip' }));
      expect(lines[0]).toEqual({ undone: 0, total: MANY - 1, skipped: skipped as unknown as Row[] });
      expect(lines.at(-1)).toEqual({ undone: MANY - 1, total: MANY - 1, skipped: [] });
      await shop.fetch('/items?id=eq.77', sendJson('PATCH', { price: 1 }));
      expect(await count('price=eq.1')).toBe(MANY);
    });

    test('other writes during an undo are kept', async () => {
      const filter = `seq=gt.${await raise()}&seq=lte.${await last()}`;
      let isOver = false;
      const answer = undo(filter, { prefer: 'conflicts=skip' }).finally(() => {
        isOver = true;
      });
      const keys: string[] = [];
      for (let id = 1; !isOver; id = (id * 7) % MANY) {
        await shop.fetch(`/items?id=eq.${id}`, sendJson('PATCH', { price: 500 }));
        keys.push(String(id));
      }
      const response = await answer;
      expect(response.status).toBe(200);
      const { undone: reverted, skipped } = (await response.json()) as Line;
      for (const { key } of skipped) expect(keys).toContain(String(key));
      expect(reverted + skipped.length).toBe(MANY);
      expect(await count('price=eq.2')).toBe(0);
      expect(await count('price=eq.500')).toBe(new Set(keys).size);
      await shop.fetch('/items?price=neq.1', sendJson('PATCH', { price: 1 }));
    });

    test('a deleted row comes back before the thousands that refer to it', async () => {
      const before = await Promise.all([shop.list('/groups'), shop.list('/items')]);
      const start = await last();
      await shop.fetch('/groups?id=eq.1', { method: 'DELETE' });
      expect(await shop.list('/items')).toEqual([]);
      expect(await undone(`seq=gt.${start}`)).toEqual({ undone: MANY + 2, skipped: [] });
      expect(await Promise.all([shop.list('/groups'), shop.list('/items')])).toEqual(before);
    });

    test('several changes of each row are reverted in their order', async () => {
      const start = await last();
      for (const price of [10, 20]) await shop.fetch('/items?id=lte.400', sendJson('PATCH', { price }));
      await shop.fetch('/items?id=lte.400', { method: 'DELETE' });
      expect(await undone(`seq=gt.${start}`)).toEqual({ undone: 1_200, skipped: [] });
      expect(await count('price=eq.1')).toBe(MANY);
    });

    test('too many changes of one row: the hint has the whole filter', async () => {
      const start = await last();
      const log = engine === 'SQLite' ? 'catalogue_changes' : `"${place.schema}".catalogue_changes`;
      const values =
        "'2026-11-17 00:00:00+00', 'items', '9', 'update', '{\"id\":9,\"price\":1}', '{\"id\":9,\"price\":2}'";
      await place.ask(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 5001)
        insert into ${log} (at, collection, key, kind, old, new) select ${values} from n`);
      await until('the changes of another connection', async () => (await last()) > start);
      const filter = `collection=eq.items&key=eq.9&seq=gt.${start}`;
      const problem = await expectRefusal(await undo(filter), 400, '54000');
      expect(problem.message).toBe('an undo may revert 5000 changes of one row');
      const first = start + 2;
      expect(problem.hint).toBe(`Revert the newest changes first: POST /changes/undo?${filter}&seq=gte.${first}`);
    });
  });
}
