/**
 * Content codings over real sockets: HTTP clients decode them, and never take a truncated response for a complete one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { statusesIn, talkTo } from '../../support/network/socket.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

describe('over a socket', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ cwd: temporaryFolder(), args: ['--log-level', 'error'] });
  });
  afterAll(cleanUp);

  test('a client that decodes by itself receives the same list', async () => {
    const plain = await service.fetch('/products', { headers: { 'accept-encoding': 'identity' } });
    const rows: unknown = await plain.json();
    for (let time = 0; time < 3; time++) {
      const response = await service.fetch('/products');
      expect(response.headers.get('content-encoding')).not.toBeNull();
      expect((await response.json()) as unknown).toEqual(rows);
    }
  });

  test('curl --compressed receives the same list', async () => {
    const { stdout } = Bun.spawnSync(['curl', '-s', '--compressed', `${service.url}/products?select=id`]);
    expect(JSON.parse(stdout.toString())).toHaveLength(77);
  });

  test('HEAD of a compressed list sends no length, and the connection stays usable', async () => {
    const talk = await talkTo(service.port);
    talk.send('HEAD /products HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n');
    const head = await talk.until('the head', (received) => received.endsWith('\r\n\r\n'));
    expect(head).toMatch(/^content-encoding: gzip\r$/im);
    expect(head).not.toMatch(/^content-length:/im);
    talk.send('GET /products/1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const both = await talk.until('the row', (received) => received.endsWith('}'));
    expect(statusesIn(both)).toEqual([200, 200]);
    expect(both.slice(head.length)).toStartWith('HTTP/1.1 200 OK\r\n');
    talk.close();
  });
});

describe('a large result from PostgreSQL', () => {
  const ROWS = 120_000;
  const schema = newSchema();
  let service: Service;
  beforeAll(async () => {
    const args = ['--schema', schema, '--empty', '--log-level', 'silent'];
    service = await startService({ args, cwd: temporaryFolder(), env: { DATABASE_URL: testServer.url } });
    // Random names hardly compress, so no buffer on the way can hold all of them.
    // Without triggers: the log of changes is not part of the story.
    await testServer.admin.unsafe(`set local session_replication_role = replica;
      insert into ${schema}.products (product_name)
        select md5(n::text) || md5('x' || n) || md5('y' || n) from generate_series(1, ${ROWS}) as n`);
  });
  afterAll(cleanUp);

  test.each(['identity', 'gzip'])('answers HEAD without a wrong length, in %s', async (coding) => {
    const talk = await talkTo(service.port);
    talk.send(`HEAD /products HTTP/1.1\r\nhost: localhost\r\naccept-encoding: ${coding}\r\n\r\n`);
    const head = await talk.until('the head', (received) => received.endsWith('\r\n\r\n'));
    expect(statusesIn(head)).toEqual([200]);
    expect(head).not.toMatch(/^content-length:/im);
    talk.close();
  });

  test.each(['identity', 'gzip', 'br', 'zstd'] as const)(
    'is visibly truncated in %s when its database connection is lost',
    async (coding) => {
      const socket = connect(service.port, '127.0.0.1');
      // The server may close the connection with a reset, and before this test resumes.
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => void socket.once('close', resolve));
      socket.write(
        `GET /products?select=product_name HTTP/1.1\r\nhost: localhost\r\naccept-encoding: ${coding}\r\n\r\n`,
      );
      const [first] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      expect(first.toString('latin1')).toStartWith('HTTP/1.1 200 OK\r\n');
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'catalogue'
        and datname = current_database()`;
      expect(await testServer.admin.unsafe(end)).not.toEqual([]);
      const chunks = [first];
      socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
      socket.resume();
      await closed;
      const received = Buffer.concat(chunks);
      expect(received.length).toBeLessThan(ROWS * 50);
      expect(received.subarray(-5).toString('latin1')).not.toBe('0\r\n\r\n');
      await until('the service again', async () => (await service.fetch('/products?limit=1')).status === 200);
    },
  );
});
