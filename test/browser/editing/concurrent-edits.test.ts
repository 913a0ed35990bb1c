/** Two people edit at the same time: neither overwrites, undoes or hides the other's work. */
import { expect, test } from 'bun:test';
import { browserStories, type Stage } from '../../support/browser/browser.ts';

/** Stores a change as the other person. */
async function other(stage: Stage, id: number, changes: object): Promise<void> {
  await stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: JSON.stringify(changes) });
}

async function edit({ page }: Stage, name: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: `Edit in place: ${name}` }).click();
  for (const [label, value] of Object.entries(values)) await page.getByLabel(`${label} of ${name}`).fill(value);
}

const saveIkura = ({ page }: Stage) => page.getByRole('button', { name: 'Save: Ikura' }).click();

browserStories('two people', (stage) => {
  test('different fields are merged, a conflict leads back to editing, and undo keeps later changes of the other person', async () => {
    const { page } = stage;
    await stage.open('/products');
    await edit(stage, 'Ikura', { 'Unit price': '32' });
    await other(stage, 10, { units_in_stock: 5 });
    await saveIkura(stage);
    await stage.until('Ikura was saved. Someone else also changed Units in stock. Both changes are kept.');
    expect(await stage.product(10)).toMatchObject({ unit_price: 32, units_in_stock: 5 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone.');
    expect(await stage.product(10)).toMatchObject({ unit_price: 31, units_in_stock: 5 });

    await edit(stage, 'Ikura', { 'Unit price': '40' });
    await other(stage, 10, { unit_price: 35 });
    await saveIkura(stage);
    const dialog = page.getByRole('dialog', { name: 'Someone else changed Ikura' });
    await dialog.getByText('Theirs: 35.00').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Unit price of Ikura').inputValue()).toBe('40');
    expect(await stage.product(10)).toMatchObject({ unit_price: 35 });
    await saveIkura(stage);
    await dialog.getByRole('button', { name: 'Keep theirs' }).click();
    await stage.until("Kept the other person's values. Your changes were not saved.");
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await stage.product(10)).toMatchObject({ unit_price: 35 });

    await edit(stage, 'Ikura', { 'Units in stock': '9' });
    await other(stage, 10, { units_in_stock: 9 });
    await saveIkura(stage);
    await stage.until('Ikura already holds these values.');

    await edit(stage, 'Ikura', { 'Unit price': '50', 'Units in stock': '60' });
    await saveIkura(stage);
    await stage.until('Ikura was saved.');
    await other(stage, 10, { unit_price: 51 });
    await page.keyboard.press('Control+z');
    await stage.until('Undone in part: someone else changed Unit price.');
    expect(await stage.product(10)).toMatchObject({ unit_price: 51, units_in_stock: 9 });

    for (const each of ['Chai', 'Chang', 'Ikura']) await page.getByLabel(`Select ${each}`).check();
    await page.getByRole('button', { name: 'Change a field' }).click();
    await stage.choose('Field', 'Units on order');
    await page.getByLabel('New value').fill('81');
    await page.getByRole('button', { name: 'Change all' }).click();
    await stage.until('3 products changed.');
    await other(stage, 1, { units_on_order: 77 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone for 2 products; one was changed or deleted by someone else.');
    const orders = await stage.ask<unknown>('/products?select=id,units_on_order&id=in.(1,2,10)');
    expect(orders).toEqual([
      { id: 1, units_on_order: 77 },
      { id: 2, units_on_order: 40 },
      { id: 10, units_on_order: 0 },
    ]);

    for (const each of ['Chai', 'Chang']) await page.getByLabel(`Select ${each}`).check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await stage.until('2 products deleted.');
    await stage.service.fetch('/products', { method: 'POST', body: '{"id":1,"product_name":"Chai, new"}' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('Undone for 1 product; one was created again by someone else.');
    expect(await stage.product(1)).toMatchObject({ product_name: 'Chai, new' });
    expect(await stage.product(2)).toMatchObject({ product_name: 'Chang', unit_price: 19 });
  });
});
