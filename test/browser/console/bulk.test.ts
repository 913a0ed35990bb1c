/** Many rows at once: change, calculate and delete them, with a preview, one request and one undo. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Product, type Stage, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;
const SEAFOOD = 'category_id=eq.8&order=id';

const open = async ({ page }: Stage, field: string, way: string) => {
  await page.getByRole('button', { name: 'Change a field' }).click();
  await page.getByLabel('Field', { exact: true }).selectOption({ label: field });
  await page.getByLabel('How', { exact: true }).selectOption({ label: way });
};

browserStories(
  'many rows',
  (stage) => {
    test('a percentage is previewed by the service, stored in one request, and undone at once', async () => {
      const { page } = stage;
      await stage.service.fetch('/products/10', { method: 'PATCH', body: '{"unit_price":null}' });
      const before = await stage.ask<Product[]>(`/products?${SEAFOOD}`);
      await stage.open('/c/products?category_id=eq.8');
      await stage.until(`${before.length} rows`);
      await page.getByLabel('Select all').check();
      await stage.until(`All ${before.length} rows that match are selected.`);
      await open(stage, 'Unit price', 'Raise by %');
      const dryRuns: number[] = [];
      page.on('request', (request) => {
        if (request.headers().prefer?.includes('tx=rollback')) dryRuns.push(request.postDataJSON().length);
      });
      await page.getByLabel('Percent').fill('-150');
      await stage.until(/Nothing was changed. Unit price/);
      const writes: string[] = [];
      await page.getByLabel('Percent').fill('7.5');
      await stage.until(`${before.length - 1} rows will change. 1 row without a number does not change.`);
      expect(await page.getByRole('dialog').locator('tbody tr').count()).toBe(5);
      // Only of the rows that it shows: that of hundreds is stopped on a busy database.
      expect(new Set(dryRuns)).toEqual(new Set([5]));
      expect(await axeFindings(page)).toEqual([]);
      page.on('request', (request) => request.method() !== 'GET' && writes.push(request.url()));
      await page.getByRole('button', { name: 'Change all' }).dblclick();
      await stage.until(`${before.length - 1} rows changed.`);
      expect(writes).toHaveLength(1);
      const prices = async () =>
        (await stage.ask<Product[]>(`/products?${SEAFOOD}`)).map(({ unit_price }) => unit_price);
      const raised = (price: unknown) => (price === null ? null : Math.round(Number(price) * 1.075 * 10_000) / 10_000);
      expect(await prices()).toEqual(before.map(({ unit_price }) => raised(unit_price)));
      const { id } = before.find(({ unit_price }) => unit_price !== null)!;
      await stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: '{"unit_price":1}' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone, except one row that someone changed since.');
      expect(await prices()).toEqual(before.map((row) => (row.id === id ? 1 : (row.unit_price ?? null))));
    });

    test('the bar of the selection moves no row below the pointer', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      const rows = page.getByRole('checkbox', { name: /^Select (Chai|Chang|Aniseed Syrup)$/ });
      const places = await Promise.all([0, 1, 2].map(async (index) => (await rows.nth(index).boundingBox())!));
      for (const { x, y, width, height } of places) await page.mouse.click(x + width / 2, y + height / 2);
      await stage.until('3 rows selected.');
    });

    test('a row that someone else changes after the preview is kept and named', async () => {
      const { page } = stage;
      const before = await stage.ask<Product[]>('/products?id=in.(1,2,3)&order=id');
      await stage.open('/c/products');
      await page.getByLabel('Select Chai').check();
      await page.getByLabel('Select Aniseed Syrup').click({ modifiers: ['Shift'] });
      await stage.until('3 rows selected.');
      await open(stage, 'Unit price', 'Add');
      await page.getByLabel('Amount').fill('2');
      await stage.until('3 rows will change.');
      await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"unit_price":77}' });
      await stage.service.fetch('/products/2', { method: 'PATCH', body: '{"units_in_stock":6}' });
      await page.getByRole('button', { name: 'Change all' }).click();
      await stage.until('2 rows changed. Not changed, because someone else changed them first: Chai.');
      const prices = async () =>
        (await stage.ask<Product[]>('/products?id=in.(1,2,3)&order=id')).map(({ unit_price }) => unit_price);
      const [, second, third] = before.map(({ unit_price }) => Number(unit_price));
      expect(await prices()).toEqual([77, second! + 2, third! + 2]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await prices()).toEqual([77, second!, third!]);
    });

    test('the dialog opens at once, because its code is loaded since the first input', async () => {
      const { page } = stage;
      const open: string[] = [];
      const chunks: string[] = [];
      page.on('request', (request) => /chunk/.test(request.url()) && chunks.push(request.url()) && open.push(''));
      page.on('requestfinished', (request) => /chunk/.test(request.url()) && open.pop());
      await stage.open('/c/products');
      await untilShown(page, ['Chai']);
      const atFirst = chunks.length;
      await page.getByLabel('Select Chai', { exact: true }).check();
      await until('the code', () => chunks.length > atFirst && open.length === 0);
      await page.route(/assets\/chunk/, (route) => route.abort());
      await page.getByRole('button', { name: 'Change a field' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('Unit price', { delay: 125 });
      expect(await page.getByLabel('Field', { exact: true }).inputValue()).toBe('unit_price');
      await page.keyboard.press('Escape');
    });

    test('a reference is set in several rows', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      for (const name of ['Chai', 'Ikura', 'Konbu']) await page.getByLabel(`Select ${name}`, { exact: true }).check();
      await open(stage, 'Supplier', 'Set to');
      await page.getByLabel('New value').click();
      await page.keyboard.type('tokyo');
      await page.getByRole('option', { name: 'Tokyo Traders' }).click();
      await stage.until('3 rows will change.');
      await page.getByRole('button', { name: 'Change all' }).click();
      await stage.until('3 rows changed.');
      const suppliers = await stage.ask<Product[]>('/products?select=supplier_id&id=in.(1,10,13)');
      expect(suppliers.map(({ supplier_id }) => supplier_id)).toEqual([4, 4, 4]);
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);

browserStories('deletions', (stage) => {
  test('three rows are deleted, with a warning if someone changed one of them, and restored', async () => {
    const { page } = stage;
    // Without the feed, the page does not know that a row changed.
    await page.route(/\/catalogue\/changes\?/, (route) => route.abort());
    await stage.open('/c/products');
    for (const name of ['Chai', 'Ikura', 'Konbu']) await page.getByLabel(`Select ${name}`, { exact: true }).check();
    await stage.service.fetch('/products/10', { method: 'PATCH', body: '{"units_on_order":3}' });
    const before = await stage.ask<Product[]>('/products?order=id');
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog', { name: 'Delete 3 rows?' }).getByRole('button', { name: 'Delete' });
    await remove.click();
    await stage.until('These rows changed since you selected them: Ikura.');
    await remove.dblclick();
    await stage.until('3 rows deleted.');
    await untilShown(page, ['Chang']);
    expect(await stage.ask<Product[]>('/products?id=in.(1,10,13)')).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect(await stage.ask<Product[]>('/products?order=id')).toEqual(before);
    await untilShown(page, ['Chai']);
    // Keys of the page do nothing behind a dialog: this one would repeat the deletion.
    await page.getByLabel('Select Chang', { exact: true }).check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Control+y');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(sent).not.toContain('POST');
    expect(await stage.ask<Product[]>('/products?order=id')).toEqual(before);
  });

  test('all rows of a long list are scrolled, raised, deleted and restored by its filter', async () => {
    const { page } = stage;
    const brews = Array.from({ length: 1_200 }, (_, at) => ({ product_name: `Brew ${at}`, unit_price: 2 }));
    await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(brews) });
    await stage.open('/c/products?product_name=like.Brew*&order=id.asc');
    await stage.until('1,200 rows');
    await page.getByRole('grid').press('Control+End');
    await page.getByText('Brew 1199', { exact: true }).waitFor();
    await page.getByLabel('Select all').check();
    await open(stage, 'Unit price', 'Raise by %');
    await page.getByLabel('Percent').fill('5');
    await stage.until('1,200 rows will change.');
    await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"unit_price":20}' });
    await page.getByRole('button', { name: 'Change all' }).click();
    await stage.until('Someone changed rows since the preview. Nothing was changed.');
    await page.getByRole('button', { name: 'Change all' }).click();
    await stage.until('1,200 rows changed.');
    const count = async (price: number) => {
      const [row] = await stage.ask<{ count: number }[]>(`/products?unit_price=eq.${price}&id=gt.77&select=count()`);
      return row!.count;
    };
    expect(await count(2.1)).toBe(1_200);
    await page.keyboard.press('Control+z');
    await stage.until('Undone.');
    expect(await count(2)).toBe(1_200);

    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1,200 rows?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await stage.until('1,200 rows deleted.');
    expect(await stage.ask<Product[]>('/products?select=id')).toHaveLength(77);
    await page.keyboard.press('Control+z');
    await until('the restored rows', async () => (await count(2)) === 1_200);
  });
});
