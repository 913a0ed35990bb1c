/** Errors: the reason is shown in place of the rows, with a retry button. */
import { expect, test } from 'bun:test';
import { browserStories, untilShown } from '../../support/browser/browser.ts';

browserStories('errors', (stage) => {
  test('a superseded search is aborted; a lost connection is reported in place, and everything can be retried', async () => {
    const { page } = stage;
    await stage.open('/c/products');
    await untilShown(page, ['Chai']);
    const search = page.getByRole('searchbox', { name: 'Search' });
    const abortedSearch = page.waitForEvent('requestfailed', (request) => /ilike\.\*ch\*/.test(request.url()));
    let begin = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // This request never gets an answer, as on a slow network.
    await page.route(/ilike\.\*ch\*/, () => begin());
    await search.fill('ch');
    await isBegun;
    await search.fill('queso');
    await untilShown(page, ['Queso Cabrales', 'Queso Manchego La Pastora']);
    expect((await abortedSearch).failure()?.errorText).toContain('ABORTED');

    await page.context().setOffline(true);
    await search.fill('chai');
    await stage.until('The service cannot be reached. Check the connection and try again.');
    expect(await page.getByText('No row matches').count()).toBe(0);
    await page.context().setOffline(false);
    await untilShown(page, ['Chai']);

    await page.route(/assets\/chunk/, (route) => route.abort());
    await page.getByRole('link', { name: 'Changes' }).click();
    await stage.until('This part could not be shown');
    await page.unroute(/assets\/chunk/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await stage.until('No changes on this day');
    expect(stage.complaints.splice(0)).toEqual([expect.stringContaining('dynamically imported module')]);
  });

  test('a rejected filter is explained, and every address shows something useful', async () => {
    const { page } = stage;
    await stage.open('/c/products?id=eq.abc');
    await stage.until('“abc” is not a valid value.');
    await page.getByText('Details').click();
    await stage.until('400 22P02');
    await stage.open('/c/products?order=none.sideways&~q=');
    await untilShown(page, ['Chai']);
    await stage.open('/c/nothing');
    await stage.until('Page not found');
    await stage.open('/c/products/9999');
    await stage.until('This row is not here');
    // Addresses that someone cut or mistyped.
    await stage.open('/c/%E0%A4%A');
    await stage.until('Page not found');
    for (const key of ['%E0%A4%A', '1,2']) {
      await stage.open(`/c/products/${key}`);
      await stage.until(`“${key}” is not a valid value.`);
    }
    await stage.open('/changes?day=2026-11-99');
    await stage.until('No changes on this day');
  });
});
