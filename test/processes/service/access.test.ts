/**
 * Authentication in the real program: keys and users managed by commands, sessions and rejections over real sockets.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { testServer } from '../../support/engines/postgres.ts';
import { PLACES } from '../../support/processes/access-folder.ts';
import {
  cleanUp,
  type Launch,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const SECRET = 'a secret that is long enough for anybody';
const PASSWORD = 'correct horse battery';

async function command(launch: Launch, args: readonly string[], stdin?: string): Promise<string> {
  const done = await run({ ...launch, args, ...(stdin === undefined ? {} : { stdin }) });
  expect(done).toMatchObject({ exitCode: 0 });
  return done.stdout.trim();
}

const addKey = async (launch: Launch, name: string, ...flags: string[]) =>
  (JSON.parse(await command(launch, ['key', 'add', '--name', name, '--json', ...flags])) as { key: string }).key;
const statusOf = async (service: Service, headers: Record<string, string>) =>
  (await service.fetch('/products', { headers })).status;
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

const publicKey = async () => exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);

for (const [place, launchIn] of Object.entries(PLACES)) {
  describe(`on ${place}`, () => {
    test('a new or revoked key takes effect in every process that serves the database', async () => {
      const launch = await launchIn();
      const first = await startService({ ...launch, args: ['--log-format', 'json'] });
      const second = await startService({ ...launch, args: ['--workers', '2', '--log-level', 'silent'] });
      expect(await statusOf(first, {})).toBe(401);
      const key = await addKey(launch, 'erp', '--role', 'editor', '--expires', '90d');
      const mine = await addKey(launch, 'supplier two', '--role', 'supplier', '--claims', '{"supplier_id":2}');
      for (const service of [first, second]) {
        await until('the key to count', async () => (await statusOf(service, withKey(key))) === 200);
        expect(await statusOf(service, { apikey: key })).toBe(200);
        expect(await statusOf(service, withKey(`${key.slice(0, -1)}_`))).toBe(401);
      }
      const price = sendJson('PATCH', { unit_price: 7 }, { ...withKey(mine), 'x-request-id': 'the-write' });
      expect((await second.fetch('/products?id=gt.0', price)).status).toBe(204);
      expect((await first.fetch('/products?id=eq.1', price)).status).toBe(204);
      const stored = await (await first.fetch('/products?select=id,unit_price', { headers: withKey(key) })).json();
      expect(stored).toEqual([
        { id: 1, unit_price: 18 },
        { id: 2, unit_price: 7 },
      ]);
      await command(launch, ['key', 'revoke', 'erp']);
      for (const service of [first, second]) {
        await until('the key to be refused', async () => (await statusOf(service, withKey(key))) === 401);
        // Any of the processes on the port may answer.
        for (let times = 0; times < 8; times++) {
          await until('the key to be refused', async () => (await statusOf(service, withKey(key))) === 401);
        }
        expect(await statusOf(service, withKey(mine))).toBe(200);
      }
      const metrics = await (await first.fetch('/metrics')).text();
      expect(Number(/^catalogue_credentials_refused_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(1);
      await until('the log to be written', () => first.stderr().includes('the-write'));
      expect(first.stderr()).toMatch(/"id":"the-write",.*"role":"supplier","name":"supplier two"/);
      for (const secret of [key, mine]) expect(first.stderr() + first.stdout()).not.toContain(secret.slice(0, 20));
      // The service's own tables are not collections.
      await command(launch, ['declare', '--output', 'found.yaml']);
      expect(readFileSync(join(launch.cwd, 'found.yaml'), 'utf8')).not.toContain('catalogue_');
      const list = JSON.parse(await command(launch, ['key', 'list', '--json'])) as unknown[];
      expect(list).toMatchObject([
        {
          name: 'supplier two',
          role: 'supplier',
          claims: { supplier_id: 2 },
          created_at: expect.any(String),
          expires_at: null,
        },
      ]);
    });

    test('keys and users with a removed role are listed and rejected', async () => {
      const launch = await launchIn();
      await command(launch, ['migrate']);
      const key = await addKey(launch, 'erp', '--role', 'supplier');
      await addKey(launch, 'shop', '--role', 'viewer');
      await command(launch, ['user', 'add', 'ann', '--role', 'supplier'], PASSWORD);
      expect(await command(launch, ['check'])).toMatch(/^ok {4}credentials +roles declared$/m);
      const file = join(launch.cwd, 'collections.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('supplier:', 'vendor:'));
      const words =
        'rejected because their role is not declared: key erp (supplier), user ann (supplier); declare the role, or use catalogue user role NAME --role ROLE';
      const checked = await command(launch, ['check']);
      expect(checked).toMatch(/^warn {2}credentials +/m);
      expect(checked).toContain(words);
      const { ok, findings } = JSON.parse(await command(launch, ['check', '--json'])) as {
        ok: boolean;
        findings: readonly Record<string, unknown>[];
      };
      expect(ok).toBe(true);
      expect(findings).toContainEqual(expect.objectContaining({ check: 'credentials', ok: true, isWarning: true }));
      const service = await startService({ ...launch, args: ['--workers', '2', '--log-level', 'silent'] });
      await until('the warnings', () => service.stderr().split('\n').length > 2);
      expect(service.stderr()).toStartWith(`WARNING: credentials are ${words}`);
      const [, ofLog, ...none] = service.stderr().split('\n');
      expect(ofLog).toMatch(
        /^WARNING: these roles cannot read the log of changes .* Add "changes: \{ read: \{ fields: \[seq, at, .*\] \} \}"/,
      );
      expect(none).toEqual(['']);
      const refused = await service.fetch('/products', { headers: withKey(key) });
      expect(await refused.json()).toMatchObject({ code: 'CAT401', message: 'role "supplier" does not exist' });
    });

    test('a declaration that lost its roles does not open the data to everyone', async () => {
      const launch = await launchIn();
      await command(launch, ['migrate']);
      await addKey(launch, 'erp', '--role', 'supplier');
      await command(launch, ['user', 'add', 'ann', '--role', 'editor'], PASSWORD);
      const file = join(launch.cwd, 'collections.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').split('roles:', 1)[0]!);
      for (const workers of place === 'PostgreSQL' ? ['1'] : ['1', '2']) {
        const refused = await run({ ...launch, args: ['serve', '--port', '0', '--workers', workers] });
        expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
        expect(refused.stderr).toContain('the declaration has no roles, but the database holds 1 key and 1 user');
        expect(refused.stderr).toContain('Restore the roles, or serve it to everyone with --public');
      }
      const service = await startService({ ...launch, args: ['--public', '--log-level', 'silent'] });
      expect((await service.fetch('/products')).status).toBe(200);
    });

    test('a user logs in, changes data, and is logged out everywhere when removed', async () => {
      const launch = await launchIn();
      const service = await startService({ ...launch, args: ['--log-format', 'json'] });
      const second = await startService({ ...launch, args: ['--log-level', 'silent'] });
      await command(launch, ['user', 'add', 'ann', '--role', 'viewer'], `${PASSWORD}\n`);
      const login = async (at: Service, password = PASSWORD) =>
        at.fetch('/auth/login', sendJson('POST', { name: 'ann', password }, { origin: at.url }));
      const session = async (response: Response) => ({ cookie: response.headers.get('set-cookie')!.split(';', 1)[0]! });
      expect((await login(service, 'hunter2 hunter2')).status).toBe(401);
      const viewing = await session(await login(service));
      expect(await (await second.fetch('/products', { headers: viewing })).json()).toEqual([
        { id: 1, product_name: 'Chai' },
        { id: 2, product_name: 'Chang' },
      ]);
      await command(launch, ['user', 'role', 'ann', '--role', 'editor']);
      for (const each of [service, second]) {
        await until('the session to end', async () => (await statusOf(each, viewing)) === 401);
      }
      const editing = await session(await login(second));
      const row = { product_name: 'Aniseed Syrup' };
      const created = (at: Service, origin?: string) =>
        at.fetch('/products', sendJson('POST', row, { ...editing, ...(origin === undefined ? {} : { origin }) }));
      expect((await created(service, service.url)).status).toBe(201);
      expect((await created(service)).status).toBe(403);
      expect((await created(service, 'https://evil.example')).status).toBe(403);
      await command(launch, ['user', 'remove', 'ann']);
      for (const each of [service, second]) {
        await until('the session to end', async () => (await statusOf(each, editing)) === 401);
      }
      expect((await login(service)).status).toBe(401);
      await until('the log to be written', () => service.stderr().includes('"reason":"the user does not exist"'));
      expect(service.stderr()).toContain('"reason":"wrong password for ann"');
      for (const secret of [PASSWORD, 'hunter2', editing.cookie, viewing.cookie]) {
        expect(service.stderr()).not.toContain(secret.split('=').at(-1)!);
      }
    });
  });
}

test('a copy reports how many keys and users it copies', async () => {
  const launch = await PLACES['an SQLite file']!();
  await command(launch, ['migrate']);
  const copyTo = (file: string, ...more: string[]) =>
    command(launch, ['copy', '--from', 'sqlite:catalogue.db', '--to', file, ...more]);
  expect(await copyTo('none.db')).toEndWith('; the counts agree.');
  await addKey(launch, 'erp', '--role', 'supplier');
  await addKey(launch, 'shop', '--role', 'supplier');
  await command(launch, ['user', 'add', 'ann', '--role', 'supplier'], PASSWORD);
  expect(await copyTo('copy.db')).toEndWith('\nAlso copied: 2 keys, 1 user.');
  expect(JSON.parse(await copyTo('again.db', '--json'))).toMatchObject({ ok: true, keys: 2, users: 1 });
});

test('a secret or public keys for tokens without roles do not open the data to everyone', async () => {
  const launch = await PLACES['an SQLite file']!();
  const file = join(launch.cwd, 'collections.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').split('roles:', 1)[0]!);
  writeFileSync(join(launch.cwd, 'keys.json'), JSON.stringify({ keys: [await publicKey()] }));
  for (const flags of [
    ['--jwt-secret', SECRET],
    ['--jwks', 'keys.json'],
  ]) {
    const refused = await run({ ...launch, args: ['serve', '--port', '0', ...flags] });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`${flags[0]} is set, but the declaration has no roles`);
  }
  const service = await startService({ ...launch, args: ['--public', '--jwt-secret', SECRET] });
  expect((await service.fetch('/products')).status).toBe(200);
  await until('the warning', () => service.stderr().includes('a token changes nothing'));
});

test('a role name that is probably a misspelt anonymous gets a warning until a key or user has that role', async () => {
  const launch = await PLACES['an SQLite file']!();
  const file = join(launch.cwd, 'collections.yaml');
  const words = (name: string) =>
    `requests without credentials get 401: they have the role anonymous, which is not declared; perhaps you meant it by ${name}`;
  const declare = (name: string) =>
    writeFileSync(
      file,
      `collections: { products: { fields: { id: int4 } } }\nroles: { ${name}: { changes: {}, products: { read: true } }, admin: all }\n`,
    );
  for (const name of ['anonymus', 'public', 'anon']) {
    declare(name);
    expect(await command(launch, ['check', 'collections.yaml'])).toEndWith(`\nwarn  ${words(name)}`);
  }
  expect(JSON.parse(await command(launch, ['check', 'collections.yaml', '--json']))).toMatchObject({
    ok: true,
    warnings: [words('anon')],
  });
  const service = await startService({ ...launch, args: ['--log-level', 'silent'] });
  await until('the warning', () => service.stderr().includes('\n'));
  expect(service.stderr()).toBe(`WARNING: ${words('anon')}\n`);
  expect(await (await service.fetch('/products')).json()).toMatchObject({
    code: 'PGRST302',
    hint: expect.stringContaining('have the role anonymous, which is not declared. Perhaps anon is meant for them.'),
  });
  service.kill('SIGTERM');
  await service.exited;
  await addKey(launch, 'web', '--role', 'anon');
  const quiet = await startService({ ...launch, args: ['--log-level', 'silent'] });
  quiet.kill('SIGTERM');
  await quiet.exited;
  expect(quiet.stderr()).toBe('');
  for (const name of ['anonymous', 'agency', 'member']) {
    declare(name);
    expect(await command(launch, ['check', 'collections.yaml'])).not.toContain('warn');
  }
});

test('a failed key or user command prints a clear error message', async () => {
  const launch = await PLACES['an SQLite file']!();
  expect(await run({ ...launch, args: ['key', 'add', '--role', 'editor', '--name', 'a'] })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'catalogue: database catalogue.db does not exist. Create it with catalogue migrate, or choose another with --database\n',
  });
  await command(launch, ['migrate']);
  await command(launch, ['user', 'add', 'bob', '--role', 'editor'], PASSWORD);
  const refused = async (words: string, args: readonly string[], stdin = '') =>
    expect(await run({ ...launch, args, stdin })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(words),
    });
  const add = ['key', 'add', '--role', 'editor', '--name', 'a'];
  await Promise.all([
    refused('unknown role edtor; perhaps you meant editor', ['key', 'add', '--role', 'edtor', '--name', 'a']),
    refused('--expires is a time such as 12h, 90d or 1y, not soon', [...add, '--expires', 'soon']),
    refused('unknown key nobody', ['key', 'revoke', 'nobody']),
    refused('at least 8 characters', ['user', 'add', 'eve', '--role', 'editor'], 'short'),
    refused('unknown user eve', ['user', 'password', 'eve'], PASSWORD),
    refused('the user bob exists already', ['user', 'add', 'bob', '--role', 'editor'], PASSWORD),
  ]);
});

describe('a token', () => {
  const token = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET));

  test('is verified with the configured secret, which is never shown', async () => {
    const launch = await PLACES['an SQLite file']!();
    const env = { CATALOGUE_JWT_SECRET: SECRET };
    const service = await startService({ ...launch, env, args: ['--log-level', 'debug', '--workers', '2'] });
    expect(await statusOf(service, withKey(await token({ role: 'editor' })))).toBe(200);
    expect(await statusOf(service, withKey(`${await token({ role: 'editor' })}x`))).toBe(401);
    const { stdout } = await run({ ...launch, env, args: ['config'] });
    expect(stdout).toMatch(/^jwt-secret +\*\*\* +CATALOGUE_JWT_SECRET$/m);
    expect(stdout + service.stdout() + service.stderr()).not.toContain(SECRET);
  });

  test('needs consistent settings', async () => {
    const cwd = temporaryFolder();
    const started = async (...args: string[]) => (await run({ cwd, args: ['serve', ...args] })).stderr;
    const short = await started('--jwt-secret', 'hunter2');
    expect(short).toContain('--jwt-secret has 7 bytes, and needs at least 32');
    expect(short).not.toContain('hunter2');
    expect(await started('--jwt-secret', SECRET, '--jwks', 'keys.json')).toContain(
      'use only one of --jwt-secret and --jwks',
    );
    expect(await started('--jwks', 'missing.json')).toContain(
      '--jwks missing.json: the file or folder does not exist\n',
    );
    expect(await started('--jwt-role-claim', 'role')).toContain('such as .role');
  });
});

test('a backup contains the keys, and a restore does not bring back keys revoked since', async () => {
  const launch = await PLACES['an SQLite file']!();
  await command(launch, ['migrate']);
  const [kept, lost] = await Promise.all(['kept', 'lost'].map((name) => addKey(launch, name, '--role', 'editor')));
  await command(launch, ['backup', 'copy.db']);
  await command(launch, ['key', 'revoke', 'lost']);
  expect(await command(launch, ['restore', 'copy.db', '--force'])).not.toContain('Keys and users');
  const service = await startService(launch);
  expect(await statusOf(service, withKey(kept!))).toBe(200);
  expect(await statusOf(service, withKey(lost!))).toBe(401);
  // A database without keys of its own takes those of the backup.
  const other = { ...launch, env: { DATABASE_URL: 'sqlite:other.db' } };
  await command(other, ['migrate']);
  const AS_IN_BACKUP = /^Keys and users are as in the backup, .* catalogue key list and catalogue user list\.$/m;
  expect(await command(other, ['restore', 'copy.db', '--force'])).toMatch(AS_IN_BACKUP);
  const names = (JSON.parse(await command(other, ['key', 'list', '--json'])) as { name: string }[]).map(
    ({ name }) => name,
  );
  expect(names).toEqual(['kept', 'lost']);
  const absent = { ...launch, env: { DATABASE_URL: 'sqlite:absent.db' } };
  expect(await command(absent, ['restore', 'copy.db'])).toMatch(AS_IN_BACKUP);
});

test('the service runs with a database role that may not create tables; a privileged role adds keys', async () => {
  const launch = await PLACES.PostgreSQL!();
  const { DATABASE_URL: url, CATALOGUE_SCHEMA: schema } = launch.env!;
  await command(launch, ['migrate']);
  const { admin } = testServer;
  const grant = `grant select, insert, update, delete on all tables in schema ${schema} to humble`;
  await admin.unsafe(`drop role if exists humble; create role humble login password 'humble';
    grant usage on schema ${schema} to humble; ${grant}`);
  const humble: Launch = {
    ...launch,
    env: { ...launch.env, DATABASE_URL: url!.replace(/:\/\/[^@]*@/, '://humble:humble@') },
  };
  const service = await startService({ ...humble, args: ['--log-level', 'silent'] });
  expect(await statusOf(service, withKey(`cat_${'A'.repeat(43)}`))).toBe(401);
  const refused = await run({ ...humble, args: ['key', 'add', '--role', 'editor', '--name', 'erp'] });
  expect(refused.stderr).toContain('has no table catalogue_keys, and this role may not create it');
  const key = await addKey(launch, 'erp', '--role', 'editor');
  await admin.unsafe(grant);
  await until('the key to count', async () => (await statusOf(service, withKey(key))) === 200);
  const headers = { ...withKey(key), 'content-type': 'application/json' };
  const view = { collection: 'products', name: 'all', definition: {} };
  const stored = await service.fetch('/catalogue/views', { method: 'POST', headers, body: JSON.stringify(view) });
  expect(await stored.json()).toMatchObject({ code: 'CAT501', message: 'this database has no table catalogue_views' });
  expect(await (await service.fetch('/catalogue/views', { headers })).json()).toEqual([]);
  // Without roles, a table of keys that the role may not read counts as one that holds keys.
  const file = join(launch.cwd, 'collections.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').split('roles:', 1)[0]!);
  await admin.unsafe(`revoke all on ${schema}.catalogue_keys, ${schema}.catalogue_users from humble`);
  const closed = await run({ ...humble, args: ['serve', '--port', '0'] });
  expect(closed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(closed.stderr).toContain('may hold keys or users');
  await cleanUp();
  await admin.unsafe('drop owned by humble; drop role humble');
});
