/** The overview in a real browser, compared with the API. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserStories, type Product, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const figure = (page: Page, id: string) => page.locator(`[data-figure="${id}"] .figure`).textContent();

async function barsOf(page: Page, panel: string): Promise<[text: string, value: number][]> {
  const links = await page.locator(`[data-panel="${panel}"] li a`).all();
  return Promise.all(
    links.map(async (link) => [(await link.textContent()) ?? '', Number(await link.getAttribute('data-value'))]),
  );
}

const isLoaded = (page: Page) => page.locator('.overview[aria-busy=false]').waitFor();

browserStories('the overview', (stage) => {
  test("the figures equal the API's, each links to its list, and a person chooses which to see", async () => {
    const { page } = stage;
    await stage.open('/');
    await isLoaded(page);
    const all = await stage.ask<Product[]>('/products');
    const sum = (rows: readonly Product[], value: (row: Product) => number) =>
      rows.reduce((total, row) => total + value(row), 0);
    const worth = (row: Product) => Number(row.unit_price) * Number(row.units_in_stock);
    expect(await figure(page, 'products.count')).toBe('77');
    expect(await figure(page, 'products.value')).toBe(
      sum(all, worth).toLocaleString('en', { minimumFractionDigits: 2 }),
    );
    expect(await figure(page, 'products.sum.units_in_stock')).toBe(
      sum(all, (row) => Number(row.units_in_stock)).toLocaleString('en'),
    );
    // A long figure makes its card wider.
    await stage.service.fetch('/products?id=eq.1', { method: 'PATCH', body: '{"unit_price":99999999}' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await until('a long figure', async () => (await figure(page, 'products.value'))!.length > 12);
    const isCut = `[...document.querySelectorAll('.card')].some((card) => card.scrollWidth > card.clientWidth)`;
    expect(await page.evaluate(isCut)).toBe(false);
    await stage.service.fetch('/products?id=eq.1', { method: 'PATCH', body: '{"unit_price":18}' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await until('the figure', async () => (await figure(page, 'products.value'))!.length < 12);
    const low = all.filter((row) => Number(row.units_in_stock) < Number(row.reorder_level));
    expect(await figure(page, 'products.low')).toBe(String(low.length));

    const bars = await barsOf(page, 'products.value.by.category_id');
    const groups = [...new Set(all.map((row) => row.category_id))];
    expect(bars).toHaveLength(groups.length);
    for (const group of groups) {
      const bar = bars.find(([text]) => text.startsWith(`Category ${group}`));
      const rows = all.filter((row) => row.category_id === group);
      expect(bar?.[1]).toBeCloseTo(sum(rows, worth), 6);
    }
    await stage.picture('console-overview');

    // The search box searches all collections here.
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    await page.keyboard.type('ikura', { delay: 125 });
    await page.getByRole('option', { name: 'Ikura Products' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Jump to' }).inputValue()).toBe('ikura');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ikura', level: 1 }).waitFor();
    await page.goBack();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('');

    await page.locator('[data-figure="products.low"] a').click();
    await untilShown(
      page,
      low.map((row) => String(row.product_name)),
    );
    await page.goBack();
    await page.locator('[data-panel="products.count.by.category_id"] a').first().click();
    await stage.until('13 rows');
    expect(new URL(page.url()).search).toBe('?category_id=eq.3');

    await page.goBack();
    await page.getByRole('button', { name: 'Remove Stock value from the overview' }).click();
    await page.getByRole('button', { name: 'Choose figures' }).click();
    await page.getByLabel('Unit price, average').check();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await isLoaded(page);
    expect(await page.locator('[data-figure="products.value"]').count()).toBe(0);
    const average = sum(all, (row) => Number(row.unit_price)) / 77;
    expect(await figure(page, 'products.average.unit_price')).toBe(average.toFixed(2));
  });

  test('a figure that cannot be loaded is reported and can be retried; Refresh loads new data', async () => {
    const { page } = stage;
    await page.route(/reorder_level/, (route) => route.abort());
    await stage.open('/');
    await stage.until('Some figures could not be loaded: The service cannot be reached.');
    expect(await figure(page, 'products.count')).toBe('77');
    await page.unroute(/reorder_level/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-figure="products.low"] .figure').getByText(/^\d+$/).waitFor();
    await stage.service.fetch('/products', { method: 'POST', body: '{"product_name":"One more"}' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('[data-figure="products.count"]').getByText('78').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

browserStories('the overview of many rows', (stage) => {
  test('with many different prices the sums are the same, from small answers', async () => {
    const { page } = stage;
    const rows = Array.from({ length: 6_000 }, (_, index) => ({
      product_name: `Part ${index}`,
      category_id: index % 5 === 0 ? null : index % 5,
      unit_price: (index + 1) / 100,
      units_in_stock: index % 40,
      reorder_level: index % 30,
    }));
    const created = await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) });
    expect(created.status).toBe(201);
    let bytes = 0;
    page.on('response', async (answer) => {
      if (answer.url().includes('/products?')) bytes += (await answer.body()).length;
    });
    await stage.open('/');
    await isLoaded(page);
    const all = [...rows, ...(await stage.ask<Product[]>('/products?id=lte.77'))];
    const worth = all.reduce((sum, row) => sum + Number(row.unit_price) * Number(row.units_in_stock), 0);
    const low = all.filter((row) => Number(row.units_in_stock) < Number(row.reorder_level)).length;
    expect(await figure(page, 'products.count')).toBe('6,077');
    expect(await figure(page, 'products.value')).toBe(Math.round(worth).toLocaleString('en'));
    expect(await figure(page, 'products.low')).toBe(low.toLocaleString('en'));
    const bars = await barsOf(page, 'products.value.by.category_id');
    expect(bars.map(([text]) => text.replace(/[\d,.]+$/, ''))).toContain('empty');
    expect(bars.reduce((sum, [, value]) => sum + value, 0)).toBeCloseTo(worth, 2);
    expect(bytes).toBeLessThan(100_000);
  });
});

browserStories(
  'the overview of a shop',
  (stage) => {
    test('every collection has figures, and a group has the title of the row that it refers to', async () => {
      const { page } = stage;
      await stage.open('/');
      await isLoaded(page);
      expect(await figure(page, 'suppliers.count')).toBe('29');
      await page.getByRole('button', { name: 'Choose figures' }).click();
      await page.getByLabel('Products by category (chart)').check();
      await page.getByRole('button', { name: 'Close' }).click();
      const panel = page.locator('[data-panel="products.count.by.category_id"]');
      await panel.getByText('Seafood').waitFor();
      await stage.service.fetch('/categories/8', { method: 'PATCH', body: JSON.stringify({ category_name: 'Fish' }) });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await panel.getByText('Fish').click();
      await stage.until('12 rows');
      expect(new URL(page.url()).search).toBe('?category_id=eq.8');
    });
  },
  () => ({ args: ['--collections', new URL('../../data/shop/collections.yaml', import.meta.url).pathname] }),
);
