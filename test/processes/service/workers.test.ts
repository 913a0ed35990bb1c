/** Several processes on one port: all serve the same data, and no acknowledged write is lost when a process dies. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { Connection } from '../../support/network/load.ts';
import { isListening, statusesIn, talkTo } from '../../support/network/socket.ts';
import {
  childrenOf,
  cleanUp,
  integrityOf,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

const WORKERS = 2;
const QUIET = ['--workers', String(WORKERS), '--log-level', 'error'];

describe.skipIf(process.platform !== 'linux')('--workers', () => {
  const databases: readonly [string, () => Readonly<Record<string, string>>][] = [
    ['SQLite', () => ({})],
    ['PostgreSQL', () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() })],
  ];
  for (const [name, env] of databases) {
    test(`a write through one worker is visible to all at once, on ${name}`, async () => {
      const service = await startService({ cwd: temporaryFolder(), args: QUIET, env: env() });
      expect(service.stdout()).toContain(`\nRows      products 77\nWorkers   ${WORKERS}\n`);
      const connections = await oneConnectionToEach(service);
      for (let round = 0; round < 60; round++) {
        const writer = connections[round % WORKERS]!;
        expect((await writer.ask(patch(1, { product_name: `Round ${round}` }))).status).toBe(204);
        const answers = await Promise.all(connections.map((each) => each.ask(get('/products/1'))));
        expect(answers.map(({ body }) => JSON.parse(body).product_name)).toEqual(Array(WORKERS).fill(`Round ${round}`));
        expect(new Set(answers.map(({ head }) => /^etag: (.+)$/im.exec(head)![1])).size).toBe(1);
        const lists = await Promise.all(connections.map((each) => each.ask(get('/products?id=lte.3'))));
        expect(lists.map(({ body }) => body.includes(`"Round ${round}"`))).toEqual(Array(WORKERS).fill(true));
      }
      // An Idempotency-Key also applies to all workers.
      for (let round = 0; round < 10; round++) {
        const request = post({ product_name: `Once ${round}` }, `idempotency-key: once-${round}\r\n`);
        const answers = await Promise.all(connections.map((each) => each.ask(request)));
        expect(answers.map(({ status }) => status)).toEqual(Array(WORKERS).fill(201));
        expect(new Set(answers.map(({ head }) => /^location: (.+)$/im.exec(head)![1])).size).toBe(1);
      }
      const counted = await service.fetch('/products?product_name=like.Once*&select=count()');
      expect(await counted.json()).toEqual([{ count: 10 }]);
      for (const each of connections) each.close();
    });
  }

  test('writers in all workers get their turn and none is rejected', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd, args: QUIET });
    const connections = (await Promise.all([1, 2, 3, 4, 5, 6].map(() => oneConnectionToEach(service)))).flat();
    const statuses = await Promise.all(
      connections.map(async (connection, writer) => {
        const all: number[] = [];
        for (let turn = 0; turn < 50; turn++) {
          all.push((await connection.ask(post({ product_name: `Turn ${writer}.${turn}` }))).status);
        }
        return all;
      }),
    );
    expect(statuses.flat().filter((status) => status !== 201)).toEqual([]);
    for (const each of connections) each.close();
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(countProducts(cwd, 'Turn %')).toBe(50 * connections.length);
  });

  test('a killed worker loses no acknowledged write, and another replaces it', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd, args: QUIET });
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; !isOver; turn++) {
        const name = `Kept ${writer}.${turn}`;
        const headers = { 'idempotency-key': name, connection: 'close' };
        const body = JSON.stringify({ product_name: name });
        // As with any service, the client repeats a request when its connection breaks.
        const status = await service.fetch('/products', { method: 'POST', headers, body }).then(
          (response) => response.status,
          () => undefined,
        );
        if (status === undefined) turn--;
        else {
          expect(status).toBe(201);
          acknowledged.push(name);
        }
      }
    });
    for (let kill = 0; kill < 4; kill++) {
      const before = acknowledged.length;
      await until('some writes', () => acknowledged.length > before + 100);
      await replaceWorker(service, kill % WORKERS);
    }
    const before = acknowledged.length;
    await until('writes after the last', () => acknowledged.length > before + 100);
    isOver = true;
    await Promise.all(writers);
    await until('all of them', async () => (await metricOf(service, 'catalogue_workers')) === WORKERS);
    expect(await metricOf(service, 'catalogue_worker_restarts_total')).toBe(4);
    expect(service.stderr().match(/a worker ended and is restarted/g)).toHaveLength(4);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
    const stored = namesIn(cwd, 'Kept %');
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((name) => !stored.includes(name))).toEqual([]);
  });

  test('SIGTERM drains all workers: uploads in flight are answered, then the port is closed and the file is clean', async () => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd, args: QUIET });
    const body = JSON.stringify({ product_name: 'Uploaded slowly' });
    const uploads = await Promise.all(Array.from({ length: 12 }, () => talkTo(service.port)));
    for (const upload of uploads) {
      upload.send(
        `POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      );
    }
    await until('all of them', async () => (await metricOf(service, 'catalogue_http_requests_in_progress')) >= 12);
    service.kill('SIGTERM');
    await until('the port to be closed', async () => !(await isListening(service.port)));
    expect(service.hasExited()).toBe(false);
    for (const upload of uploads) upload.send(body.slice(5));
    for (const upload of uploads) {
      expect(statusesIn(await upload.until('an answer', (text) => text.includes('\r\n\r\n')))).toEqual([201]);
    }
    expect(await service.exited).toBe(0);
    expect(existsSync(join(cwd, 'catalogue.db-wal'))).toBe(false);
    expect(countProducts(cwd, 'Uploaded slowly')).toBe(12);
  });

  test('the metrics of any worker cover all workers, and the log names the worker that answered', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: ['--workers', String(WORKERS)] });
    const connections = await oneConnectionToEach(service);
    const series = 'catalogue_http_requests_total{route="/products",method="GET",status="200"}';
    expect(await metricOf(service, series)).toBe(0);
    for (const each of connections) {
      for (let turn = 0; turn < 5; turn++) await each.ask(get('/products?limit=2'));
    }
    for (const each of connections) {
      const { body } = await each.ask(get('/metrics'));
      expect(metricIn(body, series)).toBe(5 * WORKERS);
      expect(metricIn(body, 'catalogue_workers')).toBe(WORKERS);
      expect(metricIn(body, 'catalogue_ready')).toBe(1);
      expect(metricIn(body, 'catalogue_database_up')).toBe(1);
      expect((await each.ask(get('/ready'))).status).toBe(200);
    }
    const requests = () =>
      service
        .stderr()
        .split('\n')
        .filter((line) => line.includes('"path":"/products?limit=2"'))
        .map((line) => JSON.parse(line) as { worker: number });
    await until('the log', () => requests().length === 5 * WORKERS);
    expect(
      requests()
        .map(({ worker }) => worker)
        .sort(),
    ).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    // The counts of a dead worker remain in the metrics.
    await replaceWorker(service, 0);
    await until(
      'its restart to be counted',
      async () => (await metricOf(service, 'catalogue_worker_restarts_total')) === 1,
    );
    expect(await metricOf(service, series)).toBe(5 * WORKERS);
    for (const each of connections) each.close();
  });

  test('all workers share one admin port, and each backup runs once', async () => {
    const cwd = temporaryFolder();
    // Their names have the second, so that two within one would look like the same.
    const args = ['--workers', '2', '--admin-port', '0', '--backup-every', '2s', '--log-level', 'info'];
    const service = await startService({ cwd, args });
    const admin = /^Admin +(\S+)$/m.exec(service.stdout())![1]!;
    expect((await fetch(`${admin}/ready`)).status).toBe(200);
    expect(metricIn(await (await fetch(`${admin}/metrics`)).text(), 'catalogue_workers')).toBe(2);
    expect((await service.fetch('/metrics')).status).toBe(404);
    const backups = () => service.stderr().match(/"message":"backup".*/g) ?? [];
    await until('two backups', () => backups().length >= 2);
    expect(new Set(backups().map((line) => /catalogue-[\w-]+\.db/.exec(line)![0])).size).toBe(backups().length);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  test('without their parent process the workers stop', async () => {
    const service = await startService({ cwd: temporaryFolder(), args: QUIET });
    const workers = childrenOf(service.pid);
    expect(workers).toHaveLength(WORKERS);
    service.kill('SIGKILL');
    await until('the port to be closed', async () => !(await isListening(service.port)));
    await until('the workers to end', () => workers.every((pid) => !existsSync(`/proc/${pid}`)));
  });

  test('an error is reported once, in one sentence', async () => {
    const cwd = temporaryFolder();
    const inMemory = await run({ cwd, args: ['serve', '--port', '0', ...QUIET, '--database', ':memory:'] });
    expect(inMemory).toMatchObject({ exitCode: 1, stdout: '' });
    expect(inMemory.stderr).toBe(
      'catalogue: a catalogue in memory belongs to one process: give it a file, or start it without --workers and --edit-declaration\n',
    );
    const service = await startService({ cwd, args: QUIET });
    const second = await run({ cwd, args: ['serve', '--port', String(service.port), ...QUIET] });
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toMatch(/^catalogue: port \d+ is in use on 127.0.0.1; choose another with --port\n$/);
    const nowhere = await run({ cwd, args: ['serve', '--port', '0', ...QUIET, '--database', 'no/such/folder/x.db'] });
    expect(nowhere).toMatchObject({ exitCode: 1, stdout: '' });
    expect(nowhere.stderr).toMatch(
      /^catalogue: the database no\/such\/folder\/x\.db cannot be opened: folder no\/such\/folder does not exist; [^\n]+--database\n$/,
    );
    expect((await service.fetch('/ready')).status).toBe(200);
  });
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}

