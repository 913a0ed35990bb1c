/** Large embeddings: they are sent up to the row size limit, and are processed without delaying other requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_ROW_BYTES } from '../../../src/base/limits/engine.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Catalogue } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, ids } from '../../support/stories.ts';

const LONG = 'x'.repeat(1024 * 1024);
/** Group 1 has a few long items, group 2 exceeds the row size limit, and group 3 has many short items. */
const HELD: readonly (readonly [group: number, items: number, body: string])[] = [
  [1, 6, LONG],
  [2, 40, LONG],
  [3, 60, 'y'.repeat(10_000)],
];
const CATALOGUE = declareCatalogue({
  collections: [
    {
      name: 'groups',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'note', type: 'text' },
      ],
    },
    {
      name: 'items',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'restrict' } },
        { name: 'body', type: 'text' },
      ],
    },
  ],
});
const ROWS = {
  groups: HELD.map(([id]) => ({ id, note: id === 3 ? LONG : null })),
  items: HELD.flatMap(([group, count, body]) =>
    Array.from({ length: count }, (_, index) => ({ id: group * 100 + index, group_id: group, body })),
  ),
};

describe.each(['SQLite', 'SQLite in memory', 'PostgreSQL'])('large embeddings on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openDeclared(engine, CATALOGUE, ROWS);
  });
  afterAll(() => catalogue.close());

  test('a few long rows embedded in one row are sent completely', async () => {
    for (const path of ['/groups?id=eq.1&', '/groups?note=is.null&limit=1&']) {
      const [group] = (await catalogue.list(`${path}select=id,items(id,body)`)) as unknown as [
        { items: { body: string }[] },
      ];
      expect(group.items.map(({ body }) => body === LONG)).toEqual(Array(6).fill(true));
    }
    const csv = await catalogue.fetch('/groups?id=eq.1&select=id,items(body)', { headers: { accept: 'text/csv' } });
    expect((await csv.text()).length).toBeGreaterThan(6 * LONG.length);
  });

  test('one long row embedded in each of many rows is sent with each of them', async () => {
    const items = await catalogue.list('/items?group_id=eq.3&limit=12&select=id,groups(note)');
    expect(items).toHaveLength(12);
    expect(items.every((item) => (item as unknown as { groups: { note: string } }).groups.note === LONG)).toBe(true);
    const spread = await catalogue.list('/items?group_id=eq.3&limit=12&select=id,...groups(note)');
    expect(spread.every(({ note }) => note === LONG)).toBe(true);
  });

  test('embedded rows over the row size limit: 400, and a limit inside the embedding avoids the error', async () => {
    for (const select of ['id,items(body)', 'id,...items(body)', 'id,items(id,groups(items(body)))']) {
      const refused = await catalogue.fetch(`/groups?id=eq.2&select=${select}`);
      const { message, hint } = await expectRefusal(refused, 400, '54000');
      expect(message).toContain(String(MAX_ROW_BYTES));
      expect(hint).toContain('limit');
    }
    const few = await catalogue.list('/groups?id=eq.2&select=id,items(id)&items.limit=3');
    expect(few).toEqual([{ id: 2, items: [{ id: 200 }, { id: 201 }, { id: 202 }] }] as never);
  });

  test('nested embeddings multiply the size, and are rejected in the same way', async () => {
    const refused = await catalogue.fetch('/groups?id=eq.3&select=id,items(groups(items(body)))');
    await expectRefusal(refused, 400, '54000');
    const first = await catalogue.list('/groups?id=eq.3&select=id,items(groups(items(id)))&items.limit=1');
    expect(JSON.stringify(first)).toContain('"id":359');
  });

  test('rows filtered by their embeddings are found and counted', async () => {
    const response = await catalogue.fetch('/groups?select=id,items!inner(id)&items.body=like.y*&items.limit=1', {
      headers: { prefer: 'count=exact' },
    });
    expect(response.headers.get('content-range')).toBe('0-0/1');
    expect(ids((await response.json()) as never)).toEqual([3]);
  });
});
