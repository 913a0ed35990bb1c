/** The cell grid: keys as in a spreadsheet, blocks of the clipboard, and the work of others beside it. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import {
  browserStories,
  clipboardEvent,
  type Product,
  paste,
  type Stage,
  shownNames,
  untilShown,
} from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const cell = ({ page }: Stage, field: string, row: number) =>
  page.locator(`[role=row][aria-rowindex="${row + 2}"] [role=gridcell][data-field=${field}]`);

/** The text of the cell, without the name of its link. */
const shown = async (stage: Stage, field: string, row: number) => (await cell(stage, field, row).textContent())?.trim();

const unsaved = (page: Page) => page.getByRole('region', { name: 'Not saved' });

/** Copies the selection, and returns its text. */
const copy = ({ page }: Stage) => page.evaluate<string>(clipboardEvent('copy', {}));

const pricesOf = async (stage: Stage, count: number) =>
  (await stage.ask<Product[]>(`/products?select=unit_price&order=id&limit=${count}`)).map((row) => row.unit_price);

browserStories('the cell grid', (stage) => {
  test('ten prices take at most 40 keys, each can be undone and repeated', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    let keys = 0;
    for (let price = 11; price <= 20; price++) {
      for (const key of [...String(price), 'Enter']) {
        await page.keyboard.press(key);
        keys++;
      }
    }
    expect(keys).toBeLessThanOrEqual(40);
    const wanted = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
    await until('all prices', async () => String(await pricesOf(stage, 10)) === String(wanted));
    expect(await shown(stage, 'unit_price', 9)).toBe('20.00');
    await stage.until('Ikura was saved.');
    await page.keyboard.press('Control+z');
    await until('the old price', async () => (await pricesOf(stage, 10))[9] === 31);
    await stage.until('Undone.');
    await page.keyboard.press('Control+y');
    await stage.until('Repeated.');
    expect((await pricesOf(stage, 10))[9]).toBe(20);
  });

  test('keys move, select, edit, cancel, clear and fill down; the foot has the sum', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key);
    await stage.until('Sum 47');
    expect(await axeFindings(page)).toEqual([]);
    expect(await copy(stage)).toBe('18\n19\n10');
    await page.keyboard.press('Control+d');
    await stage.until('2 cells changed.');
    expect(await pricesOf(stage, 3)).toEqual([18, 18, 18]);
    await page.keyboard.press('Delete');
    await stage.until('3 cells changed.');
    expect(await pricesOf(stage, 3)).toEqual([null, null, null]);
    await page.keyboard.press('Control+z');
    await until('the prices', async () => (await pricesOf(stage, 3))[0] === 18);
    await stage.until('Undone.');

    // A picture has no text for the cells.
    await paste(stage, '', '<img src="data:,">');
    await page.keyboard.press('Home');
    await page.keyboard.press('F2');
    await page.getByLabel('Product name of Aniseed Syrup').fill('Nothing');
    await page.keyboard.press('Escape');
    expect(await shown(stage, 'product_name', 2)).toBe('Aniseed Syrup');
    await page.keyboard.type('Syrup');
    await page.keyboard.press('Tab');
    await stage.until('Syrup was saved.');
    expect(await pricesOf(stage, 3)).toEqual([18, 18, 18]);
    await page.keyboard.press('End');
    await page.keyboard.press('Control+End');
    await cell(stage, 'product_name', 76).waitFor();
  });

  test('the handle repeats cells, menus of a row and a column act, and new rows are typed at the end', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    await page.keyboard.press('Shift+ArrowDown');
    const from = (await page.locator('.fill-handle').boundingBox())!;
    const to = (await cell(stage, 'unit_price', 4).boundingBox())!;
    await page.mouse.move(from.x + 4, from.y + 4);
    await page.mouse.down();
    await page.mouse.move(to.x + 9, to.y + 9, { steps: 3 });
    await page.mouse.up();
    await stage.until('3 cells changed.');
    expect(await pricesOf(stage, 6)).toEqual([18, 19, 18, 19, 18, 25]);

    await cell(stage, 'product_name', 1).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete the row' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await stage.until('Chang was duplicated.');
    await page.getByRole('complementary', { name: 'Chang' }).waitFor();
    expect((await stage.product(78)).unit_price).toBe(19);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Chang' }).waitFor({ state: 'detached' });
    await page.locator('[role=columnheader][data-field=quantity_per_unit] button').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('H');
    await page.keyboard.press('Enter');
    await page.locator('[role=columnheader][data-field=quantity_per_unit]').waitFor({ state: 'hidden' });

    await page.getByRole('grid').focus();
    for (const key of ['Control+End', 'Home', 'ArrowDown']) await page.keyboard.press(key);
    for (const name of ['First tea', 'Second tea']) {
      await page.keyboard.type(name, { delay: 20 });
      await page.keyboard.press('Enter');
    }
    const names = () => stage.ask<Product[]>('/products?select=product_name&id=gt.78&order=id');
    await until('two rows', async () => (await names()).length === 2);
    expect((await names()).map((row) => row.product_name)).toEqual(['First tea', 'Second tea']);
    await stage.until('80 rows');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Without Second tea' }).click();
    await stage.until('79 rows');
  });

  test('invalid text and rejected values are listed while typing goes on, and can be corrected', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    for (const text of ['1o,5', '21', '22']) {
      await page.keyboard.type(text, { delay: 125 });
      await page.keyboard.press('Enter', { delay: 125 });
    }
    await stage.until('Chai: Unit price was not saved. “1o,5” is not a number.');
    await until('the other prices', async () => String(await pricesOf(stage, 3)) === '18,21,22');
    expect(await unsaved(page).getByRole('button').allTextContents()).toEqual(['Keep 18.00']);
    for (const key of ['Control+ArrowUp', 'F2']) await page.keyboard.press(key);
    expect(await page.getByLabel('Unit price of Chai').inputValue()).toBe('1o,5');
    // No other row covers the reason.
    await page.locator('#cell-problem').click({ trial: true });
    await page.getByLabel('Unit price of Chai').fill('10,5');
    await page.keyboard.press('Enter');
    await unsaved(page).waitFor({ state: 'detached' });
    await until('the corrected price', async () => (await pricesOf(stage, 1))[0] === 10.5);
    await page.keyboard.press('ArrowUp');
    await page.route(/\/catalogue\/batch/, (route) =>
      route.fulfill({ status: 400, json: { code: '23514', message: 'too dear', field: 'unit_price', request: 0 } }),
    );
    await page.keyboard.type('99');
    await page.keyboard.press('Enter');
    await stage.until('Chai: Unit price was not saved.');
    await until('the stored price', async () => (await shown(stage, 'unit_price', 0)) === '10.50');
    await page.unroute(/\/catalogue\/batch/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('F2');
    expect(await page.getByLabel('Unit price of Chai').inputValue()).toBe('99');
    await page.keyboard.press('Enter');
    await stage.until('Chai was saved.');
    expect((await stage.product(1)).unit_price).toBe(99);
  });

  test('changes without an answer are sent again by themselves, and are stored once', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    let isLost = false;
    await page.route(/\/catalogue\/batch/, async (route) => {
      if (isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await cell(stage, 'unit_price', 1).click();
    await page.keyboard.type('20');
    await page.keyboard.press('Enter');
    const bar = page.getByRole('alert').filter({ hasText: 'Your changes are sent when it answers again.' });
    await bar.waitFor();
    await stage.until('Chang was saved.');

    // Typing goes on without the network, and all of it is stored when it is back.
    await page.context().setOffline(true);
    for (const price of ['31', '32', '33']) {
      await page.keyboard.type(price, { delay: 125 });
      await page.keyboard.press('Enter', { delay: 125 });
    }
    await bar.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().setOffline(false);
    await until('the typed prices', async () => String((await pricesOf(stage, 5)).slice(1)) === '20,31,32,33');
    await bar.waitFor({ state: 'detached' });
    expect(await shown(stage, 'unit_price', 4)).toBe('33.00');
    expect(await stage.ask<unknown[]>('/changes?collection=eq.products')).toHaveLength(4);

    // One decision ends all of it, also the writes that wait for their turn.
    await page.context().setOffline(true);
    for (const price of ['41', '42']) {
      await page.keyboard.type(price, { delay: 125 });
      await page.keyboard.press('Enter', { delay: 125 });
    }
    await bar.getByRole('button', { name: 'Do not send' }).click();
    await page.getByRole('button', { name: 'Save 42.00' }).waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Save all of mine' }).click();
    await until('the kept prices', async () => String((await pricesOf(stage, 7)).slice(5)) === '41,42');
  });

  test('the values of others appear live, never in the edited cell, and are not overwritten silently', async () => {
    const { page } = stage;
    const change = (id: number, body: object) =>
      stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: JSON.stringify(body) });
    const feed = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream');
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await feed;
    await cell(stage, 'unit_price', 0).dblclick();
    const editor = page.getByLabel('Unit price of Chai');
    await editor.fill('21');
    await change(1, { unit_price: 30, units_in_stock: 5 });
    await change(2, { unit_price: 31 });
    await until('the new values', async () => (await shown(stage, 'unit_price', 1)) === '31.00');
    await until('the new stock', async () => (await shown(stage, 'units_in_stock', 0)) === '5');
    expect(await editor.inputValue()).toBe('21');
    expect(await cell(stage, 'unit_price', 1).getAttribute('class')).toContain('marked');
    await editor.press('Enter');
    await stage.until('Chai: Unit price was not saved. Someone else changed this to 30.00.');
    expect(await shown(stage, 'unit_price', 0)).toBe('30.00');
    // A message covers no button of the list.
    await cell(stage, 'unit_price', 1).click();
    await page.keyboard.type('32', { delay: 125 });
    await page.keyboard.press('Enter');
    await page.locator('.toast').filter({ hasText: 'Chang was saved.' }).waitFor();
    const [list, message] = await Promise.all(
      ['.unsaved-cells', '.toast'].map((each) => page.locator(each).first().boundingBox()),
    );
    expect(message!.y).toBeGreaterThanOrEqual(list!.y + list!.height);
    // The list survives another order of the rows.
    await page.getByRole('button', { name: /^Product name/ }).click();
    await page.getByRole('button', { name: 'Keep 30.00' }).click();
    await page.getByRole('button', { name: 'Keep 30.00' }).waitFor({ state: 'detached' });
    expect((await stage.product(1)).unit_price).toBe(30);
  });

  test('an answer from before a save does not hide the saved value', async () => {
    const { page } = stage;
    const type = async (row: number, name: string, price: string) => {
      await cell(stage, 'unit_price', row).click();
      await page.keyboard.type(price, { delay: 125 });
      await page.keyboard.press('Enter');
      await page
        .locator('.toast')
        .filter({ hasText: `${name} was saved.` })
        .waitFor();
    };
    /** Runs work while an answer that the service has given already is on its way to the page. */
    const whileLate = async (url: RegExp, begin: () => Promise<unknown>, work: () => Promise<unknown>) => {
      const { promise: held, resolve: arrive } = Promise.withResolvers<void>();
      const { promise: given, resolve: give } = Promise.withResolvers<void>();
      await page.route(url, async (route) => {
        if (route.request().method() !== 'GET') return route.fallback();
        const response = await route.fetch();
        give();
        await held;
        await route.fulfill({ response });
      });
      const late = page.waitForResponse((response) => url.test(response.url()));
      await begin();
      await given;
      await work();
      arrive();
      await (await late).finished();
      await page.unroute(url);
    };
    const feed = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream');
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await feed;
    await type(0, 'Chai', '21');
    // An undo reads the list again.
    await whileLate(
      /offset=0/,
      () => page.keyboard.press('Control+z'),
      () => type(1, 'Chang', '22'),
    );
    await page.waitForTimeout(300);
    expect(await shown(stage, 'unit_price', 1)).toBe('22.00');
    // The page reads a row that someone else has changed.
    const body = '{"units_in_stock":5}';
    await whileLate(
      /products\?id=in/,
      () => stage.service.fetch('/products/3', { method: 'PATCH', body }),
      () => type(2, 'Aniseed Syrup', '23'),
    );
    await until('the new stock', async () => (await shown(stage, 'units_in_stock', 2)) === '5');
    expect(await shown(stage, 'unit_price', 2)).toBe('23.00');
    expect(await cell(stage, 'unit_price', 2).getAttribute('class')).not.toContain('marked');
  });

  test('the rows stay in their places when the person comes back to the tab', async () => {
    const { page } = stage;
    const feed = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream');
    await stage.open('/c/products?order=product_name');
    await untilShown(page, ['Alice Mutton', 'Aniseed Syrup']);
    await feed;
    await stage.service.fetch('/products', { method: 'POST', body: '{"product_name":"Agar"}' });
    await page.getByRole('button', { name: 'Rows were added or deleted.' }).waitFor();
    await cell(stage, 'unit_price', 0).click();
    await page.keyboard.type('40', { delay: 125 });
    await page.keyboard.press('Enter');
    await page.locator('.toast').filter({ hasText: 'Alice Mutton was saved.' }).waitFor();
    const reread = page.waitForResponse(/offset=0/, { timeout: 2_000 }).catch(() => undefined);
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
    await reread;
    expect((await shownNames(page))[0]).toBe('Alice Mutton');
    await page.keyboard.type('12', { delay: 125 });
    await page.keyboard.press('Enter');
    await page.locator('.toast').filter({ hasText: 'Aniseed Syrup was saved.' }).waitFor();
    await page.getByRole('button', { name: 'Rows were added or deleted.' }).click();
    await untilShown(page, ['Agar', 'Alice Mutton', 'Aniseed Syrup']);
  });

  test('200 prices from a spreadsheet are previewed, stored in one request, and undone at once', async () => {
    const { page } = stage;
    const more = Array.from({ length: 143 }, (_, at) => ({ product_name: `Tea ${at}`, unit_price: 1 }));
    await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(more) });
    const before = await pricesOf(stage, 220);
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    const prices = Array.from({ length: 200 }, (_, at) => 100 + at);
    await paste(stage, prices.map((price) => `${price},50`).join('\r\n'));
    const dialog = page.getByRole('dialog', { name: 'Paste' });
    await dialog.getByText('200 cells change.').waitFor();
    await dialog.getByRole('row', { name: 'Chai Unit price 18.00 100.50' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const writes: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && writes.push(request.url()));
    await dialog.getByRole('button', { name: 'Change 200 cells' }).dblclick();
    await stage.until('200 cells changed.');
    await dialog.waitFor({ state: 'hidden' });
    expect(writes).toHaveLength(1);
    expect((await pricesOf(stage, 200)).map(Number)).toEqual(prices.map((price) => price + 0.5));
    await page.keyboard.press('Control+z');
    await stage.until('Undone.');
    expect(await pricesOf(stage, 220)).toEqual(before);
  });

  test('a pasted table names the cells that do not fit, lists those that someone else changed, and pastes the rest', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'unit_price', 0).click();
    const row = (...cells: string[]) => `<tr>${cells.map((text) => `<td>${text}</td>`).join('')}</tr>`;
    await paste(stage, 'plain', `<table>${row('20', '1')}${row('much', '2')}${row('22', '3')}</table>`);
    const dialog = page.getByRole('dialog', { name: 'Paste' });
    await dialog.getByText('“much” is not a number.').waitFor();
    await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"unit_price":77}' });
    await dialog.getByRole('button', { name: 'Change 5 cells' }).click();
    await stage.until('3 cells changed.');
    await stage.until('Chai: Unit price was not saved. Someone else changed this to 77.00.');
    expect((await pricesOf(stage, 3)).map(Number)).toEqual([77, 19, 22]);
    // The other cell of the row is stored.
    expect(await stage.product(1)).toMatchObject({ units_in_stock: 1 });
    expect(await stage.product(2)).toMatchObject({ units_in_stock: 2 });
    // As in a spreadsheet, the pasted block is selected, and the next key acts on its first cell.
    await stage.until('6 cells');
    await cell(stage, 'unit_price', 0).and(page.locator('.active')).waitFor();
    await page.getByRole('button', { name: 'Save 20.00' }).click();
    await until('the pasted price', async () => (await pricesOf(stage, 1))[0] === 20);
  });

  test('tables of spreadsheets keep merged cells, empty cells, line breaks and signs', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    await cell(stage, 'product_name', 0).click();
    await paste(
      stage,
      'other',
      `<html><style>td {}</style><body><table border=0><col width=64>
        <tr><td class=xl1 colspan="2">Tea&nbsp;&lt; <b>Chai</b> &amp; co</td></tr>
        <tr><td style='color:red'>Two<br>lines</td><td></td></tr></table></body></html>`,
    );
    const dialog = page.getByRole('dialog', { name: 'Paste' });
    await dialog.getByRole('button', { name: /^Change \d cells$/ }).click();
    await stage.until(/cells changed/);
    expect(await stage.product(1)).toMatchObject({ product_name: 'Tea < Chai & co' });
    expect(await stage.product(2)).toMatchObject({ product_name: 'Two\nlines' });
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+ArrowLeft');
    await paste(
      stage,
      'other',
      `<table><tr><td rowspan="2">Tea</td><td>77</td></tr><tr><td>178</td></tr><tr><td></td><td>179</td></tr></table>`,
    );
    await dialog.getByText('1 cell changes. 1 row is added. 1 cell cannot be pasted.').waitFor();
    await dialog.getByRole('button', { name: 'Change 1 cell, add 1 row' }).click();
    await stage.until('1 cell changed. 1 row added.');
    await dialog.waitFor({ state: 'hidden' });
    expect(await stage.ask('/products?id=gte.77&select=id,product_name')).toEqual([
      { id: 77, product_name: 'Tea' },
      { id: 178, product_name: 'Tea' },
    ]);
    await page.keyboard.press('Control+z');
    await stage.until('Undone.');
    expect(await stage.ask('/products?id=gte.77&select=product_name')).toEqual([
      { product_name: 'Original Frankfurter grüne Soße' },
    ]);
  });
});
