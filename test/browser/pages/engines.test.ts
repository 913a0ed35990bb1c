/** The main stories on PostgreSQL. They must look the same to a person. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { temporaryFolder } from '../../support/processes/process.ts';

browserStories(
  'the console on PostgreSQL',
  (stage) => {
    test('list, filter, edit, conflict and undo', async () => {
      await stage.open('/products');
      await untilShown(stage.page, ['Chai', 'Chang', 'Aniseed Syrup']);
      await stage.page.getByLabel('Search products').fill('KÖÖRI');
      await stage.until('1-1 of 1');
      await untilShown(stage.page, ['Lakkalikööri']);

      await stage.page.getByRole('button', { name: 'Edit in place: Lakkalikööri' }).click();
      await stage.page.getByLabel('Units in stock of Lakkalikööri').fill('58');
      await stage.service.fetch('/products/76', { method: 'PATCH', body: '{"unit_price":19.5}' });
      await stage.page.getByRole('button', { name: 'Save: Lakkalikööri' }).click();
      await stage.until('Lakkalikööri was saved. Someone else also changed Unit price. Both changes are kept.');
      expect(await stage.product(76)).toMatchObject({ units_in_stock: 58, unit_price: 19.5 });
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.product(76)).toMatchObject({ units_in_stock: 57, unit_price: 19.5 });
    });

    test('an import with invalid rows, and the overview with the imported rows', async () => {
      const file = join(temporaryFolder(), 'new.csv');
      writeFileSync(file, 'id,product_name,unit_price,units_in_stock\n500,Good,2.5,4\n501,Bad,cheap,1\n1,There,1,1\n');
      await stage.open('/import');
      await stage.page.locator('input[type=file]').setInputFiles(file);
      await stage.until('new.csv: 3 rows, 1 with errors. Nothing is stored yet.');
      expect(await stage.ask<Product[]>('/products?id=gte.500')).toEqual([]);
      await stage.page.getByLabel('Keep the stored values').check();
      await stage.page.getByRole('button', { name: 'Import 1 valid row' }).click();
      await stage.until('1 row stored, 1 row kept as stored.');
      await stage.open('/');
      await stage.page.locator('[aria-busy=false] [data-panel=value-by-group]').waitFor();
      const all = await stage.ask<Product[]>('/products');
      const worth = all.reduce((sum, row) => sum + Number(row.unit_price) * Number(row.units_in_stock), 0);
      const figure = (id: string) => stage.page.locator(`[data-figure=${id}] p`).first().textContent();
      expect(await figure('count')).toBe('78');
      expect(await figure('stock-value')).toBe(worth.toLocaleString('en', { minimumFractionDigits: 2 }));
    });
  },
  () => ({ args: ['--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
  { areApart: true },
);
