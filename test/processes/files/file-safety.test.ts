/** No command overwrites a file without `--force`, and none ever overwrites the live database. */
import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { cleanUp, integrityOf, run, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

interface Space {
  readonly path: (name: string) => string;
  readonly command: (...args: string[]) => ReturnType<typeof run>;
  readonly names: () => string[];
}

function newSpace(): Space {
  const cwd = temporaryFolder();
  return {
    path: (name) => join(cwd, name),
    command: (...args) => run({ cwd, args }),
    names: () => readdirSync(cwd).sort(),
  };
}

/** Other paths to the live database and to its companion files. */
const OTHER_NAMES: readonly string[] = [
  'catalogue.db',
  './x/../catalogue.db',
  'symbolic-link',
  'hard-link',
  'folder-link/catalogue.db',
  'catalogue.db-wal',
  'hard-link-to-log',
  'catalogue.db-shm',
  'catalogue.db-journal',
];

function makeLinks({ path }: Space): void {
  mkdirSync(path('x'));
  symlinkSync('catalogue.db', path('symbolic-link'));
  symlinkSync('.', path('folder-link'));
  linkSync(path('catalogue.db'), path('hard-link'));
  linkSync(path('catalogue.db-wal'), path('hard-link-to-log'));
}

describe('a command that would overwrite the live database fails before it changes anything:', () => {
  const commands: readonly [string, (file: string) => string[]][] = [
    ['backup', (file) => ['backup', file, '--force']],
    ['export', (file) => ['export', '--output', file, '--format', 'csv', '--force']],
    ['import', (file) => ['import', 'bad.csv', '--keep-going', '--rejects', file, '--force']],
  ];
  test.each(commands)('%s', async (_, args) => {
    const space = newSpace();
    writeFileSync(space.path('bad.csv'), 'product_name,unit_price\nTea,cheap\n');
    const service = await startService({ cwd: space.path('.') });
    makeLinks(space);
    const before = space.names();
    for (const name of [...OTHER_NAMES, space.path('catalogue.db')]) {
      expect({ name, ...(await space.command(...args(name))) }).toEqual({
        name,
        exitCode: 1,
        stdout: '',
        stderr: `catalogue: ${name} belongs to the database itself; choose another name\n`,
      });
      expect(space.names()).toEqual(before);
    }
    const post = await service.fetch('/products', { method: 'POST', body: '{"product_name":"Still here"}' });
    expect(post.status).toBe(201);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(integrityOf(space.path('catalogue.db'))).toBe('ok');
    const counted = await space.command('query', 'select=count()', '--json');
    expect(JSON.parse(counted.stdout)).toEqual([{ count: 78 }]);
  });

  test('restore, from the database or its companion files', async () => {
    const space = newSpace();
    await space.command('migrate');
    linkSync(space.path('catalogue.db'), space.path('other.db'));
    for (const file of ['catalogue.db', 'other.db', 'catalogue.db-wal']) {
      writeFileSync(space.path('catalogue.db-wal'), '');
      const refused = await space.command('restore', file, '--force');
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the database itself') });
    }
    expect(await space.command('check')).toMatchObject({ exitCode: 0 });
  });
});

describe('an existing file is replaced only with --force; otherwise nothing is done:', () => {
  const commands: readonly [string, string[]][] = [
    ['backup', ['backup', 'mine.txt']],
    ['export', ['export', '--output', 'mine.txt', '--format', 'csv']],
    ['import --rejects', ['import', 'bad.csv', '--keep-going', '--rejects', 'mine.txt']],
  ];
  for (const [name, args] of commands) {
    test(name, async () => {
      const space = newSpace();
      await space.command('migrate');
      writeFileSync(space.path('bad.csv'), 'product_name,unit_price\nTea,cheap\nJam,1\n');
      writeFileSync(space.path('mine.txt'), 'precious');
      const refused = await space.command(...args);
      expect(refused).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/mine\.txt already exists.+--force/),
      });
      expect(readFileSync(space.path('mine.txt'), 'utf8')).toBe('precious');
      const counted = await space.command('query', 'select=count()', '--json');
      expect(JSON.parse(counted.stdout)).toEqual([{ count: 77 }]);
      expect((await space.command(...args, '--force')).stderr).not.toContain('already');
      expect(readFileSync(space.path('mine.txt'), 'latin1')).not.toBe('precious');
      expect(space.names().filter((each) => each.includes('partial'))).toEqual([]);
    });
  }

  test('the default file for bad rows of an import', async () => {
    const space = newSpace();
    await space.command('migrate');
    writeFileSync(space.path('a.csv'), 'product_name,unit_price\nTea,cheap\n');
    writeFileSync(space.path('a.rejected.csv'), 'half repaired');
    const refused = await space.command('import', 'a.csv', '--keep-going');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('a.rejected.csv already exists') });
    expect(readFileSync(space.path('a.rejected.csv'), 'utf8')).toBe('half repaired');
  });

  test('the imported file is never replaced by its own bad rows', async () => {
    const space = newSpace();
    const csv = 'product_name,unit_price\nTea,cheap\n';
    writeFileSync(space.path('a.csv'), csv);
    const refused = await space.command('import', 'a.csv', '--keep-going', '--rejects', './a.csv', '--force');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('a.csv') });
    expect(readFileSync(space.path('a.csv'), 'utf8')).toBe(csv);
  });
});

