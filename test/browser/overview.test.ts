/** The overview in a real browser: its figures against the API's. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserStories, type Product, SECONDS, untilShown } from '../support/browser.ts';

browserStories('the overview', (stage) => {
  test(
    "the overview's figures are the API's, and each bar leads to its list",
    async () => {
      await stage.open('/');
      await stage.until('Stock value by category');
      const all = await stage.ask<Product[]>('/products');
      const sum = (rows: readonly Product[], value: (row: Product) => number) =>
        rows.reduce((total, row) => total + value(row), 0);
      const worth = (row: Product) => Number(row.unit_price) * Number(row.units_in_stock);
      const figure = (id: string) => stage.page.locator(`[data-figure=${id}] p`).first().textContent();
      expect(await figure('count')).toBe('77');
      expect(await figure('stock-value')).toBe(sum(all, worth).toLocaleString('en', { minimumFractionDigits: 2 }));
      expect(await figure('units')).toBe(sum(all, (row) => Number(row.units_in_stock)).toLocaleString('en'));
      const low = all.filter((row) => Number(row.units_in_stock) < Number(row.reorder_level));
      expect(await figure('low')).toBe(String(low.length));
      expect(await figure('flagged')).toBe('10');

      const bars = await barsOf(stage.page, 'value-by-group');
      const groups = [...new Set(all.map((row) => row.category_id))];
      expect(bars).toHaveLength(groups.length);
      for (const group of groups) {
        const bar = bars.find(([text]) => text.startsWith(`Category ${group}`));
        expect(bar?.[1]).toBeCloseTo(
          sum(
            all.filter((row) => row.category_id === group),
            worth,
          ),
          6,
        );
      }
      const prices = await barsOf(stage.page, 'prices');
      expect(prices.reduce((total, [, count]) => total + count, 0)).toBe(77);
      await stage.picture('console-overview');

      await stage.page.locator('[data-panel=units-by-group] a').first().click();
      await stage.until('1-12 of 12');
      expect(await stage.page.getByTestId('request-url').textContent()).toContain('category_id=eq.8');
      await stage.open('/');
      await stage.page.locator('[data-figure=low] a').click();
      await stage.until(`1-${low.length} of ${low.length}`);
      await untilShown(
        stage.page,
        low.map((row) => String(row.product_name)),
      );
    },
    SECONDS,
  );
});

async function barsOf(page: Page, panel: string): Promise<[text: string, value: number][]> {
  const links = await page.locator(`[data-panel=${panel}] a`).all();
  return Promise.all(
    links.map(async (link) => [(await link.textContent()) ?? '', Number(await link.getAttribute('data-value'))]),
  );
}
