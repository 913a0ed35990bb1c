/** A file is imported in a real browser: its faults first, then the good rows. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories, type Product, SECONDS, type Stage } from '../support/browser.ts';
import { temporaryFolder } from '../support/process.ts';

const WITH_FAULTS = `id,product_name,unit_price,units_in_stock,colour
500,Good One,9.5,3,red
501,Bad Price,cheap,many,blue
1,Already There,1,1,
502,,2,2,
503,"Good, Two",,7,
`;

browserStories('import', (stage) => {
  test(
    'an import marks every bad cell before anything is stored, and then stores the good rows',
    async () => {
      await stage.open('/import');
      await choose(stage, 'new.csv', WITH_FAULTS);
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

  test(
    'a table as a spreadsheet writes it is read as it was meant',
    async () => {
      await stage.open('/import');
      await choose(
        stage,
        'sheet.csv',
        'ID;Product name;Unit price;Quantity per unit\r\n500;Tea;12,50;""\r\n501;Jam;;\r\n',
      );
      await stage.until('sheet.csv: 2 rows, all of them good. Nothing is stored yet.');
      await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
      await stage.until('2 rows stored.');
      const select = 'select=id,product_name,unit_price,quantity_per_unit';
      expect(await stage.ask<Product[]>(`/products?id=gte.500&${select}`)).toEqual([
        { id: 500, product_name: 'Tea', unit_price: 12.5, quantity_per_unit: '' },
        { id: 501, product_name: 'Jam', unit_price: null, quantity_per_unit: null },
      ]);
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('2 rows were removed again.');
    },
    SECONDS,
  );

  test(
    'a JSON file that is dropped merges into what is there, or leaves it alone, as one chooses',
    async () => {
      const rows = [
        { id: 1, product_name: 'Chai, spiced', unit_price: 18.5 },
        { product_name: 'Sea Buckthorn Jam', discontinued: 0 },
      ];
      await stage.open('/import');
      await drop(stage, 'rows.json', JSON.stringify(rows));
      await stage.until('a row with the id 1 exists');
      await stage.choose('A row whose ID exists already', 'is left out');
      await stage.until('rows.json: 2 rows, all of them good. Nothing is stored yet.');
      await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
      await stage.until('1 row stored, 1 left out since it exists.');
      expect(await stage.product(1)).toMatchObject({ product_name: 'Chai', unit_price: 18 });
      expect(await stage.product(78)).toMatchObject({ product_name: 'Sea Buckthorn Jam' });

      await stage.choose('A row whose ID exists already', 'changes what is there');
      await drop(stage, 'rows.json', JSON.stringify(rows.slice(0, 1)));
      await stage.page.getByRole('button', { name: 'Import 1 row' }).click();
      await stage.until('1 row stored.');
      expect(await stage.product(1)).toMatchObject({ product_name: 'Chai, spiced', unit_price: 18.5, discontinued: 1 });
      expect(await stage.page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    },
    SECONDS,
  );

  test(
    'a large file goes in parts, with a bar that shows how far it is, and is undone as one',
    async () => {
      const lines = Array.from({ length: 2_500 }, (_, index) => `${index + 1000},Part ${index + 1000},${index}.25`);
      let goOn: () => void = () => undefined;
      const seen = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let parts = 0;
      await stage.page.route(/\/products\?columns=/, async (route) => {
        const isDryRun = route.request().headers().prefer?.includes('tx=rollback');
        if (!isDryRun && ++parts === 2) await seen;
        await route.continue();
      });
      await stage.open('/import');
      await choose(stage, 'large.csv', ['id,product_name,unit_price', ...lines].join('\n'));
      await stage.until('large.csv: 2,500 rows, all of them good. Nothing is stored yet.');
      await stage.page.getByRole('button', { name: 'Import 2,500 rows' }).click();
      await stage.until('Importing 1,000 of 2,500 rows');
      expect(await stage.page.getByRole('progressbar', { name: 'Importing' }).getAttribute('aria-valuenow')).toBe('40');
      expect(await stage.ask('/products?select=count()&id=gte.1000')).toEqual([{ count: 1000 }]);
      goOn();
      await stage.until('2,500 rows stored.');
      expect(await stage.ask('/products?select=count(),unit_price.sum()&id=gte.1000')).toEqual([
        { count: 2500, sum: 3_124_375 },
      ]);
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('2,500 rows were removed again.');
      expect(await stage.ask('/products?select=count()')).toEqual([{ count: 77 }]);
    },
    SECONDS,
  );

  test(
    'a file that cannot be read is refused with a sentence that says why',
    async () => {
      const files: readonly [name: string, content: string, sentence: string | RegExp][] = [
        ['broken.json', '[{"id": 1', /broken.json is no JSON/],
        ['empty.csv', '', 'The file is empty.'],
        ['only-header.csv', 'id,product_name', 'The file holds no rows.'],
        ['numbers.json', '[1]', 'Row 1 is not an object.'],
      ];
      await stage.open('/import');
      for (const [name, content, sentence] of files) {
        await choose(stage, name, content);
        await stage.until(sentence);
      }
    },
    SECONDS,
  );
});

async function choose(stage: Stage, name: string, content: string): Promise<void> {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  await stage.page.locator('input[type=file]').setInputFiles(file);
}

async function drop({ page }: Stage, name: string, content: string): Promise<void> {
  const zone = page.getByText(/^Drop a CSV or JSON file here/).locator('..');
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  for (const event of ['dragover', 'drop']) await zone.dispatchEvent(event, { dataTransfer });
}
