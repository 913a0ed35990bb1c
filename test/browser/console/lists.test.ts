/** Lists of the console: open, sort, search, and switch between collections without a reload. */
import { describe, expect, test } from 'bun:test';
import { browserStories, type Product, shownNames, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

browserStories('lists', (stage) => {
  describe('the list of products', () => {
    test('shows the rows, and a click on a head sorts them', async () => {
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai', 'Chang']);
      await stage.until('77 rows');
      await stage.picture('console-products');
      await stage.page.getByRole('columnheader', { name: 'Product name' }).getByRole('button').click();
      await untilShown(stage.page, ['Alice Mutton', 'Aniseed Syrup']);
      await stage.page.getByRole('columnheader', { name: 'Product name' }).getByRole('button').click();
      await untilShown(stage.page, ['Zaanse koeken']);
      expect(stage.page.url()).toContain('/console/c/products?order=product_name.desc');
    });

    test('says after some seconds that an index would help, if a field without one orders the rows', async () => {
      const { page } = stage;
      const { promise: isSorted, resolve: answer } = Promise.withResolvers<void>();
      await page.route(/\d\/products\?.*order=/, (route) => isSorted.then(() => route.continue()));
      const hint = page.getByText('would make this order faster');
      await stage.open('/c/products?order=unit_price');
      await page.locator('.skeleton').waitFor();
      expect(await hint.count()).toBe(0);
      await stage.open('/c/products?order=reorder_level');
      await hint.waitFor();
      expect(await hint.textContent()).toBe('An index on “Reorder level” would make this order faster.');
      answer();
      await stage.until('77 rows');
      expect(await hint.count()).toBe(0);
    });

    test('a row that someone deletes moves no other row', async () => {
      await stage.open('/c/products?order=id');
      await untilShown(stage.page, ['Chai', 'Chang']);
      const place = () => stage.page.getByRole('link', { name: 'Open Chang' }).boundingBox();
      const before = await place();
      const notice = stage.page.getByRole('button', { name: 'Rows were added or deleted.' });
      await until('the notice', async () => {
        await stage.service.fetch('/products?id=gt.70', { method: 'DELETE' });
        await stage.service.fetch('/products', {
          method: 'POST',
          body: JSON.stringify({ id: 71, product_name: 'Tea' }),
        });
        return (await notice.count()) > 0;
      });
      expect(await place()).toEqual(before);
      await notice.click();
      await stage.until('71 rows');
    });

    test('an x between digits is drawn as an x', async () => {
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai']);
      const widths = await stage.page.evaluate<number[]>(`['3x4', '3', 'x', '4'].map((text) => {
        const span = document.body.appendChild(document.createElement('span'));
        span.style.cssText = 'position: absolute; font-kerning: none; font-size: 100px';
        span.textContent = text;
        return span.getBoundingClientRect().width;
      })`);
      expect(widths[0]).toBeCloseTo(widths[1]! + widths[2]! + widths[3]!, 0);
    });

    test('scrolls to the last row without pages', async () => {
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai']);
      await stage.page.evaluate(`document.querySelector('[role=grid]').scrollTo(0, 1e6)`);
      await stage.page.getByText('Original Frankfurter grüne Soße').waitFor();
    });

    test('the search box finds names, and the address keeps the search', async () => {
      await stage.open('/c/products');
      await stage.page.getByRole('searchbox', { name: 'Search' }).fill('sauce');
      await stage.page.waitForURL(/~q=sauce/);
      await stage.until('2 rows');
      await until('the found names', async () => (await shownNames(stage.page)).every((name) => /sauce/i.test(name)));
    });

    test('the address of the service leads to the console, where a list is searched and sorted', async () => {
      const { page } = stage;
      await page.goto(stage.service.url);
      expect(new URL(page.url()).pathname).toBe('/console');
      await page.getByRole('link', { name: 'Products', exact: true }).first().click();
      await page.getByRole('searchbox', { name: 'Search', exact: true }).fill("anton's");
      // The values beside the found rows move the heads.
      await page.getByRole('complementary').waitFor();
      await page.getByRole('columnheader', { name: 'Unit price' }).getByRole('button').click();
      await untilShown(page, ["Chef Anton's Gumbo Mix", "Chef Anton's Cajun Seasoning"]);
    });

    test('the copied curl command returns the rows of the grid', async () => {
      await stage.reopen({ permissions: ['clipboard-read', 'clipboard-write'] });
      const { page } = stage;
      await stage.open(`/c/products?unit_price=gt.20&order=unit_price&~q=${encodeURIComponent("anton's")}`);
      await untilShown(page, ["Chef Anton's Gumbo Mix", "Chef Anton's Cajun Seasoning"]);
      await page.getByText('Request', { exact: true }).click();
      await stage.picture('console-filter');
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await stage.until('Copied.');
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      const shell = Bun.spawnSync(['sh', '-c', `${command} --silent --show-error`]);
      expect(shell.stderr.toString()).toBe('');
      const rows = JSON.parse(shell.stdout.toString()) as Product[];
      expect(await shownNames(page)).toEqual(rows.map((row) => String(row.product_name)));
    });

    test('another filter clears the selection, and a click elsewhere saves the typed text', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await page.getByLabel('Select Chai').check();
      await page.getByLabel('Select Ikura').click({ modifiers: ['Shift'] });
      await stage.until('10 rows selected.');
      await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('queso');
      await untilShown(page, ['Queso Cabrales', 'Queso Manchego La Pastora']);
      expect(await page.getByRole('toolbar', { name: 'Selection' }).count()).toBe(0);
      await page.locator('[role=gridcell][data-field=unit_price]').first().dblclick();
      await page.getByLabel('Unit price of Queso Cabrales').fill('22');
      await page.getByRole('link', { name: 'Overview' }).click();
      await stage.until('Queso Cabrales was saved.');
      expect((await stage.product(11)).unit_price).toBe(22);
    });

    test('Back returns to the row and the place in the list, and each tab has its own draft', async () => {
      const { page } = stage;
      await stage.open('/c/products?unit_price=gt.5&order=product_name.desc');
      await untilShown(page, ['Zaanse koeken']);
      const scrollTop = () => page.evaluate<number>(`document.querySelector('[role=grid]').scrollTop`);
      const open = page.getByRole('link', { name: 'Open Chai' });
      await page.evaluate(`document.querySelector('[role=grid]').scrollTo(0, 1600)`);
      await open.scrollIntoViewIfNeeded();
      const place = await scrollTop();
      expect(place).toBeGreaterThan(0);
      await open.click();
      const panel = page.getByRole('complementary', { name: 'Chai' });
      await panel.getByLabel('Unit price').waitFor();
      expect(page.url()).toContain('~row=1');
      // A change adds a button to the head, which moves nothing below it.
      const input = panel.getByLabel('Unit price');
      const [inputBox, price] = [await input.boundingBox(), await input.inputValue()];
      await input.fill('2');
      await panel.getByRole('button', { name: 'Discard' }).waitFor();
      expect(await input.boundingBox()).toEqual(inputBox);
      await panel.getByRole('button', { name: 'Discard' }).click();
      expect(await input.inputValue()).toBe(price);
      await panel.and(page.locator(':focus')).waitFor();
      // Back closes the row, and the rows have the focus.
      await page.goBack();
      await panel.waitFor({ state: 'detached' });
      await until('the focus', () => page.evaluate<boolean>(`document.activeElement.role === 'grid'`));
      await open.click();
      await panel.getByLabel('Unit price').waitFor();
      await panel.getByRole('button', { name: 'Previous row' }).click();
      await page.getByRole('complementary', { name: 'Chang' }).getByRole('link', { name: 'Open as a page' }).click();
      await page.getByRole('heading', { name: 'Chang' }).waitFor();
      await page.getByLabel('Unit price').fill('17');

      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByLabel('Unit price').waitFor();
      expect(await other.getByLabel('Unit price').inputValue()).toBe('19');
      await other.close();

      await page.goBack();
      await page.getByRole('complementary', { name: 'Chang' }).waitFor();
      await until('the place in the list', async () => (await scrollTop()) === place);
      await page.reload();
      await page.getByRole('complementary', { name: 'Chang' }).getByLabel('Unit price').waitFor();
      expect(await page.getByLabel('Unit price', { exact: true }).inputValue()).toBe('17');
      await page.goForward();
      await page.getByRole('link', { name: 'Back to the list' }).click();
      await untilShown(page, ['Zaanse koeken']);
      expect(page.url()).toEndWith('/c/products?unit_price=gt.5&order=product_name.desc');
    });
  });
});
