/** Starting the program: what the first run creates, what a restart keeps, and how errors are reported. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { newAuthority } from '../../support/network/certificates.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import {
  cleanUp,
  type Launch,
  mountTmpfs,
  run,
  startService,
  temporaryFolder,
} from '../../support/processes/process.ts';

const IS_ROOT = process.getuid?.() === 0;

afterEach(cleanUp);

describe('a first run', () => {
  test('creates the database, loads the 77 products, and prints its address and an example command', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd });
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stdout().split('\n')).toEqual([
      `Product Catalogue listens on ${service.url}`,
      'Database  catalogue.db',
      'Rows      products 77',
      `Console   ${service.url}/console`,
      `Try       curl '${service.url}/products?limit=3'`,
      '',
    ]);
    expect(existsSync(join(cwd, 'catalogue.db'))).toBe(true);
    expect(await countOf(service)).toBe('0-76/77');
  });

  test('prints a curl line that works as it is', async () => {
    const cwd = temporaryFolder();
    const collections = 'collections: { costs: { fields: { id: int4 } }, price list: { fields: { id: int4 } } }';
    const roles = 'roles: { anonymous: { price list: { read: true } } }';
    writeFileSync(join(cwd, 'collections.yaml'), `${collections}\n${roles}`);
    const args = ['import', '-', '--collection', 'price list', '--format', 'csv'];
    await run({ cwd, args, stdin: 'id\n1\n2\n3\n4\n' });
    const service = await startService({ cwd });
    const line = /^Try +(curl .+)$/m.exec(service.stdout())![1]!;
    const curl = Bun.spawnSync(['sh', '-c', `${line} --silent --show-error`]);
    expect(curl.stderr.toString()).toBe('');
    expect((JSON.parse(curl.stdout.toString()) as { id: number }[]).map((row) => row.id)).toEqual([1, 2, 3]);
  });

  test('with --empty starts without products', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--empty'] });
    expect(service.stdout()).toContain('\nRows      products 0\n');
    expect(await countOf(service)).toBe('*/0');
  });

  test('in memory leaves no file behind', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd, args: ['--database', ':memory:'] });
    expect(service.stdout()).toContain('\nDatabase  in memory\n');
    expect(await countOf(service)).toBe('0-76/77');
    expect((await post(service, { product_name: 'Kept nowhere' })).status).toBe(201);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('on an empty file creates the catalogue in it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'catalogue.db'), '');
    expect(await countOf(await startService({ cwd }))).toBe('0-76/77');
  });
});

describe('a restart', () => {
  test('keeps what was written and does not load the products again', async () => {
    const cwd = temporaryFolder();
    const first = await startService({ cwd });
    expect((await post(first, { id: 1000, product_name: 'Kept' })).status).toBe(201);
    expect((await first.fetch('/products?id=eq.1', { method: 'DELETE' })).status).toBe(204);
    first.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    const second = await startService({ cwd });
    expect(second.stdout()).toContain('\nRows      products 77\n');
    expect((await second.fetch('/products/1')).status).toBe(404);
    expect(await (await second.fetch('/products/1000')).json()).toMatchObject({ product_name: 'Kept' });
  });

  test('of an empty catalogue leaves it empty', async () => {
    const cwd = temporaryFolder();
    const first = await startService({ cwd, args: ['--empty'] });
    first.kill('SIGTERM');
    await first.exited;
    expect(await countOf(await startService({ cwd }))).toBe('*/0');
  });

  test('with --empty leaves an existing catalogue unchanged', async () => {
    const cwd = temporaryFolder();
    const first = await startService({ cwd });
    first.kill('SIGTERM');
    await first.exited;
    expect(await countOf(await startService({ cwd, args: ['--empty'] }))).toBe('0-76/77');
  });
});

