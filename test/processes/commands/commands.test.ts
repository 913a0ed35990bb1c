/**
 * Behaviour shared by all commands: help, JSON output, a progress bar on a terminal, silence in a pipe, and exit codes.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanUp,
  PROGRAM,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

let cwd: string;
let service: Service;
beforeAll(async () => {
  cwd = temporaryFolder();
  service = await startService({ cwd });
  writeFileSync(join(cwd, 'more.csv'), 'product_name\nFirst\nSecond\n');
});
afterAll(cleanUp);

interface Case {
  readonly name: string;
  readonly args?: () => string[];
  /** Part of the expected `--json` output. */
  readonly json?: object;
  /** The expected start of the progress bar. */
  readonly bar?: string;
}

/**
 * Commands to run against the database of a running service. The order matters, because some need the output of others.
 */
const COMMANDS: readonly Case[] = [
  { name: 'query', args: () => ['id=eq.1&select=id'], json: [{ id: 1 }] },
  { name: 'import', args: () => ['more.csv'], json: { ok: true, read: 2, inserted: 2 }, bar: 'Importing' },
  { name: 'export', args: () => ['--output', 'out.csv', '--force'], json: { ok: true }, bar: 'Exporting' },
  { name: 'backup', args: () => ['copy.db', '--force'], json: { ok: true, file: 'copy.db' }, bar: 'Backing up' },
  { name: 'backups', args: () => ['file:.'], json: [] },
  { name: 'restore', args: () => ['copy.db', '--force'], json: { ok: true, file: 'copy.db' }, bar: 'Restoring' },
  { name: 'check', json: { ok: true, database: 'catalogue.db' }, bar: 'Checking' },
  { name: 'init', args: () => [`declared-${++files}.yaml`], json: { ok: true } },
  { name: 'declare', args: () => ['--json-schema'] },
  { name: 'migrate', json: { ok: true, database: 'catalogue.db', made: [] } },
  { name: 'copy', args: () => ['--from', 'catalogue.db', '--to', newFile()], json: { ok: true }, bar: 'Copying' },
  { name: 'key', args: () => ['list'], json: [] },
  { name: 'user', args: () => ['list'], json: [] },
  { name: 'webhooks', args: () => ['list'], json: [] },
  { name: 'config', json: expect.arrayContaining([{ name: 'port', value: 3000, origin: 'default' }]) },
  { name: 'health', args: () => ['--port', String(service.port)], json: { ok: true, answer: 'ready' } },
  { name: 'openapi' },
  { name: 'types' },
];

let files = 0;
function newFile(): string {
  return `copy-${++files}.db`;
}

test('the program has these commands', async () => {
  const { stdout } = await run({ cwd, args: ['--help'] });
  const named = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name!);
  expect(named.sort()).toEqual(['serve', ...COMMANDS.map(({ name }) => name)].sort());
});

test('a mistaken action or name is named', async () => {
  for (const [args, message] of [
    [['key', 'lst'], 'unknown action lst. Use: catalogue key add, list, revoke or sign'],
    [['webhooks', 'failed'], 'unknown action failed. Use: catalogue webhooks list, failures or redeliver'],
    [['webhooks', 'failures', 'shp'], "unknown webhook 'shp'; catalogue webhooks list shows all"],
    [['user'], 'no action is given. Use: catalogue user add'],
  ] as const) {
    const { exitCode, stderr } = await run({ cwd, args });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) });
  }
});

for (const { name, args = () => [], json, bar } of COMMANDS) {
  test(`${name} has help, names an unknown flag, is quiet in a pipe, and prints its result as JSON`, async () => {
    const [help, mistaken, told] = await Promise.all([
      run({ cwd, args: [name, '--help'] }),
      run({ cwd, args: [name, ...args(), '--no-such-flag'] }),
      run({ cwd, args: [name, ...args(), ...(json === undefined ? [] : ['--json'])] }),
    ]);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toStartWith(`Usage: catalogue ${name}`);
    expect(help.stdout).not.toContain('[object');
    expect(mistaken).toMatchObject({ exitCode: 1, stdout: '' });
    expect(mistaken.stderr).toMatch(/^catalogue: [^\n]*--no-such-flag[^\n]*\n$/);
    expect(told).toMatchObject({ exitCode: 0, stderr: '' });
    if (json !== undefined) expect(JSON.parse(told.stdout)).toMatchObject(json);
  });

  if (bar === undefined) continue;
  test(`${name} shows a progress bar on a terminal`, async () => {
    const shown = await onTerminal([name, ...args()], `\r${bar} `);
    expect(shown).toContain(`\r${bar} `);
  });
}

