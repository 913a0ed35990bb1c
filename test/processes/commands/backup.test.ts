/** Backups of a database in use, and restores from them. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import {
  cleanUp,
  integrityOf,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

const COUNT = '/products?select=count()';

async function countOf(service: Service): Promise<number> {
  const [row] = (await (await service.fetch(COUNT)).json()) as { count: number }[];
  return row!.count;
}

function inFolder(cwd: string) {
  return (...args: string[]) => run({ cwd, args });
}

test('only the user who runs the service may read its database and backups', async () => {
  const cwd = temporaryFolder();
  const command = inFolder(cwd);
  symlinkSync('elsewhere.db', join(cwd, 'link.db'));
  const before = process.umask(0o022);
  try {
    const services = [await startService({ cwd }), await startService({ cwd, args: ['--database', 'link.db'] })];
    for (const service of services) {
      const body = JSON.stringify({ product_name: 'Tea' });
      expect((await service.fetch('/products', { method: 'POST', body })).status).toBe(201);
    }
    expect(await command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
    expect(await command('restore', 'copy.db', '--database', 'new.db')).toMatchObject({ exitCode: 0 });
    expect(await command('copy', '--from', 'sqlite:copy.db', '--to', 'sqlite:other.db')).toMatchObject({ exitCode: 0 });
  } finally {
    process.umask(before);
  }
  const modes = readdirSync(cwd).map((name) => [name, (statSync(join(cwd, name)).mode & 0o777).toString(8)]);
  expect(modes.length).toBeGreaterThanOrEqual(10);
  expect(modes).toEqual(modes.map(([name]) => [name!, '600']));
});

test('exports and rejected rows have the permissions of the umask, and a replaced file keeps its own', async () => {
  const cwd = temporaryFolder();
  const command = inFolder(cwd);
  const modeOf = (name: string) => (statSync(join(cwd, name)).mode & 0o777).toString(8);
  writeFileSync(join(cwd, 'rows.csv'), 'id,product_name\nx,Tea\n');
  const before = process.umask(0o027);
  try {
    expect(await command('migrate')).toMatchObject({ exitCode: 0 });
    expect(await command('export', '--output', 'export.csv')).toMatchObject({ exitCode: 0 });
    expect(modeOf('export.csv')).toBe('640');
    await command('import', 'rows.csv', '--keep-going', '--rejects', 'rejects.csv');
    expect(modeOf('rejects.csv')).toBe('640');
    for (const mode of ['600', '664']) {
      chmodSync(join(cwd, 'export.csv'), Number.parseInt(mode, 8));
      expect(await command('export', '--output', 'export.csv', '--force')).toMatchObject({ exitCode: 0 });
      expect(modeOf('export.csv')).toBe(mode);
    }
  } finally {
    process.umask(before);
  }
});

test('serve and check warn of a readable database file that holds keys', async () => {
  const cwd = await folderWithRoles();
  const command = inFolder(cwd);
  expect(await command('migrate')).toMatchObject({ exitCode: 0 });
  chmodSync(join(cwd, 'catalogue.db'), 0o644);
  expect((await command('check')).stdout).not.toContain('warn');
  expect(await command('key', 'add', '--name', 'erp', '--role', 'editor')).toMatchObject({ exitCode: 0 });
  const warning = 'catalogue.db holds keys or users, and other users of this machine may read it (mode 644)';
  const checked = await command('check');
  expect(checked).toMatchObject({ exitCode: 0 });
  expect(checked.stdout).toContain(warning);
  const service = await startService({ cwd });
  await until('the warning', () => service.stderr().includes(warning));
  chmodSync(join(cwd, 'catalogue.db'), 0o600);
  expect((await command('check')).stdout).not.toContain('warn');
});

describe('backup', () => {
  test('of a database under writes is a snapshot of one moment', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd });
    let isDone = false;
    const backup = run({ cwd, args: ['backup', 'copy.db', '--json'] }).then((result) => {
      isDone = true;
      return result;
    });
    // Each request writes two rows, so the copy must hold both or neither.
    for (let turn = 0; !isDone; turn++) {
      const rows = [1, 2].map(() => ({ product_name: `Pair ${turn}` }));
      expect((await service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) })).status).toBe(201);
    }
    const { exitCode, stdout } = await backup;
    const report = JSON.parse(stdout) as { rows: number };
    expect({ exitCode, even: (report.rows - 77) % 2 }).toEqual({ exitCode: 0, even: 0 });
    expect(integrityOf(join(cwd, 'copy.db'))).toBe('ok');
    const copy = await startService({ cwd, args: ['--database', 'copy.db'] });
    expect(await countOf(copy)).toBe(report.rows);
  });

  test('refuses to replace a file without --force, and leaves no partial file', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    await command('migrate');
    writeFileSync(join(cwd, 'mine.txt'), 'precious');
    const refused = await command('backup', 'mine.txt');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('mine.txt already exists') });
    expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('precious');
    expect(await command('backup', 'mine.txt', '--force')).toMatchObject({ exitCode: 0 });
    const nowhere = await command('backup', 'no/such/folder/copy.db');
    const stderr = 'catalogue: no/such/folder/copy.db cannot be written: folder no/such/folder does not exist\n';
    expect(nowhere).toEqual({ exitCode: 1, stdout: '', stderr });
    const others = [
      ['init', 'no/c.yaml'],
      ['declare', '--output', 'no/c.yaml'],
      ['restore', 'mine.txt', '--database', 'no/c.yaml'],
    ];
    for (const args of others) {
      const stderr = 'catalogue: no/c.yaml cannot be written: folder no does not exist\n';
      expect(await command(...args)).toEqual({ exitCode: 1, stdout: '', stderr });
    }
    expect(readdirSync(cwd).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('of PostgreSQL names the tool to use, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://me:hidden@127.0.0.1/catalogue' };
    const { exitCode, stderr } = await run({ cwd: temporaryFolder(), env, args: ['backup', 'copy.dump'] });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('pg_dump');
    expect(stderr).not.toContain('hidden');
  });

  test('runs with --every and --keep while the service runs', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd, args: ['--every', '1s', '--keep', '2', '--backup-folder', 'kept'] });
    const told = () => service.stderr().split('"message":"backup"').length - 1;
    await until('three backups', () => told() >= 3);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const kept = readdirSync(join(cwd, 'kept'));
    expect(kept).toHaveLength(2);
    for (const name of kept) expect(integrityOf(join(cwd, 'kept', name))).toBe('ok');
  });
});

describe('restore', () => {
  test('over an existing database needs --force; a running service then shows the backup at once', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    const service = await startService({ cwd });
    await command('backup', 'copy.db');
    expect((await service.fetch('/products?id=lt.70', { method: 'DELETE' })).status).toBe(204);
    expect((await service.fetch('/products', { method: 'POST', body: '{"product_name":"Later"}' })).status).toBe(201);
    expect(await countOf(service)).toBe(9);
    expect(await command('restore', 'copy.db')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--force'),
    });
    expect(await countOf(service)).toBe(9);
    expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0 });
    expect(await countOf(service)).toBe(77);
    const added = await service.fetch('/products', {
      method: 'POST',
      body: '{"product_name":"After"}',
      headers: { prefer: 'return=representation' },
    });
    // Id 78 was assigned to a product that is not in the backup.
    expect(await added.json()).toMatchObject([{ id: 79 }]);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
  });

  test('to a missing file creates it', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    await command('migrate', '--database', 'old.db');
    await command('backup', 'copy.db', '--database', 'old.db');
    expect(await command('restore', 'copy.db')).toMatchObject({ exitCode: 0 });
    expect(await command('check')).toMatchObject({ exitCode: 0 });
  });

  test('rejects a file that is not a backup, and changes nothing', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    await command('migrate');
    writeFileSync(join(cwd, 'junk.db'), 'not a database at all');
    const other = new Database(join(cwd, 'other.db'));
    other.run('create table other (a)');
    other.close();
    await command('backup', 'damaged.db');
    damage(join(cwd, 'damaged.db'));
    for (const file of ['junk.db', 'other.db', 'damaged.db', 'missing.db']) {
      const { exitCode, stderr } = await command('restore', file, '--force');
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(new RegExp(`^catalogue: .*${file}`)),
      });
    }
    expect(JSON.parse((await command('query', 'select=count()', '--json')).stdout)).toEqual([{ count: 77 }]);
  });

  test('over a damaged database sets the damaged file aside', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    await command('migrate');
    await command('backup', 'copy.db');
    damage(join(cwd, 'catalogue.db'));
    expect(await command('check')).toMatchObject({ exitCode: 1 });
    expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0 });
    expect(await command('check')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(cwd).some((name) => name.startsWith('catalogue.db.damaged-'))).toBe(true);
  });
});

describe('check', () => {
  test('reports what it checked, and changes nothing', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    await command('migrate');
    const { exitCode, stdout } = await command('check', '--json');
    const report = JSON.parse(stdout) as { ok: boolean; findings: { check: string; detail: string }[] };
    expect({ exitCode, ok: report.ok }).toEqual({ exitCode: 0, ok: true });
    const checks = report.findings.map(({ check }) => check);
    expect(checks).toEqual([
      'integrity',
      'schema version',
      'declaration',
      'constraints',
      'indexes',
      'index of texts',
      'products',
      'references',
      'size',
    ]);
    expect(report.findings.find(({ check }) => check === 'products')?.detail).toBe('77');
    expect(await command('check', '--database', 'missing.db')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(existsSync(join(cwd, 'missing.db'))).toBe(false);
  });

  test('of several collections names the collection on each line', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    const fields = { id: 'int4', name: 'text' };
    writeFileSync(
      join(cwd, 'collections.json'),
      JSON.stringify({ collections: { cups: { fields }, pots: { fields } } }),
    );
    await command('migrate');
    const { stdout } = await command('check');
    expect(stdout).toContain('ok    cups: constraints ');
    expect(stdout).toContain('ok    pots: index of texts ');
    // Renamed and new collections do not exist yet.
    writeFileSync(
      join(cwd, 'collections.json'),
      JSON.stringify({
        collections: { mugs: { was: 'cups', fields }, pots: { fields: { ...fields, size: 'decimal(4,1)' } } },
      }),
    );
    const before = await command('check');
    expect(before.exitCode).toBe(1);
    expect(before.stdout).toContain('BAD   declaration');
    expect(before.stdout).toContain('catalogue migrate would rename table cups to mugs, add field pots.size');
  });

  test('of a file that does not match the declaration lists the conflicts', async () => {
    const cwd = temporaryFolder();
    const command = inFolder(cwd);
    const declare = (name: object) =>
      writeFileSync(
        join(cwd, 'collections.json'),
        JSON.stringify({ collections: { things: { fields: { id: 'int4', name } } } }),
      );
    declare({ type: 'text' });
    writeFileSync(join(cwd, 'things.csv'), 'name\nTea\n7\n');
    expect(await command('import', 'things.csv')).toMatchObject({ exitCode: 0 });
    expect(await command('check')).toMatchObject({ exitCode: 0 });
    for (const [name, problem] of [
      [{ type: 'int4' }, /things\.name becomes int4/],
      [{ type: 'text', maxLength: 2 }, /1 row breaks the rules of things\.name/],
    ] as const) {
      declare(name);
      const { exitCode, stdout } = await command('check');
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(/BAD +declaration/) });
      expect(stdout).toMatch(problem);
    }
  });

  test('of PostgreSQL works before and after its tables are created', async () => {
    const cwd = temporaryFolder();
    const env = { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() };
    expect(await run({ cwd, env, args: ['check'] })).toMatchObject({ exitCode: 1 });
    await run({ cwd, env, args: ['migrate'] });
    const { exitCode, stdout } = await run({ cwd, env, args: ['check'] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/ok +products +77/) });
  });
});

/** Overwrites a page in the middle of the file, like a failing disk. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xab, 4096, 4096 * 3);
  writeFileSync(file, bytes);
}
