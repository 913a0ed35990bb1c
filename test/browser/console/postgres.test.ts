/** The main stories on PostgreSQL. They must look the same to a person. */
import { expect, test } from 'bun:test';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';

browserStories(
  'the console on PostgreSQL',
  (stage) => {
    test('search, edit, merge with a change of someone else, and undo', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await untilShown(page, ['Chai', 'Chang', 'Aniseed Syrup']);
      await page.getByLabel('Search').first().fill('KÖÖRI');
      await untilShown(page, ['Lakkalikööri']);
      await page.locator('[role=gridcell][data-field=units_in_stock]').first().dblclick();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('58');
      await stage.service.fetch('/products/76', { method: 'PATCH', body: '{"unit_price":19.5}' });
      await page.keyboard.press('Enter');
      await stage.until('Lakkalikööri was saved.');
      expect(await stage.product(76)).toMatchObject({ units_in_stock: 58, unit_price: 19.5 });
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.product(76)).toMatchObject({ units_in_stock: 57, unit_price: 19.5 });
    });

    test('an import with invalid rows, and the overview with the imported rows', async () => {
      const { page } = stage;
      const text = 'id,product_name,unit_price,units_in_stock\n500,Good,2.5,4\n501,Bad,cheap,1\n1,There,1,1\n';
      const file = { name: 'new.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
      await stage.open('/import/products');
      await page.locator('input[type=file]').setInputFiles(file);
      await stage.until('new.csv: 3 rows, 1 with errors. Nothing is stored yet.');
      expect(await stage.ask<Product[]>('/products?id=gte.500')).toEqual([]);
      await page.getByLabel('Keep the stored values').check();
      await page.getByRole('button', { name: 'Import 1 valid row' }).click();
      await stage.until('1 row stored, 1 row kept as stored.');
      await stage.open('/');
      await page.locator('.overview[aria-busy=false]').waitFor();
      const all = await stage.ask<Product[]>('/products');
      const worth = all.reduce((sum, row) => sum + Number(row.unit_price) * Number(row.units_in_stock), 0);
      const figure = (id: string) => page.locator(`[data-figure="${id}"] .figure`).textContent();
      expect(await figure('products.count')).toBe('78');
      expect(await figure('products.value')).toBe(worth.toLocaleString('en', { minimumFractionDigits: 2 }));
    });
  },
  () => ({ args: ['--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
  { areApart: true },
);
