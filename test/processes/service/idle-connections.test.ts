/**
 * The service closes idle connections after a while. It does not close a connection whose request still runs in the
 * database. Only the query time limit ends such a request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { listen, type RunningServer } from '../../../src/serve/server.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { statusesIn, talkTo } from '../../support/network/socket.ts';
import { until } from '../../support/processes/process.ts';

describe('idle connections', () => {
  const schema = newSchema();
  let engine: PostgresEngine;
  let listening: RunningServer;
  let port: number;
  beforeAll(async () => {
    const { url } = testServer;
    engine = openPostgres({ ...TEST_SETTINGS, querySeconds: 600, url, schema, firstRows: firstRowsOf(BUILT_IN) });
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    listening = listen(app.answer, { host: '127.0.0.1', port: 0, idleSeconds: 1 });
    port = Number(new URL(listening.url).port);
  });
  afterAll(async () => {
    await listening.stop(0);
    await engine.close();
  });

  /** Runs `work` while the table is locked against reads and writes. */
  async function whileHeld(work: () => Promise<void>): Promise<void> {
    const other = new SQL(testServer.url, { max: 1 });
    try {
      await other.begin(async (transaction) => {
        await transaction.unsafe(`lock table "${schema}".products in access exclusive mode`);
        await work();
      });
    } finally {
      await other.close();
    }
  }

  test('are closed, even in the middle of a body, but active ones are answered', async () => {
    const body = '{"reorder_level":33}';
    const patch = `PATCH /products/1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`;
    const [reader, writer, silent, half] = [
      await talkTo(port),
      await talkTo(port),
      await talkTo(port),
      await talkTo(port),
    ];
    await whileHeld(async () => {
      reader.send('GET /products?limit=2 HTTP/1.1\r\nhost: localhost\r\n\r\n');
      writer.send(`${patch}${body}`);
      half.send(`${patch}{"reorder`);
      silent.send('GET /pro');
      await until('idle connections to be closed', () => silent.isClosed() && half.isClosed());
    });
    const read = await reader.until('the list', (text) => text.includes('"id":2,'));
    const written = await writer.until('the write', (text) => text.includes('\r\n\r\n'));
    expect(statusesIn(read)).toEqual([200]);
    expect(statusesIn(written)).toEqual([204]);
    // After its response, an active connection becomes idle.
    await until('the others to be closed', () => reader.isClosed() && writer.isClosed());
  });
});
