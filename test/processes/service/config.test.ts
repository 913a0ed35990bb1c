/** Settings: their sources, their precedence, and error messages for every mistake. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from '../../../scripts/commands-page.ts';
import { settingsPage } from '../../../scripts/settings-page.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

interface Shown {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string;
}

async function configOf(files: Readonly<Record<string, string>>, env = {}, args: readonly string[] = []) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { exitCode, stdout, stderr } = await run({ cwd, env, args: ['config', '--json', ...args] });
  const rows = exitCode === 0 ? (JSON.parse(stdout) as Shown[]) : [];
  return { exitCode, stdout, stderr, of: (name: string) => rows.find((row) => row.name === name) };
}

const TOML = 'port = 4001\nhost = "localhost"\nlog-level = "warn"\nplans = true\n';

test('a flag wins over the environment, the environment over the file, the file over the default', async () => {
  const config = await configOf({ 'catalogue.toml': TOML }, { PORT: '4002', HOST: '127.0.0.2' }, ['--port', '4003']);
  expect(config.of('port')).toEqual({ name: 'port', value: 4003, origin: '--port' });
  expect(config.of('host')).toEqual({ name: 'host', value: '127.0.0.2', origin: 'HOST' });
  expect(config.of('log-level')).toEqual({ name: 'log-level', value: 'warn', origin: 'catalogue.toml: log-level' });
  expect(config.of('plans')).toEqual({ name: 'plans', value: true, origin: 'catalogue.toml: plans' });
  expect(config.of('schema')).toEqual({ name: 'schema', value: 'public', origin: 'default' });
});

test('a JSON file also works, by its default name or through --config', async () => {
  const json = JSON.stringify({ port: 4001, 'admin-port': 4002, replicas: ['postgres://a/b', 'postgres://c/d'] });
  const found = await configOf({ 'catalogue.json': json });
  expect(found.of('admin-port')?.value).toBe(4002);
  expect(found.of('replicas')?.value).toEqual(['postgres://a/b', 'postgres://c/d']);
  const named = await configOf({ 'mine.json': json }, { CATALOGUE_CONFIG: 'mine.json' });
  expect(named.of('port')).toEqual({ name: 'port', value: 4001, origin: 'mine.json: port' });
});

test('a declaration found in the folder is shown', async () => {
  const yaml = 'collections: { notes: { fields: { id: int4 } } }\n';
  const found = await configOf({ 'collections.yaml': yaml });
  expect(found.of('collections')).toEqual({ name: 'collections', value: 'collections.yaml', origin: 'found here' });
  const named = await configOf({ 'collections.yaml': yaml }, {}, ['--collections', 'mine.yaml']);
  expect(named.of('collections')).toEqual({ name: 'collections', value: 'mine.yaml', origin: '--collections' });
  expect((await configOf({})).of('collections')).toEqual({ name: 'collections', value: '', origin: 'default' });
});

test('the service also reads the settings file', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'catalogue.toml'), 'database = "from-file.db"\nempty = true\n');
  const service = await startService({ cwd });
  expect(service.stdout()).toContain('\nDatabase  from-file.db\nRows      products 0\n');
});

test('secrets are masked, wherever they occur', async () => {
  const url = 'postgres://me:s3cret:with@signs@db.example/catalogue?sslmode=require&password=s3cret';
  const env = { DATABASE_URL: url, DATABASE_REPLICA_URLS: 'postgres://me:s3cret@one/x,postgres://me:s3cret@two/x' };
  for (const flags of [['--json'], []]) {
    const { exitCode, stdout } = await run({ cwd: temporaryFolder(), env, args: ['config', ...flags] });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('s3cret');
    expect(stdout).toContain('postgres://me:***@db.example/catalogue?sslmode=require&password=***');
  }
});

test('a mistyped URL never reveals its password', async () => {
  const mistyped = [
    'postgresql//me:s3cret@db.example/catalogue',
    'postgres:/me:s3cret@db.example/catalogue',
    'postgres:me:s3cret@db.example/catalogue',
    'postgre://me:s3cret@db.example/catalogue',
    'me:s3cret@db.example/catalogue',
    'mysql://db.example/catalogue?password=s3cret',
  ];
  const writeRows = (cwd: string) => writeFileSync(join(cwd, 'rows.csv'), 'product_name\nTea\n');
  const expectRefused = async (cwd: string, url: string, args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run({ cwd, env: { DATABASE_URL: url }, args });
    expect({ url, args: args[0], exitCode }).toEqual({ url, args: args[0], exitCode: 1 });
    expect(stdout + stderr).not.toContain('s3cret');
    expect(stdout + stderr).toMatch(/database URL\b.*sqlite:PATH|write postgres:\/\/user:password@host\/name/);
    expect(readdirSync(cwd)).toEqual(['rows.csv']);
  };
  for (const url of mistyped) {
    const cwd = temporaryFolder();
    writeRows(cwd);
    await expectRefused(cwd, url, ['serve', '--port', '0']);
    const config = await run({ cwd, env: { DATABASE_URL: url }, args: ['config'] });
    expect({ url, exitCode: config.exitCode }).toEqual({ url, exitCode: 0 });
    expect(config.stdout).not.toContain('s3cret');
  }
  const [url] = mistyped as [string];
  const cwd = temporaryFolder();
  writeRows(cwd);
  for (const args of [
    ['export'],
    ['import', 'rows.csv'],
    ['backup', 'copy.db'],
    ['migrate', '--json'],
    ['copy', '--from', url, '--to', 'new.db'],
  ]) {
    await expectRefused(cwd, url, args);
  }
});

test('a database file may have any name after the prefix sqlite:', async () => {
  const cwd = temporaryFolder();
  expect(await run({ cwd, args: ['migrate', '--database', 'sqlite:a:b@c.db'] })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(cwd)).toEqual(['a:b@c.db']);
});

describe('all mistakes are reported together', () => {
  test('in flags, the environment and the file together', async () => {
    const file = 'prt = 1\nport = "x"\nempty = "perhaps"\n';
    const env = { CATALOGUE_LOG_LEVL: 'info', CATALOGUE_MAX_BODY_MB: '-1' };
    const { exitCode, stdout } = await configOf({ 'catalogue.toml': file }, env, ['--nope', '--log-format', 'xml']);
    const { error } = JSON.parse(stdout) as { error: string };
    expect(exitCode).toBe(1);
    for (const mistake of [
      'catalogue.toml: unknown setting prt (perhaps you meant port)',
      'catalogue.toml: port is a whole number from 0 to 65535, not x',
      'catalogue.toml: empty is true or false, not perhaps',
      'unknown setting CATALOGUE_LOG_LEVL (perhaps you meant CATALOGUE_LOG_LEVEL)',
      'CATALOGUE_MAX_BODY_MB is a whole number',
      'unknown flag --nope',
      '--log-format is one of auto, json, pretty, not xml',
    ]) {
      expect(error).toContain(mistake);
    }
  });

  const files: readonly [string, string, RegExp][] = [
    ['catalogue.toml', 'port = ', /catalogue\.toml is not valid TOML/],
    ['catalogue.json', '{"port": }', /catalogue\.json is not valid JSON/],
    ['catalogue.json', '[1]', /holds names and values/],
    ['catalogue.toml', '[port]\nnumber = 1', /port is a text, a number/],
    ['catalogue.toml', 'backup-every = "soon"', /backup-every is a time such as 30s/],
  ];
  for (const [name, text, message] of files) {
    test(`in a file: ${JSON.stringify(text)}`, async () => {
      const { exitCode, stdout } = await configOf({ [name]: text });
      expect(exitCode).toBe(1);
      expect((JSON.parse(stdout) as { error: string }).error).toMatch(message);
    });
  }

  test('a missing file', async () => {
    const { stdout } = await configOf({}, {}, ['--config', 'missing.toml']);
    expect((JSON.parse(stdout) as { error: string }).error).toContain('missing.toml cannot be read');
  });
});

test('every default on the page of settings is a value that its flag accepts', async () => {
  const items = settingsPage().matchAll(/^- `(--[\w-]+) [^`]*` \(.*?, default `([^`]+)`\)/gm);
  const args = [...items].flatMap(([, flag, value]) => [flag!, value!]);
  expect(args.length).toBeGreaterThan(40);
  expect(await configOf({}, {}, args)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('generated pages match the program; npm run docs:settings and docs:commands write them', async () => {
  const page = (name: string) => readFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), 'utf8');
  expect(page('settings')).toBe(settingsPage());
  expect(page('command-line')).toBe(await commandsPage());
});
