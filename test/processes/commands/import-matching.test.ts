/** Imports that change stored rows: a supplier's file names rows by its own fields and in its own formats. */

import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Problem } from '../../../src/cli/import/problems.ts';
import { builtIn } from '../../../src/collection/types/index.ts';
import { readDateFormat } from '../../../src/import/date-pattern.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, startService } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';

afterEach(cleanUp);

const DECLARATION = `collections:
  categories:
    fields: { id: int4, name: { type: text, required: true }, code: { type: text, unique: true } }
  products:
    unique: [[brand, model]]
    fields:
      id: int4
      sku: { type: text, required: true, unique: true }
      name: { type: text, required: true }
      category: { type: int4, references: categories }
      price: { type: "decimal(12,2)", minimum: 0 }
      brand: text
      model: text
      place: text
      since: date
      changed_at: { type: timestamptz, onUpdate: now }
`;

const CATEGORIES = [
  { id: 1, name: 'Tea', code: 'T' },
  { id: 2, name: 'Jam', code: 'J' },
  { id: 3, name: 'Jam', code: 'K' },
];

/** Stores three categories and the given products. */
async function shop(env: Readonly<Record<string, string>>, products: readonly object[]) {
  const space = workspace(env);
  space.write('collections.yaml', DECLARATION);
  space.write('categories.json', JSON.stringify(CATEGORIES));
  space.write('begin.json', JSON.stringify(products));
  const load = (file: string, ...flags: string[]) =>
    space.command('import', file, '--collection', 'products', ...flags);
  expect(await space.command('import', 'categories.json', '--collection', 'categories')).toMatchObject({ exitCode: 0 });
  expect(await load('begin.json')).toMatchObject({ exitCode: 0, stderr: '' });
  return { ...space, load };
}

const A = { id: 1, sku: 'A', name: 'Earl Grey', category: 1, price: 4.5, brand: 'x', model: 'm' };
const B = { id: 2, sku: 'B', name: 'Sencha', category: 1, price: 6, brand: 'x', model: 'n' };

