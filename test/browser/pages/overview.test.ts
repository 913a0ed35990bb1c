/** The overview in a real browser, compared with the API. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';

browserStories('the overview', (stage) => {
  test("the figures equal the API's, and each bar links to its list", async () => {
    await stage.open('/');
    await stage.until('Stock value by category');
    await untilWhole(stage.page);
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
  });

  test('if the figures cannot be loaded the page says why and can retry; Refresh loads new data', async () => {
    await stage.page.route(/\/products\?/, (route) => route.abort());
    await stage.open('/');
    await stage.until('Could not load the figures: The service cannot be reached.');
    await stage.page.unroute(/\/products\?/);
    await stage.page.route(/reorder_level/, (route) => route.abort());
    await stage.page.getByRole('button', { name: 'Try again' }).click();
    await stage.until('Some figures are missing: The service cannot be reached.');
    await stage.until('Stock value by category');
    await stage.page.unroute(/reorder_level/);
    await stage.page.getByRole('button', { name: 'Try again' }).click();
    await stage.until('below reorder level');
    await stage.service.fetch('/products', { method: 'POST', body: '{"product_name":"One more"}' });
    await stage.page.getByRole('button', { name: 'Refresh' }).click();
    await stage.page.locator('[data-figure=count]').getByText('78').waitFor();
    expect(await stage.page.getByRole('alert').count()).toBe(0);
  });

  test('with many distinct prices the sums are the same, from small answers', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => ({
      product_name: `Part ${index}`,
      category_id: index % 5 === 0 ? null : index % 5,
      unit_price: (index + 1) / 100,
      units_in_stock: index % 40,
      reorder_level: index % 30,
    }));
    await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) });
    let bytes = 0;
    stage.page.on('response', async (answer) => {
      if (answer.url().includes('/products?')) bytes += (await answer.body()).length;
    });
    await stage.open('/');
    await untilWhole(stage.page);
    const all = [...rows, ...(await stage.ask<Product[]>('/products?id=lte.77'))];
    const worth = all.reduce((sum, row) => sum + Number(row.unit_price) * Number(row.units_in_stock), 0);
    const low = all.filter((row) => Number(row.units_in_stock) < Number(row.reorder_level)).length;
    const figure = (id: string) => stage.page.locator(`[data-figure=${id}] p`).first().textContent();
    expect(await figure('count')).toBe('30,077');
    expect(await figure('stock-value')).toBe(Math.round(worth).toLocaleString('en'));
    expect(await figure('low')).toBe(low.toLocaleString('en'));
    const bars = await barsOf(stage.page, 'value-by-group');
    expect(bars.map(([text]) => text.replace(/[\d,]+$/, '')).sort()).toContain('No category');
    expect(bars.reduce((sum, [, value]) => sum + value, 0)).toBeCloseTo(worth, 2);
    const prices = await barsOf(stage.page, 'prices');
    expect(prices.reduce((sum, [, value]) => sum + value, 0)).toBe(30_077);
    expect(bytes).toBeLessThan(100_000);
  });
});

browserStories(
  'the overview of a declared collection',
  (stage) => {
    test('a group has the title of the row that it refers to', async () => {
      await stage.page.goto(`${stage.service.url}/console?collection=products#/`);
      const bars = stage.page.locator('[data-panel=count-by-category_id]');
      await bars.getByText('Seafood').click();
      await stage.until('1-12 of 12');
      expect(await stage.page.getByTestId('request-url').textContent()).toContain('category_id=eq.8');
    });
  },
  () => ({ args: ['--collections', new URL('../../data/shop/collections.yaml', import.meta.url).pathname] }),
);

async function untilWhole(page: Page): Promise<void> {
  await page.locator('[aria-busy=false] [data-panel=low]').waitFor();
}

async function barsOf(page: Page, panel: string): Promise<[text: string, value: number][]> {
  const links = await page.locator(`[data-panel=${panel}] a`).all();
  return Promise.all(
    links.map(async (link) => [(await link.textContent()) ?? '', Number(await link.getAttribute('data-value'))]),
  );
}