test('no command overwrites an existing file whose name ends in .partial', async () => {
  const space = newSpace();
  await space.command('migrate', '--database', 'copy.db.partial');
  await space.command('migrate');
  for (const name of ['out.csv.partial', 'restored.db.partial']) writeFileSync(space.path(name), 'precious');
  expect(await space.command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
  expect(await space.command('export', '--output', 'out.csv')).toMatchObject({ exitCode: 0 });
  expect(await space.command('restore', 'copy.db', '--database', 'restored.db')).toMatchObject({ exitCode: 0 });
  expect(await space.command('check', '--database', 'copy.db.partial')).toMatchObject({ exitCode: 0 });
  for (const name of ['out.csv.partial', 'restored.db.partial']) {
    expect(readFileSync(space.path(name), 'utf8')).toBe('precious');
  }
});

test('output to a pipe or device is written in place, and a link stays a link', async () => {
  const space = newSpace();
  await space.command('migrate');
  Bun.spawnSync(['mkfifo', space.path('pipe')]);
  const reader = Bun.spawn(['cat', space.path('pipe')], { stdout: 'pipe' });
  expect(await space.command('export', 'id=eq.1&select=id', '--output', 'pipe', '--format', 'csv')).toMatchObject({
    exitCode: 0,
  });
  expect(await new Response(reader.stdout).text()).toBe('id\n1\n');
  expect(lstatSync(space.path('pipe')).isFIFO()).toBe(true);
  writeFileSync(space.path('real.csv'), 'old');
  symlinkSync('real.csv', space.path('link.csv'));
  expect(await space.command('export', 'id=eq.1&select=id', '--output', 'link.csv')).toMatchObject({ exitCode: 1 });
  await space.command('export', 'id=eq.1&select=id', '--output', 'link.csv', '--force');
  expect(lstatSync(space.path('link.csv')).isSymbolicLink()).toBe(true);
  expect(readFileSync(space.path('real.csv'), 'utf8')).toBe('id\n1\n');
  mkdirSync(space.path('folder.csv'));
  const folder = await space.command('export', '--output', 'folder.csv', '--force');
  expect(folder).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^catalogue: folder\.csv is a folder\n$/),
  });
});

test('a service that serves one of its own backups does not delete it as expired', async () => {
  const space = newSpace();
  mkdirSync(space.path('kept'));
  const old = 'kept/catalogue-20200101T000000Z.db';
  await space.command('migrate', '--database', old);
  const backups = ['--backup-every', '1s', '--backup-keep', '1', '--backup-folder', 'kept'];
  const service = await startService({ cwd: space.path('.'), args: ['--database', old, ...backups] });
  const told = () => service.stderr().split('"message":"backup"').length - 1;
  await until('two backups', () => told() >= 2);
  expect(existsSync(space.path(old))).toBe(true);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});
