/** Webhooks: a receiver gets every change, in order for each row, also when it or the service fails in between. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/engines/postgres-server.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, type Environment, temporaryFolder, until } from '../../support/processes/process.ts';
import {
  accept,
  alsoStop,
  type Change,
  hook,
  receive,
  SECRET,
  stopReceivers,
  type WebhookShop,
  webhookShop,
} from '../../support/processes/webhook-shop.ts';
import { sendJson } from '../../support/stories.ts';

const PAGE = new URL('../../../docs/how-to/webhooks.md', import.meta.url);

afterEach(async () => {
  await stopReceivers();
  await cleanUp();
});

describe.each(DATABASES)('webhooks on %s', (system, environment) => {
  const shop = (webhooks: string, more: Environment = {}) => webhookShop(webhooks, { ...environment(), ...more });
  /** Waits until the command lists failures as expected. Each look is a process, so the pauses are long. */
  const untilFailures = (
    command: WebhookShop['command'],
    isExpected: (failures: Record<string, unknown>[]) => boolean,
    ...names: string[]
  ) =>
    until('the failures', async () => {
      await Bun.sleep(200);
      return isExpected(await command('failures', ...names));
    });
  test('the receiver of the documentation gets the chosen changes, signed', async () => {
    const [, , code] = /```(js)\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8'))!;
    const file = join(temporaryFolder(), 'receiver.mjs');
    writeFileSync(file, code!);
    const port = freePort();
    const env = { SHOP_WEBHOOK_SECRET: SECRET, PORT: String(port) };
    const receiver = Bun.spawn([process.execPath, file], { env, stdout: 'pipe' });
    alsoStop({ stop: () => receiver.kill() });
    const { start } = shop(
      hook('shop', `http://127.0.0.1:${port}/`, ', where: shown=is.true, kinds: [insert, update]'),
    );
    const service = await start();
    await until('the receiver to reject a message without a signature', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).catch(() => undefined);
      return response?.status === 401;
    });
    await service.fetch('/notes', sendJson('POST', { id: 1 }));
    await service.fetch(
      '/items',
      sendJson('POST', [
        { id: 1, price: 1, shown: true },
        { id: 2, price: null, shown: null },
      ]),
    );
    await service.fetch('/items?id=eq.1', sendJson('PATCH', { price: 2 }));
    await service.fetch('/items?id=eq.2', sendJson('PATCH', { shown: true }));
    await service.fetch('/items?id=eq.1', { method: 'DELETE' });
    let text = '';
    const print = async () => {
      for await (const part of receiver.stdout) text += new TextDecoder().decode(part);
    };
    void print();
    await until('three changes', () => text.split('\n').length > 3);
    const changes = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Change);
    const row = (key: string) =>
      changes.filter((each) => each.key === key).map(({ kind, before, after }) => [kind, before, after]);
    expect(row('1')).toEqual([
      ['insert', null, { id: 1, price: 1, shown: true }],
      ['update', { price: 1 }, { price: 2 }],
    ]);
    expect(row('2')).toEqual([['insert', null, { id: 2, price: null, shown: true }]]);
    expect(service.stdout() + service.stderr()).not.toContain(SECRET);
  });

  test('nothing is lost or out of order while the receiver fails, the service is killed, and both start again', async () => {
    const port = freePort();
    const { start, command } = shop(hook('shop', `http://127.0.0.1:${port}/`));
    let service = await start();
    let fails = true;
    const received = receive(() => (fails ? new Response(null, { status: 500 }) : accept()), port);
    const write = async (price: number) => {
      for (const id of [1, 2, 3]) {
        const merge = { prefer: 'resolution=merge-duplicates' };
        expect((await service.fetch('/items', sendJson('POST', { id, price }, merge))).ok).toBe(true);
      }
    };
    await write(1);
    await untilFailures(command, ({ length }) => length > 0);
    expect((await command('failures'))[0]).toMatchObject({ webhook: 'shop', status: 'waiting', reason: 'status 500' });
    await write(2);
    service.kill('SIGKILL');
    await service.exited;
    service = await start();
    await write(3);
    fails = false;
    await until('all changes', () => new Set(received.changes.map(({ seq }) => seq)).size === 9);
    for (const key of ['1', '2', '3']) {
      const own = received.changes.filter((change) => change.key === key).map(({ seq }) => seq);
      expect([...new Set(own)]).toEqual([...new Set(own)].toSorted((one, other) => one - other));
    }
    await untilFailures(command, ({ length }) => length === 0);
  });

  test('one row that is refused does not hold up others, nor one receiver another; a delivery can be repeated', async () => {
    let isRefusing = true;
    const bad = receive(({ key }) =>
      isRefusing && key === '1' ? new Response(null, { status: 302, headers: { location: '/' } }) : accept(),
    );
    const good = receive(accept);
    const { start, command } = shop(hook('bad', bad.url) + hook('good', good.url) + hook('inner', 'http://10.0.0.1/'));
    const service = await start();
    await service.fetch('/items', sendJson('POST', [{ id: 1 }, { id: 2 }]));
    await service.fetch('/items?id=eq.1', sendJson('PATCH', { price: 1 }));
    await until('the changes of other rows', () => good.changes.length === 3 && bad.changes.length === 1);
    expect(bad.changes[0]!.key).toBe('2');
    await untilFailures(command, ({ length }) => length === 2, 'bad');
    const failures = await command('failures', 'bad');
    expect(failures[0]).toMatchObject({ key: '1', reason: 'status 302: redirects are not followed' });
    await untilFailures(command, ({ length }) => length > 0, 'inner');
    const [inner] = await command('failures', 'inner');
    expect(inner!.reason).toBe('10.0.0.1 is not a public address; --webhook-networks allows others');
    await command('redeliver', 'good', String(good.changes[0]!.seq));
    await until('the repeated delivery', () => good.changes.length === 4);
    expect(good.changes[3]!).toEqual(good.changes[0]!);
    await command('redeliver', 'good', '--since', '2026-01-01T00:00:00Z');
    await until('all deliveries again', () => good.changes.length === 7);
    isRefusing = false;
    await command('redeliver', 'bad', '--failed');
    await until('the refused deliveries', () => bad.changes.length === 3);
    expect(await (await service.fetch('/metrics')).text()).toMatch(/webhook_deliveries_total ([4-9]|\d\d)/);
  });

  test('rows that are refused again and again do not stop the changes of other rows', async () => {
    const received = receive(({ key }) => (Number(key) < 10 ? new Response(null, { status: 400 }) : accept()));
    const { start, command } = shop(hook('shop', received.url));
    const service = await start();
    await service.fetch(
      '/items',
      sendJson(
        'POST',
        [1, 2, 3, 4, 5, 6].map((id) => ({ id })),
      ),
    );
    await untilFailures(command, (failures) => failures.filter(({ attempts }) => Number(attempts) > 0).length === 6);
    for (const id of [11, 12, 13]) await service.fetch('/items', sendJson('POST', { id }));
    await until('the other rows', () => received.changes.length === 3);
    expect(received.changes.map(({ key }) => key).toSorted()).toEqual(['11', '12', '13']);
  });

  test('of two services on one database, one sends: each change arrives once', async () => {
    const received = receive(accept);
    const { start } = shop(hook('shop', received.url));
    const services = [await start(), await start()];
    for (let id = 1; id <= 20; id++) await services[id % 2]!.fetch('/items', sendJson('POST', { id }));
    await until('all changes', () => received.changes.length >= 20);
    const delivered = async (index: number) => {
      const text = await (await services[index]!.fetch('/metrics')).text();
      return Number(/webhook_deliveries_total (\d+)/.exec(text)![1]);
    };
    await until('the metrics', async () => (await delivered(0)) + (await delivered(1)) >= 20);
    expect([await delivered(0), await delivered(1)].toSorted()).toEqual([0, 20]);
    expect(new Set(received.changes.map(({ seq }) => seq)).size).toBe(20);
    expect(received.changes).toHaveLength(20);
  });

  // The rest does not depend on the engine.
  if (system !== 'SQLite') return;

  test('a name or address that is not public gets no request; a public one needs https', async () => {
    const local = receive(accept);
    const named = hook('named', `http://localhost:${local.port}/`) + hook('mapped', 'https://[::ffff:127.0.0.1]/');
    const { start, command } = shop(named + hook('plain', 'http://93.184.216.34/'), {
      CATALOGUE_WEBHOOK_NETWORKS: 'none',
    });
    const service = await start();
    await service.fetch('/items', sendJson('POST', [{ id: 1 }]));
    await untilFailures(command, ({ length }) => length === 3);
    const reasons = (await command('failures')).map(({ reason }) => reason);
    expect(reasons[0]).toMatch(/^(::ffff:7f00:1|127.0.0.1) is not a public address; --webhook-networks allows others$/);
    expect(reasons[1]).toMatch(/^(127.0.0.1|::1) is not a public address; --webhook-networks allows others$/);
    expect(reasons[2]).toBe('93.184.216.34 needs https; --webhook-networks allows http');
    expect(local.changes).toEqual([]);
  });

  test('without the variable of its secret, the service does not start', async () => {
    const { start } = shop(hook('shop', 'http://127.0.0.1:9/'), { HOOK_SECRET: 'short' });
    const message = String(await start().catch((error: unknown) => error));
    expect(message).toContain('the webhook shop needs its secret: set HOOK_SECRET to whsec_ and the base64');
  });
});
