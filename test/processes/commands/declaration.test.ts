/**
 * Declarations on the command line, without a database: create one, validate it, and print its JSON Schema for editors.
 */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});
afterEach(cleanUp);
const catalogue = (...args: string[]) => run({ cwd, args });
const write = (file: string, text: string) => writeFileSync(join(cwd, file), text);

test('init writes a declaration that check accepts, and creates no database', async () => {
  expect(await catalogue('init')).toEqual({
    exitCode: 0,
    stdout: 'Wrote collections.yaml: change it, then validate it with catalogue check collections.yaml\n',
    stderr: '',
  });
  const counts = { collections: 1, fields: 10, rows: 0 };
  expect(await catalogue('check', 'collections.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'ok    collections.yaml  1 collection, 10 fields, 0 rows\n',
  });
  const told = await catalogue('check', '--collections', 'collections.yaml', '--json');
  expect(JSON.parse(told.stdout)).toEqual({ ok: true, file: 'collections.yaml', ...counts });
  expect(readdirSync(cwd)).toEqual(['collections.yaml']);
});

test('init does not change an existing file', async () => {
  write('mine.yaml', 'mine');
  const again = await catalogue('init', 'mine.yaml');
  expect(again).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'catalogue: mine.yaml exists already. Choose another name\n',
  });
  expect(readFileSync(join(cwd, 'mine.yaml'), 'utf8')).toBe('mine');
  write('collections.json', '{}');
  expect((await catalogue('init')).stderr).toBe(
    'catalogue: collections.json exists already. To write another file: catalogue init FILE\n',
  );
  write('collections.yml', '{}');
  expect((await catalogue('init')).stderr).toBe(
    'catalogue: collections.yml and collections.json exist; keep one of them, or choose one with --collections FILE\n',
  );
  expect((await catalogue('init', 'no/such/folder.yaml')).stderr).toContain('cannot be written');
  expect((await catalogue('init', 'a.json')).stderr).toContain('a.json does not end in .yaml');
  expect(existsSync(join(cwd, 'collections.yaml'))).toBe(false);
});

test('check reports every mistake with file, line and column, as text and as JSON', async () => {
  write('shop.yaml', 'collections:\n  a:\n    fields:\n      id: integer\n      b: { type: text, requird: true }\n');
  expect(await catalogue('check', 'shop.yaml')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `catalogue: shop.yaml has 2 mistakes
shop.yaml:4:11: a.id: unknown type integer (perhaps you meant int4)
shop.yaml:5:24: a.b: unknown key requird (perhaps you meant required)
`,
  });
  const told = await catalogue('check', 'shop.yaml', '--json');
  expect(told.exitCode).toBe(1);
  expect(JSON.parse(told.stdout)).toEqual({
    ok: false,
    file: 'shop.yaml',
    mistakes: [
      { line: 4, column: 11, message: 'a.id: unknown type integer (perhaps you meant int4)' },
      { line: 5, column: 24, message: 'a.b: unknown key requird (perhaps you meant required)' },
    ],
  });
});

test('check also validates the rows', async () => {
  write('shop.yaml', 'collections:\n  a:\n    rows: a.csv\n    fields: { id: int4, name: text }\n');
  write('a.csv', 'id,name\n1,x\n2,y\n');
  expect((await catalogue('check', 'shop.yaml')).stdout).toContain('1 collection, 2 fields, 2 rows');
  write('a.csv', 'id,nmae\n1,x\n');
  expect(await catalogue('check', 'shop.yaml')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('a.csv:2: unknown field nmae (perhaps you meant name)'),
  });
});

