/**
 * More connections than file descriptors: open connections are served, the process survives, and the rest connect
 * later.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Conversation, talkTo } from '../../support/network/socket.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

const LIMIT = 256;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
/** A pattern too costly for the event-loop thread, so the service starts a reader thread for it. */
const COSTLY = `/products?select=id&product_name=match.${'(a|b)'.repeat(60)}`;

const start = () =>
  startService({
    cwd: temporaryFolder(),
    prefix: ['sh', '-c', `ulimit -n ${LIMIT}; exec "$0" "$@"`],
    args: ['--log-level', 'warn'],
  });

/** Sends a request and returns the status code of the response. */
async function ask(talk: Conversation, path: string): Promise<string> {
  const before = talk.received().length;
  talk.send(get(path));
  await talk.until('an answer', (received) => received.slice(before).includes('\r\n\r\n'));
  return /^HTTP\/1\.1 (\d+)/.exec(talk.received().slice(before))?.[1] ?? 'closed';
}

/** Opens a connection that may have to wait until the service accepts it. */
function open(service: Service, text: string): Socket {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(text);
  return socket;
}

const openIn = (service: Service) => readdirSync(`/proc/${service.pid}/fd`).length;

describe.skipIf(process.platform !== 'linux')('with few file descriptors', () => {
  test('connections that arrive one by one wait before the last descriptor is used, and threads and pages still work', async () => {
    const service = await start();
    const old = await talkTo(service.port);
    expect(await ask(old, '/live')).toBe('200');
    const others: Socket[] = [];
    const isHeld = () => service.stderr().includes('new connections wait');
    while (!isHeld() && others.length < LIMIT) {
      const socket = open(service, get('/live'));
      others.push(socket);
      await until('an answer, or the notice', () => isHeld() || socket.bytesRead > 0);
      await Bun.sleep(5);
    }
    expect(isHeld()).toBe(true);
    expect(openIn(service)).toBeLessThan(LIMIT - 40);
    for (const path of ['/products/1', '/products', COSTLY, '/console', '/metrics']) {
      expect([path, await ask(old, path)]).toEqual([path, '200']);
    }
    for (const socket of others) socket.destroy();
    await until('connections again', () => service.stderr().includes('taken again'));
    expect((await service.fetch('/products/1')).status).toBe(200);
  });

  test('connections that arrive all at once exhaust the descriptors, and the process survives', async () => {
    const service = await start();
    const old = await talkTo(service.port);
    expect(await ask(old, '/live')).toBe('200');
    // No client completes its request.
    const flood = Array.from({ length: 2 * LIMIT }, () => open(service, 'GET /live HTTP/1.1\r\nhost: localhost\r\n'));
    await until('the notice', () => service.stderr().includes('new connections wait'));
    for (const path of ['/products/1', '/products', '/ready', '/metrics']) {
      expect([path, await ask(old, path)]).toEqual([path, '200']);
    }
    // A descriptor for a new thread may be available or not. Both statuses are correct.
    expect(['200', '503']).toContain(await ask(old, COSTLY));
    for (const socket of flood) socket.destroy();
    await until('connections again', () => service.stderr().includes('taken again'));
    expect((await service.fetch(COSTLY)).status).toBe(200);
    expect(service.hasExited()).toBe(false);
  });
});
