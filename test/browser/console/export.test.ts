/** Exports in a real browser: names instead of keys, the visible columns, the selection, and a large list. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserStories, type Stage, savedFile } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

async function download({ page }: Stage, button: string, format: string): Promise<{ name: string; path: string }> {
  await page.getByRole('button', { name: button }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).click();
  const file = await saved;
  return { name: file.suggestedFilename(), path: await savedFile(file) };
}

browserStories(
  'export',
  (stage) => {
    test('a German spreadsheet gets its separators, names instead of keys, and no formula', async () => {
      await stage.reopen({ locale: 'de-DE' });
      const { page } = stage;
      await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"product_name":"=1+1 é","weight":0.5}' });
      await page.addInitScript(`localStorage.setItem('catalogue.columns.products', JSON.stringify({
        order: ['unit_price', 'supplier_id', 'available', 'weight'],
        hidden: ${JSON.stringify(HIDDEN)},
      }))`);
      await stage.open('/c/products');
      await page.getByRole('row', { name: '=1+1 é' }).getByRole('checkbox').check();
      const { name, path } = await download(stage, '1 ausgewählte exportieren', 'CSV');
      expect(readFileSync(path, 'utf8')).toBe(
        "\uFEFFProduct name;Unit price;Supplier;Available;Weight\r\n'=1+1 é;18;Specialty Biscuits, Ltd.;Ja;0,5\r\n",
      );
      const today = await page.evaluate<string>('new Date().toLocaleDateString("sv")');
      expect(name).toBe(`products-${today}.csv`);
    });

    test('a list is exported as filtered and sorted, as JSON with names and as a workbook that can be imported', async () => {
      const { page } = stage;
      await stage.open('/c/products?category_id=eq.8&order=product_name.desc');
      const json = await download(stage, 'Export', 'JSON');
      const rows = JSON.parse(readFileSync(json.path, 'utf8')) as Record<string, unknown>[];
      const stored = await stage.ask<Record<string, unknown>[]>('/products?category_id=eq.8&order=product_name.desc');
      expect(rows.map(({ product_name }) => product_name)).toEqual(stored.map(({ product_name }) => product_name));
      expect(rows[0]).toMatchObject({ category_id: 'Seafood', unit_price: stored[0]!.unit_price });

      // The menu gets the focus back, beside the button that shows the progress.
      await page.getByRole('button', { name: 'Export' }).press('Enter');
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Excel (.xlsx)' }).press('Enter');
      const xlsx = { path: await savedFile(await saved) };
      await stage.until(`${stored.length} rows exported.`);
      await until('the focus', () => page.evaluate<boolean>(`document.activeElement.ariaLabel === 'Export'`));
      await page.getByRole('link', { name: 'Import', exact: true }).click();
      await page.locator('input[type=file]').setInputFiles(xlsx.path);
      await stage.until('12 rows of the file already exist, and 0 would change');
    });

    test('a large export shows its progress and can be stopped; a lost connection is reported', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await stage.until('Chai');
      await page.route(/\/products\?.*order/, () => new Promise(() => {}));
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      await page.getByRole('button', { name: 'Exporting… 0' }).click();
      await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
      await page.unroute(/\/products\?.*order/);
      await page.route(/\/products\?.*order/, (route) => route.abort());
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      await stage.until('The service cannot be reached.');
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);

const HIDDEN = [
  'id',
  'discontinued',
  'category_id',
  'quantity_per_unit',
  'units_in_stock',
  'units_on_order',
  'reorder_level',
  'sku',
  'tags',
  'attributes',
  'barcode',
  'released',
  'created_at',
  'status',
  'uid',
  'second_supplier_id',
];
