/** Layout: everything is visible at every width, and announced to screen readers. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { browserStories, shownNames, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const box = async (element: Locator) => (await element.boundingBox())!;

browserStories('layout', (stage) => {
  test('at 1024 pixels nothing is cut off or moves, the head stays, and a long name wraps', async () => {
    await stage.reopen({ viewport: { width: 1024, height: 700 } });
    const { page } = stage;
    const long = 'Marmalade'.repeat(55);
    await stage.service.fetch('/products/3', { method: 'PATCH', body: JSON.stringify({ product_name: long }) });
    await stage.open('/products');
    await stage.until('Chang');
    expect(await page.title()).toBe('Products · Product Catalogue');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Chang', exact: true }) });
    const price = await box(row.locator('.column-unit_price'));
    const buttons = await box(row.locator('td').last());
    expect(price.x + price.width).toBeLessThanOrEqual(buttons.x + 1);
    expect((await box(page.getByRole('row').filter({ hasText: 'MarmaladeMarmalade' }))).height).toBeLessThan(60);

    const columns = () => page.evaluate('[...document.querySelectorAll("thead th")].map((cell) => cell.clientWidth)');
    const widths = await columns();
    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').focus();
    expect(await columns()).toEqual(widths);
    const mark = await page.evaluate<string>('getComputedStyle(document.activeElement).outline');
    expect(mark).toContain('solid 2px');
    expect(await page.evaluate('getComputedStyle(document.querySelector("button")).transitionDuration')).toBe('0s');
    await page.keyboard.press('Escape');

    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, 400);
    await until('the page to be scrolled', () => page.evaluate<boolean>('scrollY > 100'));
    const head = await box(page.getByRole('button', { name: 'Sort by product name ascending' }));
    expect(head.y).toBeGreaterThan(40);
    await page.getByLabel('Search products').fill('queso');
    await page.getByRole('status').filter({ hasText: '2 products, 1 to 2 shown' }).waitFor({ state: 'attached' });
  });

  test('a new product is shown on top of any page, and the tab has the title of the page', async () => {
    const { page } = stage;
    await stage.open('/products');
    await stage.until('Chang');
    await page.getByRole('link', { name: 'Create' }).click();
    await page.getByRole('textbox', { name: 'Product name' }).fill('Sea Buckthorn Jam');
    expect(await page.title()).toBe('New product · Product Catalogue');
    await page.getByRole('button', { name: 'Save' }).click();
    await stage.until('Sea Buckthorn Jam was created.');
    await untilShown(page, ['Sea Buckthorn Jam', 'Chai']);
    expect(await shownNames(page)).toHaveLength(26);
    await page.getByRole('link', { name: 'Sea Buckthorn Jam' }).click();
    await page.getByRole('textbox', { name: 'Product name' }).waitFor();
    expect(await page.title()).toBe('Sea Buckthorn Jam (ID 78) · Product Catalogue');
    await page.goBack();
    await untilShown(page, ['Sea Buckthorn Jam']);
    await page.keyboard.press('Control+z');
    await stage.until('Undone.');
    await untilShown(page, ['Chai', 'Chang']);
    expect((await stage.service.fetch('/products/78')).status).toBe(404);
  });

  test('everything is reachable on a phone and at 200 % zoom', async () => {
    for (const viewport of [
      { width: 360, height: 700 },
      { width: 640, height: 430 },
    ]) {
      await stage.reopen({ viewport });
      await isReached(viewport);
    }
  });

  async function isReached(viewport: { width: number; height: number }): Promise<void> {
    const { page } = stage;
    await stage.open('/products');
    await page.getByLabel('Select Chai').check();
    const inside = async (element: Locator) => {
      await element.scrollIntoViewIfNeeded();
      const { x, width } = await box(element);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(viewport.width);
    };
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    for (const name of ['Change a field', 'Delete']) await inside(bar.getByRole('button', { name }));
    const price = await box(page.locator('td.column-unit_price').first());
    expect(price.x + price.width).toBeLessThanOrEqual(
      (await box(page.locator('tbody td').locator('.actions').first())).x,
    );
    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').fill('24');
    await stage.service.fetch('/products/2', { method: 'PATCH', body: `{"unit_price":${viewport.width}}` });
    await page.getByRole('button', { name: 'Save: Chang' }).click();
    for (const name of ['Back to editing', 'Keep theirs', 'Save what I chose']) {
      await inside(page.getByRole('dialog').getByRole('button', { name }));
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
  }
});
