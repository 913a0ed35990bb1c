/** Imports of real-world files: all rows or none, and every error with its position. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, type Finished, startService } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';

afterEach(cleanUp);

/** The numbers in the table at the end of an import. */
function countsIn(stdout: string): Record<string, number> {
  const [names, , counts] = stdout.split('\n').slice(1);
  const numbers = counts!.trim().split(/ +/).map(Number);
  return Object.fromEntries(names!.split(/ +/).map((name, at) => [name, numbers[at]!]));
}

const PRICE = ['--map', 'a, b=unit_price'];
const SELECT = 'select=id,product_name,unit_price';

test('a database that cannot be created is named as in the command', async () => {
  const space = workspace({});
  space.write('a.csv', 'id,product_name\n1,Tea\n');
  const { exitCode, stderr } = await space.command('import', 'a.csv', '--database', 'a.csv/x.db');
  expect(exitCode).toBe(1);
  expect(stderr).toStartWith('catalogue: the database a.csv/x.db cannot be opened');
  expect(stderr).not.toContain('partial');
});

for (const [name, environment] of DATABASES) {
  describe(name, () => {
    test('with bad rows nothing is stored, and each is reported with its line, field and reason', async () => {
      const space = workspace(environment());
      space.write('a.csv', 'id,product_name,unit_price\n1,Fine,1\n2,Tea,cheap\n3,,4\n4,"Long",1,1\n');
      const { exitCode, stdout, stderr } = await space.command('import', 'a.csv');
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr.split('\n').slice(0, 3)).toEqual([
        'line 3, unit_price: invalid input syntax for type numeric: "cheap"',
        'line 4, product_name: is required',
        'line 5: has 4 cells, and the first line names 3',
      ]);
      expect(stderr).toContain('\ncatalogue: nothing was stored: 3 of 4 rows are bad; ');
      expect(await space.isGone()).toBe(true);
    });

    test('a new database also gets the rows of the declaration, and nothing if a row is bad', async () => {
      const space = workspace(environment());
      const categories = 'categories: { key: name, rows: categories.csv, fields: { name: text } }';
      const products = 'products: { fields: { id: int4, category: { type: text, references: categories } } }';
      space.write('collections.yaml', `collections:\n  ${categories}\n  ${products}\n`);
      space.write('categories.csv', 'name\nTea\n');
      const load = ['import', '-', '--format', 'csv', '--collection', 'products'];
      expect((await space.pipe('id,category\n1,Coffee\n', ...load)).exitCode).toBe(1);
      expect((await space.command('query', 'categories')).stderr).toMatch(/does not exist/);
      expect(await space.pipe('id,category\n1,Tea\n', ...load)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('categories')).toEqual([{ name: 'Tea' }]);
    });

    test('rows copy values of the rows that they refer to', async () => {
      const space = workspace(environment());
      const products = "products: { rows: products.csv, fields: { id: int4, price: 'decimal(12,2)' } }";
      const price = "price: { type: 'decimal(12,2)', required: true, default: '{product_id.price}' }";
      const fields = `id: int4, product_id: { type: int4, references: products }, ${price}`;
      const lines = `lines: { rows: lines.csv, fields: { ${fields} } }`;
      space.write('collections.yaml', `collections:\n  ${products}\n  ${lines}\n`);
      space.write('products.csv', 'id,price\n1,9.9\n2,5\n');
      space.write('lines.csv', 'product_id\n2\n');
      const load = ['import', '-', '--format', 'csv', '--collection', 'lines'];
      expect(await space.pipe('product_id,price\n1,\n2,3\n', ...load)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.pipe('product_id\n1\n', ...load)).toMatchObject({ exitCode: 0, stderr: '' });
      expect((await space.rows('lines')).map((row) => row.price)).toEqual([5, 9.9, 3, 9.9]);
    });

    test('an existing or repeated key makes a bad row', async () => {
      const space = workspace(environment());
      await space.pipe('id,product_name\n5,First\n', 'import', '-', '--format', 'csv');
      const again = await space.pipe('id,product_name\n4,New\n5,Taken\n', 'import', '-', '--format', 'csv');
      expect(again.exitCode).toBe(1);
      expect(again.stderr).toContain('line 3, id: Key (id)=(5) already');
      expect(again.stderr).toEndWith('; --mode upsert changes rows that exist, --mode ignore skips them\n');
      const twice = await space.pipe('id,product_name\n7,One\n6,Two\n7,Three\n', 'import', '-', '--format', 'csv');
      expect(twice).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('line 4, id: ') });
      expect(await space.rows('select=id')).toEqual([{ id: 5 }]);
    });

    describe('an existing or repeated unique value makes a bad row', () => {
      const FILE = 'id,name,kind,size\n1,a,k,1\n2,b,k,2\n3,a,k,3\n4,c,k,2\n5,there,m,1\n,,m,\n,,m,\n,d,m,9\n';
      const begun = async () => {
        const space = workspace(environment());
        space.write(
          'collections.yaml',
          `collections:
  labels:
    unique: [[kind, size]]
    fields: { id: int4, name: { type: text, unique: true }, kind: text, size: "decimal(6,2)" }
`,
        );
        space.write('first.json', '[{"id":9,"name":"there"},{"id":10,"name":"other","kind":"z","size":1}]');
        expect((await space.command('import', 'first.json')).exitCode).toBe(0);
        space.write('a.csv', FILE);
        return space;
      };

      test.each(['fail', 'merge', 'ignore'])('with --on-conflict %s', async (what) => {
        const space = await begun();
        const refused = await space.command('import', 'a.csv', '--on-conflict', what);
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr.split('\n')).toEqual([
          'line 4, name: An earlier row also has name a.',
          'line 5, kind: An earlier row also has kind k, size 2.',
          'line 6, name: Key (name)=(there) already exists.',
          'catalogue: nothing was stored: 3 of 8 rows are bad; fix the file, or store the other rows with --keep-going',
          '',
        ]);
        expect(await space.rows('select=id')).toHaveLength(2);
        const kept = await space.command('import', 'a.csv', '--on-conflict', what, '--keep-going');
        expect(kept.exitCode).toBe(2);
        expect(countsIn(kept.stdout)).toEqual({ inserted: 5, updated: 0, unchanged: 0, rejected: 3 });
        expect(space.read('a.rejected.csv')).toBe('id,name,kind,size\n3,a,k,3\n5,there,m,1\n4,c,k,2\n');
        expect(await space.rows('name=in.(a,b,d)&select=name')).toHaveLength(3);
      });

      test('but not if the row is skipped or keeps its stored value', async () => {
        const space = await begun();
        space.write('b.csv', 'id,name,kind\n9,there,z\n10,moved,z\n');
        const { exitCode: merged, stdout } = await space.command('import', 'b.csv', '--on-conflict', 'merge');
        expect({ merged, updated: countsIn(stdout).updated }).toEqual({ merged: 0, updated: 2 });
        space.write('c.csv', 'id,name\n9,moved\n11,new\n11,there\n12,there');
        const { exitCode, stderr } = await space.command('import', 'c.csv', '--on-conflict', 'ignore');
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining('line 5, name: Key (name)=(there) already')]);
        expect(stderr).toContain('1 of 4 rows is bad');
      });
    });

    test.each(['fail', 'merge', 'ignore'])(
      'a row without an id never gets the id of a later row, with --on-conflict %s',
      async (what) => {
        const space = workspace(environment());
        space.write(
          'a.ndjson',
          '{"product_name":"a"}\n{"id":1,"product_name":"b"}\n{"product_name":"c"}\n{"id":3,"product_name":"d"}\n',
        );
        const { exitCode, stderr } = await space.command('import', 'a.ndjson', '--on-conflict', what);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
        expect(await space.rows('select=id,product_name&order=product_name')).toEqual([
          { id: 4, product_name: 'a' },
          { id: 1, product_name: 'b' },
          { id: 5, product_name: 'c' },
          { id: 3, product_name: 'd' },
        ]);
      },
    );

    test('--on-conflict merge changes the given fields, ignore leaves existing rows unchanged', async () => {
      const space = workspace(environment());
      const first = '[{"id":1,"product_name":"One","unit_price":1},{"id":2,"product_name":"Two","unit_price":2}]';
      await space.pipe(first, 'import', '-', '--format', 'json');
      const rows =
        '{"id":1,"product_name":"Eins"}\n{"id":2,"unit_price":9,"product_name":"Zwei"}\n{"product_name":"New"}\n';
      const merged = await space.pipe(rows, 'import', '-', '--format', 'ndjson', '--on-conflict', 'merge', '--json');
      expect(JSON.parse(merged.stdout)).toMatchObject({ ok: true, read: 3, inserted: 1, updated: 2, rejected: 0 });
      const kept = await space.pipe(rows, 'import', '-', '--format', 'ndjson', '--on-conflict', 'ignore', '--json');
      expect(JSON.parse(kept.stdout)).toMatchObject({ ok: true, inserted: 1, updated: 0, ignored: 2 });
      expect(await space.rows(SELECT)).toEqual([
        { id: 1, product_name: 'Eins', unit_price: 1 },
        { id: 2, product_name: 'Zwei', unit_price: 9 },
        { id: 3, product_name: 'New', unit_price: null },
        { id: 4, product_name: 'New', unit_price: null },
      ]);
    });

    test('an empty cell keeps the value of an existing product, or clears it with --clear-empty', async () => {
      const space = workspace(environment());
      const first = '[{"id":1,"product_name":"One","unit_price":1,"discontinued":1,"units_in_stock":5}]';
      await space.pipe(first, 'import', '-', '--format', 'json');
      const csv = 'id,product_name,unit_price,discontinued\n1,Eins,,\n2,Zwei,,\n';
      const load = (text: string, ...flags: string[]) => space.pipe(text, 'import', '-', '--format', 'csv', ...flags);
      const rows = () => space.rows('select=id,product_name,unit_price,discontinued,units_in_stock');
      expect(await load(csv, '--on-conflict', 'merge')).toMatchObject({
        exitCode: 0,
        stdout: `Imported 2 rows
inserted  updated  unchanged  rejected
────────  ───────  ─────────  ────────
       1        1          0         0
`,
      });
      const added = { id: 2, product_name: 'Zwei', unit_price: null, discontinued: 0, units_in_stock: null };
      expect(await rows()).toEqual([
        { id: 1, product_name: 'Eins', unit_price: 1, discontinued: 1, units_in_stock: 5 },
        added,
      ]);
      const mixed = 'id,product_name,unit_price,discontinued,quantity_per_unit\n1,,NULL,,""\n2,,7,,\n';
      expect(await load(mixed, '--mode', 'update')).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('select=product_name,unit_price,discontinued,quantity_per_unit')).toEqual([
        { product_name: 'Eins', unit_price: null, discontinued: 1, quantity_per_unit: '' },
        { product_name: 'Zwei', unit_price: 7, discontinued: 0, quantity_per_unit: null },
      ]);
      expect(await load(mixed, '--mode', 'update')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('0        0          2         0'),
      });
      const cleared = await load('id,unit_price,units_in_stock\n1,3,\n2,,4\n', '--mode', 'update', '--clear-empty');
      expect(cleared).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await rows()).toEqual([
        { id: 1, product_name: 'Eins', unit_price: 3, discontinued: 1, units_in_stock: null },
        { ...added, units_in_stock: 4 },
      ]);
      const needed = await load('id,product_name\n,Tee\n', '--mode', 'update');
      expect(needed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('line 2, id: is required') });
    });

    test('--keep-going stores the good rows; the others can be fixed and imported with the same flags', async () => {
      const space = workspace(environment());
      await space.pipe('[{"id":9,"product_name":"There"}]', 'import', '-', '--format', 'json');
      space.write('a.csv', 'Name,Price,id\nTea,abc,1\n"Jam ""A""",2,2\nTaken,3,9\n"open,4,5\n');
      const flags = ['--map', 'Name=product_name', '--map', 'Price=unit_price', '--keep-going'];
      const first = await space.command('import', 'a.csv', ...flags);
      expect(first).toMatchObject({
        exitCode: 2,
        stdout: expect.stringContaining('rejected rows are in a.rejected.csv'),
      });
      expect(first.stderr).toMatch(/^line 2, unit_price: .+\nline 4, id: .+\nline 5: a quote is not closed\n$/);
      expect(space.read('a.rejected.csv').split('\n')[0]).toBe('Name,Price,id');
      const mended = space.read('a.rejected.csv').replace('abc', '1').replace('"open', 'open').replace(',9', ',8');
      space.write('a.rejected.csv', mended);
      expect(await space.command('import', 'a.rejected.csv', ...flags)).toMatchObject({ exitCode: 0 });
      expect(space.exists('a.rejected.rejected.csv')).toBe(false);
      expect((await space.rows('select=id')).map(({ id }) => id)).toEqual([1, 2, 5, 8, 9]);
    });

    test('--dry-run reports what would happen and stores nothing', async () => {
      const space = workspace(environment());
      const tried = await space.pipe('product_name\nTea\n', 'import', '-', '--format', 'csv', '--dry-run');
      expect(tried).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^Would import 1 row into .+\n/),
      });
      expect(await space.isGone()).toBe(true);
      await space.command('migrate', '--empty');
      await space.pipe('product_name\nTea\n', 'import', '-', '--format', 'csv', '--dry-run');
      expect(await space.rows()).toEqual([]);
    });

    test('an aborted import leaves neither a database nor a file of bad rows', async () => {
      const space = workspace(environment());
      space.write('a.json', '[{"product_name":"Tea"},{"unit_price":1},{"product_name":"Jam"}');
      expect(await space.command('import', 'a.json', '--keep-going')).toMatchObject({ exitCode: 1, stdout: '' });
      expect(await space.isGone()).toBe(true);
      expect(space.exists('a.rejected.ndjson')).toBe(false);
    });

    test('an assigned key never collides with a key in the file', async () => {
      const space = workspace(environment());
      await space.pipe('id,product_name\n500,Chosen\n', 'import', '-', '--format', 'csv');
      await space.pipe('product_name\nAssigned\n', 'import', '-', '--format', 'csv');
      expect(await space.rows('select=id')).toEqual([{ id: 500 }, { id: 501 }]);
    });

    test('rows without a key are rejected if the file or the catalogue has the largest possible key', async () => {
      const space = workspace(environment());
      const load = (text: string, ...flags: string[]) =>
        space.pipe(text, 'import', '-', '--format', 'ndjson', ...flags);
      const top = '{"id":2147483647,"product_name":"Top"}\n';
      const another = '{"product_name":"Another"}\n';
      const refused = { exitCode: 1, stderr: expect.stringContaining('no id is left to assign'), stdout: '' };
      await space.command('migrate', '--empty');
      expect(await load(`${another}${top}`)).toMatchObject(refused);
      expect(await space.rows()).toEqual([]);
      expect(await load(top)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await load(another, '--dry-run')).toMatchObject(refused);
      for (const handling of ['fail', 'merge', 'ignore']) {
        expect(await load(another, '--on-conflict', handling)).toMatchObject(refused);
      }
      expect(await load('{"id":2,"product_name":"Two"}\n')).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('select=id')).toEqual([{ id: 2 }, { id: 2147483647 }]);
    });
  });
}

