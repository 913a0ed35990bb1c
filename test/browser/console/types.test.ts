/** Every type in the grid: references by name, tags, choices, times, composite and large keys. No digit is lost. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, paste, type Stage, untilShown } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { run, temporaryFolder, until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = ['--collections', new URL('../../data/shop/collections.yaml', import.meta.url).pathname];
const LARGE = `collections:
  makers:
    fields:
      id: int8
      name: { type: text, required: true, role: title }
      mark: { type: text, computed: upper(name) }
  parts:
    fields:
      id: int8
      maker_id: { type: int8, references: makers }
      codes: { type: 'int8[]' }
      photo_url: { type: text }
  notes:
    history: false
    comments: note_comments
    fields: { id: int4, name: { type: text, required: true } }
  groups:
    fields:
      id: int4
      above_id: { type: int4, references: groups }
      name: { type: text, required: true, role: title, translations: [de] }
      state: { type: text, oneOf: [draft, live] }
      size: int4
  "Kinds, all":
    key: Code.No
    fields:
      Code.No: text
      Kind Name: { type: text, required: true, role: title }
      Marks: { type: 'text[]', default: [] }
  Order Details:
    fields:
      id: int4
      Item (name): { type: text, required: true, role: title }
      Unit "Price": 'decimal(10,2)'
      select: text
      Of Kind: { type: text, references: "Kinds, all" }
`;
const MAKER = '9007199254740993';
const PART = '9223372036854775807';

const cell = ({ page }: Stage, field: string, row: number) =>
  page.locator(`[role=row][aria-rowindex="${row + 2}"] [role=gridcell][data-field='${field}']`);
const text = async (stage: Stage, field: string, row: number) => (await cell(stage, field, row).textContent())?.trim();

browserStories(
  'types',
  (stage) => {
    test('a list shows titles with one request, sorts by them, and takes a reference by typing', async () => {
      await stage.reopen({ timezoneId: 'Europe/Berlin', viewport: { width: 1600, height: 900 } });
      const asked: string[] = [];
      stage.page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (!/^\/(console|catalogue)/.test(pathname)) asked.push(pathname);
      });
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai']);
      expect(await text(stage, 'category_id', 0)).toBe('Beverages');
      expect(asked).toEqual(['/products']);
      // A click on the title selects the cell, two edit it, and Shift extends the selection. A link beside it follows.
      const inCell = (row: number) => cell(stage, 'category_id', row).getByText(/^[A-Z]/);
      await inCell(2).click();
      await inCell(4).click({ modifiers: ['Shift'] });
      await stage.until('3 cells');
      await inCell(3).dblclick();
      await stage.page.getByRole('combobox', { name: /^Category of/ }).waitFor();
      await stage.page.keyboard.press('Escape');
      await cell(stage, 'category_id', 0).getByRole('link', { name: 'Open Beverages' }).click();
      await stage.page.getByLabel('Category name').waitFor();
      await stage.page.goBack();
      await cell(stage, 'category_id', 0).and(stage.page.locator('.active')).waitFor();
      expect(stage.page.context().pages()).toHaveLength(1);
      await cell(stage, 'category_id', 0).click();
      // A name without a row is listed, with the reason, while typing goes on.
      for (const name of ['seafud', 'Produce', 'Seafood'])
        for (const key of [...name, 'Enter']) await stage.page.keyboard.press(key, { delay: 125 });
      const problem = '“seafud” does not exist in Categories. Choose a row, or create it.';
      await stage.until(`Chai: Category was not saved. ${problem}`);
      const typed = () => Promise.all([1, 2, 3].map(async (id) => (await stage.product(id)).category_id));
      await until('the other names', async () => String(await typed()) === '1,7,8');
      await cell(stage, 'category_id', 0).click();
      await stage.page.keyboard.press('F2');
      expect(await stage.page.getByRole('combobox', { name: 'Category of Chai' }).inputValue()).toBe('seafud');
      for (const key of ['End', 'Backspace', 'Backspace']) await stage.page.keyboard.press(key);
      await stage.page.getByRole('option', { name: 'Seafood' }).waitFor();
      await stage.page.keyboard.press('Enter');
      await stage.until('Chai was saved.');
      await until('the name', async () => (await text(stage, 'category_id', 0)) === 'Seafood');
      expect((await stage.product(1)).category_id).toBe(8);
      await stage.page.keyboard.press('Control+z');
      await stage.until('Undone.');
      // A cleared reference takes no further key either.
      await cell(stage, 'second_supplier_id', 0).click();
      for (const key of ['F2', 'Backspace', 'Enter']) await stage.page.keyboard.press(key, { delay: 125 });
      await until('no second supplier', async () => (await stage.product(1)).second_supplier_id === null);
      await stage.page.locator('[role=grid][aria-activedescendant^="cell-1-"]:focus').waitFor();

      await stage.page.getByRole('columnheader', { name: 'Supplier', exact: true }).getByRole('button').click();
      const [first] = await stage.ask<{ company_name: string }[]>('/suppliers?order=company_name');
      await until('the first supplier', async () => (await text(stage, 'supplier_id', 0)) === first!.company_name);
    });

    test('a name of several rows stands for none of them', async () => {
      const { page } = stage;
      const { supplier_id } = await stage.product(1);
      const [other] = await stage.ask<{ company_name: string }[]>(`/suppliers?id=neq.${supplier_id}&order=id`);
      const name = other!.company_name;
      const twin = sendJson('POST', { id: 99, company_name: name });
      expect((await stage.service.fetch('/suppliers', twin)).status).toBe(201);
      await stage.open('/c/products?order=id');
      await untilShown(page, ['Chai']);
      await cell(stage, 'supplier_id', 0).click();
      await page.keyboard.type(name, { delay: 125 });
      await page.getByRole('option', { name }).nth(1).waitFor();
      await page.keyboard.press('Tab');
      await stage.until(`Several rows have the name “${name}”.`);
      await page.keyboard.press('Escape');
      expect((await stage.product(1)).supplier_id).toBe(supplier_id);
      await stage.service.fetch('/suppliers?id=eq.99', { method: 'DELETE' });
    });

    test('references are typed down a column, and by a name whose row arrives late, as fast as the keys come', async () => {
      const { page } = stage;
      await stage.open('/c/products?order=id');
      await untilShown(page, ['Chai']);
      await page.route(/\/categories\?/, async (route) => {
        await Bun.sleep(400);
        await route.continue();
      });
      await cell(stage, 'category_id', 0).click();
      for (const key of [...'Seaf', 'Enter', ...'Meat', 'Enter']) await page.keyboard.press(key, { delay: 40 });
      await page.locator('[role=grid][aria-activedescendant^="cell-2-"]:focus').waitFor();
      const stored = async () => [(await stage.product(1)).category_id, (await stage.product(2)).category_id];
      await until('both categories', async () => String(await stored()) === '8,6');
      // Tab takes the only option.
      await page.keyboard.type('Dairy', { delay: 40 });
      await page.getByRole('option', { name: 'Dairy Products' }).waitFor();
      await page.keyboard.press('Tab');
      await until('the category', async () => (await stage.product(3)).category_id === 4);
      await page.locator('[role=grid][aria-activedescendant^="cell-2-"]:focus').waitFor();

      await stage.open('/c/products/3');
      const input = page.getByRole('combobox', { name: 'Category' });
      for (const key of ['Enter', 'Tab']) {
        await input.fill('');
        await input.pressSequentially('Seafood', { delay: 40 });
        await page.keyboard.press(key);
        await page.locator('[role=combobox][aria-expanded=false]:not([aria-invalid])').and(input).waitFor();
        await page.keyboard.press('Control+s');
        await stage.until('Saved.');
        expect((await stage.product(3)).category_id).toBe(8);
        expect(await page.getByRole('dialog').count()).toBe(0);
        await stage.service.fetch('/products/3', { method: 'PATCH', body: '{"category_id":2}' });
        await page.reload();
      }
    });

    test('a pasted date that may be of two months is asked about, with the order of the language first', async () => {
      const { page } = stage;
      await stage.open('/c/products?id=eq.3');
      await untilShown(page, ['Aniseed Syrup']);
      await cell(stage, 'released', 0).click();
      await paste(stage, '03/04/2026');
      const dialog = page.getByRole('dialog', { name: 'Paste' });
      await dialog.getByRole('cell', { name: 'Mar 4, 2026' }).waitFor();
      await dialog.getByLabel('Format of the column Released').selectOption('day, month, year');
      await dialog.getByRole('cell', { name: 'Apr 3, 2026' }).waitFor();
      await dialog.getByRole('button', { name: 'Change 1 cell' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await stage.product(3)).toMatchObject({ released: '2026-04-03' });
      // Shown values can be pasted.
      await paste(stage, 'Nov 17, 2026');
      await until('the date', async () => (await stage.product(3)).released === '2026-11-17');

      // A letter, and a part of a date, are no date: the stored one stays.
      await page.keyboard.type('x');
      await page.keyboard.press('Enter');
      await page.keyboard.type('12');
      await page.keyboard.press('Enter');
      await stage.until('“…” is not a valid value.');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Delete');
      await stage.until('1 cell changed.');
    });

    test('tags, choices, times, flags and long numbers are edited in their cells', async () => {
      const { page } = stage;
      await stage.service.fetch('/products/2', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: '{"barcode":9007199254740993,"tags":["old"],"attributes":{"n":12345678901234567890}}',
      });
      await stage.open('/c/products?id=eq.2');
      await untilShown(page, ['Chang']);
      expect(await text(stage, 'barcode', 0)).toBe('9007199254740993');
      await cell(stage, 'product_name', 0).click();
      const goTo = async (field: string) => {
        const at = Number(await cell(stage, field, 0).getAttribute('aria-colindex')) - 2;
        await page.keyboard.press('Home');
        for (let step = 0; step < at; step++) await page.keyboard.press('ArrowRight');
      };
      await goTo('tags');
      await page.keyboard.type('hot');
      await page.keyboard.press('Tab');
      // An editor that is wider or higher than its cell is within the table.
      for (const field of ['attributes', 'created_at']) {
        await goTo(field);
        await page.keyboard.press('F2');
        const [editor, table] = [page.locator('.cell-editor > :first-child'), page.getByRole('grid')];
        const [inner, outer] = [(await editor.boundingBox())!, (await table.boundingBox())!];
        expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
        await page.keyboard.press('Escape');
      }
      await goTo('status');
      await page.keyboard.press('F2');
      await page.getByLabel('Status of Chang').selectOption('retired');
      await page.keyboard.press('Enter');
      await goTo('available');
      const { available } = (await stage.ask<{ available: boolean }[]>('/products?id=eq.2'))[0]!;
      await page.keyboard.press('Space');
      await goTo('released');
      await page.keyboard.press('F2');
      await page.getByLabel('Released of Chang').fill('2020-02-29');
      await page.keyboard.press('Enter');
      const row = async () => (await stage.ask<Record<string, unknown>[]>('/products?id=eq.2'))[0]!;
      const wanted = { tags: ['hot'], status: 'retired', available: !available, released: '2020-02-29' };
      await until('all values', async () => Bun.deepMatch(wanted, await row()));

      await page.getByRole('link', { name: 'Open Chang' }).click();
      const json = page.getByLabel('Attributes');
      expect(await json.inputValue()).toBe('{\n  "n": 12345678901234567890\n}');
      await json.fill('{"n": }');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('This is not JSON.');
      await json.fill('{"n": 12345678901234567891, "m": 1.50}');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const stored = async () => (await stage.service.fetch('/products/2')).text();
      await until('the row', async () => (await stored()).includes('12345678901234567891'));
      expect(await stored()).toContain('"barcode":9007199254740993,');
    });

    test('rows with composite and uuid keys are edited in the grid', async () => {
      const { page } = stage;
      await stage.open('/c/prices?product_id=eq.1&currency=eq.EUR');
      await cell(stage, 'amount', 0).click();
      await page.keyboard.type('17,5');
      await page.keyboard.press('Enter');
      const amounts = () => stage.ask<{ amount: number }[]>('/prices?product_id=eq.1&currency=eq.EUR&select=amount');
      await until('the price', async () => (await amounts())[0]?.amount === 17.5);
      await page.getByRole('link', { name: 'Labels', exact: true }).click();
      await cell(stage, 'label', 0).click();
      await page.keyboard.type('changed');
      await page.keyboard.press('Enter');
      await until('the label', async () => (await stage.ask<unknown[]>('/labels?label=eq.changed')).length === 1);
    });
  },
  () => ({ args: [...SHOP, '--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
  { areApart: true },
);

browserStories(
  'large keys',
  (stage) => {
    test('a tree is opened and moved by keys, and a grid shows one language, colours and figures', async () => {
      const { page, service } = stage;
      const names = ['Tools', 'Saws', 'Blades', 'Paint'];
      const rows = names.map((name, at) => ({
        id: at + 1,
        name,
        above_id: [null, 1, 2, null][at],
        name_de: at === 0 ? 'Werkzeug' : null,
        state: at === 0 ? 'live' : 'draft',
        size: at * 10,
      }));
      expect((await service.fetch('/groups', sendJson('POST', rows))).status).toBe(201);
      // A key opens a row also while its number of rows is still unknown.
      const counts = Promise.withResolvers<void>();
      await page.route(/count\(\)/, (route) => counts.promise.then(() => route.fallback()));
      await stage.open('/c/groups?~as=tree:above_id');
      await page.getByRole('treeitem', { name: 'Tools' }).focus();
      const aboveOf = async (id: number) =>
        (await stage.ask<{ above_id: number | null }[]>(`/groups?id=eq.${id}&select=above_id`))[0]!.above_id;
      const press = async (...keys: readonly string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await press('ArrowRight');
      counts.resolve();
      await page.getByRole('treeitem', { name: 'Saws' }).waitFor();
      await page.unroute(/count\(\)/);
      expect(await axeFindings(page)).toEqual([]);
      await press('ArrowDown', 'Alt+Shift+ArrowLeft');
      await stage.until('Saws is now at the top.');
      expect(await aboveOf(2)).toBeNull();
      await until(
        'the focus',
        async () => (await page.locator('[role=treeitem]:focus').getAttribute('aria-level')) === '1',
      );
      await press('ArrowDown', 'Alt+Shift+ArrowRight');
      await stage.until('Paint is now below Saws.');
      expect(await aboveOf(4)).toBe(2);
      await page.getByRole('treeitem', { name: 'Saws' }).dragTo(page.getByRole('treeitem', { name: 'Tools' }), {
        sourcePosition: { x: 60, y: 10 },
        targetPosition: { x: 60, y: 10 },
      });
      await stage.until('Saws is now below Tools.');
      expect(await aboveOf(2)).toBe(1);
      // A move that the service rejects is explained in its dialog.
      await page.getByRole('treeitem', { name: 'Tools' }).focus();
      await press('Shift+F10', 'ArrowDown', 'Enter');
      const dialog = page.getByRole('dialog', { name: 'Move Tools' });
      await dialog.getByRole('combobox').pressSequentially('Blades', { delay: 125 });
      await press('Enter');
      await dialog.getByRole('button', { name: 'Move below…' }).click();
      await dialog.getByText('This value breaks a rule of the field.').waitFor();
      await press('Escape');
      await dialog.waitFor({ state: 'detached' });

      await page.getByRole('button', { name: /^Layout/ }).click();
      await page.getByRole('menuitemradio', { name: 'Table' }).click();
      await page.getByRole('button', { name: /^Language/ }).click();
      await page.getByRole('menuitemradio', { name: 'German' }).click();
      await until('German names', async () => (await text(stage, 'name_de', 0)) === 'Werkzeug');
      await until('the other name', async () => (await text(stage, 'name_de', 1)) === 'Saws (Not translated)');
      await cell(stage, 'name_de', 1).click();
      await page.keyboard.type('Sägen', { delay: 20 });
      await press('Enter');
      await until('the translation', async () => (await stage.ask<unknown[]>('/groups?name_de=eq.Sägen')).length === 1);
      await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').focus();
      await press('Shift+F10');
      await page.getByRole('menuitemradio', { name: 'Sum' }).click();
      await page.locator('.grid-figures').getByText('60').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('searchbox', { name: 'Search', exact: true }).pressSequentially('s');
      const facets = page.getByRole('complementary', { name: 'Values of the found rows' });
      await facets.getByLabel('live').waitFor();
      await facets.getByLabel('draft').click();
      await page.waitForURL(/state=eq.draft/);
      await page.getByRole('heading', { name: 'Groups' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.reload();
      await page.getByRole('button', { name: 'Changes of this tab' }).click();
      await page.getByRole('menuitem', { name: 'Saws was saved.' }).waitFor();
      expect(await page.getByRole('menuitem').count()).toBe(4);
      await page.getByRole('menuitem', { name: 'Saws was saved.' }).click();
      await until('the undo', async () => (await stage.ask<unknown[]>('/groups?name_de=is.null')).length === 3);
    });

    test('rows with keys above 2^53 are linked, named, opened and changed', async () => {
      const { page, service } = stage;
      await service.fetch('/makers', { method: 'POST', body: `{"id":${MAKER},"name":"Ada"}` });
      await service.fetch('/parts', {
        method: 'POST',
        body: `{"id":${PART},"maker_id":${MAKER},"codes":[9007199254740995]}`,
      });
      await stage.open('/c/parts');
      await cell(stage, 'codes', 0).getByText('9007199254740995').waitFor();
      const link = cell(stage, 'maker_id', 0).getByRole('link', { name: 'Ada' });
      expect(await link.getAttribute('href')).toContain(`/c/makers/${MAKER}`);
      await link.click();
      await page.getByLabel('Name').fill('Ada L.');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      // Neither the computed field nor the key is somebody's change.
      await stage.until(/^Saved\.$/);
      await page.getByRole('link', { name: 'Makers' }).first().click();
      await cell(stage, 'name', 0).click();
      await page.keyboard.type('Ada');
      await page.keyboard.press('Enter');
      await stage.until('Ada was saved.');
      expect(await (await service.fetch('/makers')).text()).toContain(`"id":${MAKER},"name":"Ada"`);
      expect(await page.getByText('[object Object]').count()).toBe(0);
      // Comments have a log, also if their rows have none.
      await service.fetch('/notes', { method: 'POST', body: '{"name":"First"}' });
      const comment = (words: string) =>
        service.fetch('/note_comments', { method: 'POST', body: JSON.stringify({ row_id: 1, text: words }) });
      await comment('One.');
      const feed = page.waitForResponse((answer) => answer.request().headers().accept === 'text/event-stream');
      await stage.open('/c/notes/1');
      await stage.until('One.');
      await feed;
      await comment('Two.');
      await stage.until('Two.');
      const policy = (await stage.service.fetch('/console')).headers.get('content-security-policy');
      expect(policy).toContain("img-src 'self' data: blob: https: http:;");
    });

    test('collections and fields whose names need quotes are found, sorted, grouped, edited and deleted', async () => {
      const { page, service } = stage;
      const post = (path: string, rows: object) => service.fetch(path, { method: 'POST', body: JSON.stringify(rows) });
      await post('/Kinds%2C%20all', { 'Code.No': 'a/1', 'Kind Name': 'Hot drinks' });
      await post('/Order%20Details', [
        { 'Item (name)': 'Tea', 'Unit "Price"': 2, select: 'x', 'Of Kind': 'a/1' },
        { 'Item (name)': 'Ice', 'Unit "Price"': 3, select: 'y', 'Of Kind': null },
      ]);
      const rows = () => stage.ask<Record<string, unknown>[]>('/Order%20Details?order=id');
      await stage.open('/');
      await page.getByRole('navigation').getByRole('link', { name: 'Order Details' }).click();
      await page
        .getByRole('link', { name: 'Order Details', exact: true })
        .and(page.locator('[aria-current]'))
        .waitFor();
      await page.getByRole('columnheader', { name: 'Unit "Price"' }).getByRole('button').first().click();
      await page
        .getByRole('columnheader', { name: 'Of Kind' })
        .getByRole('button')
        .first()
        .click({ modifiers: ['Shift'] });
      await cell(stage, 'Of Kind', 0).getByText('Hot drinks').waitFor();
      await cell(stage, 'Unit "Price"', 0).click();
      await page.keyboard.type('2.5');
      await page.keyboard.press('Enter');
      await stage.until('Tea was saved.');
      expect((await rows())[0]).toMatchObject({ 'Unit "Price"': 2.5 });

      await page.getByRole('button', { name: 'Group: None' }).click();
      await page.getByRole('menuitemradio', { name: 'Of Kind' }).click();
      await page.getByRole('row').filter({ hasText: 'Hot drinks 1' }).waitFor();
      await page.getByRole('button', { name: 'Of Kind', exact: true }).first().click();
      await page.getByRole('checkbox', { name: 'Hot drinks' }).check();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Ice', { exact: true }).waitFor({ state: 'detached' });
      await page.reload();
      await stage.until('Of Kind = Hot drinks');
      await page.getByRole('link', { name: 'Open Tea' }).click();
      await page.getByLabel('Select', { exact: true }).fill('z');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until(/^Saved/);
      expect((await rows())[0]).toMatchObject({ select: 'z' });

      await stage.open('/c/Kinds%2C%20all?~q=hot');
      await page.getByRole('link', { name: 'Open Hot drinks' }).click();
      await page.getByLabel('Item (name)').first().waitFor();
      await page.getByRole('button', { name: 'Duplicate' }).click();
      await page.getByLabel('Code.No').fill('b');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const copies = () => stage.ask<object[]>('/Kinds%2C%20all?%22Code.No%22=eq.b');
      await until('the copy', async () => (await copies()).length === 1);
      expect(await copies()).toEqual([{ 'Code.No': 'b', 'Kind Name': 'Hot drinks', Marks: [] }]);
      await stage.open('/c/Order%20Details/2');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await until('the deletion', async () => (await rows()).length === 1);
    });
  },
  () => {
    const file = join(temporaryFolder(), 'collections.yaml');
    writeFileSync(file, LARGE);
    return { args: ['--collections', file] };
  },
);

browserStories(
  'adopted tables',
  (stage) => {
    test('tables of another program, without a log, are edited in a form and in the grid', async () => {
      const { page } = stage;
      await stage.open('/new/boats');
      await page.getByLabel('Boat').fill('Ada');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await until('the boat', async () => (await stage.ask<unknown[]>('/boats')).length === 1);
      await page.getByRole('link', { name: 'Boats' }).first().click();
      await cell(stage, 'boat', 0).click();
      await page.keyboard.type('Bee');
      await page.keyboard.press('Enter');
      await stage.until('Bee was saved.');
      expect(await stage.ask<unknown>('/boats?select=boat')).toEqual([{ boat: 'Bee' }]);
    });
  },
  async () => {
    const schema = newSchema();
    const { url, admin } = testServer;
    await admin.unsafe(
      `create schema ${schema}; create table ${schema}.boats (id serial primary key, boat text not null)`,
    );
    const cwd = temporaryFolder();
    const env = { DATABASE_URL: url, CATALOGUE_SCHEMA: schema };
    await run({ cwd, args: ['declare'], env });
    return { cwd, env };
  },
);
