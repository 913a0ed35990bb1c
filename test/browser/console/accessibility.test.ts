/** Accessibility and layout of the console: screen readers, themes, a phone, and 200 % zoom. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;
const PHONE = { width: 390, height: 780 };

const FILE = {
  name: 'new.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('id,product_name,unit_price,colour\n500,Good,1,red\n501,Bad,cheap,\n1,Chai,1,\n'),
};

/** Pages and dialogs: how to reach them from the previous one. */
const STEPS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  async 'the overview'({ page, open }) {
    await open('/');
    await page.locator('.overview[aria-busy=false]').waitFor();
  },
  async 'the choice of figures'({ page }) {
    await page.getByRole('button', { name: 'Choose figures' }).click();
    await page.getByRole('dialog').waitFor();
  },
  async 'a list'({ page, open }) {
    // Five rows show as much as hundreds, and axe checks them faster.
    await open('/c/products?id=lt.6&~as=table&~group=status');
    await page.getByRole('gridcell', { name: 'Chang' }).first().click();
  },
  async 'a list as cards'({ page, open }) {
    await open('/c/products?id=lt.6&~as=cards');
    await page.getByRole('article', { name: 'Chang' }).waitFor();
  },
  async 'a board'({ page, open }) {
    await open('/c/products?id=lt.6&~as=board:status');
    await page.getByRole('article', { name: 'Chang' }).waitFor();
  },
  async 'the name of a view'({ page }) {
    await page.getByRole('button', { name: 'Save as view' }).click();
    await page.getByRole('dialog').waitFor();
  },
  async 'a row'({ page, open }) {
    await open('/c/products/5');
    await page.getByLabel('Product name').first().waitFor();
  },
  async 'a new row'({ page, open }) {
    await open('/new/products');
    await page.getByLabel('Product name').first().waitFor();
  },
  async 'the changes'({ page, open }) {
    await open('/changes');
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
  async 'the preview of an import'({ page, open, until }) {
    await open('/import/products');
    await page.locator('input[type=file]').setInputFiles(FILE);
    await until('new.csv: 3 rows, 1 with errors. Nothing is stored yet.');
    await page.getByRole('radio', { name: 'Replace them with the values of the file' }).check();
    await page.getByRole('button', { name: 'All (3)' }).click();
    await until('→');
  },
  async 'an address without a page'({ open, until }) {
    await open('/nowhere');
    await until('Page not found');
  },
};

const box = async (element: Locator) => (await element.boundingBox())!;

browserStories(
  'accessibility',
  (stage) => {
    /** The elements are the same in all themes, so the others are only checked for what they change. */
    test.each([
      ['light and wide', { colorScheme: 'light' }, 'auto', undefined],
      ['dark and narrow', { colorScheme: 'dark', viewport: PHONE }, 'auto', ['color-contrast', 'target-size']],
      ['in high contrast', { viewport: PHONE }, 'contrast', ['color-contrast']],
    ] as const)(
      'axe finds no serious problem on any page %s, and nothing overflows',
      async (_name, options, theme, rules) => {
        await stage.reopen(options);
        await stage.page.addInitScript(`localStorage.setItem('catalogue.theme', '${theme}')`);
        for (const [place, show] of Object.entries(STEPS)) {
          await show(stage);
          const findings = await seriousFindings(stage.page, rules);
          const width = await stage.page.evaluate('document.documentElement.scrollWidth');
          expect({ place, findings, width }).toEqual({ place, findings: [], width: stage.page.viewportSize()!.width });
        }
      },
    );

    test('the theme follows the system, and a phone shows cards and a drawer', async () => {
      await stage.reopen({ colorScheme: 'dark', viewport: PHONE });
      const { page } = stage;
      await stage.open('/c/products');
      await page.getByRole('article', { name: 'Chang' }).waitFor();
      const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(await background()).toBe('rgb(23, 22, 26)');
      await stage.picture('console-narrow');
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await background()).toBe('rgb(255, 255, 255)');

      const link = page.getByRole('link', { name: 'Suppliers' });
      expect(await link.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await link.click();
      await page.getByRole('heading', { name: 'Suppliers' }).waitFor();
      expect(await page.title()).toBe('Suppliers · Product Catalogue');
      await link.waitFor({ state: 'hidden' });
    });

    test('every button of a list is reachable on a phone and at 200 % zoom', async () => {
      for (const viewport of [
        { width: 360, height: 700 },
        { width: 640, height: 430 },
      ]) {
        await stage.reopen({ viewport });
        const { page } = stage;
        await stage.open('/c/products?~as=table');
        await page.getByRole('row', { name: 'Chai' }).getByRole('checkbox').check();
        const inside = async (element: Locator) => {
          await element.scrollIntoViewIfNeeded();
          const { x, width } = await box(element);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(viewport.width);
        };
        for (const name of ['Export 1 selected', 'Columns', 'Save as view', 'Layout: Table', 'Change a field'])
          await inside(page.getByRole('button', { name }));
        for (const name of ['Import', 'New row']) await inside(page.getByRole('link', { name, exact: true }));
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
      }
    });
  },
  () => ({ args: ['--collections', SHOP] }),
  { areApart: true },
);
