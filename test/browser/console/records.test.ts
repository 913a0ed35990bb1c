/** Rows in the console: change, create and delete them, with undo and with errors at their fields. */
import { expect, test } from 'bun:test';
import { browserStories, untilShown } from '../../support/browser/browser.ts';

browserStories('rows', (stage) => {
  test('a price is changed on the page of its row, and undone', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await page.getByRole('link', { name: 'Open Chai' }).click();
    await page.getByLabel('Unit price').fill('19,50');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Saved.');
    expect((await stage.product(1)).unit_price).toBe(19.5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect((await stage.product(1)).unit_price).toBe(18);
  });

  test('an invalid value is reported at its field, and nothing is sent', async () => {
    const { page } = stage;
    await stage.open('/c/products/1');
    await page.getByLabel('Unit price').fill('much');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('“much” is not a number.');
    expect(await page.getByLabel('Unit price').getAttribute('aria-invalid')).toBe('true');
    expect((await stage.product(1)).unit_price).toBe(18);
  });

  test('a new row needs its name, is stored once by a double click, and can be deleted', async () => {
    const { page } = stage;
    await stage.open('/new/products');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('This field is required.');
    await page.getByLabel('Product name').fill('Fig jam');
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await stage.until('Created.');
    expect(await stage.ask<unknown[]>('/products?product_name=eq.Fig%20jam')).toHaveLength(1);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await untilShown(page, ['Chai']);
    expect(await stage.ask<unknown[]>('/products?product_name=eq.Fig%20jam')).toEqual([]);
  });
});
