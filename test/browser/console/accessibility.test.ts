/** Accessibility and layout of the console: screen readers, themes, a phone, and 200 % zoom. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';
import { englishTexts } from '../../support/browser/english-texts.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;
const PHONE = { width: 390, height: 780 };
const WIDE = { width: 1280, height: 860 };

const FILE = {
  name: 'new.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('id,product_name,unit_price,colour\n500,Good,1,red\n501,Bad,cheap,\n1,Chai,1,\n'),
};

/** Opens a page of the console, as a link does if the script is loaded already, and waits for its heading. */
async function visit({ page, open }: Stage, place: string, heading: string | RegExp): Promise<void> {
  if (page.url() === 'about:blank') await open(place);
  else await page.evaluate(`history.pushState(null, '', '/console${place}')`);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}

type Steps = Readonly<Record<string, (stage: Stage) => Promise<unknown>>>;

/** Pages and dialogs: how to reach them from the previous one. */
const OVERVIEW_AND_ROWS: Steps = {
  async 'the overview'({ page, open }) {
    await open('/');
    await page.locator('.overview[aria-busy=false]').waitFor();
  },
  async 'the choice of figures'({ page }) {
    await page.getByRole('button', { name: 'Choose figures' }).click();
    await page.getByRole('dialog').waitFor();
  },
  async 'a row'(stage) {
    await visit(stage, '/c/products/5', "Chef Anton's Gumbo Mix");
  },
  async 'the removal of a row'({ page }) {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
  },
  async 'the palette'({ page }) {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Jump to' }).getByRole('option').first().waitFor();
  },
  async 'a new row'(stage) {
    await stage.page.keyboard.press('Escape');
    await visit(stage, '/new/products', 'New row in Products');
    await stage.page.getByLabel('Product name').first().waitFor();
  },
};

const LISTS: Steps = {
  async 'a list'(stage) {
    // Five rows show as much as hundreds, and axe checks them faster.
    await visit(stage, '/c/products?id=lt.6&~as=table&~group=status', 'Products');
    await stage.page.getByRole('gridcell', { name: 'Chang' }).first().click();
  },
  async 'the columns'({ page }) {
    await page.getByRole('button', { name: 'Columns' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/Width of/)
      .first()
      .waitFor();
  },
  async 'a list as cards'(stage) {
    await stage.page.keyboard.press('Escape');
    await visit(stage, '/c/products?id=lt.6&~as=cards', 'Products');
    await stage.page.getByRole('article', { name: 'Chang' }).waitFor();
  },
  async 'a board'(stage) {
    await visit(stage, '/c/products?id=lt.6&~as=board:status', 'Products');
    await stage.page.locator('.board').getByRole('article', { name: 'Chang' }).waitFor();
  },
  async 'the name of a view'({ page }) {
    await page.getByRole('button', { name: 'Save as view' }).click();
    await page.getByRole('dialog').waitFor();
  },
};

const OTHERS: Steps = {
  async 'the changes'(stage) {
    await visit(stage, '/changes', 'Changes');
  },
  async 'the preview of an import'(stage) {
    const { page, until } = stage;
    await visit(stage, '/import/products', /Import/);
    await page.locator('input[type=file]').setInputFiles(FILE);
    await until('new.csv: 3 rows, 1 with errors. Nothing is stored yet.');
    await page.getByRole('radio', { name: 'Replace them with the values of the file' }).check();
    await page.getByRole('button', { name: 'All (3)' }).click();
    await until('→');
  },
  async 'an address without a page'(stage) {
    await stage.open('/nowhere');
    await stage.until('Page not found');
  },
};

/**
 * How the console looks. The elements are the same in each, so the others are only checked for what they change.
 * `test/console/contrast.test.ts` checks the colours of every theme.
 */
const LOOKS = [
  { look: 'light and wide', colorScheme: 'light', viewport: WIDE, theme: 'auto', rules: undefined },
  { look: 'dark and narrow', colorScheme: 'dark', viewport: PHONE, theme: 'auto', rules: ['target-size'] },
  { look: 'in high contrast', colorScheme: 'dark', viewport: PHONE, theme: 'contrast', rules: [] },
] as const;

const box = async (element: Locator) => (await element.boundingBox())!;

browserStories(
  'accessibility',
  (stage) => {
    test.each([
      ['the overview and rows', OVERVIEW_AND_ROWS],
      ['lists', LISTS],
      ['other pages', OTHERS],
    ])('axe finds nothing on %s, wide or narrow, and nothing overflows in any theme', async (_name, steps) => {
      const { page } = stage;
      for (const [place, show] of Object.entries(steps)) {
        await show(stage);
        for (const { look, colorScheme, viewport, theme, rules } of LOOKS) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(viewport);
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
          const findings = rules?.length === 0 ? [] : await axeFindings(page, rules);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          expect({ place, look, findings, width }).toEqual({ place, look, findings: [], width: viewport.width });
        }
        await page.setViewportSize(WIDE);
      }
    });

    test('axe finds nothing on the pages in German, with dialogs open, and no text is English', async () => {
      await stage.reopen({ viewport: WIDE, locale: 'de-DE' });
      const { page } = stage;
      const LABELS = ['Amount', 'Valid from'];
      const DIALOGS: Readonly<Record<string, readonly string[]>> = {
        '/': ['Kennzahlen auswählen'],
        '/c/products?id=lt.6': ['Spalten', 'Als Ansicht speichern', 'Alle Bedingungen'],
        '/c/products/5': ['Löschen'],
        '/new/products': [],
        '/import/products': [],
        '/changes': [],
        '/nowhere': [],
      };
      for (const [place, dialogs] of Object.entries(DIALOGS)) {
        await stage.open(place);
        await page.locator('html[lang=de] h1:visible').waitFor();
        expect({ place, findings: await axeFindings(page) }).toEqual({ place, findings: [] });
        expect({ place, english: await englishTexts(page, LABELS) }).toEqual({ place, english: [] });
        for (const dialog of dialogs) {
          await page.getByRole('button', { name: dialog }).first().click();
          await page.getByRole('dialog').waitFor();
          expect({ dialog, findings: await axeFindings(page) }).toEqual({ dialog, findings: [] });
          expect({ dialog, english: await englishTexts(page, LABELS) }).toEqual({ dialog, english: [] });
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
      }
    });

    test('the theme follows the system, and a phone shows cards and a drawer', async () => {
      await stage.reopen({ colorScheme: 'dark', viewport: PHONE });
      const { page } = stage;
      await stage.open('/c/products');
      await page.getByRole('article', { name: 'Chang' }).waitFor();
      const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(await background()).toBe('rgb(23, 22, 26)');
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
