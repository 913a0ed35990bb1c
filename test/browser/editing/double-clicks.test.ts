/** A double click does what one click does: one row, one change, one message. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { browserStories, type Product, type Stage } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

/** Clicks twice while the service has not answered the first request yet; returns the requests that were sent. */
async function doubleClick({ page }: Stage, button: Locator, method: string): Promise<readonly string[]> {
  const requests: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/products/, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    requests.push(route.request().headers()['idempotency-key'] ?? '');
    await released;
    await route.continue();
  });
  await button.dblclick();
  await until('the request', () => requests.length > 0);
  release();
  return requests;
}

const jams = (stage: Stage) => stage.ask<Product[]>('/products?select=id&product_name=eq.Jam');

browserStories('double clicks', (stage) => {
  test('a double click on Save creates one row', async () => {
    await stage.open('/products/create');
    await stage.page.getByLabel('Product name').fill('Jam');
    const save = stage.page.getByRole('button', { name: 'Save' });
    const requests = await doubleClick(stage, save, 'POST');
    await stage.until('Jam was created.');
    expect(requests).toHaveLength(1);
    expect(await jams(stage)).toHaveLength(1);
  });

  test('a save whose answer is lost and that is sent again creates one row, and a changed form is not a second row', async () => {
    const { page } = stage;
    await stage.open('/products/create');
    await page.getByLabel('Product name').fill('Jam');
    let lost = 2;
    await page.route(/\/products$/, async (route) => {
      if (route.request().method() !== 'POST' || lost === 0) return route.fallback();
      lost--;
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('The service cannot be reached.');
    expect(await jams(stage)).toHaveLength(1);
    await page.getByRole('button', { name: 'Save' }).click();
    await until('the second attempt', () => lost === 0);
    await stage.until('The service cannot be reached.');
    await page.getByLabel('Product name').fill('Jam, dark');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('This form was saved before you changed it. Open the saved product in the list to change it.');
    await page.getByLabel('Product name').fill('Jam');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Jam was created.');
    expect(await stage.ask<Product[]>('/products?select=product_name&id=gt.77')).toEqual([
      { product_name: 'Jam' },
    ] as never);
  });

  test('a double click on Save of a changed row saves it, says so and offers to undo it', async () => {
    const { page } = stage;
    await stage.open('/products/3');
    await page.getByLabel('Unit price').fill('11');
    expect(await doubleClick(stage, page.getByRole('button', { name: 'Save' }), 'PATCH')).toHaveLength(1);
    await stage.until('Aniseed Syrup was saved.');
    await page.getByRole('button', { name: 'Undo' }).waitFor();

    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').fill('20');
    expect(await doubleClick(stage, page.getByRole('button', { name: 'Save: Chang' }), 'PATCH')).toHaveLength(1);
    await stage.until('Chang was saved.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect(await stage.product(2)).toMatchObject({ unit_price: 19 });
  });

  test('an edit whose answer is lost and that is saved again is reported as stored', async () => {
    const { page } = stage;
    await stage.open('/products');
    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').fill('20');
    let isLost = false;
    await page.route(/\/products\/2$/, async (route) => {
      if (route.request().method() !== 'PATCH' || isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save: Chang' }).click();
    await stage.until('The service cannot be reached.');
    await page.getByRole('button', { name: 'Save: Chang' }).click();
    await stage.until('Chang already holds these values.');
    expect(await stage.product(2)).toMatchObject({ unit_price: 20 });
  });

  test('a double click deletes, changes a selection and undoes an import once', async () => {
    const { page } = stage;
    await stage.open('/products');
    await page.getByLabel('Select Chai').check();
    await page.getByRole('button', { name: 'Change a field' }).click();
    await stage.choose('Field', 'Units on order');
    await page.getByLabel('New value').fill('12');
    expect(await doubleClick(stage, page.getByRole('button', { name: 'Change all' }), 'PATCH')).toHaveLength(1);
    await stage.until('1 product changed.');

    await page.getByRole('button', { name: 'Delete: Ikura' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await doubleClick(stage, remove, 'DELETE')).toHaveLength(1);
    await stage.until('Ikura was deleted.');

    await stage.open('/import');
    const buffer = Buffer.from('product_name\nJam\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'new.csv', mimeType: 'text/csv', buffer });
    await stage.until('new.csv: 1 row');
    await page.getByRole('button', { name: 'Import 1 row' }).dblclick();
    await stage.until('1 row stored.');
    expect(await jams(stage)).toHaveLength(1);
    const undo = page.getByRole('alert').filter({ hasText: '1 row stored.' }).getByRole('button', { name: 'Undo' });
    expect(await doubleClick(stage, undo, 'DELETE')).toHaveLength(1);
    await stage.until('1 row was removed.');
    expect(await page.getByText('kept').count()).toBe(0);
    expect(await jams(stage)).toEqual([]);
  });
});
