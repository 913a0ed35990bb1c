/** A command that fails prints one sentence. It never prints a stack context, continues, or leaves partial results. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  cleanUp,
  type Finished,
  mountTmpfs,
  PROGRAM,
  run,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

/** Every command that opens a database, applied to the defective bad.db. The database good.db is healthy. */
const COMMANDS: readonly (readonly string[])[] = [
  ['serve', '--port', '0', '--database', 'bad.db'],
  ['query', '--database', 'bad.db'],
  ['export', '--database', 'bad.db'],
  ['import', 'rows.csv', '--database', 'bad.db'],
  ['import', 'rows.csv', '--database', 'bad.db', '--dry-run'],
  ['backup', 'copy.db', '--database', 'bad.db'],
  ['check', '--database', 'bad.db'],
  ['migrate', '--database', 'bad.db'],
  ['copy', '--from', 'bad.db', '--to', 'target.db'],
  ['copy', '--from', 'good.db', '--to', 'bad.db'],
  ['restore', 'bad.db', '--database', 'target.db'],
];

async function folderWith(make: (path: (name: string) => string) => void | Promise<void>): Promise<string> {
  const cwd = temporaryFolder();
  const path = (name: string) => join(cwd, name);
  await run({ cwd, args: ['migrate', '--database', 'good.db'] });
  writeFileSync(path('rows.csv'), 'product_name\nTea\n');
  await make(path);
  return cwd;
}

function expectSentence({ exitCode, stderr, stdout }: Finished, args: readonly string[]): void {
  expect({ args, exitCode, stdout }).toEqual({
    args,
    exitCode: 1,
    stdout: args[0] === 'check' ? expect.any(String) : '',
  });
  if (stdout === '') expect(stderr).toMatch(/^catalogue: [^\n]*\n$/);
  expect(stderr).not.toMatch(/^\s+at /m);
}

describe('a file that is not a catalogue is reported and left unchanged:', () => {
  const kinds: readonly [string, (path: (name: string) => string) => void][] = [
    ['a text', (path) => writeFileSync(path('bad.db'), 'Dear diary, '.repeat(1_000))],
    ['the database of another program', (path) => otherDatabase(path('bad.db'))],
    ['a folder', (path) => mkdirSync(path('bad.db'))],
    ['a catalogue whose beginning is gone', (path) => damagedCopy(path, 'beginning')],
  ];
  for (const [name, make] of kinds) {
    test(name, async () => {
      const cwd = await folderWith(make);
      const before = contentsOf(cwd);
      for (const args of COMMANDS) {
        expectSentence(await run({ cwd, args }), args);
        expect(contentsOf(cwd)).toEqual(before);
      }
      const machine = await run({ cwd, args: ['export', '--database', 'bad.db', '--json'] });
      expect(JSON.parse(machine.stdout)).toEqual({ ok: false, error: expect.any(String) });
    });
  }
});

describe('a damaged catalogue', () => {
  test.each([
    ['in its products', 'products'],
    ['cut off', 'end'],
  ] as const)('%s: imports are rejected, and no command prints a stack trace', async (_, from) => {
    const cwd = await folderWith((path) => damagedCopy(path, from));
    const before = readFileSync(join(cwd, 'bad.db'));
    for (const args of COMMANDS.filter(([name]) => name !== 'serve' && name !== 'migrate')) {
      expectSentence(await run({ cwd, args }), args);
    }
    const refused = await run({ cwd, args: ['import', 'rows.csv', '--database', 'bad.db'] });
    expect(refused.stderr).toContain('damaged');
    expect(readFileSync(join(cwd, 'bad.db')).equals(before)).toBe(true);
  });

  test('outside of the pages that an import would touch: imports are still rejected', async () => {
    const cwd = await folderWith(async (path) => {
      const rows = Array.from({ length: 5_000 }, (_, index) => `{"product_name":"Product number ${index}"}`).join('\n');
      await run({ cwd: path('.'), args: ['import', '-', '--format', 'ndjson', '--database', 'bad.db'], stdin: rows });
      overwrite(path('bad.db'), pageOf(path('bad.db'), "name like 'products_%'"), 4096);
    });
    const refused = await run({ cwd, args: ['import', 'rows.csv', '--database', 'bad.db'] });
    expect(refused).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^catalogue: [^\n]*damaged[^\n]*\n$/),
    });
  });
});