for (const [name, environment] of DATABASES) {
  describe(name, () => {
    test('a file of 6,000 prices by sku: bad rows are reported with their lines, the others are stored', async () => {
      const rows = 6_000;
      const products = Array.from({ length: rows }, (_, at) => ({ id: at + 1, sku: `S${at}`, name: 'P', price: 1 }));
      const space = await shop(environment(), products);
      // Every hundredth row is bad, in one of six ways. Every other row has a new price.
      const mistakes = ['abc', '-1', '', '99999999999', '1;2', '3'];
      const lines = Array.from({ length: rows }, (_, at) => {
        const mistake = at % 100 === 0 ? mistakes[(at / 100) % 6] : undefined;
        if (mistake === undefined) return `S${at};${at % 2 === 0 ? '2,50' : '1'}`;
        if (mistake === '') return ';1';
        return mistake === '3' ? `absent-${at};3` : `S${at};${mistake}`;
      });
      space.write('prices.csv', `sku;price\n${lines.join('\n')}\n`);
      const flags = ['--mode', 'update', '--match', 'sku', '--keep-going'];
      const told = await space.load('prices.csv', ...flags, '--json');
      expect(told.exitCode).toBe(2);
      const report = JSON.parse(told.stdout) as Record<string, unknown> & { problems: Problem[] };
      expect(report).toMatchObject({ read: rows, inserted: 0, updated: 2_940, ignored: 3_000, rejected: 60 });
      expect(report.problems.map(({ line }) => line).toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: 60 }, (_, at) => 100 * at + 2),
      );
      expect(report.problems.filter(({ line }) => line < 600)).toEqual([
        { line: 2, field: 'price', code: '22P02', reason: 'invalid input syntax for type numeric: "abc"' },
        { line: 102, field: 'price', code: '23514', reason: 'price must be at least 0' },
        { line: 202, field: 'sku', code: '23502', reason: 'is required' },
        { line: 302, field: 'price', code: '22003', reason: expect.stringContaining('numeric field overflow') },
        { line: 402, reason: 'has 3 cells, and the first line names 2' },
        { line: 502, field: 'sku', code: 'CAT404', reason: 'sku absent-500 does not exist in products' },
      ]);
      expect(space.read('prices.rejected.csv').split('\n')).toHaveLength(62);
      expect(await space.rows('products?sku=in.(S1,S2)&select=sku,price,name,changed_at')).toEqual([
        { sku: 'S1', price: 1, name: 'P', changed_at: null },
        { sku: 'S2', price: 2.5, name: 'P', changed_at: expect.any(String) },
      ]);
      // The fixed rows are imported with the same flags.
      const fixed = space
        .read('prices.rejected.csv')
        .replace(/^[^as].*$/gm, '')
        .replace(/absent-/g, 'S');
      space.write('prices.rejected.csv', fixed);
      expect(await space.load('prices.rejected.csv', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('products?sku=eq.S500&select=price')).toEqual([{ price: 3 }]);
    });

    test('an update changes the given fields of existing rows, by any unique fields or the key', async () => {
      const space = await shop(environment(), [A, B]);
      space.write('a.csv', 'brand,model,price\nx,m,5\nx,n,6\nx,z,7\nx,m,8\n');
      const refused = await space.load('a.csv', '--mode', 'update', '--match', 'model,brand');
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr.split('\n').slice(0, 2)).toEqual([
        'line 4, brand: brand x, model z does not exist in products',
        'line 5, brand: An earlier row also has brand x, model m.',
      ]);
      space.write('b.csv', 'brand,model,price\nx,m,5\nx,n,6\n');
      const updated = await space.load('b.csv', '--mode', 'update', '--match', 'model,brand', '--json');
      expect(JSON.parse(updated.stdout)).toMatchObject({ inserted: 0, updated: 1, ignored: 1 });
      // By the key, from JSON; each object changes only its own fields.
      space.write('c.json', '[{"id":1,"name":"Grey"},{"id":2,"price":null,"category":2},{"id":3,"name":"Absent"}]');
      const byKey = await space.load('c.json', '--mode', 'update', '--keep-going');
      expect(byKey).toMatchObject({ exitCode: 2, stderr: 'line 1, id: id 3 does not exist in products\n' });
      expect(space.read('c.rejected.ndjson')).toBe('{"id":3,"name":"Absent"}\n');
      // A unique value of another row is a bad row; a value that its row gives up is not.
      space.write('d.csv', 'id,sku\n1,B\n');
      const taken = await space.load('d.csv', '--mode', 'update');
      expect(taken.stderr).toStartWith('line 2, sku: Key (sku)=(B) already exists.\n');
      expect(await space.rows('products?select=id,sku,name,category,price,model')).toEqual([
        { id: 1, sku: 'A', name: 'Grey', category: 1, price: 5, model: 'm' },
        { id: 2, sku: 'B', name: 'Sencha', category: 2, price: null, model: 'n' },
      ]);
    });

    test('an upsert by sku inserts new rows, keeps the key of existing ones and skips equal ones', async () => {
      const space = await shop(environment(), [A, B]);
      space.write('a.csv', 'id,sku,name,price\n7,A,Grey,4.5\n,B,Sencha,6.00\n9,C,Jam,2\n2,D,Oil,3\n');
      const flags = ['--match', 'SKU', '--keep-going'];
      const stored = await space.load('a.csv', '--mode', 'upsert', ...flags, '--json');
      expect(JSON.parse(stored.stdout)).toMatchObject({
        ...{ inserted: 1, updated: 1, ignored: 1, rejected: 1 },
        problems: [{ line: 5, field: 'id', code: '23505', reason: 'Key (id)=(2) already exists.' }],
      });
      space.write('b.csv', 'sku,name\nA,Other\nE,Rice\n');
      expect(await space.load('b.csv', '--mode', 'ignore', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('products?select=id,sku,name&order=id')).toEqual([
        { id: 1, sku: 'A', name: 'Grey' },
        { id: 2, sku: 'B', name: 'Sencha' },
        { id: 9, sku: 'C', name: 'Jam' },
        { id: 10, sku: 'E', name: 'Rice' },
      ]);
      // The change of A is dated, the equal row B is not.
      expect(await space.rows('products?changed_at=not.is.null&id=lt.9&select=id')).toEqual([{ id: 1 }]);
    });

    test('names of referenced rows, formatted dates and foreign columns are read as the flags say', async () => {
      const space = await shop(environment(), [A]);
      // As windows-1252, with semicolons: the rejected rows are written likewise.
      const csv = `sku;name;category;since;price;Lieferant;category 2
L1;K\xf6ri;Tea;Jun 12 1998;1,50;x;9
L2;K\xf6ri;T\xe9e;Sept. 1 2020;2;"a;b";9
L3;Rot;Jam;jun 12 1998;3;;9
L4;Rot;Tea;Feb 30 2001;4;c;9
L5;Rot;Tea;12.6.1998;4;c;9
A;Taken;Tea;;4;c;9
`;
      writeFileSync(join(space.cwd, 'a.csv'), Buffer.from(csv, 'latin1'));
      const flags = [
        ...['--resolve', 'category=name', '--date-format', 'MMM d yyyy', '--ignore-columns', 'Lieferant,category 2'],
        ...['--encoding', 'windows-1252', '--keep-going', '--force'],
      ];
      const first = await space.load('a.csv', ...flags);
      expect(first).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('are in a.rejected.csv') });
      expect(first.stderr.split('\n')).toEqual([
        'line 3, category: name "Tée" does not exist in categories',
        'line 4, category: name "Jam" is ambiguous: 2 rows of categories have it',
        'line 5, since: "Feb 30 2001" is not a date in the format MMM d yyyy',
        'line 6, since: "12.6.1998" is not a date in the format MMM d yyyy',
        'line 7, sku: Key (sku)=(A) already exists.',
        '',
      ]);
      const rejected = readFileSync(join(space.cwd, 'a.rejected.csv'), 'latin1');
      expect(rejected).toBe(csv.replace(/^L1.*\n/m, ''));
      const fixed = rejected.replace('T\xe9e', 'Tea').replace('Jam', '').replace('Feb 30', 'Feb 28');
      writeFileSync(
        join(space.cwd, 'a.rejected.csv'),
        Buffer.from(fixed.replace('12.6.1998', 'Dec 31 1999').replace('A;Taken', 'L6;New'), 'latin1'),
      );
      expect(await space.load('a.rejected.csv', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await space.rows('products?sku=like.L*&select=sku,name,category,since,price')).toEqual([
        { sku: 'L1', name: 'Köri', category: 1, since: '1998-06-12', price: 1.5 },
        { sku: 'L2', name: 'Köri', category: 1, since: '2020-09-01', price: 2 },
        { sku: 'L3', name: 'Rot', category: null, since: '1998-06-12', price: 3 },
        { sku: 'L4', name: 'Rot', category: 1, since: '2001-02-28', price: 4 },
        { sku: 'L5', name: 'Rot', category: 1, since: '1999-12-31', price: 4 },
        { sku: 'L6', name: 'New', category: 1, since: null, price: 4 },
      ]);
      // By a unique field, from JSON, with the columns to read.
      space.write('b.json', '[{"sku":"L1","name":"No","category":"K","x":1},{"sku":"L2","name":"No","category":"Q"}]');
      const only = ['--only-columns', 'sku,category', '--resolve', 'category=code'];
      const byCode = await space.load('b.json', '--mode', 'update', '--match', 'sku', '--keep-going', ...only);
      expect(byCode).toMatchObject({
        exitCode: 2,
        stderr: 'line 1, category: code "Q" does not exist in categories\n',
      });
      expect(space.read('b.rejected.ndjson')).toBe('{"sku":"L2","name":"No","category":"Q"}\n');
      expect(await space.rows('products?sku=eq.L1&select=name,category')).toEqual([{ name: 'Köri', category: 3 }]);
    });

    test('an import finds the same bad rows as a request with errors=all', async () => {
      const env = environment();
      const space = await shop(env, [A, B]);
      const row = { sku: 'N', name: 'New', category: 1, price: 1, brand: null, model: null };
      const rows = [
        { ...row, sku: 'A' },
        { ...row, sku: 'N1', price: 'x' },
        { ...row, sku: 'N2', price: -1 },
        { ...row, sku: 'N3', name: null },
        { ...row, sku: 'N4', category: 77 },
        { ...row, sku: 'N5', brand: 'x', model: 'm' },
        { ...row, sku: 'N6' },
        { ...row, sku: 'N6' },
        { ...row, sku: 'N7', price: 'y', name: null },
      ];
      space.write('a.json', JSON.stringify(rows));
      const report = JSON.parse((await space.load('a.json', '--json')).stdout) as { problems: Problem[] };
      const service = await startService({ cwd: space.cwd, env });
      const headers = { prefer: 'errors=all' };
      const response = await service.fetch('/products', { method: 'POST', headers, body: JSON.stringify(rows) });
      const { errors } = (await response.json()) as { errors: { index: number; field: string; code: string }[] };
      // All rows are on line 1 of the file, so the codes stand for the rows. A repetition in a file has its own code.
      const found = report.problems.map(({ field, code }) => `${field} ${code === '21000' ? '23505' : code}`);
      expect(found.toSorted()).toEqual(errors.map(({ field, code }) => `${field.split(',')[0]} ${code}`).toSorted());
      expect(found).toHaveLength(9);
    });

    test('a reference to a row that does not exist makes a bad row; the others are stored', async () => {
      const space = await shop(environment(), [A, B]);
      space.write('a.csv', 'sku,name,category\nC,Jam,2\nD,Oil,77\nE,Salt,\nF,Rice,78\nG,Corn,77\n');
      const kept = await space.load('a.csv', '--keep-going');
      expect(kept.exitCode).toBe(2);
      expect(kept.stderr.split('\n')).toEqual([
        'lines 3, 6 (2 rows), category: Key (category)=(77) is not present in table "categories".',
        'line 5, category: Key (category)=(78) is not present in table "categories".',
        '',
      ]);
      expect(space.read('a.rejected.csv')).toBe('sku,name,category\nD,Oil,77\nF,Rice,78\nG,Corn,77\n');
      space.write('b.csv', 'sku,category\nA,2\nB,77\n');
      const updated = await space.load('b.csv', '--mode', 'update', '--match', 'sku', '--keep-going');
      expect(updated).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^line 3, category: .+\(77\).+\n$/) });
      expect(await space.rows('products?select=sku,category')).toEqual([
        { sku: 'A', category: 2 },
        { sku: 'B', category: 1 },
        { sku: 'C', category: 2 },
        { sku: 'E', category: null },
      ]);
    });
  });
}

