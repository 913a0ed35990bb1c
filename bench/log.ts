/**
 * Measures the cost of the change log: durable and bulk POSTs to a service with the log and to one without it, which
 * alternate. CPU time includes PostgreSQL. Usage: bun bench/log.ts [ROUNDS] [SECONDS]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newServer, pidIn } from '../test/support/engines/postgres-server.ts';
import { NEW_PRODUCT } from './cases/small.ts';
import { generateObjects } from './generate.ts';
import { measure, needWrk } from './load.ts';
import { machine } from './machine.ts';
import { cpuSeconds } from './readings.ts';
import { type Server, startService } from './servers.ts';

const [rounds = 5, seconds = 3] = process.argv.slice(2).map(Number);
const BULK_ROWS = 1_000;
const BULK_POSTS = 10;
const bulk = JSON.stringify([...generateObjects(BULK_ROWS)].map(({ id: _, ...row }) => row));

needWrk();
const folder = mkdtempSync(join(tmpdir(), 'catalogue-log-'));
const postgres = await newServer();
const postmaster = await pidIn(postgres.dataFolder);

/** The CPU time of the service, and of PostgreSQL with all its processes. */
async function allCpuSeconds({ pid }: Server, isPostgres: boolean): Promise<number> {
  const children = readdirSync('/proc').filter((name) => {
    if (!isPostgres || !/^\d+$/.test(name)) return false;
    try {
      return (
        / \d+ \([^)]*\) \S (\d+)/.exec(` ${readFileSync(`/proc/${name}/stat`, 'utf8')}`)?.[1] === String(postmaster)
      );
    } catch {
      return false;
    }
  });
  const times = await Promise.all([pid, ...children.map(Number)].map(cpuSeconds));
  return times.reduce((sum, time) => sum + (Number.isNaN(time) ? 0 : time), 0);
}

interface Reading {
  readonly perSecond: number;
  /** Microseconds of CPU time for each row. */
  readonly cpu: number;
}

async function single(server: Server, isPostgres: boolean): Promise<Reading> {
  const before = await allCpuSeconds(server, isPostgres);
  const { perSecond } = await measure(server, { path: '/products', script: NEW_PRODUCT }, seconds);
  const used = (await allCpuSeconds(server, isPostgres)) - before;
  return { perSecond, cpu: (used * 1e6) / (perSecond * seconds) };
}

async function inBulk({ url, ...server }: Server, isPostgres: boolean): Promise<Reading> {
  const before = await allCpuSeconds({ url, ...server }, isPostgres);
  const started = performance.now();
  const headers = { 'content-type': 'application/json' };
  for (let count = 0; count < BULK_POSTS; count++) {
    const { status } = await fetch(`${url}/products`, { method: 'POST', headers, body: bulk });
    if (status !== 201) throw new Error(`answered ${status}`);
  }
  const rows = BULK_ROWS * BULK_POSTS;
  const perSecond = (rows * 1000) / (performance.now() - started);
  return { perSecond, cpu: (((await allCpuSeconds({ url, ...server }, isPostgres)) - before) * 1e6) / rows };
}

function median(readings: readonly Reading[], part: keyof Reading): number {
  const sorted = readings.map((each) => each[part]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)]!;
}

console.log(await machine(false));
console.log(
  '| engine | rows | without log, with log, rows/s | share | CPU time of a row, µs | share |\n|---|---|---|---|---|---|',
);
for (const engine of ['SQLite', 'PostgreSQL']) {
  const isPostgres = engine === 'PostgreSQL';
  const start = (name: string, days: string) => {
    const flags = ['--history-days', days, ...(isPostgres ? ['--schema', name] : [])];
    return startService(isPostgres ? postgres.url : join(folder, `${name}.db`), { flags, pinned: false });
  };
  const servers = [await start('without_log', '0'), await start('with_log', '30')];
  for (const [kind, load] of [
    ['single POST', single],
    [`POST of ${BULK_ROWS} rows`, inBulk],
  ] as const) {
    const readings: Reading[][] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      for (const [index, server] of servers.entries()) {
        const reading = await load(server, isPostgres);
        // The first round warms up.
        if (round > 0) readings[index]!.push(reading);
      }
    }
    const [rate, cpu] = (['perSecond', 'cpu'] as const).map((part) => readings.map((each) => median(each, part)));
    const print = (values: readonly number[]) =>
      values.map((value) => Math.round(value).toLocaleString('en')).join(', ');
    const shares = [(rate![1]! / rate![0]!).toFixed(2), (cpu![0]! / cpu![1]!).toFixed(2)];
    console.log(`| ${engine} | ${kind} | ${print(rate!)} | ${shares[0]} | ${print(cpu!)} | ${shares[1]} |`);
  }
  for (const server of servers) await server.stop();
}
await postgres.stop();
rmSync(folder, { recursive: true });
process.exit(0);
