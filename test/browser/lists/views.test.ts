/** Personal views of the list: several sort keys, order and width of columns, and named views. */
import { expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories(
  'views',
  (stage) => {
    test('a list that is sorted by two columns and filtered can be saved as a view and reopened', async () => {
      const { page } = stage;
      const list = `${stage.service.url}/console?collection=products#/products?perPage=5`;
      const namesBy = async (query: string) =>
        (await stage.ask<Product[]>(`/products?${query}&limit=5`)).map((row) => String(row.product_name));
      await page.goto(list);
      await page.getByRole('button', { name: 'Sort by category ascending' }).click();
      await page.getByRole('button', { name: 'Sort by unit price ascending' }).click({ modifiers: ['Shift'] });
      await page.getByRole('button', { name: 'Sort by unit price descending' }).click({ modifiers: ['Shift'] });
      await untilShown(page, await namesBy('order=category_id.asc,unit_price.desc'));
      await page.getByLabel('Search products').fill('ch');
      const found = await namesBy('product_name=ilike.*ch*&order=category_id.asc,unit_price.desc');
      await untilShown(page, found);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('Name of this view').fill('Dear things with ch');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Save this view' }).click();
      await page.getByRole('button', { name: 'View: Dear things with ch' }).waitFor();

      await page.getByLabel('Search products').fill('');
      await untilShown(page, await namesBy('order=category_id.asc,unit_price.desc'));
      await page.getByRole('button', { name: 'Sort by ID ascending' }).click();
      await untilShown(page, ['Chai', 'Chang', 'Aniseed Syrup']);
      await page.reload();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('link', { name: 'Dear things with ch' }).click();
      await untilShown(page, found);
      const address = page.url();
      await stage.reopen({});
      await stage.page.goto(address);
      await untilShown(stage.page, found);
    });

    test('columns can be moved and widened, and stay so', async () => {
      const { page } = stage;
      await page.goto(`${stage.service.url}/console?collection=suppliers#/suppliers`);
      const heads = async () => (await page.locator('th button').allTextContents()).map((text) => text.split(' ')[0]);
      await stage.until('Exotic Liquids');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Company name' }).click();
      await page.getByRole('menuitem', { name: 'Order and width' }).click();
      await page.getByRole('button', { name: 'Move Country left' }).click();
      await page.getByLabel('Width of Country').fill('300');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.reload();
      await page.locator('th.column-country').waitFor();
      expect((await heads()).slice(0, 2)).toEqual(['Country', expect.stringMatching(/^ID/)]);
      expect((await page.locator('th.column-country').boundingBox())!.width).toBeGreaterThan(290);
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);
