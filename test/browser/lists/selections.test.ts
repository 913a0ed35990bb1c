/**
 * Selections and unsaved work: only visible or counted rows are changed, and no typed text is lost without a question.
 */
import { expect, test } from 'bun:test';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';

browserStories(
  'selections',
  (stage) => {
    test('all matching rows are changed and deleted by the filter, are counted, and can be restored', async () => {
      const { page } = stage;
      const before = await stage.ask<Product[]>('/products');
      const matching = before.filter(({ product_name }) => /ch/i.test(String(product_name))).length;
      await stage.open('/products?perPage=10&filter=%7B%22q%22%3A%22ch%22%7D');
      await stage.until(`1-10 of ${matching}`);
      await page.getByLabel('Select all').check();
      await stage.until('10 products selected.');
      const all = page.getByRole('button', { name: `Select all ${matching} products that match` });
      await all.click();
      await stage.until(`All ${matching} products that match are selected.`);
      await page.getByRole('button', { name: 'Change a field' }).click();
      await stage.choose('Field', 'Unit price');
      const changeAll = page.getByRole('button', { name: 'Change all' });
      expect(await changeAll.isDisabled()).toBe(true);
      await page.getByLabel('New value').fill('12,50');
      await changeAll.click();
      await stage.until(`${matching} products changed.`);
      expect(await stage.ask<Product[]>('/products?unit_price=eq.12.5&product_name=ilike.*ch*')).toHaveLength(matching);
      await page.keyboard.press('Control+z');
      await stage.until('Undone.');
      expect(await stage.ask<Product[]>('/products')).toEqual(before);

      await page.getByLabel('Select all').check();
      await all.click();
      await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
      await page
        .getByRole('dialog', { name: `Delete ${matching} products?` })
        .getByRole('button', { name: 'Delete' })
        .click();
      await stage.until(`${matching} products deleted.`);
      expect(await stage.ask<Product[]>('/products')).toHaveLength(before.length - matching);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.ask<Product[]>('/products')).toEqual(before);
    });

    test('another page, another filter and a reload clear the selection', async () => {
      const { page } = stage;
      await stage.open('/products');
      await page.getByLabel('Select all').check();
      await stage.until('25 products selected.');
      await page.getByRole('button', { name: 'Go to next page' }).click();
      await stage.until('26-50 of 77');
      const bar = page.getByRole('toolbar', { name: 'Selection' });
      await bar.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Go to page 1' }).click();
      await untilShown(page, ['Chai', 'Chang']);
      await page.getByLabel('Select Chai').check();
      await page.getByLabel('Select Ikura').click({ modifiers: ['Shift'] });
      await stage.until('10 products selected.');
      await page.getByLabel('Search products').fill('queso');
      await stage.until('1-2 of 2');
      expect(await bar.count()).toBe(0);
      await page.reload();
      await stage.until('1-2 of 2');
      expect(await bar.count()).toBe(0);
    });

    test('another edit, the menu, the back button and a closed form ask about unsaved work', async () => {
      const { page } = stage;
      const dialog = page.getByRole('dialog', { name: 'Discard the changes to Chai?' });
      const stay = async () => {
        await dialog.getByRole('button', { name: 'Keep editing' }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await stage.open('/');
      await page.getByRole('menuitem', { name: 'Products' }).click();
      await page.getByRole('button', { name: 'Edit in place: Chai' }).click();
      const price = page.getByLabel('Unit price of Chai');
      await price.fill('99');
      await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await stay();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await stay();
      await page.getByRole('button', { name: 'Go to next page' }).click();
      await stay();
      await page.goBack();
      await stay();
      expect(await price.inputValue()).toBe('99');
      await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await page.getByLabel('Unit price of Chang').waitFor();
      expect(await stage.product(1)).toMatchObject({ unit_price: 18 });

      await page.getByRole('link', { name: 'Chai', exact: true }).click();
      await page.getByLabel('Unit price', { exact: true }).fill('98');
      await page.getByRole('menuitem', { name: 'Products' }).click();
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Chai was saved.');
      expect(await stage.product(1)).toMatchObject({ unit_price: 98 });
    });
  },
  undefined,
  { areApart: true },
);
