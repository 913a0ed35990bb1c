/** The list in a real browser: sorting, pages, columns, search, filters and the URL they make. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserStories, type Product, SECONDS, shownNames, untilShown } from '../support/browser.ts';

browserStories('the list', (stage) => {
  test(
    'a browser that opens the service is led to it',
    async () => {
      await stage.page.goto(stage.service.url);
      await stage.until('Stock value by category');
      expect(new URL(stage.page.url()).pathname).toBe('/console');
    },
    SECONDS,
  );

  test(
    'the list shows products, and sorts and pages them',
    async () => {
      await stage.open('/products');
      await stage.until('Aniseed Syrup');
      expect((await shownNames(stage.page)).slice(0, 3)).toEqual(['Chai', 'Chang', 'Aniseed Syrup']);
      expect(await shownNames(stage.page)).toHaveLength(25);
      await stage.picture('console-products');
      await stage.page.getByRole('button', { name: 'Sort by unit price ascending' }).click();
      await stage.page.getByRole('button', { name: 'Sort by unit price descending' }).click();
      await untilShown(stage.page, ['Côte de Blaye']);
      await stage.page.getByRole('button', { name: 'Go to next page' }).click();
      await stage.until('26-50 of 77');
      const wanted = await stage.ask<Product[]>('/products?order=unit_price.desc&limit=25&offset=25');
      await untilShown(
        stage.page,
        wanted.map((row) => String(row.product_name)),
      );
    },
    SECONDS,
  );

  test(
    'columns can be chosen, and the choice is kept',
    async () => {
      await stage.open('/products');
      await stage.until('Aniseed Syrup');
      await stage.page.getByRole('button', { name: 'Columns' }).click();
      await stage.page.getByRole('menuitemcheckbox', { name: 'Supplier' }).click();
      await stage.page.keyboard.press('Escape');
      await stage.page.locator('th.column-supplier_id').waitFor({ state: 'detached' });
      await stage.page.reload();
      await stage.until('Aniseed Syrup');
      expect(await stage.page.locator('.column-supplier_id').count()).toBe(0);
      expect(await stage.page.locator('th.column-category_id').count()).toBe(1);
    },
    SECONDS,
  );

  test(
    'search as you type finds names',
    async () => {
      await stage.open('/products');
      await stage.page.getByLabel('Search products').pressSequentially('queso');
      await stage.until('1-2 of 2');
      await untilShown(stage.page, ['Queso Cabrales', 'Queso Manchego La Pastora']);
      expect(await stage.page.getByTestId('request-url').textContent()).toBe(
        'GET /products?product_name=ilike.*queso*&order=id.asc',
      );
    },
    SECONDS,
  );

  test(
    'a filter on any field shows the URL it makes, and the URL gives the same rows',
    async () => {
      await stage.open('/products');
      await stage.until('Aniseed Syrup');
      await stage.page.getByRole('button', { name: 'Add filter' }).click();
      await stage.choose('Field', 'Unit price');
      await stage.choose('Operator', /is greater than/);
      await stage.page.getByLabel('Value').fill('80');
      await stage.page.getByRole('button', { name: 'Add', exact: true }).click();
      await stage.until('1-4 of 4');
      await stage.picture('console-filter');
      expect(await stage.page.getByText('Unit price > 80').count()).toBe(1);
      const url = (await stage.page.getByTestId('request-url').textContent())!.replace('GET ', '');
      expect(url).toBe('/products?unit_price=gt.80&order=id.asc');
      expect(await shownNames(stage.page)).toEqual(
        (await stage.ask<Product[]>(url)).map((row) => String(row.product_name)),
      );
      await stage.page.getByRole('button', { name: 'Clear filters' }).click();
      await stage.until('1-25 of 77');
    },
    SECONDS,
  );

  test(
    'what is filtered is exported, whole',
    async () => {
      await stage.open('/products');
      await stage.page.getByLabel('Search products').fill('chef');
      await stage.until('1-2 of 2');
      await stage.page.getByRole('button', { name: /^Export/ }).click();
      const saved = stage.page.waitForEvent('download');
      await stage.page.getByRole('menuitem', { name: 'CSV' }).click();
      const path = await (await saved).path();
      const wanted = await stage.service.fetch('/products?product_name=ilike.*chef*', {
        headers: { accept: 'text/csv' },
      });
      expect(readFileSync(path, 'utf8')).toBe(await wanted.text());
    },
    SECONDS,
  );
});
