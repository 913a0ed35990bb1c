/** A client that stops reading the lines of its undo is disconnected like any idle one, and the undo ends with it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { listen, type RunningServer } from '../../../src/serve/server.ts';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

/** More bytes than the buffers of a connection hold. */
const ROWS = 1_600;
const LENGTH = 8_000;

describe('an undo in lines', () => {
  let shop: Opened;
  let server: RunningServer;
  beforeAll(async () => {
    const fields = [
      { name: 'id', type: 'int4' },
      { name: 'note', type: 'text' },
    ] as const;
    shop = await PLACES.SQLite!().open({ collections: [{ name: 'items', key: ['id'], fields }] });
    await shop.post(
      'items',
      Array.from({ length: ROWS }, (_, id) => ({ id: id + 1, note: 'a' })),
    );
    await shop.fetch('/items?id=gt.0', sendJson('PATCH', { note: 'b'.repeat(LENGTH) }));
    server = listen(shop.app.answer, { host: '127.0.0.1', port: 0, idleSeconds: 1 });
  });
  afterAll(async () => {
    await server.stop(0);
    await shop.close();
  });

  test('whose client stops reading does not keep others from theirs', async () => {
    const [last] = await shop.list('/changes?select=seq&order=seq.desc&limit=1');
    const path = `/changes/undo?kind=eq.update&seq=lte.${last!.seq}`;
    const client = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    client.pause();
    const headers = 'host: localhost\r\naccept: application/x-ndjson\r\nprefer: return=representation';
    client.write(`POST ${path} HTTP/1.1\r\n${headers}\r\ncontent-length: 0\r\n\r\n`);
    const count = async () => Number((await shop.list('/items?select=count()&note=eq.a'))[0]!.count);
    await until('its first step', async () => (await count()) > 0);
    let rest: { undone?: number; undone_before?: number } = {};
    await until('the next undo', async () => {
      const response = await fetch(`${server.url}${path}`, { method: 'POST' });
      rest = (await response.json()) as typeof rest;
      return response.status === 200;
    });
    expect(rest.undone).toBeGreaterThan(0);
    expect(rest.undone! + rest.undone_before!).toBe(ROWS);
    expect(await count()).toBe(ROWS);
    client.destroy();
  });
});
