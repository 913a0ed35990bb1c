/** Tables of another program in PostgreSQL, without a table for `Idempotency-Key`: the console stores rows. */
import { expect, test } from 'bun:test';
import { browserStories } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { run, temporaryFolder } from '../../support/processes/process.ts';

browserStories(
  'adopted tables',
  (stage) => {
    test('a form and an import store rows', async () => {
      const { page } = stage;
      await stage.open('/boats/create');
      await page.getByLabel('Boat').fill('Ada');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Ada was created.');
      await stage.open('/import');
      const buffer = Buffer.from('boat\nBee\n');
      await page.locator('input[type=file]').setInputFiles({ name: 'boats.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Import 1 row' }).click();
      await stage.until('1 row stored.');
      expect(await stage.ask<unknown>('/boats?select=boat')).toEqual([{ boat: 'Ada' }, { boat: 'Bee' }]);
    });
  },
  async () => {
    const schema = newSchema();
    const { url, admin } = testServer;
    await admin.unsafe(
      `create schema ${schema}; create table ${schema}.boats (id serial primary key, boat text not null)`,
    );
    const cwd = temporaryFolder();
    const env = { DATABASE_URL: url, CATALOGUE_SCHEMA: schema };
    await run({ cwd, args: ['declare'], env });
    return { cwd, env };
  },
);
