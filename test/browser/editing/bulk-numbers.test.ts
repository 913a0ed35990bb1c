/** Bulk calculations: adds an amount or a percentage to many rows. */
import { expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Product, quicker } from '../../support/browser/browser.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;
const CONDITIONS = 'category_id=eq.8&order=id';

browserStories(
  'calculations',
  (stage) => {
    test('a percentage is previewed for five rows, applied in one request, and undone at once', async () => {
      const { page } = stage;
      await stage.service.fetch('/products/10', { method: 'PATCH', body: '{"unit_price":null,"units_in_stock":3}' });
      const before = await stage.ask<Product[]>(`/products?${CONDITIONS}`);
      const filter = JSON.stringify({ where: [{ field: 'category_id', operator: 'eq', value: '8' }] });
      await page.goto(
        `${stage.service.url}/console?collection=products#/products?filter=${encodeURIComponent(filter)}&page=1`,
      );
      await stage.until('Category = Seafood');
      await page.getByLabel('Select all').check();
      await page.getByRole('button', { name: 'Change a field' }).click();
      await stage.choose('Field', 'Unit price');
      await stage.choose('How', /Raise by %/);
      await page.getByLabel('Percent').fill('-150');
      await stage.until(/Unit price must be at least 0.00. Nothing is changed/);
      await page.getByLabel('Percent').fill('7.5');
      const numbered = before.filter(({ unit_price }) => unit_price !== null);
      const empty = before.length - numbered.length;
      await stage.until(`${numbered.length} products will change. 1 product without a number does not change.`);
      expect(empty).toBe(1);
      expect(await page.getByRole('dialog').locator('tbody tr').count()).toBe(5);
      expect(await seriousFindings(page)).toEqual([]);
      const writes: string[] = [];
      page.on('request', (request) => request.method() === 'PATCH' && writes.push(request.url()));
      await page.getByRole('button', { name: 'Change all' }).click();
      await stage.until(`${numbered.length} products changed.`);
      expect(writes).toHaveLength(1);
      const raised = await stage.ask<Product[]>(`/products?${CONDITIONS}`);
      expect(raised.map(({ unit_price }) => unit_price)).toEqual(
        before.map(({ unit_price }) =>
          unit_price === null ? null : Math.round(Number(unit_price) * 1.075 * 10_000) / 10_000,
        ),
      );
      const { id } = numbered[0]!;
      const setToOne = () => stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: '{"unit_price":1}' });
      await quicker(stage, 'PATCH', setToOne);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until(/one was changed or deleted by someone else/);
      expect(await stage.ask<Product[]>(`/products?${CONDITIONS}`)).toEqual(
        before.map((row) => (row.id === id ? { ...row, unit_price: 1 } : row)),
      );
    });

    test('a row that someone else changes after the preview is kept and named', async () => {
      const { page } = stage;
      const before = await stage.ask<Product[]>('/products?id=in.(1,2,3)&order=id');
      await page.goto(`${stage.service.url}/console?collection=products#/products`);
      for (const { product_name } of before)
        await page.getByRole('checkbox', { name: `Select ${product_name}`, exact: true }).check();
      await page.getByRole('button', { name: 'Change a field' }).click();
      await stage.choose('Field', 'Unit price');
      await stage.choose('How', /^Add/);
      await page.getByRole('textbox', { name: 'Amount' }).fill('2');
      await stage.until('3 products will change.');
      await quicker(stage, 'PATCH', async () => {
        await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"unit_price":77,"units_in_stock":5}' });
        await stage.service.fetch('/products/2', { method: 'PATCH', body: '{"units_in_stock":6}' });
      });
      await page.getByRole('button', { name: 'Change all' }).click();
      await stage.until(
        `2 products changed. Not changed, because someone else changed them first: ${before[0]!.product_name}.`,
      );
      const prices = async () =>
        (await stage.ask<Product[]>('/products?id=in.(1,2,3)&order=id')).map(({ unit_price }) => unit_price);
      const [, second, third] = before.map(({ unit_price }) => Number(unit_price));
      expect(await prices()).toEqual([77, second! + 2, third! + 2]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await prices()).toEqual([77, second!, third!]);
      expect((await stage.product(2)).units_in_stock).toBe(6);
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);
