/** Rows in the console: change, create and delete them, with undo, with errors at their fields, and beside others. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage, untilShown } from '../../support/browser/browser.ts';
import { startService, temporaryFolder, until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

/** Stores a change as another person. */
const other = (stage: Stage, path: string, body: object, method = 'PATCH') =>
  stage.service.fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const save = ({ page }: Stage) => page.getByRole('button', { name: 'Save', exact: true }).click();
const dismissAll = async ({ page }: Stage) => {
  const buttons = page.getByRole('button', { name: 'Dismiss' });
  // All at once, because a message also ends by itself.
  await buttons.evaluateAll((all) => all.map((each) => each.dispatchEvent(new Event('click', { bubbles: true }))));
  await buttons.first().waitFor({ state: 'detached' });
};

browserStories('rows', (stage) => {
  test('a price is changed by keyboard on the page of its row, and undone', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await page.getByRole('link', { name: 'Open Chai' }).click();
    await page.getByLabel('Unit price').fill('19,50');
    await page.keyboard.press('Control+s');
    await stage.until('Saved.');
    expect((await stage.product(1)).unit_price).toBe(19.5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect((await stage.product(1)).unit_price).toBe(18);
  });

  test('a write that waits for the connection leaves a later draft alone, and Cancel ends it', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    const newRow = page.getByRole('link', { name: 'New row' });
    await newRow.click();
    const name = page.getByLabel('Product name');
    await name.fill('First tea');
    const writes = /\/(products|catalogue\/batch)$/;
    await page.route(writes, (route) => route.abort());
    await save(stage);
    const bar = page.getByRole('alert').filter({ hasText: 'Your changes are sent when it answers again.' });
    await bar.waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await newRow.click();
    await name.fill('Second tea');
    await page.unroute(writes);
    await bar.getByRole('button', { name: 'Try again' }).click();
    await stage.until('First tea was created.');
    expect([await name.inputValue(), new URL(page.url()).pathname]).toEqual(['Second tea', '/console/new/products']);
    await save(stage);
    await stage.until('Second tea was created.');
    const added = await stage.ask<{ product_name: string }[]>('/products?id=gt.77&order=id');
    expect(added.map(({ product_name }) => product_name)).toEqual(['First tea', 'Second tea']);

    await page.route(writes, (route) => route.abort());
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Your changes are sent when it answers again.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute(writes);
    await bar.waitFor({ state: 'detached' });
    expect((await stage.product(79)).product_name).toBe('Second tea');
  });

  test('two people: different fields are both kept; for the same field the second one decides; nothing is lost', async () => {
    const { page } = stage;
    // The feed of the page begins after the first change of the other person.
    const changed = Promise.withResolvers<void>();
    await page.route(/\/products\?/, async (route) => {
      if (route.request().headers().accept === 'text/event-stream') await changed.promise;
      await route.fallback();
    });
    await stage.open('/c/products/10');
    const price = page.getByLabel('Unit price');
    await price.fill('32');
    await other(stage, '/products/10', { units_in_stock: 5 });
    changed.resolve();
    await stage.until('Someone else changed this while the page was open.');
    expect(await page.getByLabel('Units in stock').inputValue()).toBe('5');
    await save(stage);
    await stage.until('Saved.');
    expect(await stage.product(10)).toMatchObject({ unit_price: 32, units_in_stock: 5 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect(await stage.product(10)).toMatchObject({ unit_price: 31, units_in_stock: 5 });
    expect(await page.locator('.form-field', { hasText: 'Unit price' }).locator('.marker').count()).toBe(0);

    // The other person's change appears at once: beside the typed text, never in its place.
    await price.fill('40');
    await other(stage, '/products/10', { unit_price: 35, units_on_order: 8 });
    await stage.until('Someone else changed this to 35.00.');
    await stage.until('Someone else changed this while the page was open.');
    await until('the new number', async () => (await page.getByLabel('Units on order').inputValue()) === '8');
    expect(await price.inputValue()).toBe('40');
    await save(stage);
    await stage.until('Someone else changed this to 35.00. Save again to keep your value.');
    expect(await axeFindings(page)).toEqual([]);
    expect(await price.inputValue()).toBe('40');
    expect((await stage.product(10)).unit_price).toBe(35);
    await page.getByRole('button', { name: 'Use it' }).click();
    expect(await price.inputValue()).toBe('35');

    // A second save keeps the own value, but not over a value that nobody has seen.
    await price.fill('41');
    await other(stage, '/products/10', { unit_price: 36 });
    await stage.until('Someone else changed this to 36.00.');
    await save(stage);
    await stage.until('Someone else changed this to 36.00. Save again to keep your value.');
    await other(stage, '/products/10', { unit_price: 37 });
    await save(stage);
    await stage.until('Someone else changed this to 37.00. Save again to keep your value.');
    expect((await stage.product(10)).unit_price).toBe(37);
    await save(stage);
    await stage.until('Saved.');
    expect((await stage.product(10)).unit_price).toBe(41);

    // Undo leaves a row alone that someone changed since.
    await dismissAll(stage);
    await price.fill('50');
    await save(stage);
    await stage.until('Saved.');
    await other(stage, '/products/10', { unit_price: 51 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone, except one row that someone changed since.');
    expect((await stage.product(10)).unit_price).toBe(51);
  });

  test('what was typed survives other pages and a reload; a row that someone deletes can be restored', async () => {
    const { page } = stage;
    await stage.open('/c/products/1');
    await page.getByLabel('Unit price').fill('17');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.goBack();
    expect(await page.getByLabel('Unit price').inputValue()).toBe('17');
    // A draft never overwrites what someone stored meanwhile.
    await stage.open('/changes');
    await other(stage, '/products/1', { unit_price: 16 });
    await stage.open('/c/products/1');
    await stage.until('Your input from before, not saved yet');
    await stage.until('Someone else changed this to 16.00.');
    expect(await page.getByLabel('Unit price').inputValue()).toBe('17');
    await save(stage);
    await stage.until('Someone else changed this to 16.00. Save again to keep your value.');

    await stage.service.fetch('/products/1', { method: 'DELETE' });
    await stage.until(/deleted this row on/);
    expect(await page.getByLabel('Unit price').inputValue()).toBe('17');
    const undos: string[] = [];
    page.on('request', (request) => request.url().includes('/undo?') && undos.push(request.url()));
    await page.getByRole('button', { name: 'Restore', exact: true }).dblclick();
    await stage.until('Restored.');
    expect(undos.length).toBe(1);
    await page.getByRole('alert').filter({ hasText: 'deleted this row' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Unit price').inputValue()).toBe('16');

    await stage.open('/c/products/9999');
    await stage.until('No row with this key exists, or you may not see it.');
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
  });

  test('numbers are in the notation of the reader, and errors are at their fields, in words', async () => {
    await stage.reopen({ locale: 'de-DE' });
    const { page } = stage;
    const speichern = () => page.getByRole('button', { name: 'Speichern', exact: true }).click();
    await stage.open('/c/products/1');
    await page.getByLabel('Product name').fill(' ');
    await page.getByLabel('Unit price').fill('billig');
    await page.getByLabel('Units in stock').fill('1,5');
    await speichern();
    await stage.until('„billig“ ist keine Zahl.');
    expect(await page.getByLabel('Unit price').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('.labelled.invalid').count()).toBe(3);
    expect(await stage.product(1)).toMatchObject({ product_name: 'Chai', unit_price: 18, units_in_stock: 39 });
    await page.getByLabel('Product name').fill('Tee');
    await page.getByLabel('Unit price').fill('12,50');
    await page.getByLabel('Units in stock').fill('1.234');
    await speichern();
    await stage.until('Gespeichert.');
    expect(await stage.product(1)).toMatchObject({ product_name: 'Tee', unit_price: 12.5, units_in_stock: 1234 });
  });

  test('a new row needs its name, is stored once by a double click, can be deleted, and comes back by undo', async () => {
    const { page } = stage;
    await stage.open('/new/products');
    // The first input has the focus.
    await page.getByLabel('Product name').and(page.locator(':focus')).waitFor();
    await save(stage);
    await stage.until('This field is required.');
    await page.keyboard.type('Quince jam', { delay: 30 });
    await page.getByLabel('ID').fill('1');
    await save(stage);
    await stage.until('Another row already has this value: 1.');
    await page.getByLabel('ID').fill('');
    await page.getByRole('button', { name: 'Save and add another' }).click();
    await stage.until('Quince jam was created.');
    expect(await page.getByLabel('Product name').inputValue()).toBe('');
    await page.getByLabel('Product name').fill('Fig jam');
    // Text that is typed during the save becomes a draft of the row.
    await page.route('**/products', async (route) => {
      await page.getByLabel('Quantity per unit').fill('12 jars');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
    await page.getByRole('heading', { name: 'Fig jam' }).waitFor();
    await stage.until('Your input from before, not saved yet');
    expect(await page.getByLabel('Quantity per unit').inputValue()).toBe('12 jars');
    const jams = () => stage.ask<unknown[]>('/products?product_name=like.*jam&select=product_name');
    expect(await jams()).toEqual([{ product_name: 'Quince jam' }, { product_name: 'Fig jam' }]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await untilShown(page, ['Chai']);
    expect(await jams()).toEqual([{ product_name: 'Quince jam' }]);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await stage.until('Undone.');
    expect(await jams()).toHaveLength(2);
  });
});

browserStories(
  'rows of a shop',
  (stage) => {
    test('lists of rows that refer by two fields of one collection have the names of the fields', async () => {
      await stage.open('/c/suppliers/1');
      const first = stage.page.getByRole('region', { name: 'Products (Supplier)' });
      await first.getByLabel('Product name of Chang').waitFor();
      await stage.page.getByRole('region', { name: 'Products (Second supplier)' }).waitFor();
    });

    test('references lead from a row to the row that they refer to, and back', async () => {
      const { page } = stage;
      await stage.open('/c/products/2');
      await page.getByRole('link', { name: 'Open Exotic Liquids' }).click();
      await page.getByRole('heading', { name: 'Exotic Liquids', level: 1 }).waitFor();
      const products = page.getByRole('region', { name: 'Products (Supplier)' });
      await products.getByRole('link', { name: 'Open Beverages' }).first().waitFor();
      await products.getByRole('link', { name: 'Open Chang' }).click();
      await page.getByRole('heading', { name: 'Chang', level: 1 }).waitFor();
      const labels = page.getByRole('region', { name: 'Product labels' });
      await labels.getByRole('link', { name: 'clearance', exact: true }).click();
      await page.getByRole('heading', { name: 'clearance', level: 1 }).waitFor();
      await stage.open('/c/products/2');
      await page.getByRole('combobox', { name: 'Supplier', exact: true }).click();
      await page.keyboard.type('tokyo', { delay: 125 });
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Open Tokyo Traders' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
    });

    test('a product gets a new supplier, prices and labels on its own page, with all digits of its numbers', async () => {
      const { page } = stage;
      await other(stage, '/products/1', { barcode: 9007199254740993n.toString() });
      await stage.open('/c/products/1');
      await page.getByRole('combobox', { name: 'Supplier', exact: true }).click();
      await page.keyboard.type('Tea & Sons');
      await page.getByRole('option', { name: 'Create “Tea & Sons”…' }).click();
      const dialog = page.getByRole('dialog', { name: 'New row in Suppliers' });
      await dialog.getByLabel('Country').fill('India');
      expect(await axeFindings(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor({ state: 'detached' });
      const prices = page.getByRole('region', { name: 'Prices' });
      await prices.getByLabel('Amount of EUR').fill('17.5');
      await stage.picture('console-record');
      await prices.getByRole('button', { name: 'Add' }).click();
      await prices.getByLabel('Currency of new row').fill('usd');
      await prices.getByLabel('Amount of new row').fill('21');
      await save(stage);
      await prices.getByText('This value does not have the expected form.').waitFor();
      // The product and the changed price are stored; the invalid price waits for its correction, also after a reload.
      await page.reload();
      await prices.getByLabel('Currency of new row').fill('USD');
      await page.keyboard.press('Enter');
      await prices.getByLabel('Amount of USD').waitFor();
      await prices.getByRole('button', { name: 'Remove JPY' }).click();
      const stored = () => stage.ask<object[]>('/prices?product_id=eq.1&select=currency,amount&order=currency');
      await until('the price to be removed', async () => (await stored()).length === 2);
      expect(await stored()).toEqual([
        { currency: 'EUR', amount: 17.5 },
        { currency: 'USD', amount: 21 },
      ]);
      const row = await (await stage.service.fetch('/products/1?select=barcode,suppliers!supplier_id(*)')).text();
      expect(row).toContain('9007199254740993');
      expect(row).toContain('"company_name":"Tea & Sons","country":"India"');
    });

    test('a copy that the service rejects is a form of its own, and does not fill the next new row', async () => {
      const { page } = stage;
      await stage.open('/c/prices?product_id=eq.1');
      await page.getByRole('link', { name: /^Open/ }).first().click();
      await page.getByRole('complementary').getByRole('button', { name: 'Duplicate' }).click();
      await page.getByRole('heading', { name: 'New row in Prices' }).waitFor();
      const amount = page.getByLabel('Amount');
      expect(await amount.inputValue()).not.toBe('');
      await page.getByRole('link', { name: 'Prices' }).first().click();
      await page.getByRole('link', { name: 'New row' }).click();
      await page.getByRole('combobox', { name: 'Product' }).and(page.locator(':focus')).waitFor();
      expect(await amount.inputValue()).toBe('');
      await page.goBack();
      await page.goBack();
      await stage.until('Your input from before, not saved yet');
      expect(await amount.inputValue()).not.toBe('');
    });

    test('rules, references and uniqueness are explained; the question before a deletion names what refers to the row', async () => {
      const { page } = stage;
      const before = await (await stage.service.fetch('/products/1')).text();
      await stage.open('/c/products/1');
      await page.getByLabel('Unit price').fill('-1');
      await save(stage);
      await stage.until('Must be at least 0.');
      await page.getByLabel('Unit price').fill('18');
      await page.getByRole('textbox', { name: 'Sku' }).fill('abc');
      await save(stage);
      await stage.until('This value does not have the expected form.');
      await page.getByRole('textbox', { name: 'Sku' }).fill((await stage.product(2)).sku as string);
      await save(stage);
      await stage.until(/Another row already has this value: [A-Z]-\d{4}/);
      await page.getByRole('button', { name: 'Discard', exact: true }).click();
      expect(await (await stage.service.fetch('/products/1')).text()).toBe(before);

      const dialog = page.getByRole('dialog', { name: 'Delete Chai?' });
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByText('Prices: 2 rows are deleted as well.').waitFor();
      const moves = (await stage.ask<unknown[]>('/stock_moves?product_id=eq.1')).length;
      await dialog.getByRole('link', { name: /^Stock moves: [\d,]+ rows? refers? to it/ }).click();
      await page.getByText(`${moves} rows`, { exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByText('Other rows still refer to it.').waitFor();
      await stage.service.fetch('/stock_moves?product_id=eq.1', { method: 'DELETE' });
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await stage.until('Deleted.');
      expect(await stage.ask<unknown[]>('/prices?product_id=eq.1')).toEqual([]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await (await stage.service.fetch('/products/1')).text()).toBe(before);
      expect(await stage.ask<unknown[]>('/prices?product_id=eq.1')).toHaveLength(2);
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);

let folder = '';
browserStories(
  'a restart of the service',
  (stage) => {
    test('during an edit loses nothing: the save is repeated when the service is back', async () => {
      const { page, service } = stage;
      await stage.open('/c/products/2');
      await page.getByLabel('Unit price').fill('19.75');
      service.kill('SIGKILL');
      await service.exited;
      await save(stage);
      const bar = page.getByRole('alert').filter({ hasText: 'Your changes are sent when it answers again.' });
      await bar.getByRole('button', { name: 'Do not send' }).click();
      await stage.until('Check the connection and try again.');
      expect(await page.getByLabel('Unit price').inputValue()).toBe('19.75');
      await save(stage);
      await bar.waitFor();
      await startService({ cwd: folder, args: ['--port', String(service.port), '--log-level', 'silent'] });
      await stage.until('Saved.');
      expect(await bar.count()).toBe(0);
      expect((await stage.product(2)).unit_price).toBe(19.75);
    });
  },
  () => {
    folder = temporaryFolder();
    return { cwd: folder };
  },
);