test('check and start report rows that repeat a key or a unique value, and leave no database', async () => {
  write(
    'shop.yaml',
    `collections:
  a:
    rows: a.csv
    unique: [[kind, size]]
    fields: { id: int4, name: { type: text, unique: true }, kind: text, size: "decimal(6,2)", on: { type: date, required: true } }
`,
  );
  write(
    'a.csv',
    `id,name,kind,size,on
1,x,k,1.50,2024-01-01
2,,k,,2024-01-01
1,y,k,,2024-01-01
3,x,k,2,2024-01-01
4,,k,1.5,2024-01-01
,z,l,1.5,2024-01-01
5,w,l,,soon
`,
  );
  for (const args of [
    ['check', 'shop.yaml'],
    ['migrate', '--collections', 'shop.yaml'],
  ]) {
    const { exitCode, stderr } = await catalogue(...args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a.csv has 4 bad rows; nothing was stored');
    expect(stderr).toContain('a.csv:4: id 1 was given before, in line 2');
    expect(stderr).toContain('a.csv:5: name x was given before, in line 2');
    expect(stderr).toContain('a.csv:6: kind k, size 1.5 was given before, in line 2');
    expect(stderr).toContain('a.csv:8: on: invalid input syntax for type date: "soon"');
    expect(existsSync(join(cwd, 'catalogue.db'))).toBe(false);
  }
});

test('a row with a broken reference is reported in one sentence', async () => {
  write(
    'shop.yaml',
    'collections:\n  b: { fields: { id: int4 } }\n  a: { rows: a.csv, fields: { id: int4, of: { type: int4, references: b } } }\n',
  );
  write('a.csv', 'id,of\n1,7\n');
  expect((await catalogue('migrate', '--collections', 'shop.yaml')).stderr).toContain(
    '1 row of a refers to a row of b that does not exist; nothing was changed',
  );
});

test('a missing file is named', async () => {
  const { exitCode, stderr } = await catalogue('check', 'none.yaml');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the declaration none.yaml cannot be read');
});

test('with --database, check examines the database', async () => {
  write('shop.yaml', 'collections:\n  a: { fields: { id: int4 } }\n');
  const { exitCode, stdout, stderr } = await catalogue('check', '--collections', 'shop.yaml', '--database', 'none.db');
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain('none.db');
});

test('declare --json-schema prints the JSON Schema; declare alone looks for tables', async () => {
  const { exitCode, stdout } = await catalogue('declare', '--json-schema');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object', required: ['collections'] });
  expect((await catalogue('declare')).stderr).toBe('catalogue: database catalogue.db does not exist\n');
});

test('the declaration file is a setting like any other', async () => {
  const { stdout } = await run({ cwd, args: ['config'], env: { CATALOGUE_COLLECTIONS: 'mine.yaml' } });
  expect(stdout).toMatch(/^collections +mine.yaml +CATALOGUE_COLLECTIONS$/m);
});

test('row files apply only to new tables: a file that no longer matches does not block a migration', async () => {
  write('collections.yaml', 'collections:\n  a:\n    rows: a.csv\n    fields: { id: int4, name: text }\n');
  write('a.csv', 'id,name\n1,one\n');
  expect(await catalogue('migrate')).toMatchObject({ exitCode: 0 });
  write(
    'collections.yaml',
    'collections:\n  a:\n    rows: a.csv\n    fields: { id: int4, title: { type: text, was: name } }\n',
  );
  expect(await catalogue('migrate', '--plan')).toMatchObject({ exitCode: 2, stderr: '' });
  expect(await catalogue('migrate')).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await catalogue('query', '--json')).stdout)).toEqual([{ id: 1, title: 'one' }]);
  const fresh = await catalogue('migrate', '--database', 'new.db');
  expect(fresh).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('a.csv') });
});

test('declare keeps an existing default of a boolean column', async () => {
  const db = new Database(join(cwd, 'other.db'));
  db.run(
    "create table t (id integer primary key, a boolean default 1, b boolean not null default '0', c boolean default true)",
  );
  db.close();
  const { stdout } = await catalogue('declare', 'other.db', '--output', '-');
  for (const line of [
    'a: { type: boolean, default: true }',
    'b: { type: boolean, required: true, default: false }',
    'c: { type: boolean, default: true }',
  ]) {
    expect(stdout).toContain(line);
  }
});