test('a database without read or write permission fails with a clear message', async () => {
  const prefix = asNobody();
  if (prefix === undefined) return console.error('NOT TESTED HERE: what a file without rights does');
  const cwd = await folderWith(async (path) => {
    await run({ cwd: path('.'), args: ['migrate', '--database', 'bad.db'] });
  });
  for (const mode of [0o000, 0o444]) {
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, 'bad.db'), mode);
    chmodSync(cwd, 0o555);
    for (const args of [...COMMANDS, ['restore', 'good.db', '--force', '--database', 'bad.db']]) {
      const finished = await run({ cwd, args, prefix });
      expect(finished.stderr).not.toMatch(/^\s+at /m);
      if (finished.exitCode !== 0) expect(finished.stderr).toMatch(/^catalogue: [^\n]*\n$/);
      else expect([args[0], mode]).toEqual([expect.stringMatching(/check|copy/), 0o444]);
    }
  }
  expect(readdirSync(cwd).filter((name) => /damaged|partial/.test(name))).toEqual([]);
});

test('a full disk fails with a clear message', async () => {
  const mounted = process.getuid?.() === 0 ? mountTmpfs('600k') : undefined;
  if (mounted === undefined) return console.error('NOT TESTED HERE: what a full disk does to commands');
  const cwd = mounted.folder;
  const name = 'A long name. '.repeat(20);
  const rows = Array.from({ length: 5_000 }, (_, index) => `{"product_name":"${name}${index}"}`).join('\n');
  await run({ cwd, args: ['migrate', '--database', 'good.db'] });
  const healthy = readFileSync(join(cwd, 'good.db'));
  const before = readdirSync(cwd);
  const tight: readonly [string[], string?][] = [
    [['import', '-', '--format', 'ndjson', '--database', 'good.db'], rows],
    [['import', '-', '--format', 'ndjson', '--database', 'new.db'], rows],
  ];
  for (const [args, stdin] of tight) {
    expectSentence(await run({ cwd, args, ...(stdin === undefined ? {} : { stdin }) }), args);
    expect(readdirSync(cwd)).toEqual(before);
  }
  fill(join(cwd, 'ballast'));
  for (const args of [
    ['backup', 'copy.db', '--database', 'good.db'],
    ['copy', '--from', 'good.db', '--to', 'new.db'],
    ['restore', 'good.db', '--database', 'new.db'],
    ['export', '--database', 'good.db', '--output', 'out.csv'],
  ]) {
    expectSentence(await run({ cwd, args }), args);
  }
  expect(readFileSync(join(cwd, 'good.db')).equals(healthy)).toBe(true);
  expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([]);
});

test('copy is all or nothing: an aborted copy has stored nothing and can be repeated', async () => {
  const cwd = temporaryFolder();
  const rows = 20_000;
  const lines = Array.from({ length: rows }, (_, index) => `{"product_name":"Product number ${index}"}`).join('\n');
  await run({ cwd, args: ['import', '-', '--format', 'ndjson', '--database', 'from.db'], stdin: lines });
  await run({ cwd, args: ['migrate', '--empty', '--database', 'empty.db'] });
  // The limit leaves space for a few thousand rows.
  const prefix = ['prlimit', '--fsize=500000:unlimited'];
  for (const target of ['new.db', 'empty.db']) {
    const args = ['copy', '--from', 'from.db', '--to', target];
    expectSentence(await run({ cwd, args, prefix }), args);
    const again = await run({ cwd, args: [...args, '--json'] });
    expect({ target, exitCode: again.exitCode, stderr: again.stderr }).toEqual({ target, exitCode: 0, stderr: '' });
    expect(JSON.parse(again.stdout)).toEqual({
      ok: true,
      from: 'from.db',
      to: target,
      rows,
      keys: 0,
      users: 0,
      views: 0,
      webhooks: 0,
      changes: rows,
    });
  }
});

