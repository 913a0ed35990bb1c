/** Errors: the reason is shown in place of the rows, with a retry button. */
import { expect, test } from 'bun:test';
import { browserStories, untilShown } from '../../support/browser/browser.ts';

const filtered = (filter: unknown) => `/products?filter=${encodeURIComponent(JSON.stringify(filter))}`;

browserStories('errors', (stage) => {
  test('a superseded search is aborted; a lost connection is reported in place, and everything can be retried', async () => {
    const { page } = stage;
    await stage.open('/products');
    await stage.until('Aniseed Syrup');
    const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes('ilike.*ch*'));
    let begun = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    // This request never gets an answer, as on a slow network.
    await page.route(/ilike\.\*ch\*/, () => begun());
    await page.getByLabel('Search products').fill('ch');
    await isBegun;
    await page.getByLabel('Search products').fill('queso');
    await untilShown(page, ['Queso Cabrales', 'Queso Manchego La Pastora']);
    expect((await givenUp).failure()?.errorText).toContain('ABORTED');

    await page.context().setOffline(true);
    await page.getByLabel('Search products').fill('chai');
    await stage.until('Could not load the products');
    await stage.until('The service cannot be reached. Check the connection and try again.');
    expect(await page.getByText(/No products found/i).count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await untilShown(page, ['Chai']);

    await page.getByRole('button', { name: 'Edit in place: Chai' }).click();
    await page.getByLabel('Unit price of Chai').fill('19');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save: Chai' }).click();
    await stage.until('The service cannot be reached.');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Save: Chai' }).click();
    await stage.until('Chai was saved.');

    await page.route(/assets\/chunk/, (route) => route.abort());
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Order and width' }).click();
    await stage.until('This part could not be loaded. Check the connection and try again.');
    await page.unroute(/assets\/chunk/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'Order and width of columns' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.route(/assets\/chunk/, (route) => route.abort());
    await page.getByRole('link', { name: 'Chai' }).click();
    await stage.until('This page could not be loaded. Check the connection and try again.');
    await page.unroute(/assets\/chunk/);
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await page.getByLabel('Unit price', { exact: true }).inputValue()).toBe('19');
  });

  test('a rejected filter is explained, and the list is shown for every address', async () => {
    const { page } = stage;
    await stage.open(filtered({ where: [{ field: 'id', operator: 'eq', value: 'abc' }] }));
    await stage.until('“abc” is not a whole number.');
    await page.getByText('Details').click();
    await stage.until('22P02: invalid input syntax for type integer: "abc"');
    await page.getByRole('alert').getByRole('button', { name: 'Clear filters' }).click();
    await stage.until('1-25 of 77');

    const crafted = [
      filtered(5),
      filtered({ q: { x: 1 }, where: { y: 2 } }),
      filtered({
        where: [null, 7, { field: 'none', operator: 'eq', value: '1' }, { raw: ['limit', '1'] }, { field: 'id' }],
      }),
      '/products?filter=%7B&sort=none&order=sideways',
    ];
    for (const place of crafted) {
      await stage.open(place);
      await stage.until('1-25 of 77');
    }
    await stage.open('/products?page=99');
    await stage.until('76-77 of 77');
    await stage.open('/products/9999');
    await stage.until('It no longer exists');
  });
});
