/**
 * Measures a POST of one product on PostgreSQL beside `pgbench -M prepared`, which inserts the same row into the same
 * table with the same triggers. Both have the same number of connections and alternate. CPU time includes PostgreSQL
 * and the load generator. Usage: bun bench/postgres-post.ts [ROUNDS] [SECONDS] [CONNECTIONS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newServer, pidIn } from '../test/support/engines/postgres-server.ts';
import { NEW_PRODUCT } from './cases/small.ts';
import { measure, needWrk } from './load.ts';
import { machine } from './machine.ts';
import { median, summarise } from './outcome.ts';
import { cpuWithChildren } from './readings.ts';
import { startService } from './servers.ts';
import { table } from './table.ts';

const [rounds = 5, seconds = 5, connections = 16] = process.argv.slice(2).map(Number);

needWrk();
if (Bun.which('pgbench') === null) {
  console.error('This needs pgbench: on Debian, apt-get install postgresql-contrib');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'catalogue-pgbench-'));
const postgres = await newServer();
const postmaster = await pidIn(postgres.dataFolder);
const service = await startService(postgres.url, { pinned: false });
const sql = new SQL(postgres.url, { max: 1 });
const [{ sequence }] = await sql`select pg_get_serial_sequence('products', 'id') as sequence`;
const script = join(folder, 'insert.sql');
await Bun.write(
  script,
  `insert into products (id, product_name, supplier_id, category_id, unit_price, units_in_stock, discontinued)
   values (nextval('${sequence}'), 'New product', 1, 1, 12.5, 3, 0)\n`,
);

interface Reading {
  readonly perSecond: number;
  /** Microseconds of CPU time of the servers for each row. */
  readonly cpu: number;
}

async function read(pid: number | undefined, load: () => Promise<number>): Promise<Reading> {
  const before = await cpuWithChildren(pid, postmaster);
  const perSecond = await load();
  return { perSecond, cpu: (((await cpuWithChildren(pid, postmaster)) - before) * 1e6) / (perSecond * seconds) };
}

async function pgbench(): Promise<number> {
  const options = ['-M', 'prepared', '-n', '-c', connections, '-j', '2', '-T', seconds, '-f', script].map(String);
  const { stdout } = Bun.spawn(['pgbench', ...options, postgres.url], { stderr: 'ignore' });
  return Number(/^tps = ([\d.]+)/m.exec(await new Response(stdout).text())?.[1]);
}

const post = async () =>
  (await measure(service, { path: '/products', script: NEW_PRODUCT, connections }, seconds)).perSecond;

console.log(await machine(false));
const bare: Reading[] = [];
const ours: Reading[] = [];
for (let round = 0; round <= rounds; round++) {
  const [one, other] = [await read(undefined, pgbench), await read(service.pid, post)];
  // The first round warms up.
  if (round === 0) continue;
  bare.push(one);
  ours.push(other);
}
const outcome = summarise({
  name: `PostgreSQL: POST of one product with the log, ${connections} connections, beside pgbench`,
  unit: 'requests/s',
  goal: { kind: 'share', atLeast: 0.6 },
  baseline: bare.map((each) => each.perSecond),
  service: ours.map((each) => each.perSecond),
  cpu: { baseline: bare.map((each) => each.cpu), service: ours.map((each) => each.cpu) },
});
console.log(table([outcome]));
const cpu = [bare, ours].map((side) => Math.round(median(side.map((each) => each.cpu))));
console.log(`CPU time of a row: ${cpu[0]} µs by pgbench, ${cpu[1]} µs by the service, PostgreSQL included`);
await sql.close();
await service.stop();
await postgres.stop();
rmSync(folder, { recursive: true });
process.exit(0);