test('copy from a missing source creates nothing', async () => {
  const cwd = temporaryFolder();
  const refused = await run({ cwd, args: ['copy', '--from', 'typo.db', '--to', 'new.db'] });
  expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: 'catalogue: database typo.db does not exist\n' });
  expect(readdirSync(cwd)).toEqual([]);
});

test('an import removes the leftovers of a killed import, but not the files of a running one', async () => {
  const cwd = temporaryFolder();
  const partials = () => readdirSync(cwd).filter((name) => /^new\.db\.partial-[\da-f]{8}$/.test(name));
  const begin = async (args: readonly string[]) => {
    const before = partials();
    const child = Bun.spawn([...PROGRAM, ...args], { cwd, stdin: 'pipe', stderr: 'ignore', stdout: 'ignore' });
    child.stdin.write('{"product_name":"Late"}\n');
    child.stdin.flush();
    const isBegun = (name: string) => !before.includes(name) && statSync(join(cwd, name)).size > 0;
    await until('the import has begun', () => partials().some(isBegun));
    return child;
  };
  const args = ['import', '-', '--format', 'ndjson', '--database', 'new.db'];
  const killed = await begin(args);
  killed.kill('SIGKILL');
  await killed.exited;
  writeFileSync(join(cwd, 'other.db.partial-01234567'), 'precious');
  writeFileSync(join(cwd, 'new.db.partial-mine'), 'precious');
  const [left] = partials();
  utimesSync(join(cwd, left!), 0, 0);
  const running = await begin(args);
  expect(partials()).toEqual([expect.not.stringMatching(left!)]);
  await run({ cwd, args, stdin: 'no json\n' });
  running.stdin.end();
  expect(await running.exited).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(['new.db', 'new.db.partial-mine', 'other.db.partial-01234567']);
});

test('an import does not replace a catalogue that was created meanwhile', async () => {
  const cwd = temporaryFolder();
  const child = Bun.spawn([...PROGRAM, 'import', '-', '--format', 'ndjson'], { cwd, stdin: 'pipe', stderr: 'pipe' });
  child.stdin.write('{"product_name":"Late"}\n');
  child.stdin.flush();
  await until('the import has begun', () => readdirSync(cwd).some((name) => name.includes('partial')));
  const service = await startService({ cwd });
  child.stdin.end();
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toMatch(/^catalogue: another process created catalogue\.db[^\n]*\n$/);
  expect(await (await service.fetch('/products?select=count()')).json()).toEqual([{ count: 77 }]);
  expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([]);
});

function otherDatabase(file: string): void {
  const db = new Database(file);
  db.run('create table other (a)');
  db.close();
}

function damagedCopy(path: (name: string) => string, where: 'beginning' | 'products' | 'end'): void {
  writeFileSync(path('bad.db'), readFileSync(path('good.db')));
  if (where === 'end') truncateSync(path('bad.db'), 3 * 4096);
  else overwrite(path('bad.db'), where === 'beginning' ? 0 : pageOf(path('bad.db'), "name = 'products'"), 4096);
}

/** Returns the file offset of a table's or an index's first page. */
function pageOf(file: string, which: string): number {
  const db = new Database(file);
  const [page] = db.query(`select rootpage from sqlite_schema where ${which} limit 1`).values()[0] as [number];
  db.close();
  return (page - 1) * 4096;
}

function overwrite(file: string, from: number, length: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, new Uint8Array(length).fill(0xab), 0, length, from);
  closeSync(handle);
}

/** Fills the database file until no row fits. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (;;) writeSync(handle, new Uint8Array(4096));
  } catch {
    closeSync(handle);
  }
}

/** Reads the names and contents of all files, to show that nothing has changed. */
function contentsOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => [
      entry.name,
      entry.isFile() ? Bun.hash(readFileSync(join(folder, entry.name))).toString() : '',
    ]),
  );
}

/** A command prefix that drops root's privileges, so that file permissions apply. It is empty for other users. */
function asNobody(): string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  const tried = Bun.which('setpriv') === null ? undefined : Bun.spawnSync([...prefix, ...PROGRAM, '--version']);
  return tried?.success === true ? prefix : undefined;
}
