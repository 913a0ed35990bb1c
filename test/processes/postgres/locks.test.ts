/** Each use of PostgreSQL's advisory locks has a number of its own: work under one lock does not wait for another. */
import { expect, test } from 'bun:test';
import { ADVISORY_LOCKS } from '../../../src/engine/postgres/driver.ts';
import { openCatalogue } from '../../support/engines/catalogue.ts';
import { testServer } from '../../support/engines/postgres.ts';
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
