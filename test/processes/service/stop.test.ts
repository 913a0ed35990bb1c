/** Stopping: the service completes requests in flight, and closes the database cleanly. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isListening, statusesIn, talkTo } from '../../support/network/socket.ts';
import {
  cleanUp,
  integrityOf,
  type Service,
  spawn,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  describe(signal, () => {
    test('exits with 0 and leaves one clean file', async () => {
      const cwd = temporaryFolder();
      const service = await startService({ cwd });
      expect((await post(service, { id: 500, product_name: 'Written before' })).status).toBe(201);
      service.kill(signal);
      expect(await service.exited).toBe(0);
      expectCleanlyClosed(cwd);
      expect(productNames(cwd, 500)).toEqual(['Written before']);
    });

    test('right after the startup message stops as cleanly', async () => {
      for (let turn = 0; turn < 3; turn++) {
        const cwd = temporaryFolder();
        const service = await startService({ cwd });
        service.kill(signal);
        expect(await service.exited).toBe(0);
        expectCleanlyClosed(cwd);
      }
    });

    test('answers an upload in flight, accepts no new connection, then exits', async () => {
      const cwd = temporaryFolder();
      const service = await startService({ cwd });
      const body = JSON.stringify({ id: 501, product_name: 'Uploaded slowly' });
      const upload = await talkTo(service.port);
      upload.send(
        `POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      upload.send(body.slice(0, 10));
      // The same process answers this request after the upload began, so it has accepted the upload.
      expect((await service.fetch('/products/1')).status).toBe(200);

      service.kill(signal);
      await until('the port to be closed', async () => !(await isListening(service.port)));
      expect(service.hasExited()).toBe(false);
      expect(upload.received()).toBe('');

      upload.send(body.slice(10));
      const received = await upload.until('an answer', (text) => text.includes('\r\n\r\n'));
      expect(statusesIn(received)).toEqual([201]);
      expect(await service.exited).toBe(0);
      expectCleanlyClosed(cwd);
      expect(productNames(cwd, 501)).toEqual(['Uploaded slowly']);
    });

    test('answers every write that it stores, and stores every write that it answers', async () => {
      const cwd = temporaryFolder();
      const service = await startService({ cwd });
      const ids = Array.from({ length: 40 }, (_, index) => 600 + index);
      const conversations = await Promise.all(ids.map(() => talkTo(service.port)));
      for (const [index, id] of ids.entries()) {
        const body = JSON.stringify({ id, product_name: `Sent ${id}` });
        conversations[index]!.send(
          `POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`,
        );
        conversations[index]!.send(body);
      }
      // The first response shows that the writes have arrived and are being processed.
      await until('a first answer', () => conversations.some((each) => each.received() !== ''));
      service.kill(signal);
      expect(await service.exited).toBe(0);
      expectCleanlyClosed(cwd);
      for (const [index, id] of ids.entries()) {
        const statuses = statusesIn(conversations[index]!.received());
        expect({ id, stored: productNames(cwd, id).length }).toEqual({ id, stored: statuses[0] === 201 ? 1 : 0 });
      }
    });

    test('is not delayed by a client that keeps its connection open', async () => {
      const service = await startService({ cwd: temporaryFolder() });
      const idle = await talkTo(service.port);
      idle.send('GET /products/1 HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n');
      await idle.until('an answer', (text) => text.includes('"id":1'));
      service.kill(signal);
      expect(await service.exited).toBe(0);
      await until('the idle connection to be closed', idle.isClosed);
    });
  });
}

test('an upload that never ends is aborted after a while, and the exit is still clean', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const upload = await talkTo(service.port);
  upload.send('POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"product_name":"Never');
  expect((await service.fetch('/products/1')).status).toBe(200);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expectCleanlyClosed(cwd);
  expect(upload.received()).not.toContain('201');
});

test('a second signal while stopping may speed up the exit, but leaves the database intact', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  expect((await post(service, { id: 700, product_name: 'Acknowledged' })).status).toBe(201);
  const upload = await talkTo(service.port);
  upload.send('POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"product_name":"Never');
  expect((await service.fetch('/products/1')).status).toBe(200);
  service.kill('SIGINT');
  await until('the port to be closed', async () => !(await isListening(service.port)));
  service.kill('SIGINT');
  upload.close();
  await service.exited;
  expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
  expect(productNames(cwd, 700)).toEqual(['Acknowledged']);
});

test.each(['1', '2'])(
  'a start that waits for PostgreSQL ends at the first signal, with --workers %s',
  async (workers) => {
    const args = ['--database-roles', '--anonymous-role', 'anon', '--database', 'postgres://nobody@127.0.0.1:1/none'];
    const child = spawn({ cwd: temporaryFolder() }, ['serve', '--port', '0', '--workers', workers, ...args]);
    let printed = '';
    const read = (async () => {
      for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) printed += part;
    })();
    // The service gives up the first attempt with this message, and then waits.
    await until('the wait', () => printed.includes('the connection is refused. Nothing was changed.'));
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    await read;
  },
);

function post(service: Service, product: object): Promise<Response> {
  return service.fetch('/products', { method: 'POST', body: JSON.stringify(product) });
}

/** A clean stop leaves no WAL: SQLite writes it back and removes it when the last connection closes. */
test('a service that npm started stops with npm', async () => {
  const cwd = temporaryFolder();
  const environment = { ...process.env, DATABASE_URL: `sqlite:${join(cwd, 'catalogue.db')}`, PORT: '0' };
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const npm = Bun.spawn(['npm', 'start'], { cwd: root, env: environment, stdout: 'pipe', stderr: 'ignore' });
  let printed = '';
  const port = () => Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1] ?? 0);
  void (async () => {
    for await (const part of npm.stdout.pipeThrough(new TextDecoderStream())) printed += part;
  })();
  await until('the greeting', () => printed.includes('Try '));
  npm.kill('SIGTERM');
  await npm.exited;
  await until('the port to be closed', async () => !(await isListening(port())));
  expectCleanlyClosed(cwd);
});

function expectCleanlyClosed(cwd: string): void {
  const file = join(cwd, 'catalogue.db');
  const log = `${file}-wal`;
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  expect(integrityOf(file)).toBe('ok');
}

function productNames(cwd: string, id: number): string[] {
  const db = new Database(join(cwd, 'catalogue.db'), { readonly: true });
  try {
    return db
      .query<{ product_name: string }, [number]>('select product_name from products where id = ?')
      .all(id)
      .map((row) => row.product_name);
  } finally {
    db.close();
  }
}
