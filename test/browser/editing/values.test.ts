/** Values in the reader's notation, and error messages in everyday words. */
import { expect, test } from 'bun:test';
import { browserStories, type Product } from '../../support/browser/browser.ts';

const DECLARED = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories('values', (stage) => {
  test('numbers are shown and parsed in the notation of the reader, and errors appear at once', async () => {
    await stage.reopen({ locale: 'de-DE' });
    const { page } = stage;
    await stage.open('/products');
    await page.locator('tbody').getByText('18,00').first().waitFor();
    await page.getByRole('button', { name: 'Edit in place: Chai' }).click();
    await page.getByLabel('Product name of Chai').fill(' ');
    await page.getByLabel('Unit price of Chai').fill('billig');
    await page.getByLabel('Units in stock of Chai').fill('1,5');
    await page.keyboard.press('Enter');
    await stage.until('Product name is required.');
    await stage.until('Unit price: “billig” is not a number.');
    await stage.until('Units in stock: whole numbers only.');
    await page.getByLabel('Product name of Chai').fill('Tee');
    await page.getByLabel('Unit price of Chai').fill('12,50');
    await page.getByLabel('Units in stock of Chai').fill('1.234');
    await page.keyboard.press('Enter');
    await stage.until('Tee was saved.');
    expect(await stage.product(1)).toMatchObject({ product_name: 'Tee', unit_price: 12.5, units_in_stock: 1234 });

    await page.getByRole('button', { name: 'Add filter' }).click();
    await stage.choose('Field', 'Discontinued');
    await stage.choose('Condition', 'Yes');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await stage.until('Discontinued: Yes');
    const { length } = await stage.ask<Product[]>('/products?discontinued=neq.0');
    await stage.until(`1-${length} of ${length}`);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await stage.choose('Field', 'Unit price');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await stage.until('Enter a value.');
    await page.getByLabel('Value').fill('12,5');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await stage.until('Unit price = 12,5');
    await stage.until('1-1 of 1');

    await page.getByRole('link', { name: 'Create' }).click();
    await page.getByRole('textbox', { name: 'Product name' }).fill('Kaffee');
    await page.getByLabel('Unit price', { exact: true }).fill('1.234,5');
    await page.getByLabel('ID').fill('1');
    expect(await page.getByText('0 means not discontinued').count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Another product already has this ID: 1.');
    await page.getByText('Details').click();
    await stage.until(/409 23505: .*products_pkey/);
    await page.getByLabel('ID').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Kaffee was created.');
    expect(await stage.product(78)).toMatchObject({ product_name: 'Kaffee', unit_price: 1234.5, discontinued: 0 });
  });
});

browserStories(
  'values of a declared catalogue',
  (stage) => {
    test('rules, references and uniqueness are explained, and long numbers keep all digits', async () => {
      const { page } = stage;
      const goTo = (collection: string, place: string) =>
        page.goto(`${stage.service.url}/console?collection=${collection}#/${collection}/${place}`);
      await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"barcode":9007199254740993}' });
      const before = await (await stage.service.fetch('/products/1')).text();
      await goTo('products', '1');
      const price = page.getByLabel('Unit price');
      await price.fill('-1');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Unit price must be at least 0.00.');
      await price.fill('18');
      await page.getByLabel('Supplier', { exact: true }).fill('999');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Supplier: 999 does not exist in Suppliers.');
      await page.getByLabel('Supplier', { exact: true }).fill('1');
      await page.getByRole('textbox', { name: 'Sku' }).fill('abc');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until(/Sku must match/);
      expect(await (await stage.service.fetch('/products/1')).text()).toBe(before);

      await stage.service.fetch('/stock_moves?product_id=eq.1', { method: 'DELETE' });
      await page.getByRole('button', { name: 'Delete' }).click();
      await stage.until(/Related rows in Product labels, Prices are also deleted/);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await stage.until('Chai was deleted.');
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await (await stage.service.fetch('/products/1')).text()).toBe(before);

      await goTo('categories', '1');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await stage.until(/It is still used in/);
    });
  },
  () => ({ args: ['--collections', DECLARED] }),
);
