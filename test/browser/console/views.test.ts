/** Views of a list: stored under a name, as tabs and as addresses; cards and a board. */
import { expect, test } from 'bun:test';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories(
  'views',
  (stage) => {
    test('a filtered list that is sorted by two columns is stored as a tab, and its address can be shared', async () => {
      const { page } = stage;
      const names = async (query: string) =>
        (await stage.ask<Product[]>(`/products?${query}&limit=5`)).map((row) => String(row.product_name));
      await stage.open('/c/products?product_name=ilike.*ch*&order=category_id.asc,unit_price.desc');
      const found = await names(
        'select=*,c:category_id(category_name)&product_name=ilike.*ch*&order=c(category_name).asc,unit_price.desc',
      );
      await untilShown(page, found);
      await page.getByRole('button', { name: 'Save as view' }).click();
      await page.getByLabel('Name of the view').fill('Dear things with ch');
      await page.keyboard.press('Enter');
      const tabs = page.getByRole('navigation', { name: 'Views' });
      await tabs.locator('[aria-current=page]').getByText('Dear things with ch').waitFor();

      // The columns of a view are its own; those of the person stay.
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('dialog').getByLabel('Category', { exact: true }).uncheck();
      await page.getByRole('dialog').getByLabel('Width of Unit price').selectText();
      await page.keyboard.type('222', { delay: 50 });
      await page.getByRole('button', { name: 'Close' }).click();
      const price = page.getByRole('columnheader', { name: 'Unit price' });
      await until('the width', async () => (await price.boundingBox())?.width === 222);
      const category = page.getByRole('columnheader', { name: 'Category' });
      await category.waitFor({ state: 'detached' });
      const save = page.getByRole('button', { name: 'Save changes of the view' });
      await save.click();
      await save.waitFor({ state: 'detached' });
      await tabs.getByText('All rows').click();
      await untilShown(page, ['Chai', 'Chang', 'Aniseed Syrup']);
      await category.waitFor();
      await page.reload();
      await untilShown(page, ['Chai', 'Chang', 'Aniseed Syrup']);
      await category.waitFor();
      await tabs.getByText('Dear things with ch').click();
      await untilShown(page, found);
      await category.waitFor({ state: 'detached' });
      const address = page.url();

      await page.getByRole('columnheader', { name: 'Product name' }).getByRole('button').first().click();
      await save.click();
      await save.waitFor({ state: 'detached' });
      await tabs.getByText('All rows').click();
      await tabs.getByText('Dear things with ch').click();
      await untilShown(page, await names('product_name=ilike.*ch*&order=product_name.asc'));
      await page.getByRole('button', { name: 'Actions of the view Dear things with ch' }).click();
      await page.getByRole('menuitem', { name: 'Delete the view' }).click();
      await tabs.getByText('Dear things with ch').waitFor({ state: 'detached' });

      await stage.reopen({});
      await stage.page.goto(address);
      await untilShown(stage.page, found);
    });

    test('a grouped table has a head with the number of rows above each group, and shows its requests', async () => {
      const { page } = stage;
      await stage.open('/c/products?id=lt.10');
      await page.getByRole('button', { name: 'Group: None' }).click();
      await page.getByRole('menuitemradio', { name: 'Category' }).click();
      const groups = await stage.ask<{ category_id: number; count: number; c: { category_name: string } }[]>(
        '/products?id=lt.10&select=category_id,count(),c:category_id(category_name)&order=category_id',
      );
      const heads = groups.map(({ count, c }) => `${c.category_name} ${count}`);
      for (const head of heads) await page.getByRole('row').filter({ hasText: head }).waitFor();
      const rows = await stage.ask<Product[]>('/products?id=lt.10&order=category_id,id');
      const shown = await page.getByRole('row').all();
      const found = await Promise.all(
        shown.map(async (each) => ({
          line: Number(await each.getAttribute('aria-rowindex')),
          text: (await each.innerText()).trim(),
        })),
      );
      const lines = found.toSorted((one, other) => one.line - other.line).map(({ text }) => text);
      let at = 1;
      for (const [index, { count }] of groups.entries()) {
        expect(lines[at]).toMatch(new RegExp(`^${heads[index]!.replace('/', '.')}$`));
        at += count + 1;
      }
      // The last line is for a new row.
      expect(lines.length).toBe(1 + groups.length + rows.length + 1);
      // A click selects the row below the pointer, whatever heads precede it.
      const last = String(rows.at(-1)!.product_name);
      await page.locator('[data-field=product_name]').filter({ hasText: last }).click();
      await page.getByRole('row').filter({ hasText: last }).locator('[aria-selected=true]').waitFor();
      await page.getByText('Request', { exact: true }).click();
      await stage.until(/order=category_id\.asc,id\.asc/);
      await stage.until(/count\(\)/);
    });

    test('cards show pictures and titles; a card of the board is moved by keyboard, by mouse, and back by undo', async () => {
      const { page } = stage;
      await stage.open('/c/products?id=lt.10&status=neq.x');
      await page.getByRole('button', { name: 'Layout: Table' }).click();
      await page.getByRole('menuitemradio', { name: 'Cards' }).click();
      await page.getByRole('article', { name: 'Chang' }).waitFor();
      expect(new URL(page.url()).search).toBe('?id=lt.10&status=neq.x&~as=cards');

      await page.getByRole('button', { name: 'Layout: Cards' }).click();
      await page.getByRole('menuitemradio', { name: 'Board by status' }).click();
      const before = (await stage.product(1)).status;
      const other = before === 'live' ? 'draft' : 'live';
      await page.getByRole('button', { name: 'Move Chai' }).click();
      await page.getByRole('menuitemradio', { name: other }).click();
      const column = page.getByRole('region', { name: other });
      await column.getByRole('article', { name: 'Chai' }).waitFor();
      expect((await stage.product(1)).status).toBe(other);
      await page.getByRole('button', { name: 'Undo' }).click();
      // Each column is read by itself, so the other one may still have the card for a moment.
      const card = page.getByRole('region', { name: String(before) }).getByRole('article', { name: 'Chai' });
      await card.dragTo(column);
      await until('the card to be moved', async () => (await stage.product(1)).status === other);
      await page.getByRole('checkbox', { name: 'Select Chang' }).check();
      await stage.until('1 row selected.');
      await stage.service.fetch('/products/3', { method: 'PATCH', body: '{"product_name":"Renamed by others"}' });
      await page.getByRole('article', { name: 'Renamed by others' }).waitFor();
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);
