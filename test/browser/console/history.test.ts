/** The log of changes in the console: what changed today, and how to get it back. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories } from '../../support/browser/browser.ts';

browserStories('history', (stage) => {
  test("today's changes appear by request; a value, a row and a whole request are restored", async () => {
    const { page } = stage;
    const send = (path: string, id: string, body: object, method = 'PATCH') =>
      stage.service.fetch(path, {
        method,
        headers: { 'content-type': 'application/json', 'x-request-id': id },
        body: JSON.stringify(body),
      });
    await stage.open('/changes');
    await stage.until('No changes on this day');
    await send('/products?id=in.(1,2,3)', 'bulk', { units_on_order: 12 });
    await send('/products/1', 'price', { unit_price: 20 });
    await send('/products/4', 'gone', {}, 'DELETE');
    // The page follows the log.
    const entry = (text: string) => page.getByRole('listitem').filter({ hasText: text }).first();
    await entry('Products: 1 deleted').waitFor();
    await entry('Products: 3 changed').getByRole('button', { expanded: false }).click();
    await entry('Products: 1 changed').getByRole('button', { expanded: false }).click();
    await page.getByText('18.00 → 20.00').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await stage.picture('console-changes');

    await page.getByRole('button', { name: 'Restore 18.00' }).click();
    await stage.until('The value was restored.');
    expect((await stage.product(1)).unit_price).toBe(18);

    await entry('Products: 1 deleted').getByRole('button', { name: 'Restore all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText("Chef Anton's Cajun Seasoning").waitFor();
    await dialog.getByText('comes back').waitFor();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await stage.until('Restored: 1 change.');
    expect(await stage.product(4)).toMatchObject({ product_name: "Chef Anton's Cajun Seasoning", unit_price: 22 });

    // Someone changed the first of the three rows since: the preview says so, and it stays as it is.
    await entry('Products: 3 changed').getByRole('button', { name: 'Restore all' }).click();
    await dialog.getByText('Someone changed one row since. It stays as it is: Chai').waitFor();
    await dialog.getByText('2 changes are undone:').waitFor();
    expect(await stage.product(2)).toMatchObject({ units_on_order: 12 });
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await stage.until('Restored: 2 changes. 1 row stays as it is.');
    expect(await stage.ask<unknown>('/products?select=units_on_order&id=in.(1,2,3)&order=id')).toEqual([
      { units_on_order: 12 },
      { units_on_order: 40 },
      { units_on_order: 70 },
    ]);

    // A preview is one dry run, however many changes follow.
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await send('/products?id=in.(5,6)', 'more', { units_on_order: 1 });
    await entry('Products: 2 changed').getByRole('button', { name: 'Restore all' }).click();
    await dialog.getByText('2 changes are undone:').waitFor();
    await send('/products/7', 'other', { units_on_order: 2 });
    await page.getByRole('listitem').filter({ hasText: 'Products: 1 changed' }).nth(1).waitFor();
    expect(sent.filter((each) => each === 'POST /catalogue/changes/undo')).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    // A change of many rows, made and taken back by the console, is read a few times, not once for each row.
    await page.getByRole('link', { name: 'Products' }).click();
    await page.getByLabel('Select all').check();
    await page.getByRole('button', { name: 'Change a field' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('Reorder level');
    await page.getByLabel('New value').fill('9');
    await stage.until('77 rows will change.');
    await page.getByRole('button', { name: 'Change all' }).click();
    await stage.until('77 rows changed.');
    await page.getByRole('link', { name: 'Changes' }).click();
    await entry('Products: 77 changed').getByRole('button', { name: 'Restore all' }).click();
    await dialog.getByText('77 changes are undone:').waitFor();
    await dialog.getByText('Röd Kaviar').waitFor();
    sent.length = 0;
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await stage.until('Restored: 77 changes.');
    await page.getByRole('listitem').filter({ hasText: 'Products: 77 changed' }).nth(1).waitFor();
    expect(sent.filter((each) => each === 'POST /catalogue/changes/undo')).toHaveLength(1);
    expect(sent.filter((each) => each === 'GET /catalogue/changes').length).toBeLessThan(30);

    // A preview has the present names of the rows.
    await send('/products/73', 'name', { product_name: 'Red caviar' });
    await entry('Products: 77 changed').getByRole('button', { name: 'Restore all' }).click();
    await dialog.getByText('Red caviar').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    // Beside the row: the history of one field. A value goes into the form first, a row is restored at once.
    await page.setViewportSize({ width: 1280, height: 400 });
    await stage.open('/c/products/1');
    const history = page.getByRole('complementary', { name: 'History' });
    await history.getByLabel('Field').selectOption('Unit price');
    await history.getByRole('button', { name: 'Restore 20.00' }).click();
    const price = page.getByLabel('Unit price');
    expect(await price.inputValue()).toBe('20');
    const head = (await page.locator('.record-head').boundingBox())!;
    const { y, height } = (await price.boundingBox())!;
    expect(y).toBeGreaterThanOrEqual(head.y + head.height);
    expect(y + height).toBeLessThanOrEqual(400);
    await page.getByRole('button', { name: 'Discard' }).click();
    await history.getByLabel('Field').selectOption('Units on order');
    await history.getByRole('button', { name: 'Restore the row as before' }).click();
    await dialog.getByText('Chai', { exact: true }).first().waitFor();
    await page.keyboard.press('Enter');
    await stage.until('Restored: 5 changes.');
    expect(await stage.product(1)).toMatchObject({ unit_price: 18, units_on_order: 0 });
  });
});
