/** A choice of a person moves nothing below the pointer. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { browserStories, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

const FILE = {
  name: 'parts.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    'product_name,Lieferant,Preis,Rest\nNut,Exotic Liquids,"1,234",x\nPin,Nobody,"2,345",y\nChai,,3,z\n',
  ),
};

const place = async (element: Locator) => {
  const { x, y, width } = (await element.boundingBox())!;
  return { x, y, width };
};

browserStories(
  'places',
  (stage) => {
    test('a row that opens beside its list moves no row', async () => {
      const { page } = stage;
      await stage.open('/c/products?order=id');
      await untilShown(page, ['Chai']);
      const cell = page.locator('[data-row="6"] [data-field=product_name]');
      const before = await place(cell);
      await cell.click();
      await page.keyboard.press('Space');
      await page.getByRole('complementary').getByLabel('Unit price').waitFor();
      expect(await place(cell)).toEqual(before);
      await page.keyboard.press('Escape');
      await page.getByRole('complementary').waitFor({ state: 'detached' });
      expect(await place(cell)).toEqual(before);
    });

    test('beside a search, a row that opens leaves the table in its place, or takes all of it', async () => {
      const { page } = stage;
      for (const width of [1280, 1024]) {
        await page.setViewportSize({ width, height: 700 });
        await stage.open('/c/products?order=id&~q=e');
        await untilShown(page, ['Chai']);
        const [table, cell] = [page.getByRole('grid'), page.locator('[data-row="40"] [data-field=product_name]')];
        await table.focus();
        for (let row = 0; row < 40; row++) await page.keyboard.press('ArrowDown');
        const [before, { height }] = [await place(cell), (await table.boundingBox())!];
        await page.keyboard.press('Space');
        const panel = page.getByRole('complementary').filter({ has: page.getByLabel('Unit price') });
        await panel.waitFor();
        expect(await table.isVisible()).toBe(width === 1280);
        if (width === 1280) expect([await place(cell), (await table.boundingBox())!.height]).toEqual([before, height]);
        await page.keyboard.press('Escape');
        await panel.waitFor({ state: 'detached' });
        expect(await place(cell)).toEqual(before);
      }
    });

    test('a filter or an order that is chosen in the table leaves the focus there', async () => {
      const { page } = stage;
      await stage.open('/c/products?order=id');
      await untilShown(page, ['Chai']);
      const focused = () => page.evaluate<string>('document.activeElement.closest("[role]")?.getAttribute("role")');
      await page.locator('[data-row="0"] [data-field=status]').click();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: /^Only / }).press('Enter');
      await until(
        'the table with the focus',
        async () => page.url().includes('status=eq') && (await focused()) === 'grid',
      );
      await page.keyboard.press('ArrowDown');
      await page.locator('[data-row="1"] .active').waitFor();
      const head = page.locator('[role=columnheader][data-field=id] button');
      await head.focus();
      await page.keyboard.press('Enter');
      await page.locator('[role=columnheader][data-field=id][aria-sort=descending]').waitFor();
      const ownHead = "document.activeElement.closest('[role=columnheader]')?.dataset.field";
      await until('the head with the focus', async () => (await page.evaluate(ownHead)) === 'id');
    });

    test('a choice in the dialog “Change a field” moves neither inputs nor buttons', async () => {
      const { page } = stage;
      await stage.open('/c/products?id=lt.6');
      await page.getByLabel('Select all').check();
      await page.getByRole('button', { name: 'Change a field' }).click();
      const dialog = page.getByRole('dialog');
      const [field, how, button] = [
        dialog.getByLabel('Field', { exact: true }),
        dialog.getByLabel('How', { exact: true }),
        dialog.getByRole('button', { name: 'Change all' }),
      ];
      const places = async () => [await place(field), await place(how), await place(button)];
      const before = await places();
      await field.selectOption({ label: 'Unit price' });
      expect(await places()).toEqual(before);
      await how.selectOption({ label: 'Raise by %' });
      const input = await place(dialog.getByLabel('Percent'));
      await dialog.getByLabel('Percent').pressSequentially('5');
      await stage.until('5 rows will change.');
      expect(await place(dialog.getByLabel('Percent'))).toEqual(input);
      expect(await places()).toEqual(before);
      await how.selectOption({ label: 'Clear' });
      expect(await places()).toEqual(before);
    });

    test('the field of a column moves no cell of the import', async () => {
      const { page } = stage;
      await stage.open('/import/products');
      await page.locator('input[type=file]').setInputFiles(FILE);
      const heads = page.getByRole('columnheader');
      const places = async () =>
        Promise.all([...(await heads.all()), page.getByRole('cell', { name: '2', exact: true })].map(place));
      await stage.until('parts.csv: 3 rows, all valid.');
      const before = await places();
      await page.getByLabel('Field of the column Lieferant').selectOption({ label: 'Supplier' });
      await stage.until('Create the rows that do not exist yet (Supplier: Nobody)');
      expect(await places()).toEqual(before);
      await page.getByLabel('Field of the column Preis').selectOption({ label: 'Unit price' });
      await page.getByLabel('Format of the column Preis').waitFor();
      await until('the places of the cells', async () => Bun.deepEquals(await places(), before));
    });
  },
  () => ({ args: ['--collections', SHOP] }),
  { areApart: true },
);
