/** Find rows: search, filters with counts, all conditions, two sorts, the palette, and the request behind the list. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Product, shownNames, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories(
  'finding',
  (stage) => {
    test('two filters with value lists and two sorts show what the request of the page returns', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      const quick = page.getByRole('group', { name: 'Quick filters' });
      // The values arrive after the keys.
      const { promise: held, resolve: answer } = Promise.withResolvers<void>();
      await page.route(/category_id,count|categories\?/, async (route) => {
        await held;
        await route.continue();
      });
      await quick.getByRole('button', { name: 'Category' }).click();
      const values = page.getByRole('dialog', { name: 'Category' });
      await page.keyboard.type('sea');
      await values.getByRole('searchbox').and(page.locator(':focus')).waitFor();
      expect(await values.getByRole('searchbox').inputValue()).toBe('sea');
      // Enter chooses the first value of the text.
      await page.keyboard.press('Enter');
      answer();
      await values.getByRole('checkbox', { name: 'Seafood 12', checked: true }).waitFor();
      expect(await values.getByRole('searchbox').inputValue()).toBe('');
      await values.getByLabel('Produce 5').check();
      expect(await axeFindings(page)).toEqual([]);
      await values.getByRole('button', { name: 'Apply' }).click();
      await stage.until('17 rows');
      await page
        .getByRole('button', { name: 'Category: Produce, Seafood', exact: true })
        .or(page.getByRole('button', { name: 'Category: Seafood, Produce', exact: true }))
        .waitFor();
      // The popover takes the focus, Escape gives it back, and after Enter the new chip has it.
      await quick.getByRole('button', { name: 'Unit price' }).press('Enter');
      await page.locator('input:focus').and(page.getByLabel('from')).waitFor();
      await page.keyboard.press('Escape');
      await quick.getByRole('button', { name: 'Unit price' }).and(page.locator(':focus')).press('Enter');
      await page.keyboard.type('10');
      await page.getByLabel('up to').fill('40,5');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Unit price ≤ 40.5', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Unit price ≥ 10', exact: true }).and(page.locator(':focus')).waitFor();
      const head = (name: string) => page.getByRole('columnheader', { name }).getByRole('button');
      // A sort leaves the columns in their place, also by an order that was left at another place.
      const left = async () => (await head('Unit price').boundingBox())!.x;
      await head('Category').click();
      await page.waitForURL(/order=category_id.asc/);
      await page.locator('[role=columnheader][aria-sort=ascending]').waitFor();
      await page.evaluate(`document.querySelector('[role=grid]').scrollLeft = 300`);
      const before = await left();
      await head('Unit price').click({ modifiers: ['Shift'] });
      await page.waitForURL(/order=category_id.asc,unit_price.asc/);
      await head('Unit price').and(page.locator(':focus')).waitFor();
      expect(await left()).toBe(before);
      await page.getByText('Request', { exact: true }).click();
      const request = (await page.getByTestId('request-url').textContent())!.replace('GET ', '');
      const rows = await stage.ask<Product[]>(request);
      expect(rows.length).toBeGreaterThan(5);
      await untilShown(
        page,
        rows.map(({ product_name }) => String(product_name)),
      );

      await page.getByRole('button', { name: 'Unit price ≥ 10', exact: true }).click();
      await page.getByLabel('from').fill('20');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('button', { name: 'Unit price ≥ 20', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Remove Unit price ≥ 20' }).click();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await stage.until('77 rows');
      await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    });

    test('figures beside a search that arrive late move no cell below the pointer', async () => {
      const { page } = stage;
      const { promise: isMeasured, resolve: answer } = Promise.withResolvers<void>();
      await page.route(/[?&]facets=/, (route) => isMeasured.then(() => route.continue()));
      await stage.open('/c/products');
      await untilShown(page, ['Chai']);
      await page.getByLabel('Search').first().fill('KÖÖRI');
      await untilShown(page, ['Lakkalikööri']);
      const cell = page.locator('[role=gridcell][data-field=units_in_stock]').first();
      const before = await cell.boundingBox();
      answer();
      const facets = page.getByRole('complementary', { name: 'Values of the found rows' });
      await facets.getByRole('checkbox').first().waitFor();
      expect(await cell.boundingBox()).toEqual(before);
    });

    test('the search box finds unique texts, tags and the names of references', async () => {
      const { page } = stage;
      const [first] = await stage.ask<Product[]>('/products?sku=not.is.null&order=id');
      await stage.service.fetch('/products/2', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: '{"tags":["fiery"]}',
      });
      await stage.open('/c/products');
      const box = page.getByRole('searchbox', { name: 'Search', exact: true });
      await box.fill(String(first!.sku));
      await untilShown(page, [String(first!.product_name)]);
      await box.fill('fiery');
      await untilShown(page, ['Chang']);
      await box.fill('tokyo ikura');
      await untilShown(page, ['Ikura']);
      await stage.until('1 row');
    });

    test('every operator is in the editor of all conditions; wrong values are named', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await page.getByRole('button', { name: 'All conditions' }).click();
      const line = page.getByRole('group', { name: 'Condition' }).first();
      await line.getByLabel('Field').selectOption({ label: 'Unit price' });
      await line.getByLabel('Operator').selectOption('gt');
      await line.getByLabel('Value').fill('much');
      await page.getByRole('button', { name: 'Apply' }).click();
      await stage.until('“much” is not a number.');
      await line.getByLabel('Field').selectOption({ label: 'Product name' });
      await line.getByLabel('Operator').selectOption('match');
      await line.getByLabel('Value').fill('^Ch(ai|ang)$');
      await page.getByRole('button', { name: 'Add a condition' }).click();
      const expression = page.getByRole('group', { name: 'Condition' }).nth(1);
      await expression.getByLabel('Field').selectOption('or');
      await expression.getByLabel('Value').fill('(unit_price.eq.18,unit_price.eq.19)');
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Apply' }).click();
      await untilShown(page, ['Chai', 'Chang']);
      await stage.until('2 rows');
      // The group is shown as conditions that are joined by “or”.
      await stage.until('Unit price = 18 or Unit price = 19');
      await page.getByRole('button', { name: 'All conditions' }).click();
      expect(await page.getByLabel('Joined by').last().inputValue()).toBe('true');
      await page.getByRole('button', { name: 'Remove the condition' }).first().click();
      await page.getByRole('button', { name: 'Add a condition' }).click();
      const added = page.getByRole('group', { name: 'Condition' }).last();
      await added.getByLabel('Joined by').selectOption('or');
      await added.getByLabel('Field').selectOption({ label: 'Product name' });
      await added.getByLabel('Value').fill('Ikura, or "Tofu"');
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Apply' }).click();
      await stage.until('Unit price = 18 or Unit price = 19 or Product name = Ikura, or "Tofu"');
      expect(decodeURIComponent(page.url())).toContain('product_name.eq."Ikura, or \\"Tofu\\""');
    });

    test('a reference filter finds every row, combines with empty, and fields of referenced rows are filters', async () => {
      const { page } = stage;
      const more = Array.from({ length: 120 }, (_, at) => ({ company_name: `Zeta ${at}`, country: 'Peru' }));
      await stage.service.fetch('/suppliers', { method: 'POST', body: JSON.stringify(more) });
      const [last] = await stage.ask<{ id: number }[]>('/suppliers?company_name=eq.Zeta 117');
      const set = (id: number, values: object) =>
        stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: JSON.stringify(values) });
      const today = new Date().toISOString().slice(0, 10);
      await set(1, { supplier_id: last!.id, released: today });
      await set(2, { supplier_id: null, released: '2001-01-01' });
      await stage.open('/c/products');
      await untilShown(page, ['Chai']);
      await page
        .getByRole('group', { name: 'Quick filters' })
        .getByRole('button', { name: 'Supplier' })
        .first()
        .click();
      const popover = page.getByRole('dialog', { name: 'Supplier' });
      await popover.getByRole('searchbox').pressSequentially('zeta 117', { delay: 30 });
      await popover.getByRole('checkbox', { name: 'Zeta 117' }).check();
      await popover.getByRole('searchbox').fill('');
      await popover.getByRole('checkbox', { name: 'empty' }).check();
      await popover.getByRole('button', { name: 'Apply' }).click();
      await stage.until('2 rows');
      await untilShown(page, ['Chai', 'Chang']);
      await stage.until(/^Supplier: .*empty/);
      await page.getByRole('button', { name: 'All conditions' }).click();
      const line = page.getByRole('group', { name: 'Condition' }).first();
      await line.getByRole('checkbox', { name: 'Zeta 117' }).waitFor();
      await line.getByLabel('Field').selectOption({ label: 'Country' });
      await line.getByLabel('Operator').selectOption({ label: 'equals' });
      await line.getByLabel('Value').fill('Peru');
      await page.getByRole('button', { name: 'Add a condition' }).click();
      const period = page.getByRole('group', { name: 'Condition' }).nth(1);
      await period.getByLabel('Field').selectOption({ label: 'Released' });
      await period.getByLabel('Operator').selectOption({ label: 'is during' });
      await period.getByLabel('Value').selectOption('last 7 days');
      await page.getByRole('button', { name: 'Apply' }).click();
      await stage.until('1 row');
      await untilShown(page, ['Chai']);
      await stage.until('Supplier: Country = Peru');
      await stage.until('Released: last 7 days');
      // The address keeps the period, the request has days.
      expect(page.url()).toContain('released=during.last7');
      expect(await page.getByTestId('request-url').textContent()).toContain('released=gte.20');
    });

    test('Ctrl+K jumps to a collection, to an action and to a row, without a reload', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await untilShown(page, ['Chai']);
      await page.evaluate('window.isSamePage = true');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Jump to' }).fill('supp');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Suppliers', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      // Enter may come before the rows are found.
      await page.keyboard.type('ikura', { delay: 20 });
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Ikura', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Jump to' }).fill('new row in lab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/new\/labels$/);
      expect(await page.evaluate('window.isSamePage')).toBe(true);
    });

    test('Ctrl+K as the first key loses no letter of what is typed while its code loads', async () => {
      const { page } = stage;
      for (const begin of ['Control+k', 's']) {
        await stage.open('');
        await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
        await page.route(/assets\/chunk/, async (route) => {
          await Bun.sleep(500);
          await route.continue();
        });
        if (begin === 's') await page.getByRole('searchbox').focus();
        await page.keyboard.press(begin);
        await page.keyboard.type('supp'.slice(begin === 's' ? 1 : 0), { delay: 125 });
        await page.getByRole('option', { name: 'Suppliers Collections' }).waitFor();
        expect(await page.getByRole('combobox', { name: 'Jump to' }).inputValue()).toBe('supp');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Suppliers', level: 1 }).waitFor();
        await page.unrouteAll({ behavior: 'wait' });
      }
    });

    test('the columns and the height of rows can be chosen, and the choice is stored', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Supplier', exact: true }).uncheck();
      await page.getByRole('button', { name: 'Move Unit price up' }).click();
      await page.getByLabel('Row height').selectOption('compact');
      await page.getByRole('button', { name: 'Close' }).click();
      const heads = async () =>
        (await page.getByRole('columnheader').allTextContents())
          .map((text) => text.trim())
          .filter((text) => text !== '');
      await until('the columns', async () => !(await heads()).includes('Supplier'));
      await page.reload();
      await untilShown(page, ['Chai']);
      const shown = await heads();
      expect(shown).not.toContain('Supplier');
      expect(shown.indexOf('Unit price')).toBeLessThan(shown.indexOf('Quantity per unit'));
      expect((await page.getByRole('row').nth(1).boundingBox())!.height).toBe(28);
      const edge = page.locator('[role=columnheader][data-field=product_name] .resizer');
      const { x, y } = (await edge.boundingBox())!;
      await page.mouse.move(x + 4, y + 9);
      await page.mouse.down();
      await page.mouse.move(x + 104, y + 9);
      await page.mouse.up();
      const width = async () =>
        (await page.locator('[role=columnheader][data-field=product_name]').boundingBox())!.width;
      await until('the wider column', async () => Math.abs((await width()) - 360) < 3);
      expect(await shownNames(page)).toContain('Chai');
    });
  },
  () => ({ args: ['--collections', SHOP] }),
  { areApart: true },
);
