/** Accessibility of the console: screen readers, keyboard, dark theme and narrow screens. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage, untilShown } from '../../support/browser/browser.ts';

const NARROW = { width: 390, height: 780 };

const PAGES: readonly [place: string, sign: string][] = [
  ['/', 'Stock value by category'],
  // Five rows show as much as hundreds, and axe checks them faster.
  ['/products?perPage=5', 'Aniseed Syrup'],
  ['/products/5', 'Supplier'],
  ['/products/create', 'Supplier'],
  ['/import', 'Choose a file'],
];

/** Dialogs and states that have no address: how to reach them from the previous one. */
const VIEWS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async 'a new filter'({ page, open }) {
    await open('/products?perPage=5');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('dialog').waitFor();
  },
  async 'the choice of columns'({ page }) {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menu').waitFor();
  },
  async 'a conflict'({ page, service }) {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').fill('24');
    await service.fetch('/products/2', { method: 'PATCH', body: '{"unit_price":25}' });
    await page.getByRole('button', { name: 'Save: Chang' }).click();
    await page.getByRole('dialog', { name: /Someone else changed/ }).waitFor();
  },
  async 'a change to a selection'({ page }) {
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await page.getByLabel('Select Chai').check();
    await page.getByRole('button', { name: 'Change a field' }).click();
    await page.getByRole('dialog', { name: 'Change 1 product' }).waitFor();
  },
  async 'the deletion of a selection'({ page }) {
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog', { name: 'Delete 1 product?' }).waitFor();
  },
  async 'a value that is refused'({ page, until }) {
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
    await page.getByLabel('Unit price of Chang').fill('cheap');
    await page.getByRole('button', { name: 'Save: Chang' }).click();
    await until('Unit price: “cheap” is not a number.');
  },
  async 'unsaved work that is left'({ page }) {
    await page.getByRole('button', { name: 'Edit in place: Chai' }).click();
    await page.getByRole('dialog', { name: 'Discard the changes to Chang?' }).waitFor();
  },
  async 'a list that cannot be read'({ page, until }) {
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Unit price of Chai').waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await page.getByLabel('Search products').fill('x');
    await until('Could not load the products');
    await page.context().setOffline(false);
  },
  async 'the preview of an import'({ page, open, until }) {
    await open('/import');
    await page.locator('input[type=file]').setInputFiles({
      name: 'new.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('id,product_name,unit_price,colour\n500,Good,1,red\n501,Bad,cheap,\n1,Chai,1,\n'),
    });
    await until('new.csv: 3 rows, 1 with errors. Nothing is stored yet.');
    await page.getByRole('radio', { name: 'Replace them with the values of the file' }).check();
    await page.getByRole('button', { name: 'All (3)' }).click();
    await until('→');
  },
};

browserStories('accessibility', (stage) => {
  const look = async (place: string, rules?: readonly string[]) => {
    expect({ place, findings: await seriousFindings(stage.page, rules) }).toEqual({ place, findings: [] });
    const width = await stage.page.evaluate('document.documentElement.scrollWidth');
    expect({ place, width }).toEqual({ place, width: stage.page.viewportSize()!.width });
  };

  /** The elements are the same in both themes, so the dark one is only checked for what it changes. */
  describe.each([
    ['light', 'wide', { colorScheme: 'light' }, undefined],
    ['dark', 'narrow', { colorScheme: 'dark', viewport: NARROW }, ['color-contrast']],
  ] as const)('%s and %s', (_theme, _width, options, rules) => {
    test('axe finds no serious problem on any page, and nothing overflows', async () => {
      await stage.reopen(options);
      for (const [place, sign] of PAGES) {
        await stage.open(place);
        await stage.page.getByText(sign).first().waitFor({ state: 'attached' });
        await look(place, rules);
      }
    });

    test('axe finds no serious problem in any dialog, and nothing overflows', async () => {
      await stage.reopen(options);
      for (const [name, show] of Object.entries(VIEWS)) {
        await show(stage);
        await look(name, rules);
      }
    });
  });

  test('the theme follows the system, and a narrow screen shows the important columns', async () => {
    await stage.reopen({ colorScheme: 'dark' });
    await stage.open('/');
    await stage.until('Stock value by category');
    await stage.picture('console-dark');
    const background = () => stage.page.evaluate('getComputedStyle(document.querySelector(".layout")).backgroundColor');
    expect(await background()).toBe('rgb(15, 19, 23)');
    await stage.page.emulateMedia({ colorScheme: 'light' });
    await stage.page.setViewportSize(NARROW);
    await stage.open('/products');
    await stage.until('Aniseed Syrup');
    await stage.picture('console-narrow');
    expect(await background()).not.toBe('rgb(15, 19, 23)');
    expect(await stage.page.locator('th.column-unit_price').count()).toBe(1);
    expect(await stage.page.locator('th.column-supplier_id').count()).toBe(0);
  });

  test('a product can be found and edited with the keyboard', async () => {
    await stage.open('/products');
    await stage.until('Aniseed Syrup');
    await tabTo(stage.page, 'Edit in place: Chai');
    await stage.page.keyboard.press('Enter');
    await stage.page.getByLabel('Product name of Chai').waitFor();
    await stage.page.keyboard.press('End');
    await stage.page.keyboard.type(' Masala');
    await tabTo(stage.page, 'Unit price of Chai');
    await stage.page.keyboard.type('21');
    await stage.page.keyboard.press('Enter');
    await stage.until('Chai Masala was saved.');
    expect(await stage.product(1)).toMatchObject({ product_name: 'Chai Masala', unit_price: 21 });
    await untilShown(stage.page, ['Chai Masala', 'Chang']);
    expect(await focused(stage.page)).toBe('Edit in place: Chai Masala');
  });
});

const focused = (page: Page) => page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""');

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}
