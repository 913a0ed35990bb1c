/** Work under one lock does not wait for another: each use of advisory locks has its own number. */
import { expect, test } from 'bun:test';
import { ADVISORY_LOCKS } from '../../../src/engine/postgres/driver.ts';
import { openCatalogue } from '../../support/engines/catalogue.ts';
import { testServer } from '../../support/engines/postgres.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { sendJson, TEN_FIELDS } from '../../support/stories.ts';

test('a key that a client chooses is stored while tables, indexes and migrations are locked', async () => {
  const { sequence, ...others } = ADVISORY_LOCKS;
  expect(Object.values(others)).not.toContain(sequence);
  const catalogue = await openCatalogue('PostgreSQL');
  await testServer.admin.begin(async (transaction) => {
    for (const lock of Object.values(others)) await transaction.unsafe(`select pg_advisory_xact_lock(${lock})`);
    expect((await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS))).status).toBe(201);
  });
  await catalogue.close();
});

test('a row that waits for a locked row does not delay rows that are stored at the same time', async () => {
  const declared = declaredBy(`
collections:
  locked_groups: { fields: { id: int4, name: text } }
  locked_items: { fields: { id: int4, group_id: { type: int4, references: locked_groups } } }
`);
  const shop = await openDeclared('PostgreSQL', declared, { locked_groups: [{ id: 1 }, { id: 2 }] });
  const add = (group_id: number) => shop.fetch('/locked_items', sendJson('POST', { group_id }));
  const [{ schema }] =
    await testServer.admin`select schemaname as schema from pg_tables where tablename = 'locked_groups'`;
  let waiting: Promise<Response> | undefined;
  await testServer.admin.begin(async (transaction) => {
    await transaction.unsafe(`select from "${schema}".locked_groups where id = 1 for update`);
    const free = [add(2), add(2)];
    waiting = add(1);
    const answers = await Promise.all(free);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });
  expect((await waiting)!.status).toBe(201);
  expect(await shop.list('/locked_items')).toHaveLength(3);
  await shop.close();
});
