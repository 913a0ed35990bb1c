/** Commands that read leave the tables as they are, also if the declaration has changed. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';

afterEach(cleanUp);

const declared = (fields: string, more = '') => `collections:\n  items: { fields: { id: int4, ${fields} }${more} }\n`;

describe.each(DATABASES)('on %s', (_, environment) => {
  async function shop() {
    const space = workspace(environment());
    space.write('collections.yaml', declared('name: text'));
    space.write('rows.json', '[{"id":1,"name":"a"}]');
    expect(await space.command('migrate')).toMatchObject({ exitCode: 0 });
    expect(await space.command('import', 'rows.json')).toMatchObject({ exitCode: 0 });
    const plan = async () => {
      const { exitCode, stdout } = await space.command('migrate', '--plan', '--json');
      return { exitCode, steps: (JSON.parse(stdout) as { steps: string[] }).steps };
    };
    return { ...space, plan };
  }

  test('a command that reads says how to migrate, and changes nothing', async () => {
    const { command, write, plan } = await shop();
    write('collections.yaml', declared('title: { type: text, was: name }, price: int4'));
    const steps = ['rename field items.name to title', 'add field items.price'];
    for (const args of [
      ['query', 'items'],
      ['export', 'items'],
      ['import', 'rows.json', '--dry-run', '--mode', 'upsert', '--ignore-columns', 'name'],
      ['webhooks', 'list'],
      ['key', 'list'],
      ['user', 'list'],
      ['copy', '--from', environment().DATABASE_URL!, '--to', 'sqlite:target.db'],
    ]) {
      const { exitCode, stderr } = await command(...args);
      expect({ args, exitCode, stderr }).toEqual({
        args,
        exitCode: 1,
        stderr: expect.stringContaining(`Run catalogue migrate, which would: ${steps.join(', ')}.`) as never,
      });
    }
    expect(await plan()).toEqual({ exitCode: 2, steps });
    await command('check');
    expect(await plan()).toEqual({ exitCode: 2, steps });
    expect(await command('migrate')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('applied: rename') });
    expect(await command('query', 'items', '--json')).toMatchObject({
      exitCode: 0,
      stdout: '[{"id":1,"title":"a","price":null}]\n',
    });
  });

  test('a rule, a default or an index that is missing does not matter to a reader, and stays missing', async () => {
    const { command, write, plan } = await shop();
    write('collections.yaml', declared("name: { type: text, indexed: true, default: 'x', maxLength: 5 }"));
    const { steps } = await plan();
    expect(steps).toHaveLength(3);
    expect(await command('query', 'items?name=ilike.A', '--json')).toMatchObject({
      exitCode: 0,
      stdout: '[{"id":1,"name":"a"}]\n',
    });
    expect(await command('export', 'items')).toMatchObject({ exitCode: 0, stdout: 'id,name\n1,a\n' });
    expect(await command('webhooks', 'list')).toMatchObject({ exitCode: 0 });
    expect(await plan()).toEqual({ exitCode: 2, steps });
  });
});

test('a backup is read without a change of its file, also by a text filter', async () => {
  const { command, write, cwd } = workspace({ DATABASE_URL: 'sqlite:catalogue.db' });
  write('collections.yaml', declared('name: text', ', key: name'));
  write('rows.json', JSON.stringify(Array.from({ length: 3_000 }, (_, at) => ({ id: at, name: `name ${at} end` }))));
  await command('migrate');
  expect(await command('import', 'rows.json')).toMatchObject({ exitCode: 0 });
  expect(await command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
  const schema = () => {
    using db = new Database(join(cwd, 'copy.db'));
    return db.query('select name, rootpage, sql from sqlite_schema').values();
  };
  const before = schema();
  const found = await command('query', 'items?name=like.*2999%20end', '--json', '--database', 'copy.db');
  expect(found).toMatchObject({ exitCode: 0, stdout: '[{"id":2999,"name":"name 2999 end"}]\n' });
  expect(schema()).toEqual(before);
});

test('a backup of a database with another declaration does not migrate it', async () => {
  const { command, write } = workspace({ DATABASE_URL: 'sqlite:catalogue.db' });
  write('collections.yaml', declared('name: text'));
  await command('migrate');
  write('collections.yaml', declared('name: text, picture: image'));
  const { exitCode, stdout, stderr } = await command('backup', 'copy.db');
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('verified') });
  expect(stderr).toContain('Could not find out where uploaded files are: ');
  expect(await command('migrate', '--plan')).toMatchObject({ exitCode: 2 });
});
