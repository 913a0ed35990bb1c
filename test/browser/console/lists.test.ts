/** Lists of the console: open, sort, search, and switch between collections without a reload. */
import { describe, expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, shownNames, untilShown } from '../../support/browser/browser.ts';

browserStories('lists', (stage) => {
  describe('the list of products', () => {
    test('shows the rows, and a click on a head sorts them', async () => {
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai', 'Chang']);
      await stage.until('77 rows');
      await stage.page.getByRole('columnheader', { name: 'Product name' }).getByRole('button').click();
      await untilShown(stage.page, ['Alice Mutton', 'Aniseed Syrup']);
      await stage.page.getByRole('columnheader', { name: 'Product name' }).getByRole('button').click();
      await untilShown(stage.page, ['Zaanse koeken']);
      expect(stage.page.url()).toContain('/console/c/products?order=product_name.desc');
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
      expect((await shownNames(stage.page)).every((name) => /sauce/i.test(name))).toBe(true);
    });

    test('has no serious accessibility problems', async () => {
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai']);
      expect(await seriousFindings(stage.page)).toEqual([]);
    });
  });
});
