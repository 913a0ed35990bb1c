/** References: rows of other collections are shown by their titles. */
import { expect, test } from 'bun:test';
import { browserStories, type Product } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';

const DECLARED = ['--collections', new URL('../../data/shop/collections.yaml', import.meta.url).pathname];
browserStories(
  'references',
  (stage) => {
    test('a list shows titles with one request; a reference can be chosen by typing, created, and filtered by', async () => {
      const { page } = stage;
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (!pathname.startsWith('/console')) asked.push(pathname + search);
      });
      const at = (place: string) => `${stage.service.url}/console?collection=${place.split('/')[0]}#/${place}`;
      await page.goto(at('products'));
      const chai = page.locator('tbody tr').filter({ hasText: 'Chai' });
      const category = chai.locator('.column-category_id a');
      await category.waitFor();
      expect(await category.textContent()).toBe('Beverages');
      expect(asked).toHaveLength(1);

      await page.getByRole('button', { name: 'Edit in place: Chai' }).click();
      await page.getByRole('combobox', { name: 'Category of Chai' }).fill('seaf');
      await page.getByRole('option', { name: 'Seafood' }).click();
      await page.getByRole('button', { name: 'Save: Chai' }).click();
      await stage.until('Chai was saved.');
      await until('the new name', async () => (await category.textContent()) === 'Seafood');
      expect(await stage.product(1)).toMatchObject({ category_id: 8 });
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');

      const shown = () => page.locator('tbody .column-supplier_id').allTextContents();
      const [first] = await stage.ask<{ company_name: string }[]>('/suppliers?order=company_name');
      await page.getByRole('button', { name: 'Sort by supplier ascending' }).click();
      await until('the first of the suppliers', async () => (await shown())[0] === first!.company_name);
      expect(await shown()).toEqual((await shown()).sort());
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: /^Export/ }).click();
      await page.getByRole('menuitem', { name: 'NDJSON' }).click();
      const lines = (await Bun.file(await (await saved).path()).text()).trimEnd().split('\n');
      const exported = lines.map((line) => JSON.parse(line) as Product);
      const asShown = await page.locator('tbody .column-product_name a').allTextContents();
      expect(exported.slice(0, asShown.length).map(({ product_name }) => String(product_name))).toEqual(asShown);
      expect(Object.keys(exported[0]!)).toEqual(Object.keys(await stage.product(1)));

      await page.getByRole('button', { name: 'Add filter' }).click();
      await stage.choose('Field', 'Category');
      await page.getByRole('combobox', { name: 'Value' }).fill('Bever');
      await page.getByRole('option', { name: 'Beverages' }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await stage.until('Category = Beverages');

      await page.goto(at('products/1'));
      const supplier = page.getByRole('combobox', { name: 'Supplier', exact: true });
      await supplier.waitFor();
      await supplier.fill('Tea & Sons');
      await page.getByRole('option', { name: 'Create “Tea & Sons”' }).click();
      await stage.until('Tea & Sons was created.');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Chai was saved.');
      const [made] = await stage.ask<{ id: number }[]>('/suppliers?company_name=eq.Tea %26 Sons');
      expect(await stage.product(1)).toMatchObject({ supplier_id: made!.id });

      await page.goto(at('products/2'));
      await page.getByRole('combobox', { name: 'Supplier', exact: true }).fill('nobody');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Supplier: choose one of Suppliers.');

      await page.goto(at(`suppliers/${made!.id}`));
      const referring = page.getByRole('region', { name: 'Rows that refer to this supplier' });
      await referring.getByRole('link', { name: 'Chai' }).click();
      await page.getByRole('link', { name: 'Open Tea & Sons' }).waitFor();
      // Collections without pages of their own are named by their rows.
      await stage.until('Product labels');
      await page.goto(at('categories/8'));
      await page.getByRole('link', { name: 'Show all in Products' }).click();
      await stage.until('Category = Seafood');
    });
  },
  () => ({ args: [...DECLARED, '--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
);