test('an existing PostgreSQL table with collations of its own is updated by a unique field', async () => {
  const schema = newSchema();
  const sql = new SQL(testServer.url);
  await sql.unsafe(`create schema ${schema};
    create table ${schema}.kinds (code text collate "POSIX" primary key, label text collate "POSIX");
    create table ${schema}.things (
      id int generated always as identity primary key,
      sku text collate "POSIX" unique not null,
      kind text collate "POSIX" references ${schema}.kinds,
      place json);
    insert into ${schema}.kinds values ('a', 'First'), ('b', 'Second');
    insert into ${schema}.things (sku, kind, place) values ('x', 'a', '{"at":1}'), ('y', 'b', null)`);
  await sql.close();
  const space = workspace({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: schema });
  expect(await space.command('declare')).toMatchObject({ exitCode: 0 });
  const flags = ['--collection', 'things', '--match', 'sku', '--resolve', 'kind=label', '--keep-going'];
  space.write('a.csv', 'sku,kind,place\nx,Second,"{""at"":2}"\ny,Second,\nz,First,\nq,Third,\n');
  const updated = await space.command('import', 'a.csv', '--mode', 'update', ...flags);
  expect(updated.stderr.split('\n')).toEqual([
    'line 4, sku: sku z does not exist in things',
    'line 5, kind: label "Third" does not exist in kinds',
    '',
  ]);
  const upserted = await space.command('import', 'a.csv', '--mode', 'upsert', '--force', '--json', ...flags);
  expect(JSON.parse(upserted.stdout)).toMatchObject({ inserted: 1, updated: 0, ignored: 2, rejected: 1 });
  expect(await space.rows('things')).toEqual([
    { id: 1, sku: 'x', kind: 'b', place: { at: 2 } },
    { id: 2, sku: 'y', kind: 'b', place: null },
    { id: 3, sku: 'z', kind: 'a', place: null },
  ]);
});

