/** PostgreSQL URLs: several hosts, the choice of the primary, and masked secrets. */

import { describe, expect, test } from 'bun:test';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { parseTarget } from '../../../src/engine/postgres/url.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';

describe('a database URL', () => {
  test('with several hosts is tried host by host, with all other settings unchanged', () => {
    const target = parseTarget(
      'postgres://me:p%40ss@one:1,[::1]:2,three/db?target_session_attrs=read-write&sslmode=require',
    );
    expect(target.servers.map((server) => server.url)).toEqual([
      'postgres://me:p%40ss@one:1/db?sslmode=require',
      'postgres://me:p%40ss@[::1]:2/db?sslmode=require',
      'postgres://me:p%40ss@three/db?sslmode=require',
    ]);
    expect(target.needsWritable).toBe(true);
  });

  test.each([
    ['postgres://me:secret@host/db?password=secret', 'postgres://me@host/db'],
    ['postgresql://me:a@secret@host/db', 'postgres://me@host/db'],
    ['postgres://host', 'postgres://host/'],
    ['postgres:///db?host=/run/postgresql', 'postgres:///db'],
  ])('%s is shown without its secret', (url, shown) => {
    expect(parseTarget(url).location).toBe(shown);
  });

  test('that cannot be parsed is not repeated in the error message', () => {
    expect(() => parseTarget('postgres:secret')).toThrow(/^the database URL cannot be read; write/);
    expect(() => parseTarget('postgres://h/d?target_session_attrs=x')).toThrow('read-write or any');
  });

  test('a host that is down is skipped for one that is up', async () => {
    const { url } = testServer;
    const both = url.replace('@', '@127.0.0.1:1,');
    const engine = openPostgres({
      ...TEST_SETTINGS,
      url: both,
      schema: newSchema(),
      firstRows: () => [],
      catalogue: BUILT_IN.catalogue,
    });
    await engine.opened;
    expect(engine.steps).toContain('create table products');
    await engine.close();
  });

  test.skipIf(process.env.TEST_DATABASE_URL !== undefined)('sslmode=require rejects a server without TLS', async () => {
    const url = `${testServer.url}?sslmode=require`;
    const engine = openPostgres({ ...TEST_SETTINGS, url, schema: newSchema(), firstRows: () => [] });
    await expect(engine.opened).rejects.toThrow('no connection to PostgreSQL: ');
    await engine.close();
  });
});
