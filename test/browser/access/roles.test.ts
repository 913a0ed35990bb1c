/** A role with some fields and rights: everything works within them, and nothing else is offered. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { browserStories, untilShown } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { temporaryFolder } from '../../support/processes/process.ts';

const DECLARATION = `collections:
  categories:
    fields: { id: int4, category_name: { type: text, required: true } }
    rows: categories.json
  suppliers:
    fields: { id: int4, company_name: { type: text, required: true } }
    rows: suppliers.json
  products:
    fields:
      id: int4
      product_name: { type: text, required: true, role: title }
      category_id: { type: int4, references: categories, role: group }
      supplier_id: { type: int4, references: suppliers }
      unit_price: { type: 'decimal(12,4)', role: price }
      units_in_stock: { type: int4, role: stock }
      reorder_level: { type: int4, role: threshold }
    rows: products.json
roles:
  anonymous:
    categories: { read: true }
    products:
      read: { fields: [id, product_name, category_id, supplier_id, unit_price, units_in_stock] }
      create: { fields: [product_name, category_id, unit_price] }
      update: { fields: [unit_price] }
`;
/** Without a name, only a role that reads the log can undo. */
const WITH_LOG = `${DECLARATION}    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }\n`;

const ROWS = {
  categories: [
    { id: 1, category_name: 'Tea' },
    { id: 2, category_name: 'Beer' },
  ],
  suppliers: [{ id: 7, company_name: 'Hidden & Sons' }],
  products: [
    { id: 1, product_name: 'Chai', category_id: 1, supplier_id: 7, unit_price: 18, units_in_stock: 10 },
    { id: 2, product_name: 'Chang', category_id: 2, supplier_id: 7, unit_price: 19, units_in_stock: 2 },
  ].map((row) => ({ ...row, reorder_level: 5 })),
};

/** A role that may delete and create rows, and sees all fields but one. */
const DELETING = WITH_LOG.replace(
  'create: { fields: [product_name, category_id, unit_price] }',
  'create: { fields: [id, product_name, category_id, supplier_id, unit_price, units_in_stock] }\n      delete: true',
);

async function folder(declaration = WITH_LOG): Promise<string> {
  const cwd = temporaryFolder();
  await Bun.write(join(cwd, 'collections.yaml'), declaration);
  for (const [name, rows] of Object.entries(ROWS)) await Bun.write(join(cwd, `${name}.json`), JSON.stringify(rows));
  return cwd;
}

browserStories(
  'a role',
  (stage) => {
    test('lists and forms follow the role, and forbidden actions are not offered', async () => {
      const { page } = stage;
      const refused: string[] = [];
      page.on('response', (answer) => answer.status() >= 400 && refused.push(answer.url()));
      await stage.open('/c/products');
      await untilShown(page, ['Chai', 'Chang']);
      const heads = (await page.getByRole('columnheader').allTextContents()).join(' ');
      expect(heads).toContain('Units in stock');
      expect(heads).not.toContain('Reorder level');
      expect(
        await page.locator('.grid-row:not(.new-line) [data-field=supplier_id][role=gridcell]').allTextContents(),
      ).toEqual(['7', '7']);

      await page.getByRole('link', { name: 'Open Chai' }).click();
      await page.getByLabel('Unit price').fill('21');
      expect(await page.getByLabel('Units in stock').isEditable()).toBe(false);
      expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Saved.');
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect((await stage.product(1)).unit_price).toBe(18);

      await stage.open('/new/products');
      await page.getByLabel('Product name').fill('Chartreuse');
      expect(await page.getByLabel('Units in stock').count()).toBe(0);
      // A name without a row stays, with the reason.
      const category = page.getByRole('combobox', { name: 'Category' });
      await category.click();
      await page.keyboard.type('Coffee', { delay: 125 });
      await page.keyboard.press('Tab');
      await stage.until(
        '“Coffee” does not exist in Categories. Choose a row: you do not have permission to create one.',
      );
      expect(await category.inputValue()).toBe('Coffee');
      await category.click();
      await page.keyboard.type('beer', { delay: 125 });
      await page.getByRole('option', { name: 'Beer' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await category.inputValue()).toBe('Beer');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Chartreuse was created.');
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      expect(refused).toEqual([]);
    });
  },
  async () => ({
    cwd: await folder(),
    args: ['--schema', newSchema()],
    env: { DATABASE_URL: testServer.url },
  }),
);

browserStories(
  'a role that deletes',
  (stage) => {
    test('cannot undo a deletion if it does not see all fields, and is warned before', async () => {
      const { page } = stage;
      const why = 'You cannot undo this';
      await stage.open('/c/products/1');
      await page.getByRole('button', { name: 'Delete' }).click();
      await stage.until(why);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await stage.until('Deleted.');
      await untilShown(page, ['Chang']);
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      expect(await stage.ask<unknown[]>('/products')).toHaveLength(1);

      await stage.open('/new/products');
      await page.getByRole('textbox', { name: 'Product name' }).fill('Chartreuse');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Chartreuse was created.');
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('Undone.');
      expect(await stage.ask<unknown[]>('/products')).toHaveLength(1);
    });
  },
  async () => ({ cwd: await folder(DELETING) }),
);

browserStories(
  'a role without the log',
  (stage) => {
    test('sees no history and no undo, and no request fails', async () => {
      const { page } = stage;
      const refused: string[] = [];
      page.on('response', (answer) => answer.status() >= 400 && refused.push(answer.url()));
      await stage.open('/c/products');
      await untilShown(page, ['Chai', 'Chang']);
      expect(await page.getByRole('link', { name: 'Changes' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Open Chai' }).click();
      await page.getByLabel('Unit price').fill('21');
      expect(await page.getByRole('button', { name: 'History' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Saved.');
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      expect((await stage.product(1)).unit_price).toBe(21);
      expect(refused).toEqual([]);
    });
  },
  async () => ({ cwd: await folder(DECLARATION), args: [], env: {} }),
);