/** Returns the terminal output of a command that has ended and has printed `last`. */
async function onTerminal(args: readonly string[], last: string): Promise<string> {
  let shown = '';
  const decoder = new TextDecoder();
  const data = (_: unknown, bytes: Uint8Array) => {
    shown += decoder.decode(bytes, { stream: true });
  };
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm' },
    terminal: { cols: 120, rows: 24, data },
  });
  expect(await child.exited).toBe(0);
  await until(last, () => shown.includes(last));
  child.terminal?.close();
  return shown;
}

test('an import shows read progress, then store progress, and 100% only at the end', async () => {
  const rows = 70_000;
  const lines = Array.from({ length: rows }, (_, index) => `Product number ${index}`);
  writeFileSync(join(cwd, 'many.csv'), ['product_name', ...lines].join('\n'));
  const shown = await onTerminal(['import', 'many.csv', '--database', 'many.db'], 'Imported ');
  const bars = [
    ...shown.matchAll(/\r(Reading|Importing) \S+ (\d+)% \(([\d.]+)[^,]+, [\d.]+(?: MB)?\/s, \d+ s left/g),
  ].map(([, title, share, done]) => ({
    title,
    share: Number(share),
    done,
  }));
  for (const title of ['Reading', 'Importing']) {
    const [last, ...earlier] = bars.filter((bar) => bar.title === title).reverse();
    expect({ title, share: last?.share }).toEqual({ title, share: 100 });
    expect(earlier.filter(({ share }) => share === 100)).toEqual([]);
  }
  expect(bars.filter(({ title, share }) => title === 'Importing' && share < 99)).not.toEqual([]);
  expect(bars.findLastIndex(({ title }) => title === 'Reading')).toBeLessThan(
    bars.findIndex(({ title }) => title === 'Importing'),
  );
});

test('the help of a command lists only the settings that affect it', async () => {
  const flagsOf = async (name: string) => {
    const { stdout } = await run({ cwd, args: [name, '--help'] });
    expect(stdout).not.toContain('[object');
    return [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag!);
  };
  expect(await flagsOf('backup')).toEqual([
    '--force',
    '--json',
    '--database',
    '--collections',
    '--backup-key',
    '--config',
  ]);
  const schemas = ['--schema', '--extra-search-path'];
  const opening = ['--collections', ...schemas, '--connect-timeout', '--prepared-statements', '--query-timeout'];
  expect(await flagsOf('query')).toEqual(['--rows', '--json', '--database', ...opening, '--config']);
  expect(await flagsOf('serve')).toContain('--idempotency-hours');
  // The service and the commands share one environment, so a command also validates settings that its help omits.
  const read = await run({ cwd, args: ['check'], env: { CATALOGUE_POOL_SIZE: 'many' } });
  expect(read).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('CATALOGUE_POOL_SIZE') });
});

test('a failure is reported by the exit code, and as JSON with --json', async () => {
  const failing = [
    ['backup', 'no/such/folder/x.db'],
    ['restore', 'nothing.db'],
    ['check', '--database', 'nothing.db'],
  ];
  for (const args of [...failing, ['health', '--port', '1'], ['copy', '--from', 'catalogue.db', '--to', 'copy.db']]) {
    const { exitCode, stdout } = await run({ cwd, args: [...args, '--json'] });
    expect({ args, exitCode, ok: (JSON.parse(stdout) as { ok: boolean }).ok }).toEqual({
      args,
      exitCode: 1,
      ok: false,
    });
  }
});
