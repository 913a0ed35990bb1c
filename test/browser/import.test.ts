/** A file is imported in a real browser: its faults first, then the good rows. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories, type Product, SECONDS } from '../support/browser.ts';
import { temporaryFolder } from '../support/process.ts';

browserStories('import', (stage) => {
  test(
    'an import marks every bad cell before anything is stored, and then stores the good rows',
    async () => {
      const file = join(temporaryFolder(), 'new.csv');
      writeFileSync(
        file,
        'id,product_name,unit_price,units_in_stock,colour\n500,Good One,9.5,3,red\n501,Bad Price,cheap,many,blue\n1,Already There,1,1,\n502,,2,2,\n503,"Good, Two",,7,\n',
      );
      await stage.open('/import');
      await stage.page.locator('input[type=file]').setInputFiles(file);
      await stage.until('new.csv: 5 rows, 3 of them bad. Nothing is stored yet.');
      await stage.picture('console-import');
      expect(await stage.page.locator('td[data-bad=true]').allTextContents()).toEqual([
        'cheap (not accepted)',
        'many (not accepted)',
        '1 (not accepted)',
        '– (not accepted)',
      ]);
      expect((await stage.ask<Product[]>('/products?id=gte.500')).length).toBe(0);
      await stage.page.getByRole('button', { name: 'Import the 2 good rows' }).click();
      await stage.until('2 rows stored.');
      expect(await stage.ask<Product[]>('/products?id=gte.500&select=id,product_name,unit_price')).toEqual([
        { id: 500, product_name: 'Good One', unit_price: 9.5 },
        { id: 503, product_name: 'Good, Two', unit_price: null },
      ]);
      expect(await stage.product(1)).toMatchObject({ product_name: 'Chai' });
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('2 rows were removed again.');
      expect((await stage.ask<Product[]>('/products?id=gte.500')).length).toBe(0);
    },
    SECONDS,
  );
});
