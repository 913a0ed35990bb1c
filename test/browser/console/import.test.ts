/** Imports in a real browser: preview, errors, import of the valid rows, and undo. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories, type Product, type Stage, savedFile } from '../../support/browser/browser.ts';
import { workbook } from '../../support/browser/workbook.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { temporaryFolder } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';

const SHOP = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

const WITH_FAULTS = `id,product_name,unit_price,units_in_stock,colour
500,Good One,9.5,3,red
501,Bad Price,cheap,many,blue
502,,2,2,
503,"Good, Two",,7,
`;

browserStories('import', (stage) => {
  test('every invalid cell is marked before the import, can be fixed or downloaded, and undo reverts everything', async () => {
    await stage.open('/import/products');
    await choose(stage, 'new.csv', WITH_FAULTS);
    await stage.until('new.csv: 4 rows, 2 with errors. Nothing is stored yet.');
    await stage.until('Unit price: “cheap” is not a number.');
    await stage.until('Units in stock: “many” is not a number.');
    await stage.until('Product name: This field is required.');
    await stage.picture('console-import');
    const bad = stage.page.locator('td[data-bad=true] input');
    expect(await Promise.all((await bad.all()).map((input) => input.inputValue()))).toEqual(['cheap', 'many', '']);
    expect((await stage.ask<Product[]>('/products?id=gte.500')).length).toBe(0);

    await stage.page.getByRole('button', { name: 'Import 2 valid rows' }).click();
    await stage.until('2 rows stored.');
    expect(await stage.ask<Product[]>('/products?id=gte.500&select=id,product_name,unit_price')).toEqual([
      { id: 500, product_name: 'Good One', unit_price: 9.5 },
      { id: 503, product_name: 'Good, Two', unit_price: null },
    ]);
    await stage.until('new.csv: 2 rows, 2 with errors.');
    const saved = stage.page.waitForEvent('download');
    await stage.page.getByRole('button', { name: 'Download 2 invalid rows' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('new-rest.csv');
    expect(readFileSync(await savedFile(file), 'utf8')).toBe(
      '\uFEFFid,product_name,unit_price,units_in_stock,colour,Problem\r\n' +
        '501,Bad Price,cheap,many,blue,Unit price: “cheap” is not a number. Use 12.50. ' +
        'Units in stock: “many” is not a number. Use 12.\r\n' +
        '502,,2,2,,Product name: This field is required.\r\n',
    );
    await mend(stage, 'Unit price of row 3', '12,50');
    await mend(stage, 'Units in stock of row 3', '4');
    await mend(stage, 'Product name of row 4', 'Mended');
    await stage.until('new.csv: 2 rows, all valid.');
    await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await stage.until('4 rows stored.');
    expect(await stage.product(501)).toMatchObject({ unit_price: 12.5, units_in_stock: 4 });

    await stage.service.fetch('/products/503', { method: 'PATCH', body: '{"units_in_stock":8}' });
    await stage.page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('3 rows undone. 1 row kept, because someone else changed or deleted it.');
    expect((await stage.ask<Product[]>('/products?id=gte.500')).map(({ id }) => id)).toEqual([503]);
  });

  test('changes are shown as old → new, and only those are stored and undone', async () => {
    await stage.open('/import/products');
    await choose(stage, 'prices.csv', 'ID;Unit price\r\n1;18,5\r\n2;19,5\r\n3;10\r\n4;22,5\r\n999;1\r\n');
    await stage.until('No row has the ID 999, and a new row needs Product name.');
    await stage.until('4 rows of the file already exist, and 3 would change');
    await stage.page.getByLabel('Replace them with the values of the file').check();
    await stage.page.getByRole('button', { name: 'Changes (3)' }).click();
    const changes = stage.page.locator('[data-change=unit_price]');
    expect(await changes.allTextContents()).toEqual(['18.00 → 18.50', '19.00 → 19.50', '22.00 → 22.50']);
    const before = await stage.product(1);
    const others = (id: number, values: object) =>
      stage.service.fetch(`/products/${id}`, { method: 'PATCH', body: JSON.stringify(values) });
    await others(4, { unit_price: 23 });
    await stage.page.getByRole('button', { name: 'Import 3 valid rows' }).click();
    await stage.until('2 rows changed, 1 row unchanged.');
    await stage.until('1 row not stored: Someone else changed it.');
    await stage.page.getByRole('button', { name: 'Changes (1)' }).click();
    expect(await changes.allTextContents()).toEqual(['23.00 → 22.50']);
    expect(await stage.product(1)).toEqual({ ...before, unit_price: 18.5 });

    await others(2, { unit_price: 25 });
    await stage.page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('1 row undone. 1 row kept, because someone else changed or deleted it.');
    expect(await stage.product(1)).toEqual(before);
    expect(await stage.product(2)).toMatchObject({ unit_price: 25 });
  });

  test('a row that someone else changes after the preview is kept', async () => {
    const { page } = stage;
    await stage.open('/import/products');
    await choose(stage, 'prices.csv', 'id,unit_price,units_in_stock\n1,18.5,40\n2,19.5,17\n3,11,13\n');
    await page.getByRole('radio', { name: 'Replace them with the values of the file' }).check();
    await stage.until('Changes (3)');
    await beforeBatch(stage, async () => {
      await stage.service.fetch('/products/1', { method: 'PATCH', body: '{"units_in_stock":7}' });
      await stage.service.fetch('/products/2', { method: 'PATCH', body: '{"reorder_level":3}' });
      await stage.service.fetch('/products/3', { method: 'DELETE' });
    });
    await page.getByRole('button', { name: 'Import 3 rows' }).click();
    await stage.until('1 row changed.');
    await stage.until('1 row not stored: Someone else changed it.');
    await stage.until('1 row not stored: Someone else deleted it.');
    expect(await stage.product(1)).toMatchObject({ unit_price: 18, units_in_stock: 7 });
    expect(await stage.product(2)).toMatchObject({ unit_price: 19.5, reorder_level: 3 });
    expect(await stage.ask<unknown[]>('/products?id=eq.3')).toEqual([]);
  });

  test('importing a file twice stores its rows once, unless the person chooses otherwise', async () => {
    const file = 'Product name,Price,Discontinued\nSea Buckthorn Jam,4.5,No\nCloudberry Jam,5,Yes\n';
    await stage.open('/import/products');
    await choose(stage, 'jams.csv', file);
    await stage.until('jams.csv: 2 rows, all valid.');
    await stage.page.getByLabel('Field of the column Price').selectOption('Unit price');
    await stage.until('jams.csv: 2 rows, all valid.');
    await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await stage.until('2 rows stored.');
    expect(await stage.product(79)).toMatchObject({ unit_price: 5, discontinued: 1 });

    await choose(stage, 'jams.csv', file);
    await stage.until('2 rows of the file already exist, and 0 would change');
    expect(await stage.page.getByRole('button', { name: 'Nothing to import' }).isDisabled()).toBe(true);
    await stage.page.getByLabel('Add as new rows').check();
    await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await stage.until('2 rows stored.');
    expect(await stage.ask('/products?select=count()&product_name=like.*Jam')).toEqual([{ count: 4 }]);
  });

  test('a workbook and texts in other encodings are read correctly', async () => {
    await stage.open('/import/products');
    await choose(
      stage,
      'sheet.xlsx',
      workbook('Stock', [
        ['Product name', 'Unit price', 'Units in stock', 'Quantity per unit', 'Discontinued'],
        ['Tee & Gebäck', 12.5, 7, { date: '2024-02-29' }, false],
        ['Jam', 0.1 + 0.2, undefined, { date: '2024-12-31T08:30:00' }, true],
      ]),
    );
    expect(await stage.page.getByLabel('Sheet').inputValue()).toBe('Stock');
    await stage.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await stage.until('2 rows stored.');
    const select = 'select=product_name,unit_price,units_in_stock,quantity_per_unit,discontinued';
    expect(await stage.ask<unknown>(`/products?id=gte.78&${select}`)).toEqual([
      {
        product_name: 'Tee & Gebäck',
        unit_price: 12.5,
        units_in_stock: 7,
        quantity_per_unit: '2024-02-29',
        discontinued: 0,
      },
      {
        product_name: 'Jam',
        unit_price: 0.3,
        units_in_stock: null,
        quantity_per_unit: '2024-12-31T08:30:00',
        discontinued: 1,
      },
    ]);
    const names = async (name: string, content: Uint8Array | string) => {
      await choose(stage, name, content);
      await stage.until(`${name}: 1 row, all valid.`);
      return stage.page.locator('tr[data-plan=new] td').allTextContents();
    };
    const latin = Buffer.from('Product name;Unit price\r\nKäse;1,5\r\n', 'latin1');
    expect(await names('latin.csv', latin)).toEqual(['2', 'New', 'Käse', '1,5']);
    await stage.until(/was read as Windows-1252/);
    const wide = Buffer.from('\uFEFFProduct name\tUnit price\r\nKäse\t1,5\r\n', 'utf16le');
    expect(await names('wide.txt', wide)).toEqual(['2', 'New', 'Käse', '1,5']);
    expect(await names('one.ndjson', '{"product_name":"Käse"}\n')).toEqual(['1', 'New', 'Käse']);
  });

  test('a person chooses the sheet and the fields of unknown columns, and the next file has the same fields', async () => {
    const { page } = stage;
    await stage.open('/import/products');
    const prices = [
      ['Artikel', 'Preis', 'Lager', 'Farbe'],
      ['Tee', '1.299,00 €', 3, 'rot'],
      [undefined, '1.234', 4, 'blau'],
      ['Kaffee', 2.5, 5, 'gelb'],
    ];
    const file = workbook('Notes', [['Written by hand']], { other: prices });
    await choose(stage, 'preise.xlsx', file);
    await page.getByText('preise.xlsx cannot be read').or(page.getByText('has no rows')).first().waitFor();
    await choose(stage, 'preise.xlsx', workbook('Preise', prices, { other: [['Name'], ['x']], merged: 'A2:A3' }));
    await stage.until('No column of the file is a field. Choose the field of each column above the preview.');
    await page.getByLabel('Sheet').selectOption('Other');
    await page.getByLabel('Field of the column Name').waitFor();
    await page.getByLabel('Sheet').selectOption('Preise');
    await page.getByLabel('Field of the column Artikel').selectOption('Product name');
    await page.getByLabel('Field of the column Preis').selectOption('Unit price');
    await page.getByLabel('Field of the column Lager').selectOption('Units in stock');
    await stage.until('Columns that are left out: Farbe.');
    expect(await page.getByLabel('Format of the column Preis').inputValue()).toBe('comma');
    await page.getByRole('button', { name: 'Import 3 rows' }).click();
    await stage.until('3 rows stored.');
    expect(await stage.ask<unknown>('/products?id=gte.78&select=product_name,unit_price,units_in_stock')).toEqual([
      { product_name: 'Tee', unit_price: 1299, units_in_stock: 3 },
      { product_name: 'Tee', unit_price: 1234, units_in_stock: 4 },
      { product_name: 'Kaffee', unit_price: 2.5, units_in_stock: 5 },
    ]);
    await choose(stage, 'mehr.csv', 'Artikel;Preis;Farbe\r\nSalz;1,5;weiß\r\n');
    await stage.until('mehr.csv: 1 row, all valid.');
    await stage.until('Columns that are left out: Farbe.');
  });

  test('a large file is imported in chunks with a progress bar, and undone at once', async () => {
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
    await stage.open('/import/products');
    await choose(stage, 'large.csv', ['id,product_name,unit_price', ...lines].join('\n'));
    await stage.until('large.csv: 2,500 rows, all valid. Nothing is stored yet.');
    await stage.page.getByRole('button', { name: 'Import 2,500 rows' }).click();
    await stage.until('Importing 1,000 of 2,500 rows');
    expect(await stage.page.getByRole('progressbar', { name: 'Importing' }).getAttribute('value')).toBe('1000');
    expect(await stage.ask('/products?select=count()&id=gte.1000')).toEqual([{ count: 1000 }]);
    goOn();
    await stage.until('2,500 rows stored.');
    expect(await stage.ask('/products?select=count(),unit_price.sum()&id=gte.1000')).toEqual([
      { count: 2500, sum: 3_124_375 },
    ]);
    await stage.page.getByRole('button', { name: 'Undo' }).click();
    await stage.until('2,500 rows undone.');
    expect(await stage.ask('/products?select=count()')).toEqual([{ count: 77 }]);
  });

  test('a choice that is not checked yet is not imported as before', async () => {
    const { page } = stage;
    const button = page.getByRole('button', { name: 'Import 1 row' });
    const choice = page.getByLabel('Field of the column units_in_stock');
    const checks = new Map<string, PromiseWithResolvers<void>>(
      ['reorder_level', 'units_on_order'].map((name) => [name, Promise.withResolvers()]),
    );
    await stage.open('/import/products');
    await choose(stage, 'quick.csv', 'product_name,units_in_stock\nQuick,1\n');
    await stage.until('quick.csv: 1 row, all valid.');
    await page.route(/\/products\?columns=/, async (route) => {
      await checks.get([...checks.keys()].find((name) => route.request().url().includes(name)) ?? '')?.promise;
      await route.continue();
    });
    const isChecked = (name: string) => page.waitForResponse((response) => response.url().includes(`,${name}`));
    const first = isChecked('reorder_level');
    const asked = page.waitForRequest(/,reorder_level/);
    await choice.selectOption('Reorder level');
    await asked;
    await choice.selectOption('Units on order');
    checks.get('reorder_level')!.resolve();
    await (await first).finished();
    await stage.until('Checking 0 of 1 row');
    expect(await button.isDisabled()).toBe(true);
    const second = isChecked('units_on_order');
    checks.get('units_on_order')!.resolve();
    await (await second).finished();
    await button.and(page.locator(':enabled')).waitFor();

    await page.route(/\/products\?/, (route) => route.abort());
    await choice.selectOption('Unit price');
    await stage.until('The service cannot be reached. Check the connection and try again.');
    expect(await button.isDisabled()).toBe(true);
    await page.unroute(/\/products\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await button.click();
    await stage.until('1 row stored.');
    expect(await stage.ask('/products?product_name=eq.Quick&select=units_on_order,unit_price')).toEqual([
      { units_on_order: null, unit_price: 1 },
    ]);
  });

  test('an unreadable file and an unreachable service are explained', async () => {
    const files: readonly [name: string, content: string | Uint8Array, sentence: string][] = [
      ['broken.json', '[{"id": 1', 'broken.json cannot be read. Line 1: The file ends inside an object'],
      ['empty.csv', '', 'empty.csv is empty.'],
      ['only-header.csv', 'id,product_name', 'only-header.csv has no rows.'],
      ['numbers.json', '[1]', 'The row is not a JSON object.'],
      [
        'half.xlsx',
        workbook('Stock', [['ID']]).slice(0, 400),
        'half.xlsx cannot be read as a workbook: it is incomplete.',
      ],
      ['old.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'old.xls is in an old Excel format.'],
    ];
    await stage.open('/import/products');
    for (const [name, content, sentence] of files) {
      await choose(stage, name, content);
      await stage.until(sentence);
    }
    await stage.page.route(/\/products/, (route) => route.abort());
    await drop(stage, 'new.json', '[{"product_name": "Tea"}]');
    await stage.until('The service cannot be reached.');
    await stage.page.unroute(/\/products/);
    await stage.page.getByRole('button', { name: 'Try again' }).click();
    await stage.until('new.json: 1 row, all valid. Nothing is stored yet.');
  });

  test('an unreadable file is explained in German', async () => {
    const files: readonly [name: string, content: string | Uint8Array, sentence: string][] = [
      ['offen.csv', 'id,product_name\n1,"Tee', 'Ein Anführungszeichen ist nicht geschlossen.'],
      ['danach.csv', 'id,product_name\n1,"Tee"x', 'Nach einem schließenden Anführungszeichen steht noch Text.'],
      ['kopf.csv', 'id,"product_name', 'kopf.csv kann nicht gelesen werden. Zeile 1: Ein Anführungszeichen ist nicht'],
      ['breit.csv', 'id,product_name\n1,Tee,2', 'Die Zeile hat 3 Zellen, und die erste Zeile nennt 2.'],
      ['schmal.csv', 'id,product_name\n1', 'Eine leere Zelle braucht ihr Trennzeichen'],
      ['leer.csv', '\n\n', 'leer.csv kann nicht gelesen werden. Zeile 1: Die erste Zeile muss die Spalten nennen.'],
      ['wort.json', '[{"id": 1}, nichts]', 'Die Zeile ist kein gültiges JSON.'],
      ['zahl.json', '[1]', 'Die Zeile ist kein JSON-Objekt.'],
      ['objekt.json', '[{"id": 1', 'Zeile 1: Die Datei endet in einem Objekt, nach Spalte 9.'],
      ['liste.json', '[{"id": 1},', 'Zeile 1: Die Datei endet in der Liste, nach Spalte 11.'],
      ['komma.json', '[{"id": 1} {"id": 2}]', 'Ein Komma oder ] fehlt.'],
      ['mehr.json', '[{"id": 1}] und', 'Nach dem Ende des JSON-Werts steht noch Text.'],
      ['halb.xlsx', workbook('Stock', [['ID']]).slice(0, 400), 'Arbeitsmappe gelesen werden: sie ist unvollständig.'],
      ['leer.xlsx', workbook('Stock', []), 'Arbeitsmappe gelesen werden: das Blatt Stock ist leer.'],
    ];
    await stage.reopen({ locale: 'de-DE' });
    await stage.open('/import/products');
    for (const [name, content, sentence] of files) {
      await choose(stage, name, content);
      await stage.until(sentence);
    }
  });
});

browserStories(
  'import into a declared collection on PostgreSQL',
  (stage) => {
    test('references are written as names, and missing ones are created on the way', async () => {
      const { page } = stage;
      const rows = Array.from({ length: 200 }, (_, at) => {
        const supplier = at % 40 === 7 ? 'Nobody & Sons' : at % 2 === 0 ? 'exotic liquids' : 'Tokyo Traders';
        return `Q-${1000 + at};Part ${at};${supplier};Seafood;1.${at % 10}50,5;${(at % 28) + 1}.02.2026`;
      });
      await stage.open('/import/products');
      const head = 'Sku;Product name;Supplier;Category;Unit price;Released';
      await choose(stage, 'parts.csv', [head, ...rows].join('\r\n'));
      await stage.until('parts.csv: 200 rows, 5 with errors. Nothing is stored yet.');
      await stage.until('“Nobody & Sons” does not exist in Suppliers.');
      await page.getByLabel('Create the rows that do not exist yet (Supplier: Nobody & Sons)').check();
      await stage.until('parts.csv: 200 rows, all valid.');
      await page.getByRole('button', { name: 'Import 200 rows' }).click();
      await stage.until('200 rows stored, 1 referenced row created.');
      const select = 'select=unit_price,released,supplier:supplier_id(company_name),category_id';
      expect(await stage.ask<unknown>(`/products?sku=in.(Q-1000,Q-1007)&${select}&order=sku`)).toEqual([
        { unit_price: 1050.5, released: '2026-02-01', supplier: { company_name: 'Exotic Liquids' }, category_id: 8 },
        { unit_price: 1750.5, released: '2026-02-08', supplier: { company_name: 'Nobody & Sons' }, category_id: 8 },
      ]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('201 rows undone.');
      expect(await stage.ask<unknown>('/suppliers?company_name=eq.Nobody%20%26%20Sons')).toEqual([]);
    });

    test('a row with a key of two fields is matched by both, also if one is the name of a row', async () => {
      const { page } = stage;
      await stage.open('/import/prices');
      await choose(stage, 'prices.csv', 'Product;Currency;Amount\r\nChai;EUR;99,5\r\nChai;XTS;1.000,25\r\n');
      await stage.until('1 row of the file already exists, and 1 would change');
      await page.getByLabel('Replace them with the values of the file').check();
      await page.getByRole('button', { name: 'Import 2 rows' }).click();
      await stage.until('1 row stored, 1 row changed.');
      const amounts = '/prices?product_id=eq.1&currency=in.(EUR,XTS)&select=currency,amount&order=currency';
      expect(await stage.ask<unknown>(amounts)).toEqual([
        { currency: 'EUR', amount: 99.5 },
        { currency: 'XTS', amount: 1000.25 },
      ]);
    });

    test('rows are matched by any unique field; errors of the service appear before the import', async () => {
      await stage.open('/import/products');
      const before = await stage.ask<Record<string, unknown>>('/products/1');
      await choose(stage, 'codes.csv', 'Code;Product name;Price\r\nA-0001;Another name;18\r\n');
      await stage.until('New (1)');
      await stage.page.getByLabel('Field of the column Code').selectOption('Sku');
      await stage.until('1 row of the file already exists, and 1 would change');
      expect(await stage.page.getByLabel('Match stored rows by').inputValue()).toBe('sku');
      // A choice of the person stays.
      await stage.page.getByLabel('Match stored rows by').selectOption('Product name');
      await stage.until('Sku: Another row already has this value: A-0001.');
      await stage.page.getByLabel('Field of the column Price').selectOption('Unit price');
      expect(await stage.page.getByLabel('Match stored rows by').inputValue()).toBe('product_name');
      const rows = [
        { sku: 'A-0001', available: 'No', released: '2024-02-29', barcode: 9007199254740993n, tags: ['a', 'b'] },
        { sku: 'Q-0001', product_name: 'New one', category_id: 4242 },
        { sku: 'wrong', product_name: 'Other', status: 'live' },
      ];
      const text = JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? `${value}#` : value));
      await choose(stage, 'rows.json', text.replace(/"(\d+)#"/g, '$1'));
      await stage.until('rows.json: 3 rows, 2 with errors. Nothing is stored yet.');
      await stage.until('Category: The row 4242 does not exist.');
      await stage.until('Sku: This value does not have the expected form.');
      await mend(stage, 'Category of row 1', '8');
      await stage.until('rows.json: 3 rows, 1 with errors.');
      await stage.until('1 row of the file already exists, and 1 would change');
      await stage.page.getByLabel('Replace them with the values of the file').check();
      await stage.page.getByRole('button', { name: 'Import 2 valid rows' }).click();
      await stage.until('1 row stored, 1 row changed.');
      const { body } = await stage.service.fetch('/products?id=eq.1&select=available,released,barcode::text,tags');
      expect(await new Response(body).json()).toEqual([
        { available: false, released: '2024-02-29', barcode: '9007199254740993', tags: ['a', 'b'] },
      ]);
      expect(await stage.ask<unknown>('/products?sku=eq.Q-0001&select=product_name,category_id')).toEqual([
        { product_name: 'New one', category_id: 8 },
      ]);
      await stage.page.getByRole('button', { name: 'Undo' }).click();
      await stage.until('2 rows undone.');
      expect(await stage.ask<unknown>('/products/1')).toEqual(before);
      expect(await stage.ask<unknown>('/products?sku=eq.Q-0001')).toEqual([]);
    });
  },
  () => ({ args: ['--collections', SHOP, '--schema', newSchema()], env: { DATABASE_URL: testServer.url } }),
);

const PARTS = `collections:
  kinds:
    fields:
      id: int4
      name: { type: text, required: true }
  parts:
    fields:
      id: int4
      part_name: { type: text, required: true, title: Name of the part }
      kind_id: { type: int4, references: kinds }
      price: 'decimal(12,2)'
      weight: 'float8'
      released: date
      sold: boolean
      old: { type: int4, role: flag }
      tags: { type: 'text[]', default: [new, red] }
      sizes: 'int4[]'
      stock: { type: int4, default: 5 }
      level: { type: int4, required: true, default: 1 }
`;
const PARTS_FILE = `ID;Name of the part;Kind;PRICE;Weight;Released;sold;Old;Tags;Sizes;Stock;level
1;Screw;;1.299,00;0,5;31.12.2026;ja;x;"round, ""a, b""";{1,2};;
2;Nut;;1.234;1.250;1.2.2026;nein;-;{flat};[3];7;4
3;Bolt;;2.500;;;on;0;new;1, 2;0;
4;Pin;;12;;;✓;J;;;;
`;

browserStories(
  'import as the command does',
  (stage) => {
    test('the console and the command read the same file alike', async () => {
      const space = workspace();
      space.write('collections.yaml', PARTS);
      space.write('parts.csv', PARTS_FILE);
      const imported = await space.command('import', 'parts.csv', '--collection', 'parts');
      expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
      const stored = JSON.parse((await space.command('query', 'parts?order=id', '--json')).stdout);
      expect(stored.slice(0, 2)).toEqual([
        {
          ...{ id: 1, part_name: 'Screw', kind_id: null, price: 1299, weight: 0.5, released: '2026-12-31' },
          ...{ sold: true, old: 1, tags: ['round', 'a, b'], sizes: [1, 2], stock: null, level: 1 },
        },
        {
          ...{ id: 2, part_name: 'Nut', kind_id: null, price: 1234, weight: 1250, released: '2026-02-01' },
          ...{ sold: false, old: 0, tags: ['flat'], sizes: [3], stock: 7, level: 4 },
        },
      ]);
      await stage.open('/import/parts');
      await choose(stage, 'parts.csv', PARTS_FILE);
      await stage.until('parts.csv: 4 rows, all valid.');
      await stage.page.getByRole('button', { name: 'Import 4 rows' }).click();
      await stage.until('4 rows stored.');
      expect(await stage.ask<unknown>('/parts?order=id')).toEqual(stored);
    });

    test('a file without a matching column offers the mapping', async () => {
      await stage.open('/import/parts');
      await choose(stage, 'other.csv', 'Bezeichnung\nRivet\n');
      await stage.until('No column of the file is a field. Choose the field of each column above the preview.');
      await stage.page.getByLabel('Field of the column Bezeichnung').selectOption('Name of the part');
      await stage.page.getByRole('button', { name: 'Import 1 row' }).click();
      await stage.until('1 row stored.');
      expect(await stage.ask<unknown>('/parts?select=part_name,tags')).toEqual([
        { part_name: 'Rivet', tags: ['new', 'red'] },
      ]);
    });

    test('a new row shows the default of a list, and a pasted column shows its notation', async () => {
      const { page } = stage;
      await stage.open('/new/parts');
      await page.getByLabel('Name of the part').fill('Rivet');
      await page.getByRole('button', { name: 'Remove red' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Rivet was created.');
      expect(await stage.ask<unknown>('/parts?select=tags,stock')).toEqual([{ tags: ['new'], stock: 5 }]);
      const body = '[{"part_name":"Nut"},{"part_name":"Pin"}]';
      await stage.service.fetch('/parts', { method: 'POST', body });
      await stage.open('/c/parts');
      await page.locator('[data-row="0"] [data-field=price]').click();
      await page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '1.299,00\\n1.234\\n2.500');
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      })()`);
      // The proposed notation is right: Enter confirms it.
      await page.getByRole('button', { name: 'Change 3 cells' }).waitFor();
      await page.keyboard.press('Enter');
      await stage.until('3 cells changed.');
      expect(await stage.ask<unknown>('/parts?select=price&order=id')).toEqual([
        { price: 1299 },
        { price: 1234 },
        { price: 2500 },
      ]);
    });
  },
  () => {
    const file = join(temporaryFolder(), 'collections.yaml');
    writeFileSync(file, PARTS);
    return { args: ['--collections', file] };
  },
);

/** Simulates a concurrent writer: `work` completes just before the import changes stored rows. */
async function beforeBatch({ page }: Stage, work: () => Promise<unknown>): Promise<void> {
  let done: Promise<unknown> | undefined;
  await page.route(/\/catalogue\/batch/, async (route) => {
    done ??= work();
    await done;
    await route.continue();
  });
}

async function choose(stage: Stage, name: string, content: string | Uint8Array): Promise<void> {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  await stage.page.locator('input[type=file]').setInputFiles(file);
}

async function mend({ page }: Stage, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function drop({ page }: Stage, name: string, content: string): Promise<void> {
  const zone = page.getByText(/^Drop a file here/).locator('..');
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  for (const event of ['dragover', 'drop']) await zone.dispatchEvent(event, { dataTransfer });
}