test('a large file may name any number of referenced rows again', async () => {
  const space = workspace();
  space.write(
    'collections.yaml',
    'collections: { kinds: { fields: { id: int4, label: { type: text, indexed: true } } }, things: { fields: { id: int4, kind: { type: int4, references: kinds } } } }',
  );
  const rows = 105_000;
  space.write(
    'things.csv',
    `id,kind\n${Array.from({ length: rows }, (_, at) => `${at + 1},k${at % 50 === 0 ? 1 : at}`).join('\n')}\n`,
  );
  expect(await space.command('migrate', '--empty')).toMatchObject({ exitCode: 0 });
  const db = new Database(join(space.cwd, 'catalogue.db'));
  db.run(`insert into kinds (id, label) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
    select i, 'k' || i from n`);
  db.close();
  const flags = ['--collection', 'things', '--no-history', '--resolve', 'kind=label', '--dry-run'];
  expect(await space.command('import', 'things.csv', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('dates are read by column: others show whether the day or the month comes first', async () => {
  const space = workspace();
  space.write(
    'collections.yaml',
    'collections: { events: { fields: { id: int4, day: date, at: timestamp, other: { type: date } } } }',
  );
  space.write('a.csv', 'day,at,other\n3/4/2026,3.4.2026 08:30,03/04/2026\n31/12/2026,,12/31/2026\n');
  expect(await space.command('import', 'a.csv')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await space.rows('select=day,at,other')).toEqual([
    { day: '2026-04-03', at: '2026-04-03T08:30:00', other: '2026-03-04' },
    { day: '2026-12-31', at: null, other: '2026-12-31' },
  ]);
  space.write('b.csv', 'day\n3/4/2026\n');
  const unclear = await space.command('import', 'b.csv');
  expect(unclear).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('line 2, day: "3/4/2026" is ambiguous: write the year first, such as 2026-12-31'),
  });
  expect(await space.command('import', 'b.csv', '--date-format', 'd/M/yyyy')).toMatchObject({ exitCode: 0 });
});

test('a row that refers to a rejected row of the file is rejected as well', async () => {
  const space = workspace();
  space.write(
    'collections.yaml',
    'collections: { nodes: { fields: { id: int4, size: int2, parent: { type: int4, references: nodes } } } }',
  );
  space.write('a.csv', 'id,size,parent\n1,1,2\n2,2,3\n3,99999,\n4,1,4\n');
  const kept = await space.command('import', 'a.csv', '--keep-going');
  expect(kept.stderr.split('\n').map((line) => line.split(':')[0])).toEqual([
    ...['line 2, parent', 'line 3, parent', 'line 4, size', ''],
  ]);
  expect(await space.rows('select=id')).toEqual([{ id: 4 }]);
});

test.each([
  [['--match', 'sku'], '--match needs --mode upsert, update or ignore'],
  [['--match', 'name', '--mode', 'update'], '--match name: not a unique field. Unique here: id; sku; brand,model'],
  [['--mode', 'replace'], '--mode is one of insert, upsert, update, ignore, not replace'],
  [
    ['--mode', 'update', '--match', 'brand,model'],
    'line 1: the file has no column for brand, model, which --match or --mode update needs',
  ],
  [['--mode', 'update'], 'line 1: the file has no column for id, which --match or --mode update needs'],
  [['--only-columns', 'sku', '--ignore-columns', 'price'], '--only-columns and --ignore-columns exclude each other'],
  [['--ignore-columns', 'prise'], '--ignore-columns: the file has no column prise (perhaps you meant price)'],
  [['--only-columns', 'sku,,price'], "--only-columns: 'sku,,price' has an empty name"],
  [['--resolve', 'price=name'], '--resolve price=name: price is not a reference. The references are category'],
  [['--resolve', 'category=title'], "unknown field 'title' of categories. Its fields are id, name, code"],
  [['--date-format', 'MMM d'], '--date-format: "MMM d" has no y. Use y, M, d, H, m and s'],
  [['--date-format', 'yyyy-MM-dd hh'], `--date-format: 'hh' in "yyyy-MM-dd hh" is not known`],
])('%j is a mistake', async (flags, message) => {
  const space = workspace();
  space.write('collections.yaml', DECLARATION);
  space.write('a.csv', 'sku,price\nA,1\n');
  const { exitCode, stdout, stderr } = await space.command('import', 'a.csv', '--collection', 'products', ...flags);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringContaining(message) });
});

