/**
 * Imports and copies of rows that reference each other: in any order, in cycles, across collections, and all rows or
 * none.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

/**
 * A declaration with a cycle: a department has a head, who works in a department. Neither collection can be stored
 * first.
 */
const DECLARATION = `collections:
  departments:
    key: id
    fields:
      id: int4
      name: text
      head: { type: int4, references: people }
  people:
    key: id
    fields:
      id: int4
      name: text
      boss: { type: int4, references: people }
      department: { type: int4, references: departments }
`;

function workspace(env: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write('collections.yaml', DECLARATION);
  const command = (...args: string[]) => run({ cwd, env, args });
  const rows = async (query: string, ...args: string[]) => {
    return JSON.parse((await command('query', query, '--json', ...args)).stdout);
  };
  return { write, command, rows, cwd };
}

for (const [name, environment] of DATABASES) {
  describe(name, () => {
    test('a broken reference is reported for a row whose key exceeds the precision of a double', async () => {
      const space = workspace(environment());
      space.write(
        'collections.yaml',
        'collections:\n  nodes:\n    key: id\n    fields:\n      id: int8\n      parent: { type: int8, references: nodes }\n',
      );
      space.write('nodes.csv', 'id,parent\n9007199254740995,9007199254740997\n');
      const refused = await space.command('import', 'nodes.csv', '--collection', 'nodes');
      expect(refused.exitCode).not.toBe(0);
      expect(refused.stderr + refused.stdout).toContain('(parent)=(9007199254740997)');
    });

    test('a file larger than one batch may reference later rows and itself', async () => {
      const space = workspace(environment());
      const many = 20_500;
      const lines = Array.from({ length: many }, (_, index) => `${index + 1},N${index + 1},${many}`);
      space.write('people.csv', `id,name,boss\n${lines.join('\n')}\n`);
      const stored = await space.command('import', 'people.csv', '--collection', 'people');
      expect(stored).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: expect.stringContaining(`Imported ${many} rows`),
      });
      expect(await space.rows('people?id=in.(1,20500)&select=id,boss')).toEqual([
        { id: 1, boss: 20_500 },
        { id: 20_500, boss: 20_500 },
      ]);
    });

    for (const dryRun of [[], ['--dry-run']]) {
      test(`a row with a broken reference is reported, and nothing is stored ${dryRun}`, async () => {
        const space = workspace(environment());
        space.write('people.csv', 'id,name,boss\n1,Ann,2\n2,Bob,7\n');
        const refused = await space.command('import', 'people.csv', '--collection', 'people', ...dryRun);
        expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
        expect(refused.stderr).toStartWith('line 3, boss: Key (boss)=(7) is not present in table "people".\n');
        expect(refused.stderr).toContain('1 of 2 rows is bad');
        const { exitCode, stderr } = await space.command('query', 'people');
        expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('does not exist') });
      });
    }
  });
}

test('a copy transfers collections with circular references, to PostgreSQL and back', async () => {
  const space = workspace();
  const schema = newSchema();
  expect(await space.command('migrate', '--database', 'from.db')).toMatchObject({ exitCode: 0 });
  space.write('people.json', '[{"id":1,"name":"Ann","boss":2},{"id":2,"name":"Bob"}]');
  space.write('departments.json', '[{"id":1,"name":"Tea","head":2}]');
  space.write('moved.json', '[{"id":1,"department":1},{"id":2,"department":1}]');
  const into = ['--database', 'from.db'];
  await space.command('import', 'people.json', '--collection', 'people', ...into);
  await space.command('import', 'departments.json', '--collection', 'departments', ...into);
  await space.command('import', 'moved.json', '--collection', 'people', '--on-conflict', 'merge', ...into);
  const there = await space.command('copy', '--from', 'from.db', '--to', testServer.url, '--to-schema', schema);
  expect(there).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Copied 3 rows') });
  const back = await space.command('copy', '--from', testServer.url, '--schema', schema, '--to', 'back.db');
  expect(back).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await space.rows('people?select=id,boss,department', '--database', 'back.db')).toEqual([
    { id: 1, boss: 2, department: 1 },
    { id: 2, boss: null, department: 1 },
  ]);
  expect(await space.rows('departments?select=head', '--database', 'back.db')).toEqual([{ head: 2 }]);
});

test('a copy of several collections that fails midway stores none of them', async () => {
  const space = workspace();
  const schema = newSchema();
  space.write('departments.json', '[{"id":1,"name":"Tea"}]');
  space.write('people.json', '[{"id":1,"name":"Ann"}]');
  for (const each of ['departments', 'people']) {
    await space.command('import', `${each}.json`, '--collection', each, '--database', 'from.db');
  }
  const made = await space.command('migrate', '--database', testServer.url, '--schema', schema);
  expect(made.exitCode).toBe(0);
  const db = testServer.admin;
  await db.unsafe(`alter table "${schema}".people add constraint short check (char_length(name) <= 2)`);
  const refused = await space.command('copy', '--from', 'from.db', '--to', testServer.url, '--to-schema', schema);
  expect(refused.exitCode).toBe(1);
  const [found] = await db.unsafe(`select (select count(*) from "${schema}".departments)::int4 as departments`);
  expect(found).toEqual({ departments: 0 });
});

test('a restore fails if a table that the backup lacks would reference deleted rows', async () => {
  const space = workspace();
  const only = (text: string) => text.slice(0, text.indexOf('  people:')).replace(/ {6}head.*\n/, '');
  space.write('collections.yaml', only(DECLARATION));
  space.write('departments.json', '[{"id":1,"name":"Tea"}]');
  await space.command('import', 'departments.json');
  expect(await space.command('backup', 'old.backup')).toMatchObject({ exitCode: 0 });
  space.write('collections.yaml', DECLARATION.replace(/ {6}head.*\n/, ''));
  space.write('more.json', '[{"id":2,"name":"Jam"}]');
  space.write('people.json', '[{"id":1,"name":"Ann","department":2}]');
  await space.command('import', 'more.json', '--collection', 'departments');
  expect(await space.command('import', 'people.json', '--collection', 'people')).toMatchObject({ exitCode: 0 });
  const refused = await space.command('restore', 'old.backup', '--force');
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('rows of people') });
  expect(await space.rows('departments?select=id')).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a negative number of any length is not treated as a formula in a spreadsheet export', async () => {
  const space = workspace();
  space.write(
    'collections.yaml',
    'collections:\n  stock:\n    key: id\n    fields:\n      id: int4\n      n: int8\n      d: decimal(18,3)\n      t: text\n',
  );
  space.write('stock.json', '[{"id":1,"n":"-9007199254740993","d":"-123456789012345.5","t":"-1+1"}]');
  expect(await space.command('import', 'stock.json')).toMatchObject({ exitCode: 0 });
  const { stdout } = await space.command('export', '--spreadsheet', '--output', '-');
  expect(stdout.split('\n')[1]?.trim()).toBe("1,-9007199254740993,-123456789012345.5,'-1+1");
});