function post(product: object, headers = ''): string {
  const body = JSON.stringify(product);
  return `POST /products HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
}

function patch(id: number, change: object): string {
  const body = JSON.stringify(change);
  return `PATCH /products/${id} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/**
 * Opens one connection to each worker. The kernel chooses the worker; the request id of an error response identifies
 * it.
 */
async function oneConnectionToEach(service: Service): Promise<Connection[]> {
  const byWorker = new Map<string, Connection>();
  await until('a connection to each worker', async () => {
    const connection = await Connection.open(service.port);
    const { head } = await connection.ask(get('/nothing'));
    const worker = /^x-request-id: (\w+)-/im.exec(head)![1]!;
    if (byWorker.has(worker)) connection.close();
    else byWorker.set(worker, connection);
    return byWorker.size === WORKERS;
  });
  return [...byWorker.values()];
}

/** Kills a worker and waits for its replacement. */
async function replaceWorker(service: Service, index: number): Promise<void> {
  const victim = childrenOf(service.pid)[index]!;
  process.kill(victim, 'SIGKILL');
  await until('a new worker', () => {
    const now = childrenOf(service.pid);
    return now.length === WORKERS && !now.includes(victim);
  });
}

async function metricOf(service: Service, name: string): Promise<number> {
  // A new connection, because a pooled one may lead to a killed process.
  const response = await service.fetch('/metrics', { headers: { connection: 'close' } });
  return metricIn(await response.text(), name);
}

function metricIn(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

function namesIn(cwd: string, pattern: string): string[] {
  const db = new Database(join(cwd, 'catalogue.db'), { readonly: true });
  try {
    const rows = db.query('select product_name from products where product_name like ?').values(pattern);
    return rows.map(([name]) => String(name));
  } finally {
    db.close();
  }
}

function countProducts(cwd: string, pattern: string): number {
  return namesIn(cwd, pattern).length;
}
