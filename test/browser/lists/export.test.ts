/** Exports in a real browser: safe for spreadsheets, limited to the selection, streamed if large. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserStories, type Stage } from '../../support/browser/browser.ts';

browserStories('export', (stage) => {
  test('a selection is exported for a spreadsheet, without formulas and with all letters intact', async () => {
    await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"product_name":"=1+1 é"}' });
    await stage.open('/products');
    await stage.page.getByLabel('Select =1+1 é').check();
    await stage.page.getByLabel('Select Aniseed Syrup').check();
    await stage.page.getByRole('button', { name: 'Export selection (2)' }).click();
    const saved = stage.page.waitForEvent('download');
    await stage.page.getByRole('menuitem', { name: 'CSV for a spreadsheet' }).click();
    const file = await saved;
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.startsWith('\uFEFFid,product_name,')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 2)),
    ).toEqual([
      ['1', "'=1+1 é"],
      ['3', 'Aniseed Syrup'],
    ]);
    const today = await stage.page.evaluate<string>('new Date().toLocaleDateString("sv")');
    expect(file.suggestedFilename()).toBe(`products-${today}.csv`);
  });

  test('a large export is streamed to the chosen file, shows its progress, and can be stopped', async () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => ({ product_name: `Part ${index}` }));
    await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) });
    // A headless browser has no file dialog, so the page provides the file.
    await stage.page.addInitScript(`window.showSaveFilePicker = async ({ suggestedName }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`);
    await stage.open('/products');
    await stage.page.getByRole('button', { name: 'Export (6,077)' }).click();
    await stage.page.getByRole('menuitem', { name: 'NDJSON' }).click();
    await stage.until('Exported 6,077 rows.');
    const wanted = await (
      await stage.service.fetch('/products', { headers: { accept: 'application/x-ndjson' } })
    ).text();
    expect(await written(stage)).toBe(wanted);

    await stage.page.route(/\/products\?order/, () => new Promise(() => {}));
    await stage.page.getByRole('button', { name: 'Export (6,077)' }).click();
    await stage.page.getByRole('menuitem', { name: 'JSON', exact: true }).click();
    await stage.until('Exporting…');
    await stage.page.getByRole('button', { name: 'Stop' }).click();
    await stage.page.getByText('Exporting…').waitFor({ state: 'detached' });
    await stage.page.unroute(/\/products\?order/);
    await stage.page.route(/\/products\?order/, (route) => route.abort());
    await stage.page.getByRole('button', { name: 'Export (6,077)' }).click();
    await stage.page.getByRole('menuitem', { name: 'JSON', exact: true }).click();
    await stage.until('Nothing was exported: The service cannot be reached.');
  });
});

const written = ({ page }: Stage) =>
  page.evaluate<string>(`(async () => {
    const folder = await navigator.storage.getDirectory();
    for await (const [name, file] of folder.entries()) {
      if (name.endsWith('.ndjson')) return (await file.getFile()).text();
    }
  })()`);