describe('settings', () => {
  test('come from the environment', async () => {
    const cwd = temporaryFolder();
    const env = { PORT: '0', HOST: 'localhost', DATABASE_URL: 'sqlite:from-env.db', CATALOGUE_EMPTY: 'true' };
    const service = await startService({ cwd, env });
    expect(service.url).toStartWith('http://localhost:');
    expect(service.stdout()).toContain('\nDatabase  from-env.db\nRows      products 0\n');
    expect(existsSync(join(cwd, 'from-env.db'))).toBe(true);
  });

  test('come from flags, which win over the environment', async () => {
    const cwd = temporaryFolder();
    const service = await startService({
      cwd,
      env: { PORT: '1', HOST: 'no.such.host.invalid', DATABASE_URL: 'sqlite:from-env.db', CATALOGUE_EMPTY: 'true' },
      args: ['--port', '0', '--host', '127.0.0.1', '--database', 'sqlite:from-flag.db', '--empty=false'],
    });
    expect(service.stdout()).toContain('\nDatabase  from-flag.db\nRows      products 77\n');
    expect(existsSync(join(cwd, 'from-env.db'))).toBe(false);
  });

  test('accept --flag=value, a plain path and an absolute sqlite:// URL', async () => {
    const cwd = temporaryFolder();
    await startService({ cwd, args: ['--port=0', '--database=plain.db'] });
    await startService({ cwd, args: ['--port=0', `--database=sqlite://${join(cwd, 'absolute.db')}`] });
    expect(readdirSync(cwd)).toContain('plain.db');
    expect(readdirSync(cwd)).toContain('absolute.db');
  });

  test('that are empty in the environment count as not set', async () => {
    const cwd = temporaryFolder();
    await startService({ cwd, args: ['--port', '0'], env: { DATABASE_URL: '', CATALOGUE_EMPTY: '' } });
    expect(existsSync(join(cwd, 'catalogue.db'))).toBe(true);
  });

  test('that expose the service to the network print a prominent warning, and loopback does not', async () => {
    const open = await startService({ cwd: temporaryFolder(), args: ['--host', '0.0.0.0'] });
    open.kill('SIGTERM');
    await open.exited;
    expect(open.stderr()).toContain('WARNING: Other machines can reach 0.0.0.0, and');
    const loopback = await startService({ cwd: temporaryFolder() });
    loopback.kill('SIGTERM');
    await loopback.exited;
    expect(loopback.stderr()).toBe('');
    // With roles, clients send credentials. Without TLS these cross the network in clear text.
    const cwd = await folderWithRoles();
    const { certificate, key } = newAuthority(cwd, 'authority').vouchFor('DNS:localhost,IP:127.0.0.1');
    const tls = ['--tls-cert', certificate, '--tls-key', key];
    for (const args of [['--host', '0.0.0.0'], ['--host', '0.0.0.0', ...tls], []]) {
      const service = await startService({ cwd, args });
      service.kill('SIGTERM');
      await service.exited;
      if (args.length === 2)
        expect(service.stderr()).toMatch(
          /^WARNING: Other machines can reach 0\.0\.0\.0 .* not encrypted\. .*--tls-cert/m,
        );
      else expect(service.stderr()).not.toContain('WARNING: Other machines');
    }
  });
});

describe('help and version', () => {
  const cases: [args: string[], expected: string | RegExp][] = [
    [[], /^Usage: catalogue <command>[\s\S]+serve/],
    [['--help'], /^Usage: catalogue <command>[\s\S]+serve/],
    [['-h'], /^Usage: catalogue <command>/],
    [['help'], /^Usage: catalogue <command>/],
    [['serve', '--help'], /^Usage: catalogue serve[\s\S]+--port NUMBER[\s\S]+PORT[\s\S]+--database URL/],
    [['serve', '--port', 'nonsense', '-h'], /^Usage: catalogue serve/],
    [['--version'], `${manifest.version}\n`],
    [['-v'], `${manifest.version}\n`],
    [['serve', '--version'], `${manifest.version}\n`],
  ];
  for (const [args, expected] of cases) {
    test(`catalogue ${args.join(' ')}`, async () => {
      const cwd = temporaryFolder();
      const { exitCode, stdout, stderr } = await run({ cwd, args });
      expect({ exitCode, stderr, created: readdirSync(cwd) }).toEqual({ exitCode: 0, stderr: '', created: [] });
      if (typeof expected === 'string') expect(stdout).toBe(expected);
      else expect(stdout).toMatch(expected);
    });
  }

  test('every flag of serve is in its help with its variable', async () => {
    const { stdout } = await run({ cwd: temporaryFolder(), args: ['serve', '--help'] });
    const { SERVE_SETTINGS } = await import('../../../src/settings/by-command.ts');
    for (const { flag, env } of Object.values(SERVE_SETTINGS)) {
      expect(stdout).toContain(flag);
      expect(stdout).toContain(env!);
    }
  });
});

