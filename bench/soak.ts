/**
 * `npm run bench:soak -- --minutes 10`: runs one service under mixed load. It checks that memory stays flat after the
 * first minute, and that every response is correct. The exit code is 1 if a check fails.
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { withFixtures } from './fixtures.ts';
import { generateCatalogue } from './generate.ts';
import { residentMegabytes } from './readings.ts';
import { startService } from './servers.ts';
import { Client, type Noted } from './soak/client.ts';
import { anyDeed } from './soak/deeds.ts';
import { judge, LEAST_MINUTES, type Sample } from './soak/memory.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '16' },
    products: { type: 'string', default: '100000' },
  },
});
const [minutes, clients, products] = [Number(values.minutes), Number(values.clients), Number(values.products)];
if (!(minutes >= LEAST_MINUTES)) {
  console.error(`--minutes must be at least ${LEAST_MINUTES}: the last one is held against the second and third`);
  process.exit(2);
}

const noted: Noted = { milliseconds: [], errors: [] };
const memory: Sample[] = [];
let answered = 0;

/** Prints the activity since the last report. */
function report({ second, megabytes }: Sample, since: number): void {
  const sorted = noted.milliseconds.sort((one, other) => one - other);
  noted.milliseconds = [];
  answered += sorted.length;
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const columns = [
    `${second.toFixed(0)} s`.padStart(6),
    `${megabytes.toFixed(0)} MB`.padStart(8),
    `${Math.round(sorted.length / (second - since)).toLocaleString('en')} requests/s`.padStart(18),
    `p99 ${p99.toFixed(1)} ms`.padStart(14),
    `${noted.errors.length} errors`.padStart(10),
  ];
  console.log(columns.join('  '));
}

/**
 * Samples memory about every second and reports every ten, until the time is up. Both can be late on a busy machine.
 */
async function watch(pid: number): Promise<void> {
  const started = performance.now();
  let reported = 0;
  while (reported < minutes * 60) {
    await Bun.sleep(1000);
    const sample = { second: (performance.now() - started) / 1000, megabytes: await residentMegabytes(pid) };
    memory.push(sample);
    if (sample.second < reported + 10) continue;
    report(sample, reported);
    reported = sample.second;
  }
}

await withFixtures(async (fixtures) => {
  const database = fixtures.path('soak.db');
  await generateCatalogue(database, products);
  const sizeBefore = statSync(database).size;
  const service = await startService(database, { pinned: false });
  const client = new Client(service.url, noted);
  let isOver = false;
  const busy = Array.from({ length: clients }, async () => {
    while (!isOver) await anyDeed().run(client, products);
  });
  await watch(service.pid);
  isOver = true;
  await Promise.all(busy);
  const { headers } = await client.ask('/products?limit=1', { headers: { prefer: 'count=exact' }, expect: [206] });
  const left = Number(headers.get('content-range')?.split('/')[1]);
  if (left !== products) noted.errors.push(`${left} products are left of ${products}`);
  await Bun.sleep(5000);
  const idle = await residentMegabytes(service.pid);
  await service.stop();

  const { early, late, isFlat } = judge(memory);
  const sizes = [sizeBefore, statSync(database).size].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  console.log(`
${answered.toLocaleString('en')} requests, ${noted.errors.length} errors
memory: ${early.toFixed(0)} MB in minutes 2 and 3, ${late.toFixed(0)} MB in the last: ${isFlat ? 'flat' : 'NOT FLAT'}; ${idle.toFixed(0)} MB after it
file: ${sizes.join(' MB, then ')} MB`);
  for (const [error, all] of Map.groupBy(noted.errors, (each) => each)) console.log(`${all.length} × ${error}`);
  if (!isFlat || noted.errors.length > 0) process.exitCode = 1;
});
