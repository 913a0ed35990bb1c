/** Keys that JavaScript numbers cannot hold (int8 above 2^53): links, titles and edits keep every digit. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories } from '../../support/browser/browser.ts';
import { temporaryFolder } from '../../support/processes/process.ts';

const DECLARATION = `collections:
  makers:
    fields:
      id: int8
      name: { type: text, required: true, role: title }
  parts:
    fields:
      id: int8
      maker_id: { type: int8, references: makers }
      codes: { type: 'int8[]' }
`;
const MAKER = '9007199254740993';
const PART = '9223372036854775807';

browserStories(
  'large keys',
  (stage) => {
    test('rows with keys above 2^53 are linked, named, opened and changed', async () => {
      const { page } = stage;
      const { service } = stage;
      await service.fetch('/makers', { method: 'POST', body: `{"id":${MAKER},"name":"Ada"}` });
      const part = `{"id":${PART},"maker_id":${MAKER},"codes":[9007199254740995]}`;
      await service.fetch('/parts', { method: 'POST', body: part });

      await page.goto(`${service.url}/console?collection=parts#/parts`);
      expect(await page.getByRole('link', { name: 'Ada' }).getAttribute('href')).toContain(`#/makers/${MAKER}`);
      await page.locator('.column-codes', { hasText: '9007199254740995' }).waitFor();
      await page.getByRole('link', { name: PART }).click();
      await page.getByRole('link', { name: 'Open Ada' }).click();

      await page.getByLabel('Name').waitFor();
      const referrer = page.getByRole('region').getByRole('link');
      expect(await referrer.getAttribute('href')).toBe(`?collection=parts#/parts/${PART}`);
      expect(await referrer.textContent()).toBe(`ID ${PART}`);
      await page.getByLabel('Name').fill('Ada L.');
      await page.getByRole('button', { name: 'Save' }).click();
      await stage.until('Ada L. was saved.');
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await (await service.fetch('/makers')).text()).toContain(`"id":${MAKER},"name":"Ada"`);
      expect(await page.getByText('[object Object]').count()).toBe(0);
    });
  },
  () => {
    const file = join(temporaryFolder(), 'collections.yaml');
    writeFileSync(file, DECLARATION);
    return { args: ['--collections', file] };
  },
);