describe('a date format', () => {
  const read = (format: string, cell: string, type = 'timestamp') => readDateFormat(format, 'x')(cell, builtIn(type));

  test.each([
    ['MMM d yyyy', 'Jun 12 1998', '1998-06-12T00:00:00'],
    ['MMMM d, y', ' september 1,  2020 ', '2020-09-01T00:00:00'],
    ['d. MMM yy', '3. Sept. 68', '2068-09-03T00:00:00'],
    ['dd/MM/yy', '3/9/69', '1969-09-03T00:00:00'],
    ["yyyy-MM-dd'T'HH:mm:ss", '2024-02-29T23:59:58', '2024-02-29T23:59:58'],
    ['yyyyMMdd', '20240131', '2024-01-31T00:00:00'],
  ])('%s reads %j', (format, cell, expected) => {
    expect(read(format, cell)).toBe(expected);
    expect(read(format, cell, 'date')).toBe(expected.slice(0, 10));
  });

  test.each([
    ['MMM d yyyy', '2023-06-12'],
    ['MMM d yyyy', 'Juni 12 1998'],
    ['MMM d yyyy', 'Foo 12 1998'],
    ['dd.MM.yyyy', '31.04.2024'],
    ['dd.MM.yyyy', '29x02x2024'],
    ['dd.MM.yyyy HH:mm', '01.01.2024 24:00'],
    ['yyyy-MM-dd', '0000-01-01'],
  ])('%s rejects %j', (format, cell) => {
    expect(() => read(format, cell)).toThrow(`"${cell}" is not a timestamp in the format ${format}`);
  });
});