test('a value longer than --max-value-kb makes a bad row, in CSV and in JSON', async () => {
  const space = workspace();
  const long = 'x'.repeat(2_049);
  space.write('a.csv', `id,product_name\n1,${long}\n`);
  space.write('b.json', JSON.stringify([{ id: 1, product_name: long }]));
  for (const file of ['a.csv', 'b.json']) {
    const { exitCode, stderr } = await space.command('import', file, '--max-value-kb', '2');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a value of product_name may have 2048 bytes')]);
    expect((await space.command('import', file, '--on-conflict', 'merge')).exitCode).toBe(0);
  }
});

test('the file name determines whether it is CSV, JSON or NDJSON', async () => {
  const space = workspace();
  space.write('a.csv', 'id,product_name,unit_price\n1,"Jam, ""red""",3.50\n2,"two\nlines",\n');
  space.write('b.json', '[{"id":3,"product_name":"Tea","unit_price":7.0},\n {"product_name":"Assigned"}]');
  space.write('c.ndjson', '{"id":10,"product_name":"Ten"}\n\n{"id":11,"product_name":"Eleven"}\n');
  for (const file of ['a.csv', 'b.json', 'c.ndjson']) {
    expect(await space.command('import', file)).toMatchObject({ exitCode: 0, stderr: '' });
  }
  expect(await space.rows(SELECT)).toEqual([
    { id: 1, product_name: 'Jam, "red"', unit_price: 3.5 },
    { id: 2, product_name: 'two\nlines', unit_price: null },
    { id: 3, product_name: 'Tea', unit_price: 7 },
    { id: 4, product_name: 'Assigned', unit_price: null },
    { id: 10, product_name: 'Ten', unit_price: null },
    { id: 11, product_name: 'Eleven', unit_price: null },
  ]);
});

