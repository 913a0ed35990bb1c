/** Every type can be shown and entered, and no value loses a digit. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories } from '../../support/browser/browser.ts';
import { temporaryFolder, until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;
const PICTURES = `collections:
  plants:
    fields:
      id: int4
      note: { type: text }
      photo_url: { type: text }
      rare: boolean
      height: decimal(18,9)
`;
/** A picture of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/5cN2GQAAAABJRU5ErkJggg==',
  'base64',
);

browserStories(
  'types',
  (stage) => {
    test('tags, times, choices, json and long numbers are shown, entered and stored', async () => {
      await stage.service.fetch('/products/2', {
        method: 'PATCH',
        body: '{"barcode":9007199254740993,"tags":["old"],"attributes":{"n":12345678901234567890}}',
      });
      await stage.reopen({ timezoneId: 'Europe/Berlin', viewport: { width: 1600, height: 900 } });
      const { page } = stage;
      const goTo = (place: string) => page.goto(`${stage.service.url}/console?collection=products#/products${place}`);
      await goTo('');
      const chang = page.locator('tbody tr').filter({ hasText: 'Chang' });
      await chang.locator('.tag', { hasText: 'old' }).waitFor();
      expect(await chang.locator('.column-barcode').textContent()).toBe('9007199254740993');
      await page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await page.getByLabel('Status of Chang').selectOption('retired');
      expect(await page.getByLabel('Created at of Chang').inputValue()).toBe('2024-05-20T02:35:49.123');
      await page.getByRole('button', { name: 'Save: Chang' }).click();
      await stage.until('Chang was saved.');

      await goTo('/2');
      await page.getByLabel('Tags').fill('spicy, ');
      await page.getByLabel('Tags').fill('hot');
      await page.getByLabel('Tags').press('Enter');
      await page.getByLabel('Created at').fill('2026-07-01T10:30:15');
      const json = page.getByLabel('Attributes');
      expect(await json.inputValue()).toBe('{\n  "n": 12345678901234567890\n}');
      await json.fill('{\n  "n": 12345678901234567890,\n  "m": }');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until(/Attributes: this is not JSON/);
      await json.fill('{"n": 12345678901234567891, "m": 1.50}');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      const stored = async () => (await stage.service.fetch('/products/2')).text();
      await until('the row to be stored', async () => (await stored()).includes('12345678901234567891'));
      const text = await stored();
      expect(text).toContain('"barcode":9007199254740993,');
      expect(JSON.parse(text)).toMatchObject({
        tags: ['old', 'spicy', 'hot'],
        created_at: '2026-07-01T08:30:15+00:00',
        status: 'retired',
      });

      await page.getByRole('button', { name: 'Add filter' }).click();
      await stage.choose('Field', 'Tags');
      await page.getByLabel('Value').fill('hot');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await stage.until('Tags has hot');
      await stage.until('1-1 of 1');
    });
  },
  () => ({ args: ['--collections', SHOP] }),
);

browserStories(
  'pictures',
  (stage) => {
    test('a picture is shown if the policy of the page allows its address; rows without a title have links', async () => {
      const { page } = stage;
      await page.route('**/dot.png', (route) => route.fulfill({ contentType: 'image/png', body: DOT }));
      const policy = (await stage.service.fetch('/console')).headers.get('content-security-policy');
      expect(policy).toContain("img-src 'self' data: blob: https: http:;");
      await stage.open('/plants/create');
      await page.getByLabel('Note').fill('two\nlines');
      await page.getByLabel('Photo url').fill(`${stage.service.url}/dot.png`);
      await page.getByRole('img', { name: 'Photo url: preview' }).waitFor();
      await page.getByLabel('Height').fill('123456789.123456789');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('ID 1 was created.');
      await page.locator('tbody img.picture').waitFor();
      await stage.until('123,456,789.123456789');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('link', { name: '1', exact: true }).click();
      await page.getByLabel('Photo url').fill(`${stage.service.url}/none.png`);
      await stage.until('Could not load a picture from this address.');
      expect(await (await stage.service.fetch('/plants')).text()).toContain('"height":123456789.123456789');
    });
  },
  () => {
    const file = join(temporaryFolder(), 'collections.yaml');
    writeFileSync(file, PICTURES);
    return { args: ['--collections', file] };
  },
);
