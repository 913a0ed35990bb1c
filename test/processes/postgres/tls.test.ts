/** TLS to the database: how each sslmode checks a real server certificate, and that a failure reveals no secret. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { SQL } from 'bun';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newServer, type OwnServer, TEST_SETTINGS } from '../../support/engines/postgres.ts';
import { newAuthority } from '../../support/network/certificates.ts';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';

describe.skipIf(Bun.which('openssl') === null)('a PostgreSQL with TLS', () => {
  const folder = temporaryFolder();
  let server: OwnServer;
  let admin: SQL;
  let authority: string;
  let stranger: string;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    const ours = newAuthority(folder, 'ours');
    const { certificate, key } = ours.vouchFor('DNS:localhost');
    authority = ours.file;
    stranger = newAuthority(folder, 'stranger').file;
    server = await newServer();
    // PostgreSQL accepts a key file only if its own user owns it.
    const { uid, gid } = statSync(server.dataFolder);
    chownSync(key, uid, gid);
    chmodSync(key, 0o600);
    admin = new SQL(server.url, { max: 1 });
    await admin.unsafe(`alter system set ssl_cert_file = '${certificate}'`);
    await admin.unsafe(`alter system set ssl_key_file = '${key}'`);
    await admin.unsafe('alter system set ssl = on');
    await admin.unsafe('select pg_reload_conf()');
  });
  afterAll(async () => {
    await cleanUp();
    await admin.close();
    await server.stop();
  });

  const url = (host: string, parameters: string) =>
    `postgres://postgres:secret@${host}:${server.port}/postgres?${parameters}`;

  function open(databaseUrl: string): PostgresEngine {
    return openPostgres({ ...TEST_SETTINGS, url: databaseUrl, schema: 'public', firstRows: () => [] });
  }

  const ACCEPTED: readonly [string, () => string][] = [
    ['require, whoever vouches for it', () => url('127.0.0.1', 'sslmode=require')],
    ['verify-ca, under another name', () => url('127.0.0.1', `sslmode=verify-ca&sslrootcert=${authority}`)],
    ['verify-full, under its own name', () => url('localhost', `sslmode=verify-full&sslrootcert=${authority}`)],
  ];
  for (const [name, databaseUrl] of ACCEPTED) {
    test(`is used with ${name}`, async () => {
      const engine = open(databaseUrl());
      await engine.opened;
      const connections = await admin.unsafe(
        `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'catalogue'`,
      );
      expect([...connections]).toEqual([{ ssl: true }]);
      await engine.close();
    });
  }

  const REFUSED: readonly [string, () => string][] = [
    [
      'verify-full, when it is called otherwise',
      () => url('127.0.0.1', `sslmode=verify-full&sslrootcert=${authority}`),
    ],
    ['verify-full, when a stranger vouches', () => url('localhost', `sslmode=verify-full&sslrootcert=${stranger}`)],
    ['verify-ca, when a stranger vouches', () => url('localhost', `sslmode=verify-ca&sslrootcert=${stranger}`)],
    ['verify-full, when nobody known vouches', () => url('localhost', 'sslmode=verify-full')],
  ];
  for (const [name, databaseUrl] of REFUSED) {
    test(`is rejected with ${name}`, async () => {
      const engine = open(databaseUrl());
      await expect(engine.opened).rejects.toThrow('the certificate of PostgreSQL is not accepted: ');
      await engine.close();
    });
  }

  test('that is rejected ends the service with one sentence without secrets', async () => {
    const env = { DATABASE_URL: url('localhost', `sslmode=verify-full&sslrootcert=${stranger}`) };
    const { exitCode, stdout, stderr } = await run({ args: ['serve', '--port', '0'], cwd: temporaryFolder(), env });
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^catalogue: the certificate of PostgreSQL is not accepted: .*\n$/);
    expect(stdout + stderr).not.toContain('secret');
  });
});
