/** The log of changes with concurrent transactions: a reader never sees a smaller position appear later. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { PLACES } from '../../support/engines/declared.ts';
import { testServer } from '../../support/engines/postgres.ts';
import { seededRandom } from '../../support/generated/runs.ts';
import { sendJson } from '../../support/stories.ts';

const COLLECTIONS = [
  {
    name: 'groups',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'title', type: 'text' },
    ],
  },
];

test('a slow transaction with a smaller position holds back the later ones', async () => {
  const place = PLACES.PostgreSQL!();
  const shop = await place.open({ collections: COLLECTIONS });
  const table = `"${place.schema}".groups`;
  const seen = async () => (await shop.list('/changes?select=key')).map(({ key }) => key);
  const other = new SQL(testServer.url, { max: 1 });
  const slow = await other.reserve();
  try {
    await shop.post('groups', { id: 1, title: 'before' });
    await slow.unsafe('begin');
    await slow.unsafe(`insert into ${table} (id) values (2)`);
    await shop.post('groups', { id: 3, title: 'after' });
    const position = await shop.engine.log!.position();
    expect(await seen()).toEqual(['1']);
    await slow.unsafe('savepoint here');
    await slow.unsafe(`insert into ${table} (id) values (4)`);
    await slow.unsafe('rollback to here');
    await slow.unsafe(`update ${table} set title = 'slow' where id = 2`);
    expect(await shop.engine.log!.position()).toEqual(position);
    await slow.unsafe('commit');
    expect(await seen()).toEqual(['1', '2', '3', '2']);
    expect((await shop.engine.log!.position()).seq).toBeGreaterThan(position.seq);
  } finally {
    slow.release();
    await other.close();
    await shop.close();
  }
});

test('an undo waits for transactions that hold back changes it selects, and never reverts a part of them', async () => {
  const place = PLACES.PostgreSQL!();
  const shop = await place.open({ collections: COLLECTIONS });
  const table = `"${place.schema}".groups`;
  const undo = (filter: string) => shop.fetch(`/changes/undo?${filter}`, { method: 'POST' });
  const late = 'key=in.(3,4)';
  const other = new SQL(testServer.url, { max: 1 });
  const slow = await other.reserve();
  try {
    await shop.post('groups', { id: 1 });
    await slow.unsafe('begin');
    await slow.unsafe(`insert into ${table} (id) values (2)`);
    expect((await shop.fetch('/groups', sendJson('POST', [{ id: 3 }, { id: 4 }]))).status).toBe(201);
    expect(await (await undo('key=eq.1')).json()).toEqual({ undone: 1, skipped: [] });
    const rejected = await undo(late);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await rejected.json()).toMatchObject({ code: 'CAT503', details: 'Nothing was changed.' });
    let isAnswered = false;
    const waiting = undo(late).finally(() => {
      isAnswered = true;
    });
    expect(await shop.list('/groups?select=id')).toEqual([{ id: 3 }, { id: 4 }]);
    expect(isAnswered).toBe(false);
    await slow.unsafe('commit');
    expect(await (await waiting).json()).toEqual({ undone: 2, skipped: [] });
    expect(await shop.list('/groups?select=id')).toEqual([{ id: 2 }]);
  } finally {
    slow.release();
    await other.close();
    await shop.close();
  }
});

test('of many concurrent writers and a reader that remembers its position, nothing is missed', async () => {
  const place = PLACES.PostgreSQL!();
  const shop = await place.open({ collections: COLLECTIONS });
  const table = `"${place.schema}".groups`;
  const other = new SQL(testServer.url, { max: 6 });
  let isDone = false;
  const seen: string[] = [];
  const follow = async () => {
    let last = 0;
    for (let isLast = false; !isLast; ) {
      isLast = isDone;
      for (const { seq, key } of await shop.list(`/changes?select=seq,key&seq=gt.${last}`)) {
        expect(Number(seq)).toBeGreaterThan(last);
        last = Number(seq);
        seen.push(String(key));
      }
    }
  };
  const random = seededRandom();
  const writer = async (number: number) => {
    for (let count = 0; count < 20; count++) {
      const id = number * 100 + count;
      if (count % 4 === 0) await shop.fetch('/groups', sendJson('POST', { id }));
      else {
        await other.begin(async (transaction) => {
          await transaction.unsafe(`insert into ${table} (id) values (${id})`);
          await Bun.sleep(random() * 10);
        });
      }
    }
  };
  const following = follow();
  await Promise.all([1, 2, 3, 4, 5].map(writer));
  isDone = true;
  await following;
  expect(seen).toHaveLength(100);
  expect(new Set(seen).size).toBe(100);
  await other.close();
  await shop.close();
});