test('the command works through a link to it, from any folder, as npm installs it', () => {
  const cwd = temporaryFolder();
  symlinkSync(fileURLToPath(new URL('../../../bin/catalogue', import.meta.url)), join(cwd, 'catalogue'));
  const { exitCode, stdout, stderr } = Bun.spawnSync(['./catalogue', '--version'], { cwd });
  expect({ exitCode, stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({
    exitCode: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  });
});

describe('a mistake gives one clear sentence and exit code 1, and nothing is created', () => {
  const cases: [what: string, launch: Omit<Launch, 'cwd'>, sentence: RegExp][] = [
    ['an unknown command', { args: ['srve'] }, /unknown command srve; perhaps you meant serve/],
    ['a flag without a command', { args: ['--port', '0'] }, /--port: a command must come first, as in catalogue serve/],
    ['an unknown flag', { args: ['serve', '--prot', '0'] }, /unknown flag --prot \(perhaps you meant --port\)/],
    ['a stray argument', { args: ['serve', 'catalogue.db'] }, /unknown argument catalogue\.db/],
    ['a flag without its value', { args: ['serve', '--port'] }, /--port needs a value/],
    ['a port that is not a number', { args: ['serve', '--port', '80a'] }, /--port .+, not 80a/],
    ['a port out of range', { args: ['serve', '--port', '65536'] }, /--port .+ from 0 to 65535, not 65536/],
    ['a bad port in the environment', { args: ['serve'], env: { PORT: 'http' } }, /PORT .+, not http/],
    ['a bad log level', { args: ['serve', '--log-level', 'loud'] }, /--log-level is one of .+, not loud/],
    ['a bad switch', { args: ['serve', '--empty=maybe'] }, /--empty is true or false, not maybe/],
    ['an empty host', { args: ['serve', '--host', ''] }, /--host is empty/],
    [
      'an unknown CATALOGUE_ variable',
      { args: ['serve'], env: { CATALOGUE_EMTPY: '1' } },
      /unknown setting CATALOGUE_EMTPY \(perhaps you meant CATALOGUE_EMPTY\)/,
    ],
    [
      'a variable that has no prefix here',
      { args: ['serve'], env: { CATALOGUE_PROT: '1' } },
      /unknown setting CATALOGUE_PROT \(perhaps you meant PORT\)/,
    ],
    [
      'a database URL of no known kind',
      { args: ['serve', '--database', 'mysql://h/db'] },
      /unknown kind of database URL/,
    ],
    ['a database URL that names no file', { args: ['serve', '--database', 'sqlite:'] }, /has no path/],
    [
      'a folder that does not exist',
      { args: ['serve', '--database', 'no/such/folder/c.db'] },
      /no\/such\/folder\/c\.db/,
    ],
    ['an address that is not ours', { args: ['serve', '--port', '0', '--host', '192.0.2.1'] }, /192\.0\.2\.1/],
    ['a PostgreSQL URL that cannot be read', { args: serveOn('postgres:secret') }, /the database URL cannot be read/],
  ];
  for (const [what, launch, sentence] of cases) {
    test(what, async () => {
      const cwd = temporaryFolder();
      await expectMistake({ cwd, ...launch }, sentence);
      expect(readdirSync(cwd)).toEqual([]);
    });
  }

  test('several mistakes are reported together', async () => {
    await expectMistake(
      { cwd: temporaryFolder(), args: ['serve', '--nope'], env: { PORT: 'x', CATALOGUE_NOPE: '1' } },
      /PORT.+CATALOGUE_NOPE.+--nope/,
    );
  });

  test('a password in a database URL is not repeated', async () => {
    const { stderr } = await run({
      cwd: temporaryFolder(),
      args: ['serve', '--database', 'mysql://someone:hunter2@127.0.0.1/db'],
    });
    expect(stderr).not.toContain('hunter2');
  });

  test('a port in use', async () => {
    const taken = await startService({ cwd: temporaryFolder() });
    const cwd = temporaryFolder();
    await expectMistake({ cwd, args: ['serve', '--port', String(taken.port)] }, /port \d+ is in use on 127\.0\.0\.1/);
    expect(readdirSync(cwd)).toEqual([]);
    expect(await countOf(taken)).toBe('0-76/77');
  });

  test('serve rejects an address of another machine, and a host name that does not resolve', async () => {
    const cwd = temporaryFolder();
    await expectMistake({ cwd, args: ['serve', '--host', '192.0.2.9'] }, /this machine has no address 192\.0\.2\.9/);
    await expectMistake(
      { cwd, args: ['serve', '--host', 'nowhere.invalid'] },
      /host 'nowhere\.invalid' cannot be resolved\. Use an address of this machine, e\.g\. 127\.0\.0\.1/,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('missing files', async () => {
    const cwd = temporaryFolder();
    for (const [args, sentence] of [
      [['import', 'prices.csv'], /prices\.csv cannot be read: the file or folder does not exist/],
      [['serve', '--tls-cert', 'c.pem', '--tls-key', 'k.pem'], /c\.pem.*the file or folder does not exist/],
      [['serve', '--config', 'mine.toml'], /mine\.toml.*the file or folder does not exist/],
      [['serve', '--collections', 'mine.yaml'], /mine\.yaml.*the file or folder does not exist/],
    ] as const) {
      await expectMistake({ cwd, args }, sentence);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('a file that is not a database is left unchanged', async () => {
    const cwd = temporaryFolder();
    const content = `${'Not a database, but a letter. '.repeat(200)}\n`;
    writeFileSync(join(cwd, 'letter.txt'), content);
    await expectMistake({ cwd, args: serveOn('letter.txt') }, /letter\.txt.+not an SQLite database/);
    expect(readdirSync(cwd)).toEqual(['letter.txt']);
    expect(readFileSync(join(cwd, 'letter.txt'), 'utf8')).toBe(content);
  });

  test('a folder given as the database', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    await expectMistake({ cwd, args: serveOn('folder') }, /database folder cannot be opened/);
    expect(readdirSync(cwd)).toEqual(['folder']);
    expect(readdirSync(join(cwd, 'folder'))).toEqual([]);
  });

  for (const journal of ['delete', 'wal']) {
    test(`a database of another program (journal mode ${journal}) is left unchanged, byte for byte`, async () => {
      const cwd = temporaryFolder();
      const file = join(cwd, 'other.db');
      const other = new Database(file);
      other.run(`pragma journal_mode = ${journal}`);
      other.run('create table products (id integer primary key, title text)');
      other.run("insert into products (title) values ('someone else''s')");
      other.close();
      const before = readFileSync(file);
      const modified = statSync(file).mtimeMs;
      await expectMistake({ cwd, args: serveOn('other.db') }, /other\.db.+another program/);
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(statSync(file).mtimeMs).toBe(modified);
      expect(readdirSync(cwd)).toEqual(['other.db']);
    });
  }

  test('a catalogue of a newer program version is left unchanged', async () => {
    const cwd = temporaryFolder();
    const first = await startService({ cwd });
    first.kill('SIGTERM');
    await first.exited;
    const file = join(cwd, 'catalogue.db');
    const db = new Database(file);
    db.run('pragma user_version = 9999');
    db.close();
    const before = readFileSync(file);
    await expectMistake({ cwd, args: serveOn('catalogue.db') }, /newer version/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a folder without write permission', async () => {
    const cwd = temporaryFolder();
    // File permissions do not restrict root, but even root cannot create a file in /proc.
    const folder = IS_ROOT ? '/proc' : join(cwd, 'locked');
    if (!IS_ROOT) mkdirSync(folder, { mode: 0o555 });
    await expectMistake({ cwd, args: serveOn(join(folder, 'catalogue.db')) }, /catalogue\.db cannot be opened/);
    if (!IS_ROOT) chmodSync(folder, 0o755);
    expect(existsSync(join(folder, 'catalogue.db'))).toBe(false);
  });

  const readOnlyMount = IS_ROOT ? mountTmpfs('1m') : undefined;
  readOnlyMount?.unmount();
  const cannotLock = IS_ROOT && readOnlyMount === undefined;
  test.skipIf(cannotLock)(
    `a catalogue without write permission${cannotLock ? ' (skipped: root without the right to mount)' : ''}`,
    async () => {
      const cwd = temporaryFolder();
      const mounted = IS_ROOT ? mountTmpfs('8m') : undefined;
      const folder = mounted?.folder ?? join(cwd, 'locked');
      if (mounted === undefined) mkdirSync(folder);
      const file = join(folder, 'catalogue.db');
      const first = await startService({ cwd, args: ['--database', file] });
      first.kill('SIGTERM');
      await first.exited;
      const before = readFileSync(file);
      if (mounted !== undefined) mounted.remount('ro');
      else {
        chmodSync(file, 0o444);
        chmodSync(folder, 0o555);
      }
      await expectMistake({ cwd, args: serveOn(file) }, /catalogue\.db cannot be (opened|written)/);
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(readdirSync(folder)).toEqual(['catalogue.db']);
      if (mounted === undefined) chmodSync(folder, 0o755);
    },
  );
});

function serveOn(database: string): string[] {
  return ['serve', '--port', '0', '--database', database];
}

async function expectMistake(launch: Launch, sentence: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await run(launch);
  expect(stderr).toMatch(/^catalogue: [^\n]+\n$/);
  expect(stderr).toMatch(sentence);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
}

interface Asked {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

async function countOf(service: Asked): Promise<string | null> {
  const response = await service.fetch('/products', { headers: { prefer: 'count=exact' } });
  expect(response.status).toBe(200);
  return response.headers.get('content-range');
}

async function post(service: Asked, product: object): Promise<Response> {
  return service.fetch('/products', { method: 'POST', body: JSON.stringify(product) });
}
