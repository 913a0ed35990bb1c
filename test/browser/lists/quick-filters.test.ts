/** Quick filters from the declaration, and chips that can be changed. */
import { expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Product } from '../../support/browser/browser.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories(
  'quick filters',
  (stage) => {
    test('a flag, a range and a choice can be set with few clicks, and changed in place', async () => {
      const { page } = stage;
      await page.goto(`${stage.service.url}/console?collection=products#/products?perPage=5`);
      const quick = page.getByRole('group', { name: 'Quick filters' });
      const add = () => page.getByRole('button', { name: 'Add', exact: true }).click();
      const untilCounted = async (conditions: string) => {
        const { length } = await stage.ask<Product[]>(`/products?${conditions}`);
        await stage.until(`1-${Math.min(length, 5)} of ${length}`);
      };
      await quick.getByRole('button', { name: 'Available' }).click();
      await add();
      await stage.until('Available Yes');
      expect(await quick.getByRole('button', { name: 'Available' }).count()).toBe(0);
      await quick.getByRole('button', { name: 'Unit price' }).click();
      await page.getByLabel('From').fill('10');
      await page.getByLabel('To', { exact: true }).fill('40');
      expect(await seriousFindings(page)).toEqual([]);
      await add();
      await stage.until('Unit price ≤ 40');
      await untilCounted('available=is.true&unit_price=gte.10&unit_price=lte.40');
      await page.getByRole('button', { name: 'Unit price ≥ 10' }).click();
      await page.getByLabel('Value').fill('20');
      await page.getByRole('button', { name: 'Apply' }).click();
      await stage.until('Unit price ≥ 20');
      await untilCounted('available=is.true&unit_price=gte.20&unit_price=lte.40');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await quick.getByRole('button', { name: 'Category' }).click();
      await page.getByRole('combobox', { name: 'Value' }).fill('Seaf');
      await page.getByRole('option', { name: 'Seafood' }).click();
      await add();
      await page.getByRole('button', { name: 'Category = Seafood' }).click();
      expect(await page.getByRole('combobox', { name: 'Value' }).inputValue()).toBe('Seafood');
      await untilCounted('category_id=eq.8');
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);
