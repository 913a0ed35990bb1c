/** A new version replaces a running service under load, and no client notices. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startLoad } from '../../support/network/load.ts';
import { cleanUp, integrityOf, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

const READ = 'GET /products?limit=5 HTTP/1.1\r\nhost: localhost\r\n\r\n';

function write(turn: number): string {
  const body = `{"product_name":"Written under load ${turn}"}`;
  return `POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

for (const { restarts, clients, keepAlive, workers } of [
  { restarts: 2, clients: 'clients that keep their connections', keepAlive: true, workers: 1 },
  { restarts: 2, clients: 'clients that open one for each request', keepAlive: false, workers: 1 },
  { restarts: 2, clients: 'clients of several processes', keepAlive: false, workers: 2 },
]) {
  test.skipIf(process.platform !== 'linux')(
    `${restarts} restarts under load lose no request of ${clients}`,
    async () => {
      const cwd = temporaryFolder();
      const flags = ['--handover', '--workers', String(workers), '--log-level', 'silent'];
      let service = await startService({ cwd, args: flags });
      const args = [...flags, '--port', String(service.port)];
      let writes = 0;
      const nextRequest = (turn: number) => {
        if (turn % 10 !== 0) return READ;
        writes++;
        return write(turn);
      };
      const load = startLoad(service.port, 8, nextRequest, { keepAlive });
      for (let restart = 0; restart < restarts; restart++) {
        const before = load.answered();
        await until('some load', () => load.answered() > before + 100);
        const next = await startService({ cwd, args });
        service.kill('SIGTERM');
        expect(await service.exited).toBe(0);
        service = next;
      }
      const before = load.answered();
      await until('load on the last one', () => load.answered() > before + 100);
      await load.stop();
      expect(load.failures()).toEqual([]);
      const [row] = (await (await service.fetch('/products?select=count()')).json()) as { count: number }[];
      expect(row!.count).toBe(77 + writes);
      service.kill('SIGTERM');
      expect(await service.exited).toBe(0);
      expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
    },
  );
}

test('a port without --handover is not shared by accident', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const second = startService({ cwd, args: ['--port', String(service.port), '--handover'] });
  await expect(second).rejects.toThrow('is in use');
});

test('while it drains, a service says so on its admin port and to connected clients', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd, args: ['--handover', '--admin-port', '0'] });
  const admin = /^Admin +(\S+)$/m.exec(service.stdout())![1]!;
  expect((await fetch(`${admin}/ready`)).status).toBe(200);
  service.kill('SIGTERM');
  await until('draining', async () => (await fetch(`${admin}/ready`)).status === 503);
  expect(await (await fetch(`${admin}/ready`)).text()).toBe('not ready: draining\n');
  const last = await service.fetch('/products/1');
  expect({ status: last.status, connection: last.headers.get('connection') }).toEqual({
    status: 200,
    connection: 'close',
  });
  expect(await service.exited).toBe(0);
});
