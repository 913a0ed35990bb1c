/** Edits in a real browser, compared with the API: inline edits, conflicts, undo and selections. */
import { expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { browserStories, type Product } from '../../support/browser/browser.ts';

browserStories(
  'edits',
  (stage) => {
    test('an inline edit is stored, and undo reverts it', async () => {
      await stage.open('/products');
      await stage.page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await stage.page.getByLabel('Unit price of Chang').fill('19.75');
      await stage.page.getByLabel('Unit price of Chang').press('Enter');
      await stage.until('Chang was saved.');
      expect(await stage.product(2)).toMatchObject({ unit_price: 19.75, units_in_stock: 17 });
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.product(2)).toMatchObject({ unit_price: 19 });
    });

    test('an invalid value is explained in place, and nothing is changed', async () => {
      await stage.open('/products');
      await stage.page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await stage.page.getByLabel('Units in stock of Chang').fill('99999999999');
      await stage.page.getByRole('button', { name: 'Save: Chang' }).click();
      await stage.until('Units in stock: the number is too large.');
      expect(await stage.product(2)).toMatchObject({ units_in_stock: 17 });
    });

    test('a conflict can be resolved in favour of the other person', async () => {
      await stage.open('/products');
      await stage.page.getByRole('button', { name: 'Edit in place: Ikura' }).click();
      await stage.page.getByLabel('Units in stock of Ikura').fill('1');
      await stage.service.fetch('/products/10', { method: 'PATCH', body: '{"units_in_stock":99}' });
      await stage.page.getByRole('button', { name: 'Save: Ikura' }).click();
      await stage.page.getByRole('button', { name: 'Keep theirs' }).click();
      await stage.page.getByLabel('Units in stock of Ikura').waitFor({ state: 'detached' });
      expect(await stage.product(10)).toMatchObject({ units_in_stock: 99 });
    });

    test('a selection can be changed and deleted at once, and both can be undone', async () => {
      await stage.open('/products');
      for (const name of ['Chai', 'Ikura']) await rowOf(stage.page, name).getByRole('checkbox').check();
      await stage.page.getByRole('button', { name: 'Change a field' }).click();
      await stage.choose('Field', 'Units on order');
      await stage.page.getByLabel('New value').fill('12');
      await stage.page.getByRole('button', { name: 'Change all' }).click();
      await stage.until('2 products changed.');
      expect(await stage.ask<Product[]>('/products?select=id&units_on_order=eq.12')).toEqual([{ id: 1 }, { id: 10 }]);
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.ask<Product[]>('/products?units_on_order=eq.12')).toEqual([]);

      for (const name of ['Ikura', 'Konbu']) await rowOf(stage.page, name).getByRole('checkbox').check();
      await stage.page.getByRole('button', { name: 'Change a field' }).click();
      await stage.choose('Field', 'Discontinued');
      await stage.choose('New value', 'Yes');
      await stage.page.getByRole('button', { name: 'Change all' }).click();
      await stage.until('2 products changed.');
      expect([await stage.product(10), await stage.product(13)]).toMatchObject([
        { discontinued: 1 },
        { discontinued: 1 },
      ]);

      await rowOf(stage.page, 'Chang').getByRole('checkbox').check();
      await stage.page
        .getByRole('toolbar')
        .or(stage.page.locator('[data-test=bulk-actions-toolbar]'))
        .getByRole('button', { name: 'Delete' })
        .click();
      await stage.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await stage.until('1 product deleted.');
      expect((await stage.service.fetch('/products/2')).status).toBe(404);
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.product(2)).toMatchObject({ product_name: 'Chang', unit_price: 19 });
    });
  },
  undefined,
  { areApart: true },
);

function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}
