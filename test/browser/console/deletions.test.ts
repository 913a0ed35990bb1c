/** The question before a deletion: everything that is deleted with the rows, and where the focus goes. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories, untilShown } from '../../support/browser/browser.ts';
import { temporaryFolder } from '../../support/processes/process.ts';

const field = (name: string, to: string, onDelete = 'cascade') =>
  `      ${name}: { type: int4, references: { collection: ${to}, onDelete: ${onDelete} } }\n`;
const collection = (name: string, references: string) =>
  `  ${name}:\n    fields:\n      id: int4\n      name: { type: text, required: true }\n${references}`;

/** Folders contain folders. Each country has regions, they have towns, and so on. A stop is in a street and a town. */
const WORLD = `collections:
${collection('folders', field('parent_id', 'folders'))}${collection('countries', '')}${collection(
  'regions',
  field('country_id', 'countries'),
)}${collection('towns', field('region_id', 'regions'))}${collection('streets', field('town_id', 'towns'))}${collection(
  'stops',
  field('street_id', 'streets') + field('town_id', 'towns'),
)}${collection('tickets', field('stop_id', 'stops', 'set null'))}`;

browserStories(
  'the question before a deletion',
  (stage) => {
    const add = (path: string, rows: readonly object[]) =>
      stage.service.fetch(path, { method: 'POST', body: JSON.stringify(rows.map((row) => ({ name: 'x', ...row }))) });

    test('counts each row that is deleted as well, at every level of references', async () => {
      const { page } = stage;
      await add('/countries', [{ id: 1, name: 'Norway' }, { id: 2 }]);
      await add(
        '/regions',
        [1, 1, 2].map((country_id) => ({ country_id })),
      );
      await add(
        '/towns',
        [1, 1, 2, 3].map((region_id) => ({ region_id })),
      );
      await add(
        '/streets',
        [1, 2, 3, 4].map((town_id) => ({ town_id })),
      );
      await add('/stops', [
        { street_id: 1, town_id: 1 },
        { street_id: 2, town_id: null },
        { street_id: null, town_id: 3 },
        { street_id: 4, town_id: 4 },
      ]);
      await add('/tickets', [{ stop_id: 1 }, { stop_id: 3 }, { stop_id: 4 }]);
      await stage.open('/c/countries/1');
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete Norway?' });
      await dialog.getByText('Regions').waitFor();
      expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
        'Regions: 2 rows are deleted as well.',
        'Towns: 3 rows are deleted as well.',
        'Streets: 3 rows are deleted as well.',
        'Stops: 3 rows are deleted as well.',
        'Tickets: 2 rows lose their reference.',
      ]);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await stage.until('Deleted.');
      expect(await stage.ask<unknown[]>('/stops?select=id')).toEqual([{ id: 4 }]);
    });

    test('follows the levels of a tree, and says when there are more than it counts', async () => {
      const { page } = stage;
      // Folder 1 contains 2, which contains 3, and so on.
      await add(
        '/folders',
        Array.from({ length: 12 }, (_, at) => ({ name: `Level ${at + 1}`, parent_id: at || null })),
      );
      await stage.open('/c/folders/9');
      await page.getByRole('button', { name: 'Delete' }).click();
      const items = page.getByRole('dialog').getByRole('listitem');
      await items.first().waitFor();
      expect(await items.allTextContents()).toEqual(['Folders: 3 rows are deleted as well.']);
      await stage.open('/c/folders/1');
      await page.getByRole('button', { name: 'Delete' }).click();
      await items.first().waitFor();
      expect(await items.allTextContents()).toEqual([
        'Folders: 7 rows are deleted as well.',
        'More rows refer to these, and may be deleted as well.',
      ]);
    });

    test('the focus is on the table after its rows are deleted', async () => {
      const { page } = stage;
      await add('/folders', [{ name: 'Alps' }, { name: 'Baltic' }, { name: 'Caspian' }]);
      await stage.open('/c/folders?name=in.(Alps,Baltic,Caspian)&order=name');
      await untilShown(page, []);
      for (const name of ['Alps', 'Baltic']) await page.getByLabel(`Select ${name}`).check();
      await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await stage.until('2 rows deleted.');
      await page.getByText('1 row', { exact: true }).waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
      await page.keyboard.press('F2');
      await page.getByLabel('Name of Caspian').waitFor();
    });
  },
  () => {
    const file = join(temporaryFolder(), 'collections.yaml');
    writeFileSync(file, WORLD);
    return { args: ['--collections', file] };
  },
);
