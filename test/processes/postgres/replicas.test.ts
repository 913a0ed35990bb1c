/**
 * Reads on a real standby that streams from a real primary. The data shows which server answered: while replay is
 * paused on the standby, only the primary has newer changes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newServer, newStandby, type OwnServer } from '../../support/engines/postgres.ts';
import { startBalancer } from '../../support/network/balancer.ts';
import { startCuttingProxy } from '../../support/network/cutting-proxy.ts';
import { startSilentProxy } from '../../support/network/silent-proxy.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const LAG_SECONDS = 1;

describe('with a standby for reads', () => {
  let primary: OwnServer;
  let standby: OwnServer;
  let service: Service;
  let onPrimary: SQL;
  let onStandby: SQL;
  let changes = 0;

  beforeAll(async () => {
    primary = await newServer();
    standby = await newStandby(primary);
    onPrimary = new SQL(primary.url, { max: 1 });
    onStandby = new SQL(standby.url, { max: 1 });
    service = await startService({
      args: ['--replica-lag', String(LAG_SECONDS)],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: standby.url },
    });
  });
  beforeEach(async () => {
    await until('the standby to answer', standbyAnswers);
  });
  afterAll(async () => {
    await cleanUp();
    await Promise.all([onPrimary.close({ timeout: 0 }), onStandby.close({ timeout: 0 })]);
    await standby.stop();
    await primary.stop();
  });

  const pause = () => onStandby.unsafe('select pg_wal_replay_pause()');
  const resume = () => onStandby.unsafe('select pg_wal_replay_resume()');

  /** Changes a row on the primary, as another program would, and returns the new value. */
  async function change(): Promise<number> {
    await onPrimary.unsafe(`update products set units_in_stock = ${++changes} where id = 1`);
    return changes;
  }

  async function stockRead(): Promise<number> {
    const response = await service.fetch('/products/1');
    expect(response.status).toBe(200);
    return ((await response.json()) as { units_in_stock: number }).units_in_stock;
  }

  /** Pauses replay on the standby and changes the primary: the value read shows which server answered. */
  async function standbyAnswers(): Promise<boolean> {
    await pause();
    const newest = await change();
    const read = await stockRead();
    await resume();
    return read < newest;
  }

  test('a client reads its own write, however far behind the standby is', async () => {
    await pause();
    for (let round = 0; round < 20; round++) {
      const sent = await service.fetch('/products/2', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ units_in_stock: round }),
      });
      expect(sent.status).toBe(204);
      const [listed] = (await (await service.fetch('/products?id=eq.2')).json()) as { units_in_stock: number }[];
      expect(listed!.units_in_stock).toBe(round);
    }
    await resume();
  });

  test('a client that looks for an unconfirmed write finds it, however far behind the standby is', async () => {
    const proxy = await startCuttingProxy(primary.port, '127.0.0.1');
    const other = await startService({
      args: ['--replica-lag', '300', '--log-level', 'info'],
      cwd: temporaryFolder(),
      env: {
        DATABASE_URL: primary.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`),
        DATABASE_REPLICA_URLS: standby.url,
      },
    });
    await until('the standby to be read from', () => other.stderr().includes('reading from the replica'));
    await pause();
    const cut = proxy.cut('not confirmed', 'before it is answered');
    const sent = await other.fetch('/products', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ product_name: 'not confirmed' }),
    });
    await cut;
    expect([sent.status, await sent.json()]).toEqual([
      503,
      expect.objectContaining({ message: 'the database did not confirm the write' }),
    ]);
    const found = await other.fetch('/products?product_name=eq.not confirmed');
    expect(await found.json()).toHaveLength(1);
    await resume();
    proxy.close();
  });

  test('a standby that lags too far behind gets no reads until it has caught up', async () => {
    await pause();
    const newest = await change();
    await until('the primary to be asked', async () => (await stockRead()) === newest);
    await resume();
    await until('the standby to answer', standbyAnswers);
    expect(service.stderr()).toContain(`the replica 127.0.0.1:${standby.port} is too far behind`);
  });

  test('a standby that is cut off from the primary does not serve outdated products for ever', async () => {
    const [conninfo] = await onStandby.unsafe('show primary_conninfo');
    const connectTo = async (source: string) => {
      await onStandby.unsafe(`alter system set primary_conninfo = '${source}'`);
      await onStandby.unsafe('select pg_reload_conf()');
    };
    await connectTo('host=127.0.0.1 port=1');
    await until('the standby to lose it', async () => {
      const [row] = await onPrimary.unsafe('select count(*)::int4 as streaming from pg_stat_replication');
      return row.streaming === 0;
    });
    const newest = await change();
    await until('the primary to be asked', async () => (await stockRead()) === newest);
    await connectTo(conninfo.primary_conninfo);
    await until('the standby to answer', standbyAnswers);
  });

  test('a standby that goes down causes no failed read, and returns by itself', async () => {
    const statuses = new Set<number>();
    let going = true;
    const reader = async () => {
      while (going) statuses.add((await service.fetch('/products?limit=5')).status);
    };
    const readers = [reader(), reader(), reader(), reader()];
    await standby.stop();
    const newest = await change();
    await until('the primary to answer alone', async () => (await stockRead()) === newest);
    await Bun.sleep(500);
    await standby.start();
    onStandby = new SQL(standby.url, { max: 1 });
    await until('the standby to answer', standbyAnswers);
    going = false;
    await Promise.all(readers);
    expect([...statuses]).toEqual([200]);
    expect(service.stderr().includes(`the replica 127.0.0.1:${standby.port} is down`)).toBe(true);
    expect(service.stderr()).not.toContain('secret');
  });

  test('while the primary is down the standby still answers reads, and writes get 503', async () => {
    await primary.stop();
    for (let round = 0; round < 20; round++) expect(await stockRead()).toBeLessThanOrEqual(changes);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ units_in_stock: 1 });
    const refused = await service.fetch('/products/2', { method: 'PATCH', headers, body });
    expect(refused.status).toBe(503);
    await primary.start();
    onPrimary = new SQL(primary.url, { max: 1 });
    await until('writes to go on', async () => {
      return (await service.fetch('/products/2', { method: 'PATCH', headers, body })).status === 204;
    });
    await until('the standby to answer', standbyAnswers);
  });

  test('with --replica-reads any a read waits only for the writes that its client names, on any instance', async () => {
    const start = () =>
      startService({
        args: ['--replica-reads', 'any'],
        cwd: temporaryFolder(),
        env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: standby.url },
      });
    const [one, other] = await Promise.all([start(), start()]);
    const read = async (from: Service, headers: Record<string, string> = {}) => {
      const response = await from.fetch('/products?select=units_in_stock&id=eq.3', { headers });
      return ((await response.json()) as [{ units_in_stock: number }])[0].units_in_stock;
    };
    const write = async (units_in_stock: number) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ units_in_stock });
      const sent = await one.fetch('/products/3', { method: 'PATCH', headers, body });
      expect(sent.status).toBe(204);
      return { 'catalogue-position': sent.headers.get('catalogue-position')! };
    };
    await write(1);
    await until('both to read from the standby', async () => {
      for (const service of [one, other]) {
        await until('the write to be there', async () => (await read(service)) === 1);
        if (!service.stderr().includes('reading from the replica')) return false;
      }
      return true;
    });
    await pause();
    const position = await write(2);
    expect([await read(one), await read(other)]).toEqual([1, 1]);
    expect([await read(one, position), await read(other, position)]).toEqual([2, 2]);
    expect(await read(other, { 'catalogue-position': 'newest' })).toBe(2);
    // A part of a row is never older than its version, whichever server answers.
    const part = await other.fetch('/products/3?select=units_in_stock');
    expect(await part.json()).toEqual({ units_in_stock: 2 });
    await resume();
    await until('the standby to have it', async () => (await read(one)) === 2);
    // The service knows that the standby has this position, and no later one.
    await pause();
    await onPrimary.unsafe('update products set units_in_stock = 3 where id = 3');
    await until('the standby to answer', async () => (await read(other, position)) === 2);
    expect(await read(other, { 'catalogue-position': 'newest' })).toBe(3);
    await resume();
  });

  test('a silent connection to a standby loses no response', async () => {
    const proxy = await startSilentProxy(standby.port);
    const replicas = standby.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    const reader = await startService({
      // Two seconds later the client-side deadline of a statement ends.
      args: ['--query-timeout', '1', '--log-level', 'info'],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replicas },
    });
    await until('the standby to be read from', () => reader.stderr().includes('reading from the replica'));
    const first = proxy.silenceAt('as_quick');
    const quick = reader.fetch('/products?select=as_quick:product_name&id=eq.1');
    await first;
    const second = proxy.silenceAt('%hai%');
    const costly = reader.fetch('/products?product_name=ilike.*hai*');
    await second;
    for (const read of [quick, costly]) {
      const response = await read;
      expect(response.status).toBe(200);
      expect(await response.json()).not.toEqual([]);
    }
    proxy.close();
  });

  test('with --replica-reads any, uploads, their use and their download do not depend on a lagging standby', async () => {
    const cwd = temporaryFolder();
    const declaration = 'collections: { docs: { fields: { id: int4, body: file } } }';
    writeFileSync(join(cwd, 'collections.yaml'), declaration);
    await onPrimary.unsafe('create schema with_files');
    const reader = await startService({
      args: ['--schema', 'with_files', '--replica-reads', 'any', '--replica-lag', '300', '--log-level', 'info'],
      cwd,
      env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: standby.url },
    });
    await until('the standby to be read from', () => reader.stderr().includes('reading from the replica'));
    const headers = { 'content-type': 'application/json' };
    const added = await reader.fetch('/docs', { method: 'POST', headers, body: '[{"id":1},{"id":2}]' });
    expect(added.status).toBe(201);
    await until('the rows', async () => ((await (await reader.fetch('/docs')).json()) as unknown[]).length === 2);
    await pause();
    const bytes = new Uint8Array(600_000).fill(7);
    const sent = await reader.fetch('/files', { method: 'POST', body: bytes });
    const file = (await sent.json()) as { id: string };
    expect([sent.status, file]).toEqual([201, expect.objectContaining({ size: bytes.length })]);
    const position = sent.headers.get('catalogue-position')!;
    expect(await (await reader.fetch('/files?select=id')).json()).toEqual([]);
    const listed = await reader.fetch('/files?select=id', { headers: { 'catalogue-position': position } });
    expect(await listed.json()).toEqual([{ id: file.id }]);
    const put = await reader.fetch('/docs/1/body', { method: 'PUT', body: bytes });
    expect([put.status, await put.json()]).toEqual([200, expect.objectContaining({ size: bytes.length })]);
    expect(put.headers.get('catalogue-position')).not.toBeNull();
    const body = JSON.stringify({ body: file.id });
    expect((await reader.fetch('/docs/2', { method: 'PATCH', headers, body })).status).toBe(204);
    const download = await reader.fetch(`/files/${file.id}/x`);
    expect([download.status, (await download.bytes()).length]).toEqual([200, bytes.length]);
    await resume();
  });

  test('an address of several standbys is detected and gets no reads', async () => {
    const other = await newServer();
    const balanced = await startBalancer([standby.port, other.port]);
    const replicas = standby.url.replace(/@[^/]*/, `@127.0.0.1:${balanced.port}`);
    const reader = await startService({
      cwd: temporaryFolder(),
      env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replicas },
    });
    await until('the log to say so', () => reader.stderr().includes('is the address of several servers'));
    expect(reader.stderr()).toContain('Name every replica by its own address');
    await pause();
    const newest = await change();
    const read = (await (await reader.fetch('/products/1')).json()) as { units_in_stock: number };
    await resume();
    expect(read.units_in_stock).toBe(newest);
    balanced.close();
    await other.stop();
  });

  test('the log says that a standby was promoted', async () => {
    await onStandby.unsafe('select pg_promote()');
    await until('the log to say so', () => service.stderr().includes('accepts writes: it was promoted'));
    const newest = await change();
    expect(await stockRead()).toBe(newest);
  });
});