test('all errors of a row are reported, with advice', async () => {
  const space = workspace();
  space.write(
    'collections.yaml',
    'collections: { labels: { fields: { id: int4, name: { type: text, required: true, maxLength: 3 }, tags: "int4[]", size: int2 } } }',
  );
  space.write('a.csv', 'id,name,tags,size,\nx,long,1 2,99999,\n1,ab,{1},,\n,,,,stray\n');
  const { stderr } = await space.command('import', 'a.csv');
  expect(stderr.split('\n').slice(0, 6)).toEqual([
    'line 2, id: invalid input syntax for type integer: "x"',
    'line 2, name: name must have at most 3 characters',
    'line 2, tags: malformed array literal: "1 2". Write a list as {1,2,3}.',
    'line 2, size: value "99999" is out of range for type smallint',
    'line 4: cell 5 has a value, but the first line has no name for its column',
    expect.stringContaining('2 of 3 rows are bad'),
  ]);
});

test('a newly created database is named, so that a mistyped name is noticed', async () => {
  const space = workspace();
  const flags = ['--format', 'csv', '--on-conflict', 'merge'];
  const told = await space.pipe('id,product_name\n1,Tea\n', 'import', '-', ...flags);
  expect(told.stdout).toMatch(/^Imported 1 row into a new catalogue in \S+\n/);
  const again = await space.pipe('id,product_name\n1,Tea\n', 'import', '-', ...flags, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, database: expect.any(String), isNew: false });
});

