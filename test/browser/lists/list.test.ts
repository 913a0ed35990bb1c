/** The list in a real browser: sorting, pages, columns, search, filters and their URL. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserStories, type Product, shownNames, untilShown } from '../../support/browser/browser.ts';

browserStories('the list', (stage) => {
  test('a browser that opens the service is redirected to the console', async () => {
    await stage.page.goto(stage.service.url);
    await stage.until('Stock value by category');
    expect(new URL(stage.page.url()).pathname).toBe('/console');
  });

  test('the list shows, sorts and pages the products', async () => {
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
  });

  test('the list reopens where it was left, and its first page shows the stored rows', async () => {
    await stage.open('/products');
    await stage.page.getByRole('button', { name: 'Go to next page' }).click();
    await stage.until('26-50 of 77');
    await stage.page.goto('about:blank');
    await stage.open('/products');
    await stage.until('26-50 of 77');
    await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"product_name":"Chai, renamed"}' });
    await stage.page.getByRole('button', { name: 'Go to page 1' }).click();
    await untilShown(stage.page, ['Chai, renamed', 'Chang']);
  });

  test('columns can be chosen, and the choice is stored', async () => {
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
  });

  test('search as you type finds names', async () => {
    await stage.open('/products');
    await stage.page.getByLabel('Search products').pressSequentially('queso');
    await stage.until('1-2 of 2');
    await untilShown(stage.page, ['Queso Cabrales', 'Queso Manchego La Pastora']);
    expect(await stage.page.getByTestId('request-url').textContent()).toBe(
      'GET /products?product_name=ilike.*queso*&order=id.asc',
    );
  });

  test('a filter on any field shows its URL, and the URL returns the same rows', async () => {
    await stage.open('/products');
    await stage.until('Aniseed Syrup');
    await stage.page.getByRole('button', { name: 'Add filter' }).click();
    await stage.choose('Field', 'Unit price');
    await stage.choose('Condition', /is greater than/);
    await stage.page.getByLabel('Value').fill('80');
    await stage.page.getByRole('button', { name: 'Add', exact: true }).click();
    await stage.until('1-4 of 4');
    await stage.page.getByText('Request', { exact: true }).click();
    await stage.picture('console-filter');
    expect(await stage.page.getByText('Unit price > 80').count()).toBe(1);
    const url = (await stage.page.getByTestId('request-url').textContent())!.replace('GET ', '');
    expect(url).toBe('/products?unit_price=gt.80&order=id.asc');
    expect(await shownNames(stage.page)).toEqual(
      (await stage.ask<Product[]>(url)).map((row) => String(row.product_name)),
    );
    await stage.page.getByRole('button', { name: 'Clear filters' }).click();
    await stage.until('1-25 of 77');
  });

  test('the copied curl command returns the rows of the grid', async () => {
    await stage.reopen({ permissions: ['clipboard-read', 'clipboard-write'] });
    await stage.open('/products');
    await stage.page.getByLabel('Search products').fill("anton's %");
    await stage.until(/^No Products found/i);
    await stage.page.getByLabel('Search products').fill("anton's");
    await stage.page.getByRole('button', { name: 'Sort by unit price ascending' }).click();
    await untilShown(stage.page, ["Chef Anton's Gumbo Mix", "Chef Anton's Cajun Seasoning"]);
    await stage.page.getByText('Request', { exact: true }).click();
    await stage.page.getByRole('button', { name: 'Copy as curl' }).click();
    await stage.until('Copied.');
    const command = await stage.page.evaluate<string>('navigator.clipboard.readText()');
    const shell = Bun.spawnSync(['sh', '-c', `${command} --silent --show-error`]);
    expect(shell.stderr.toString()).toBe('');
    const rows = JSON.parse(shell.stdout.toString()) as Product[];
    expect(await shownNames(stage.page)).toEqual(rows.map((row) => String(row.product_name)));
  });

  test('all filtered rows are exported in their order', async () => {
    await stage.open('/products?filter=%7B%22q%22%3A%22c%22%7D&sort=unit_price&order=DESC&perPage=10');
    await stage.until('1-10 of');
    for (const [format, accept, extension] of [
      ['CSV', 'text/csv', 'csv'],
      ['CSV for a spreadsheet', 'text/csv;spreadsheet=true', 'csv'],
      ['JSON', 'application/json', 'json'],
    ] as const) {
      await stage.page.getByRole('button', { name: /^Export/ }).click();
      const saved = stage.page.waitForEvent('download');
      await stage.page.getByRole('menuitem', { name: format, exact: true }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toMatch(new RegExp(`^products-\\d{4}-\\d\\d-\\d\\d\\.${extension}$`));
      const wanted = await stage.service.fetch('/products?product_name=ilike.*c*&order=unit_price.desc', {
        headers: { accept },
      });
      expect(readFileSync(await file.path()).equals(Buffer.from(await wanted.arrayBuffer()))).toBe(true);
    }
  });
});
