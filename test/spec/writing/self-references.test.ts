/** Rows of one request that refer to each other: the service checks every reference. Other writes are unaffected. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { type Catalogue, WITH_MEMORY } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const ID = { name: 'id', type: 'int4' } as const;
const reference = (name: string, collection: string, more = {}) => ({
  name,
  type: 'int4',
  references: { collection, onDelete: 'restrict' as const },
  ...more,
});
const CATALOGUE = declareCatalogue({
  collections: [
    { name: 'groups', key: ['id'], fields: [ID] },
    {
      name: 'items',
      key: ['id'],
      fields: [
        ID,
        { name: 'parent', type: 'int4', references: { collection: 'items', onDelete: 'restrict', circles: true } },
        reference('group', 'groups', { default: 99 }),
        { name: 'code', type: 'text', unique: true },
      ],
    },
  ],
});
const ROWS = { groups: [{ id: 1 }], items: [{ id: 1, parent: null, group: 1, code: 'one' }] };
const MERGE = { prefer: 'resolution=merge-duplicates' };
const IGNORE = { prefer: 'resolution=ignore-duplicates' };

describe.each(WITH_MEMORY)('rows that refer to each other on %s', (engine) => {
  let catalogue: Catalogue;
  beforeEach(async () => {
    catalogue = await openDeclared(engine, CATALOGUE, ROWS);
  });
  afterEach(() => catalogue.close());
  const post = (body: unknown, headers?: Record<string, string>) =>
    catalogue.fetch('/items', sendJson('POST', body, headers));
  const stored = () => catalogue.list('/items?select=id,parent,group');

  const BROKEN = [
    { id: 10, parent: 11, group: 1 },
    { id: 11, parent: null, group: 7 },
  ];
  const MISSING_GROUP = 'row 2: Key (group)=(7) is not present in table "groups".';

  test('are stored in any order, also with a cycle', async () => {
    const circle = [
      { id: 10, parent: 11, group: 1 },
      { id: 11, parent: 10, group: null },
    ];
    expect((await post(circle)).status).toBe(201);
    expect(await stored()).toEqual([{ id: 1, parent: null, group: 1 }, ...circle]);
  });

  test.each([
    ['a POST', {}],
    ['an upsert', MERGE],
    ['a dry run', { prefer: 'tx=rollback' }],
    ['a dry run of an upsert', { prefer: 'tx=rollback, resolution=merge-duplicates' }],
  ])('in %s with another broken reference: 409 names it, and nothing is stored', async (_, headers) => {
    const { message, details } = await expectRefusal(await post(BROKEN, headers), 409, '23503');
    expect(message).toBe('insert or update on table "items" violates foreign key constraint "items_group_fkey"');
    expect(details).toBe(MISSING_GROUP);
    expect(await stored()).toEqual(ROWS.items.map(({ id, parent, group }) => ({ id, parent, group })));
  });

  test('in an upsert keep the references that it does not overwrite', async () => {
    const rows = [
      { id: 2, parent: 1, code: 'two', group: 1 },
      { id: 1, parent: 2, code: 'one', group: 1 },
    ];
    expect((await post(rows, MERGE)).status).toBe(201);
    const parents = [
      { id: 1, parent: 2 },
      { id: 2, parent: 1 },
    ];
    // The default of group is 99, which does not exist: only a new row would take it.
    expect((await post(parents, MERGE)).status).toBe(200);
    expect(await stored()).toEqual([
      { id: 1, parent: 2, group: 1 },
      { id: 2, parent: 1, group: 1 },
    ]);
    const { details } = await expectRefusal(await post([...parents, { id: 3, parent: 1 }], MERGE), 409, '23503');
    // On PostgreSQL any of the three rows may be meant, since each has the default.
    expect(details).toEndWith('Key (group)=(99) is not present in table "groups".');
  });

  test('are not checked if they are ignored as duplicates', async () => {
    const rows = [
      { id: 1, parent: 77, group: 78 },
      { id: 2, parent: 1, group: 1 },
    ];
    expect((await post(rows, IGNORE)).status).toBe(201);
    expect(await stored()).toEqual([
      { id: 1, parent: null, group: 1 },
      { id: 2, parent: 1, group: 1 },
    ]);
    const { details } = await expectRefusal(
      await post([...rows, { id: 3, parent: 79, group: 1 }], IGNORE),
      409,
      '23503',
    );
    expect(details).toBe('row 3: Key (parent)=(79) is not present in table "items".');
  });

  test('do not affect other writers if they are broken, and do not hide the errors of others', async () => {
    const writes = Array.from({ length: 200 }, (_, index) => {
      if (index % 10 === 0) return post(BROKEN.map((row) => ({ ...row, id: row.id + 10_000, parent: null })));
      if (index % 10 === 5) return post({ id: 20_000 + index, parent: null, group: 7 });
      if (index % 10 === 7)
        return post([
          { id: 1_000 + index, parent: 3_000 + index, group: 1 },
          { id: 3_000 + index, parent: null, group: 1 },
        ]);
      return post({ id: 1_000 + index, parent: 1, group: 1 });
    });
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? 409 : 201)));
    expect(await catalogue.list('/items?id=gte.10000')).toEqual([]);
    expect(await catalogue.list('/items?select=count()')).toEqual([{ count: 1 + 160 + 20 }]);
  });
});