test('a dry run with --keep-going reports the bad rows and writes no file of them', async () => {
  const space = workspace();
  space.write('a.csv', 'product_name,unit_price\nTea,1\nJam,cheap\n');
  const tried = await space.command('import', 'a.csv', '--keep-going', '--dry-run');
  expect(tried.exitCode).toBe(2);
  expect(countsIn(tried.stdout)).toEqual({ inserted: 1, updated: 0, unchanged: 0, rejected: 1 });
  expect(space.exists('a.rejected.csv')).toBe(false);
});

test('all bad rows are counted, the first thousand with their lines, and the same message occurs once', async () => {
  const space = workspace();
  await space.pipe('[{"id":7,"product_name":"There"}]', 'import', '-', '--format', 'json');
  const lines = Array.from({ length: 3_000 }, (_, index) => `${index + 8},P,${index % 2 === 0 ? '1' : 'cheap'}`);
  const csv = ['id,product_name,unit_price', ...lines, '7,Taken,1', '8,Twice,1', '9000,P,free', ''].join('\n');
  const told = await space.pipe(csv, 'import', '-', '--format', 'csv');
  expect(told).toMatchObject({ exitCode: 1, stdout: '' });
  const [message, ...others] = told.stderr.split('\n');
  expect(message).toStartWith('lines 3, 5, 7, 9, ');
  expect(message).toEndWith(
    ', 1999, 2001 and 500 more (1500 rows), unit_price: invalid input syntax for type numeric: "cheap"',
  );
  expect(others).toEqual([
    'and 3 bad rows more',
    'catalogue: nothing was stored: 1503 of 3003 rows are bad; fix the file, or store the other rows with --keep-going',
    '',
  ]);
  const json = await space.pipe(csv, 'import', '-', '--format', 'csv', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, read: 3_003, rejected: 1_503 });
  expect((JSON.parse(json.stdout) as { problems: unknown[] }).problems).toHaveLength(1_000);
  expect(await space.rows('select=id')).toEqual([{ id: 7 }]);
});

test('a file that is imported again gets one message and the advice to use another mode', async () => {
  const space = workspace();
  space.write('a.csv', 'id,product_name\n1,Tea\n2,Jam\n3,Oil\n');
  await space.command('import', 'a.csv');
  expect(await space.command('import', 'a.csv')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `lines 2-4 (3 rows), id: the rows exist already
catalogue: nothing was stored: 3 of 3 rows are bad; fix the file, or store the other rows with --keep-going; --mode upsert changes rows that exist, --mode ignore skips them
`,
  });
});

test('an export can be imported unchanged, in every format', async () => {
  const space = workspace();
  const odd = [
    { id: 1, product_name: '', quantity_per_unit: 'NULL' },
    { id: 2, product_name: ' "quoted",\r\n ', quantity_per_unit: null, unit_price: -0.0001 },
    { id: 3, product_name: 'Lakkalikööri 🍇', quantity_per_unit: '\\n,;' },
  ];
  await space.pipe(JSON.stringify(odd), 'import', '-', '--format', 'json', '--on-conflict', 'merge');
  const before = await space.rows();
  for (const format of ['csv', 'json', 'ndjson']) {
    expect(await space.command('export', '--output', `all.${format}`)).toMatchObject({ exitCode: 0 });
    const database = ['--database', `${format}.db`];
    expect(await space.command('import', `all.${format}`, ...database)).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await space.command('query', '--json', ...database);
    expect(JSON.parse(stdout)).toEqual(before);
  }
});

