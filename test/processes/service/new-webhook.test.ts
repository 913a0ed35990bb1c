/** A new webhook gets every change that is acknowledged after it was declared, whichever process is killed. */
import { afterEach, describe, expect, test } from 'bun:test';
import { freePort, newSchema, testServer } from '../../support/engines/postgres.ts';
import { startSilentProxy } from '../../support/network/silent-proxy.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, until } from '../../support/processes/process.ts';
import { accept, hook, receive, stopReceivers, webhookShop } from '../../support/processes/webhook-shop.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(async () => {
  await stopReceivers();
  await cleanUp();
});

const keysOf = (changes: readonly { key: string }[]) => [...new Set(changes.map(({ key }) => key))].toSorted();

describe.each(DATABASES)('a new webhook on %s', (_, environment) => {
  test('gets the first acknowledged changes of a service that is killed at once', async () => {
    const received = receive(accept);
    const { start, command } = webhookShop(hook('shop', received.url), environment());
    const port = freePort();
    const url = `http://127.0.0.1:${port}/items`;
    const starting = start('--port', String(port));
    // The first request is sent as soon as the port is open, before the service has greeted.
    await until('an acknowledged change', async () => {
      const response = await fetch(url, sendJson('POST', { id: 1 })).catch(() => undefined);
      return response?.status === 201;
    });
    const first = await starting;
    expect((await fetch(url, sendJson('POST', { id: 2 }))).status).toBe(201);
    first.kill('SIGKILL');
    await first.exited;
    // The next process continues after the stored position, when the lease of the killed one has expired.
    const [progress] = await command('list');
    const second = await start('--port', String(port));
    const changes = (await (await second.fetch('/changes?select=seq')).json()) as { seq: number }[];
    const isSent = ({ seq }: { seq: number }) => received.changes.some((each) => each.seq === seq);
    expect(changes).toHaveLength(2);
    expect(changes.filter((each) => each.seq <= Number(progress!.seq) && !isSent(each))).toEqual([]);
    expect(progress!.seq).not.toBeNull();
  });

  test('gets the changes from its start, also if another process sends and its own is killed', async () => {
    const [old, added] = [receive(accept), receive(accept)];
    const { declare, start } = webhookShop(hook('old', old.url), environment());
    const sending = await start();
    await sending.fetch('/items', sendJson('POST', { id: 1 }));
    await until('the lease', () => old.changes.length === 1);
    declare(hook('old', old.url) + hook('added', added.url));
    const killed = await start();
    expect((await killed.fetch('/items', sendJson('POST', { id: 2 }))).status).toBe(201);
    killed.kill('SIGKILL');
    await killed.exited;
    expect((await sending.fetch('/items', sendJson('POST', { id: 3 }))).status).toBe(201);
    await start();
    sending.kill('SIGTERM');
    await sending.exited;
    await until('the changes after its first start', () => added.changes.length >= 2);
    expect(keysOf(added.changes)).toEqual(['2', '3']);
  });
});

test('a service with a new webhook starts while PostgreSQL is down, and sends its first changes', async () => {
  const received = receive(accept);
  const { hostname, port } = new URL(testServer.url);
  const proxy = await startSilentProxy(1, hostname);
  try {
    const database = Object.assign(new URL(testServer.url), { host: `127.0.0.1:${proxy.port}` }).href;
    const { start } = webhookShop(hook('shop', received.url), {
      DATABASE_URL: database,
      CATALOGUE_SCHEMA: newSchema(),
    });
    const service = await start();
    const post = () => service.fetch('/items', sendJson('POST', { id: 1 }));
    expect((await post()).status).toBe(503);
    proxy.leadTo(Number(port));
    await until('an acknowledged change', async () => (await post()).status === 201);
    await until('the change', () => received.changes.length > 0);
    expect(keysOf(received.changes)).toEqual(['1']);
  } finally {
    proxy.close();
  }
});
