/** Rows in the console: change, create and delete them, with undo and with errors at their fields. */
import { expect, test } from 'bun:test';
import { browserStories, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

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

  test('changes of two people to different fields are both kept; to the same field, the second one decides', async () => {
    const { page } = stage;
    const change = (body: object) =>
      stage.service.fetch('/products/1', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await stage.open('/c/products/1');
    await page.getByLabel('Unit price').fill('20');
    await change({ units_in_stock: 5 });
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Someone else changed Units in stock; both changes are kept.');
    expect(await stage.product(1)).toMatchObject({ unit_price: 20, units_in_stock: 5 });

    await page.getByLabel('Unit price').fill('21');
    await change({ unit_price: 30 });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed the same values' });
    await dialog.getByText('Theirs: 30.00').click();
    await dialog.getByRole('button', { name: 'Save my choice' }).click();
    await stage.until('The values of the other person were kept.');
    expect((await stage.product(1)).unit_price).toBe(30);
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

browserStories(
  'rows of a shop',
  (stage) => {
    test('a reference is chosen by its name, and a row with a composite key has a page', async () => {
      const { page } = stage;
      await stage.open('/c/products/1');
      await page.getByRole('combobox', { name: 'Supplier', exact: true }).click();
      await page.keyboard.type('exotic');
      await page.getByRole('option', { name: 'Exotic Liquids' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Saved.');
      expect((await stage.product(1)).supplier_id).toBe(1);

      await page.getByRole('link', { name: 'Prices' }).click();
      await page.getByRole('link', { name: 'Open Product 1, Currency EUR' }).click();
      await page.getByLabel('Amount').fill('17.5');
      await page.getByRole('button', { name: 'Save' }).click();
      const amounts = () => stage.ask<{ amount: number }[]>('/prices?product_id=eq.1&currency=eq.EUR&select=amount');
      await until('the price to be stored', async () => (await amounts())[0]?.amount === 17.5);
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);
