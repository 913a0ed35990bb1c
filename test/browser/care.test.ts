/** The console for everyone: screen readers, keyboards, the dark, narrow screens. */
import { expect, test } from 'bun:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { browserStories, SECONDS, untilShown } from '../support/browser.ts';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe calls serious or critical on a page as it stands. */
async function seriousFindings(page: Page): Promise<string[]> {
  // Under the page's policy only the debugger may add a script.
  await page.evaluate(axe.source);
  await page.waitForTimeout(400);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Finding[];
  };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary ?? ''}`);
}

const PAGES: readonly [place: string, sign: string][] = [
  ['/', 'Stock value by category'],
  ['/products', 'Aniseed Syrup'],
  ['/products/5', 'Supplier'],
  ['/products/create', 'Supplier'],
  ['/import', 'Choose a file'],
];

browserStories('care', (stage) => {
  test.each(['light', 'dark'] as const)(
    'axe has nothing serious to say, when it is %s',
    async (colorScheme) => {
      await stage.reopen({ colorScheme });
      for (const [place, sign] of PAGES) {
        await stage.open(place);
        await stage.until(sign);
        expect({ place, findings: await seriousFindings(stage.page) }).toEqual({ place, findings: [] });
      }
      await stage.open('/products');
      await stage.page.getByRole('button', { name: 'Add filter' }).click();
      await stage.page.getByRole('dialog').waitFor();
      expect(await seriousFindings(stage.page)).toEqual([]);
    },
    SECONDS,
  );

  test(
    'it is dark where the system is',
    async () => {
      await stage.reopen({ colorScheme: 'dark' });
      await stage.open('/');
      await stage.until('Stock value by category');
      await stage.picture('console-dark');
      const background = await stage.page.evaluate(
        'getComputedStyle(document.querySelector(".layout")).backgroundColor',
      );
      expect(background).toBe('rgb(15, 19, 23)');
    },
    SECONDS,
  );

  test(
    'a narrow screen shows what matters, and nothing sticks out',
    async () => {
      await stage.reopen({ viewport: { width: 390, height: 780 } });
      for (const [place, sign] of PAGES) {
        await stage.open(place);
        await stage.page.getByText(sign).first().waitFor({ state: 'attached' });
        const width = await stage.page.evaluate('document.documentElement.scrollWidth');
        expect({ place, width }).toEqual({ place, width: 390 });
      }
      await stage.open('/products');
      await stage.until('Aniseed Syrup');
      await stage.picture('console-narrow');
      expect(await stage.page.locator('th.column-unit_price').count()).toBe(1);
      expect(await stage.page.locator('th.column-supplier_id').count()).toBe(0);
    },
    SECONDS,
  );

  test(
    'a product is edited without a mouse',
    async () => {
      await stage.open('/products');
      await stage.page.getByRole('button', { name: 'Edit in place: Chai' }).focus();
      await stage.page.keyboard.press('Enter');
      await stage.page.getByLabel('Product name of Chai').waitFor();
      await stage.page.keyboard.type(' Masala');
      await stage.page.keyboard.press('Enter');
      await stage.until('Chai Masala was saved.');
      expect(await stage.product(1)).toMatchObject({ product_name: 'Chai Masala' });
      await untilShown(stage.page, ['Chai Masala', 'Chang']);
    },
    SECONDS,
  );
});
