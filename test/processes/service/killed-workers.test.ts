/** Kills of workers while the service starts, and of their supervisor under load. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { freePort } from '../../support/engines/postgres.ts';
import { isListening, statusesIn, talkTo } from '../../support/network/socket.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import {
  childrenOf,
  cleanUp,
  PROGRAM,
  spawn,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const WORKERS = ['--workers', '2', '--log-level', 'error'];
const RESTARTED = /a worker ended and is restarted/g;

const isWorker = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0worker\0');

describe.skipIf(process.platform !== 'linux').each(DATABASES)('on %s', (_, environment) => {
  const victims: [string, (workers: readonly number[]) => number][] = [
    ['serves already', ([first]) => first!],
    ['starts itself', ([, second]) => second!],
  ];
  test.each(victims)('a worker that is killed while the other starts is replaced: one that %s', async (_, choose) => {
    let pid = 0;
    const starting = startService({
      cwd: temporaryFolder(),
      env: environment(),
      args: WORKERS,
      onSpawn: (child) => {
        pid = child;
      },
    });
    // A child that is stopped before it runs its program would stop its parent as well.
    await until('the second worker', () => childrenOf(pid).filter(isWorker).length === 2);
    const workers = childrenOf(pid);
    // It starts no further until the other one is dead.
    process.kill(workers[1]!, 'SIGSTOP');
    const victim = choose(workers);
    process.kill(victim, 'SIGKILL');
    await until('its end', () => !existsSync(`/proc/${victim}`));
    if (victim !== workers[1]) process.kill(workers[1]!, 'SIGCONT');
    const service = await starting;
    const metrics = async () => (await service.fetch('/metrics', { headers: { connection: 'close' } })).text();
    await until('two workers', async () => /^catalogue_workers 2$/m.test(await metrics()));
    expect(await metrics()).toMatch(/^catalogue_worker_restarts_total 1$/m);
    expect(service.stderr().match(RESTARTED)).toHaveLength(1);
    expect((await service.fetch('/ready', { headers: { connection: 'close' } })).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  test('a first worker that is killed before it serves ends the start, which says so', async () => {
    const supervisor = spawn({ cwd: temporaryFolder(), env: environment() }, ['serve', '--port', '0', ...WORKERS]);
    await until('the first worker', () => childrenOf(supervisor.pid).some(isWorker));
    process.kill(childrenOf(supervisor.pid)[0]!, 'SIGKILL');
    expect(await new Response(supervisor.stderr).text()).toMatch(/a worker was killed before it served.*SIGKILL/s);
    expect(await supervisor.exited).toBe(137);
  });

  test('when the supervisor is killed, workers finish their requests, and a new service gets the port at once', async () => {
    const [cwd, env, port] = [temporaryFolder(), environment(), freePort()];
    await Bun.write(`${cwd}/collections.yaml`, 'collections:\n  items: { fields: { id: int4, name: text } }\n');
    const args = ['--edit-declaration', '--public', '--port', String(port), ...WORKERS];
    const first = await startService({ cwd, env, args });
    const workers = childrenOf(first.pid);
    const acknowledged: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let turn = 0; !isOver; turn++) {
        const name = `${client}.${turn}`;
        const sent = await fetch(`http://127.0.0.1:${port}/items`, sendJson('POST', { name })).catch(() => undefined);
        if (sent?.status === 201) acknowledged.push(name);
        // As with any service, the client tries again when its connection breaks.
        else await Bun.sleep(5);
      }
    });
    const body = JSON.stringify({ name: 'in flight' });
    const upload = await talkTo(port);
    upload.send(`POST /items HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
    await until('some writes', () => acknowledged.length > 20);
    first.kill('SIGKILL');
    await until('its end', first.hasExited);
    const second = await startService({ cwd, env, args });
    const before = acknowledged.length;
    await until('writes to the new service', () => acknowledged.length > before + 20);
    // The upload still belongs to a worker of the killed service.
    upload.send(body.slice(5));
    expect(statusesIn(await upload.until('an answer', (text) => text.includes('\r\n\r\n')))).toEqual([201]);
    await until('the old workers to end', () => workers.every((pid) => !existsSync(`/proc/${pid}`)));
    isOver = true;
    await Promise.all(clients);
    const rows = (await (await second.fetch('/items?select=name')).json()) as { name: string }[];
    const stored = new Set(rows.map(({ name }) => name));
    expect([...acknowledged, 'in flight'].filter((name) => !stored.has(name))).toEqual([]);
    second.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(await isListening(port)).toBe(false);
  });
});

test('a worker ends if its supervisor is gone before it sends the settings', async () => {
  const worker = Bun.spawn([...PROGRAM, 'worker'], { ipc: () => undefined });
  worker.disconnect();
  expect(await worker.exited).toBe(0);
});