describe('an import of CSV from spreadsheets', () => {
  const expected = [
    { id: 1, product_name: 'Tea, green', unit_price: 12.5 },
    { id: 2, product_name: 'Jam', unit_price: -3 },
  ];
  const files: readonly [string, string, readonly string[]][] = [
    ['semicolons and decimal commas', 'id;product_name;unit_price\r\n1;Tea, green;12,50\r\n2;Jam;-3,0\r\n', []],
    ['tabs', 'id\tproduct_name\tunit_price\n1\tTea, green\t12.50\n2\tJam\t"-3,0"\n', []],
    [
      'a line that names the delimiter',
      'sep=;\r\nid;product_name;unit_price\r\n1;Tea, green;12,50\r\n2;Jam;-3\r\n',
      [],
    ],
    ['a comma in the quotes of its first line', '"id";"product_name";"a, b"\n1;"Tea, green";12,5\n2;Jam;-3\n', PRICE],
    ['--separator', 'id|product_name|unit_price\n1|Tea, green|12,5\n2|Jam|-3\n', ['--separator', '|']],
    [
      '--delimiter, as it was called once, and tab',
      'id\tproduct_name\ta,b\n1\tTea, green\t12,5\n2\tJam\t-3\n',
      ['--delimiter', 'tab', '--map', 'a,b=unit_price'],
    ],
  ];
  for (const [name, text, flags] of files) {
    test(name, async () => {
      const space = workspace();
      space.write('a.csv', text);
      expect(await space.command('import', 'a.csv', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows(SELECT)).toEqual(expected);
    });
  }

  test('accepts column names in any case and in common spellings', async () => {
    const space = workspace();
    space.write('a.csv', 'ID;Product name;UNIT-PRICE;quantityPerUnit; Units in stock \n1;Tea;12,5;"";3\n');
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows()).toMatchObject([
      { id: 1, product_name: 'Tea', unit_price: 12.5, quantity_per_unit: '', units_in_stock: 3 },
    ]);
    const mended = 'ID;Product name;UNIT-PRICE\n1;Taken;1\n2;Jam;cheap\n';
    space.write('b.csv', mended);
    expect(await space.command('import', 'b.csv', '--keep-going')).toMatchObject({ exitCode: 2 });
    const rejected = 'ID;Product name;UNIT-PRICE\n2;Jam;cheap\n1;Taken;1\n';
    expect(space.read('b.rejected.csv')).toBe(rejected);
  });

  test('reads the encodings that spreadsheets write', async () => {
    const text = 'id;product_name\n1;Köri – 5 €\n';
    const cp1252 = Buffer.from(text.replace('–', '\x96').replace('€', '\x80'), 'latin1');
    const utf16 = Buffer.from(text, 'utf16le');
    const files: readonly [string, Uint8Array, readonly string[]][] = [
      ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`), []],
      ['UTF-16LE with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), []],
      ['UTF-16BE with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16(), []],
      ['UTF-16LE without', utf16, []],
      ['UTF-16BE without', Buffer.from(utf16).swap16(), ['--encoding', 'UTF-16BE']],
      ['Windows-1252', cp1252, ['--encoding', 'windows-1252']],
    ];
    for (const [name, bytes, flags] of files) {
      const space = workspace();
      writeFileSync(join(space.cwd, 'a.csv'), bytes);
      const { exitCode, stderr } = await space.command('import', 'a.csv', ...flags);
      expect({ name, exitCode, stderr }).toEqual({ name, exitCode: 0, stderr: '' });
      expect(await space.rows('select=product_name')).toEqual([{ product_name: 'Köri – 5 €' }]);
    }
  });

  test('rejected rows keep the encoding and the separator: repaired, they are imported with the same flags', async () => {
    const text = 'id|product_name|unit_price\n1|Köri – 5 €|cheap\n2|Tée|1\n';
    const cp1252 = (given: string) => Buffer.from(given.replace('–', '\x96').replace('€', '\x80'), 'latin1');
    const utf16 = (given: string) => Buffer.from(`\ufeff${given}`, 'utf16le');
    const files: readonly [Uint8Array, readonly string[]][] = [
      [cp1252(text), ['--encoding', 'windows-1252', '--separator', '|']],
      [cp1252(`sep=|\n${text}`), ['--encoding', 'iso-8859-1']],
      [utf16(text).swap16(), ['--encoding', 'utf-16', '--separator', '|']],
      [utf16(text.replaceAll('|', ';')), []],
      [Buffer.from(text.replaceAll('|', '\t')), []],
    ];
    for (const [bytes, flags] of files) {
      const space = workspace();
      writeFileSync(join(space.cwd, 'a.csv'), bytes);
      expect(await space.command('import', 'a.csv', '--keep-going', ...flags)).toMatchObject({ exitCode: 2 });
      // A repair that no encoding can get wrong.
      const rejected = readFileSync(join(space.cwd, 'a.rejected.csv'), 'latin1');
      writeFileSync(
        join(space.cwd, 'a.rejected.csv'),
        Buffer.from(
          rejected.replace(/c\0?h\0?e\0?a\0?p/, (word) => word.replaceAll(/[a-z]/g, '7')),
          'latin1',
        ),
      );
      expect(await space.command('import', 'a.rejected.csv', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('select=product_name,unit_price')).toEqual([
        { product_name: 'Köri – 5 €', unit_price: 77777 },
        { product_name: 'Tée', unit_price: 1 },
      ]);
    }
  });

  test('a rejected JSON row keeps a character that the encoding of the file does not have', async () => {
    const space = workspace();
    const json = Buffer.from('[{"product_name":"K\xf6ri \\u4e2d \\ud83d\\ude00","unit_price":"x"}]', 'latin1');
    writeFileSync(join(space.cwd, 'a.json'), json);
    const flags = ['--encoding', 'windows-1252'];
    expect(await space.command('import', 'a.json', '--keep-going', ...flags)).toMatchObject({ exitCode: 2 });
    const rejected = readFileSync(join(space.cwd, 'a.rejected.ndjson'), 'latin1').replace('"x"', '2');
    writeFileSync(join(space.cwd, 'a.rejected.ndjson'), Buffer.from(rejected, 'latin1'));
    expect(await space.command('import', 'a.rejected.ndjson', ...flags)).toMatchObject({ exitCode: 0 });
    expect(await space.rows('select=product_name')).toEqual([{ product_name: 'Köri 中 😀' }]);
  });

  test('reads numbers in quotes by column, also if commas separate the cells', async () => {
    const space = workspace();
    space.write('a.csv', 'product_name,unit_price,units_in_stock\nA,"1.299","1,234,567"\nB,"12,50","1,299"\n');
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows('select=unit_price,units_in_stock')).toEqual([
      { unit_price: 1299, units_in_stock: 1_234_567 },
      { unit_price: 12.5, units_in_stock: 1299 },
    ]);
  });

  test('reads thousands points by column: 1.299 is 1299 beside decimal commas, and 1.299 beside decimal points', async () => {
    const space = workspace();
    space.write(
      'a.csv',
      'product_name;unit_price;units_in_stock\nA;1.299;1.234.567\nB;1.299,00;1.299\nC;12,5;3\nD;-2.345.678,25;4\n',
    );
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows('select=unit_price,units_in_stock')).toEqual([
      { unit_price: 1299, units_in_stock: 1_234_567 },
      { unit_price: 1299, units_in_stock: 1299 },
      { unit_price: 12.5, units_in_stock: 3 },
      { unit_price: -2_345_678.25, units_in_stock: 4 },
    ]);
    space.write('b.csv', 'product_name;unit_price\nE;1.299\nF;0.5\n');
    expect(await space.command('import', 'b.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows('select=unit_price&product_name=in.(E,F)')).toEqual([
      { unit_price: 1.299 },
      { unit_price: 0.5 },
    ]);
    space.write('c.csv', 'product_name;unit_price\nG;1.299\nH;0.5\nI;12,5\n');
    expect(await space.command('import', 'c.csv')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 2, unit_price: "1.299" beside "12,5" of'),
    });
  });

  test('does not take 1.299 for a price with two decimals, which may be more than a thousand', async () => {
    const space = workspace();
    space.write('collections.yaml', "collections: { items: { fields: { id: int4, price: 'decimal(12,2)' } } }\n");
    const into = ['--collection', 'items'];
    for (const separator of [';', ',']) {
      space.write('a.csv', ['id,price', '1,1.250', '2,49', ''].join('\n').replaceAll(',', separator));
      expect(await space.command('import', 'a.csv', ...into)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('line 2, price: "1.250" is ambiguous'),
      });
    }
    space.write('b.csv', 'id;price\n1;1.299\n2;49,5\n');
    space.write('c.csv', 'id;price\n3;1.250\n4;0.5\n');
    for (const file of ['b.csv', 'c.csv'])
      expect(await space.command('import', file, ...into)).toMatchObject({ exitCode: 0 });
    const { stdout } = await space.command('query', 'items?select=price&order=id', '--json');
    expect(JSON.parse(stdout)).toEqual([{ price: 1299 }, { price: 49.5 }, { price: 1.25 }, { price: 0.5 }]);
  });

  test('says that 1.250 may be more than a thousand if the field has whole numbers', async () => {
    const space = workspace();
    for (const separator of [';', ',']) {
      space.write('a.csv', `product_name${separator}units_in_stock\nTea${separator}1.250\nJam${separator}7\n`);
      expect(await space.command('import', 'a.csv')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('line 2, units_in_stock: "1.250" is ambiguous'),
      });
    }
    space.write('b.csv', 'product_name,units_in_stock\nTea,"1,250"\n');
    expect(await space.command('import', 'b.csv')).toMatchObject({ exitCode: 0 });
    expect(await space.rows('select=units_in_stock')).toEqual([{ units_in_stock: 1250 }]);
  });

  test('reads a column that does not show its notation like the others of the file, if those agree', async () => {
    const space = workspace();
    space.write('a.csv', 'product_name;unit_price;units_in_stock\nA;1.299,00;1.000\nB;12,5;2.500\n');
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows('select=unit_price,units_in_stock')).toEqual([
      { unit_price: 1299, units_in_stock: 1000 },
      { unit_price: 12.5, units_in_stock: 2500 },
    ]);
    space.write('b.csv', 'product_name,unit_price,units_in_stock\nC,12.50,"1,000"\nD,"3,50",7\n');
    expect(await space.command('import', 'b.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await space.rows('select=unit_price,units_in_stock&product_name=in.(C,D)')).toEqual([
      { unit_price: 12.5, units_in_stock: 1000 },
      { unit_price: 3.5, units_in_stock: 7 },
    ]);
    const piped = 'product_name;unit_price;units_in_stock\nE;1.299;1\nF;;2.345.678\nG;2.500;3\n';
    expect(await space.pipe(piped, 'import', '-', '--format', 'csv')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 4, unit_price: "2.500" beside "1.299" of'),
    });
  });

  test('skips and counts lines that contain only separators', async () => {
    const space = workspace();
    space.write('a.csv', 'id;product_name;unit_price\n1;Tea;2\n;;\n2;Jam;3\n;;;;\n');
    const { exitCode, stdout, stderr } = await space.command('import', 'a.csv');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toStartWith('Imported 2 rows into a new catalogue in catalogue.db\n');
    expect(stdout).toEndWith('\n2 blank lines left out\n');
    const again = await space.command('import', 'a.csv', '--on-conflict', 'merge', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ read: 2, updated: 0, ignored: 2, blankLines: 2 });
  });

  test('accepts the words for yes and no that the console accepts', async () => {
    const space = workspace();
    const words = ['yes', 'x', 'ON', 'ja', '✓', '1', 'no', '-', 'off', 'nein', '0'];
    space.write('a.csv', `product_name,discontinued\n${words.map((word) => `A,${word}\n`).join('')}`);
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    const flags = (await space.rows('select=discontinued&order=id')).map((row) => row.discontinued);
    expect(flags).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test('accepts yes and no for a number that is a flag', async () => {
    const space = workspace();
    space.write('a.csv', 'id,product_name,discontinued\n1,Tea,Yes\n2,Jam, no \n3,Rice,1\n4,Oil,\n');
    expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await space.rows('select=discontinued')).map((row) => row.discontinued)).toEqual([1, 0, 1, 0]);
    space.write('b.csv', 'id,product_name,discontinued,unit_price\n5,Salt,perhaps,x\n6,Salt,no,y\n');
    const { stderr } = await space.command('import', 'b.csv');
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'line 2, discontinued: invalid input syntax for type integer: "perhaps"',
      'line 2, unit_price: invalid input syntax for type numeric: "x"',
      'line 3, unit_price: invalid input syntax for type numeric: "y"',
    ]);
  });

  test('reads prices with a currency, and rejects other forms with advice', async () => {
    const space = workspace();
    space.write('b.csv', 'product_name,unit_price\nTea,"$1,200.50"\nTea,5 EUR\nTea,€5\n');
    expect((await space.command('import', 'b.csv', '--dry-run')).exitCode).toBe(0);
    const cells = ['5 %', '"$1,200.50.1"', '€1.2.3', 'cheap', '1.2.3'];
    space.write('a.csv', `product_name,unit_price\n${cells.map((cell) => `Tea,${cell}\n`).join('')}`);
    const lines = (await space.command('import', 'a.csv')).stderr.split('\n');
    const advice =
      '. Write the number alone: without a currency, nothing between the thousands, a point before decimals.';
    expect(lines.slice(0, 5).map((line) => line.endsWith(advice))).toEqual([true, true, true, false, true]);
    expect(lines[0]).toBe(`line 2, unit_price: invalid input syntax for type numeric: "5 %"${advice}`);
  });

  test('rejects a name instead of a key and names the referenced collection', async () => {
    const space = workspace();
    space.write(
      'collections.yaml',
      'collections: { kinds: { fields: { id: int4, name: text } }, items: { fields: { id: int4, kind: { type: int4, references: kinds } } } }',
    );
    const { stderr } = await space.pipe('kind\nTea\n', 'import', '-', '--format', 'csv', '--collection', 'items');
    expect(stderr).toStartWith('line 2, kind: invalid input syntax for type integer: "Tea". It is a key of kinds.\n');
  });

  test('rejects a truncated line with advice', async () => {
    const space = workspace();
    space.write('a.csv', 'id,product_name,unit_price\n1,Tea\n2\n');
    const { stderr } = await space.command('import', 'a.csv');
    const advice = 'an empty cell needs its separator, and a text of several lines needs quotes';
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      `line 2: has 2 cells, and the first line names 3; ${advice}`,
      `line 3: has 1 cell, and the first line names 3; ${advice}`,
    ]);
  });

  test('rejects a decimal comma after 1.299 from standard input, because that may be more than a thousand', async () => {
    const space = workspace();
    const mixed = await space.pipe(
      'product_name;unit_price;units_in_stock\nTea;1.299;1\nJam;12,5;2\n',
      'import',
      '-',
      '--format',
      'csv',
    );
    expect(mixed).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 3, unit_price: "12,5" beside "1.299" of'),
    });
    const points = await space.pipe('product_name;unit_price\nTea;1.299\nJam;12.5\n', 'import', '-', '--format', 'csv');
    expect(points).toMatchObject({ exitCode: 0 });
  });

  test('keeps bad rows exactly as in the file, so that the fixed rows can be imported like the original', async () => {
    const space = workspace();
    space.write('a.csv', 'id;product_name;unit_price\n1;"a;b";cheap\n2;Jam;1,5\n3;Long;1;1\n');
    const first = await space.command('import', 'a.csv', '--keep-going');
    expect(first).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('rejected rows are in a.rejected.csv'),
    });
    expect(space.read('a.rejected.csv')).toBe('id;product_name;unit_price\n1;"a;b";cheap\n3;Long;1;1\n');
    space.write('a.rejected.csv', space.read('a.rejected.csv').replace('cheap', '0,5').replace(';1;1', ';1'));
    expect(await space.command('import', 'a.rejected.csv')).toMatchObject({ exitCode: 0 });
    expect((await space.rows(SELECT)).map((row) => row.unit_price)).toEqual([0.5, 1.5, 1]);
  });
});

test('a running service sees all rows of an import at once, and continues to write', async () => {
  const space = workspace();
  const service = await startService({ cwd: space.cwd, args: ['--empty'] });
  const lines = Array.from({ length: 5_000 }, (_, index) => `{"id":${index + 1},"product_name":"P${index + 1}"}`);
  const importing = space.pipe(lines.join('\n'), 'import', '-', '--format', 'ndjson');
  const seen = new Set<string | null>();
  let isDone = false;
  const done = importing.then((result) => {
    isDone = true;
    return result;
  });
  while (!isDone) {
    const response = await service.fetch('/products?limit=1', { headers: { prefer: 'count=exact' } });
    seen.add(response.headers.get('content-range'));
    const written = await service.fetch('/products', { method: 'POST', body: '{"id":9000,"product_name":"Mine"}' });
    expect([201, 409]).toContain(written.status);
  }
  expect(await done).toMatchObject({ exitCode: 0 });
  for (const range of seen) expect(['*/0', '0-0/1', '0-0/5000', '0-0/5001']).toContain(range!);
  const last = await service.fetch('/products?limit=1', { headers: { prefer: 'count=exact' } });
  expect(last.headers.get('content-range')).toBe('0-0/5001');
});

const CSV = ['--format', 'csv'];

describe('a mistake is reported', () => {
  const cases: readonly [string, string, readonly string[], RegExp][] = [
    [
      'an unknown column',
      'id,prodct_name\n1,x\n',
      ['--format', 'csv'],
      /line 1: unknown field prodct_name.+product_name/,
    ],
    ['a column that comes twice', 'id,id\n1,1\n', ['--format', 'csv'], /line 1: the field id is given twice/],
    ['an empty file', '', ['--format', 'csv'], /the file is empty/],
    [
      'JSON that breaks off',
      '[{"id":1,"product_name":"x"},',
      ['--format', 'json'],
      /line 1: the JSON breaks off inside the array, after column 29/,
    ],
    ['JSON that ends in an object', '{"a":\n', ['--format', 'json'], /line 1: .+ inside an object, after column 5/],
    [
      'an object of several lines',
      '[\n {"product_name":"x"},\n {"a":1,\n  "b',
      ['--format', 'json'],
      /line 4: .+ object, after column 4/,
    ],
    ['JSON of nothing', ' \n', ['--format', 'json'], /the file is empty/],
    [
      'a mapping of a column that CSV does not have',
      'product_name,unit_price\nx,1\n',
      ['--format', 'csv', '--map', 'unit_prise='],
      /line 1: --map "unit_prise=": the file has no column unit_prise \(perhaps you meant unit_price\)/,
    ],
    [
      'a mapping of a column that no object has',
      '[{"product_name":"x"},{"product_name":"y","unit_price":1}]',
      ['--format', 'json', '--map', 'unit_prise='],
      /the file has no column unit_prise \(perhaps you meant unit_price\)/,
    ],
    [
      'a separator of two signs',
      'x',
      ['--format', 'csv', '--separator', '::'],
      /--separator: '::' is not one character/,
    ],
    ['a separator of JSON', '[]', ['--format', 'json', '--separator', ';'], /--separator is for CSV/],
    ['an encoding that is not known', 'x', ['--format', 'csv', '--encoding', 'ebcdic'], /--encoding is one of utf-8, /],
    [
      'every wrong column at once',
      'id,prodct_name,colour,unit_price,Unit price\n1,x,red,1,2\n',
      ['--format', 'csv', '--map', 'size='],
      /line 1: unknown field prodct_name \(perhaps you meant product_name\), colour; .+; the field unit_price is given twice; --map "size=": the file has no column size/,
    ],
    [
      'the fields that there are',
      'name,price\n1,x\n',
      ['--format', 'csv'],
      /the fields are id, product_name, .+, unit_price/,
    ],
    ['a wrong column above no rows', 'id,colour\n', ['--format', 'csv'], /line 1: unknown field colour/],
    ['something after the JSON', '{"id":1,"product_name":"x"}\n{}', ['--format', 'json'], /line 2: .+ndjson/],
    ['no format', 'x', [], /format of standard input/],
    ['a cell without end', `product_name\n${'x'.repeat(20_000_000)}\n`, CSV, /line 2: the row is longer than 16777216/],
    ['a quote without end', `product_name\n"${'x'.repeat(20_000_000)}\n`, CSV, /line 2: a quote is not closed/],
    [
      'an object without end',
      `[{"a":"${'x'.repeat(20_000_000)}`,
      ['--format', 'json'],
      /line 1: the row is longer than/,
    ],
    ['a mapping to no field', 'x', ['--format', 'csv', '--map', 'a=b'], /unknown field b/],
    ['a mapping without =', 'x', ['--format', 'csv', '--map', 'a'], /--map a has no column name before =/],
  ];
  for (const [name, text, flags, message] of cases) {
    test(name, async () => {
      const space = workspace();
      expectMistake(await space.pipe(text, 'import', '-', ...flags), message);
    });
  }

  test('a date that is written in words gets no hint about URLs', async () => {
    const space = workspace();
    space.write('collections.yaml', 'collections: { days: { fields: { id: int4, day: date, at: timestamptz } } }');
    const told = await space.pipe('id,day,at\n1,Juny the 12th 1998,2024-05-01 12:00 02:00\n', 'import', '-', ...CSV);
    expect(told.stderr).toContain('line 2, day: invalid input syntax for type date: "Juny the 12th 1998"\n');
    expect(told.stderr).toContain('"2024-05-01 12:00 02:00". Write the sign of the offset: +02:00');
  });

  test('a file that is missing or not UTF-8', async () => {
    const space = workspace();
    expectMistake(await space.command('import', 'nothing.csv'), /nothing\.csv cannot be read/);
    expectMistake(await space.command('import', 'book.xlsx'), /book\.xlsx is a workbook: save its sheet as CSV/);
    writeFileSync(join(space.cwd, 'latin1.csv'), Buffer.from('product_name\nK\xf6\xf6ri\n', 'latin1'));
    expectMistake(
      await space.command('import', 'latin1.csv'),
      /not UTF-8; for a file of an older spreadsheet, use --encoding windows-1252/,
    );
  });
});

function expectMistake({ exitCode, stdout, stderr }: Finished, message: RegExp): void {
  expect(stderr).toMatch(/^catalogue: [^\n]+\n$/);
  expect(stderr).toMatch(message);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
}
