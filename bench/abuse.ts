/**
 * `npm run bench:abuse`: measures the effect of attacks on other clients, on both engines. It reports their slowest
 * reads and writes and the memory of the service. See docs/internals/load-tests.md.
 */
import { parseArgs } from 'node:util';
import { ATTACKS } from './abuse/attacks.ts';
import type { Found } from './abuse/probe.ts';
import { GOALS_IN_WORDS, line, type Noticed, table } from './abuse/report.ts';
import { addLongRows, fill, Target } from './abuse/target.ts';
import { writeAbuse } from './docs.ts';
import { type Fixtures, MILLION, withFixtures } from './fixtures.ts';
import { generateCatalogue } from './generate.ts';
import { machine } from './machine.ts';
import { openPostgres } from './postgres.ts';
import { forgetPeak, peakMegabytes, residentMegabytes } from './readings.ts';
import { ROOT, type Server, startService } from './servers.ts';

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: String(MILLION) },
    /** The duration of each attack. */
    seconds: { type: 'string', default: '15' },
    engine: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [products, seconds] = [Number(values.products), Number(values.seconds)];
if (values.write && (values.only !== undefined || values.engine !== undefined)) {
  console.error('--write takes a whole run: leave --only and --engine out');
  process.exit(2);
}

/** The pause before and after an attack, in which the probe and the service settle. */
const REST_MS = 5_000;

const SERVICES: Readonly<Record<string, (fixtures: Fixtures) => Promise<Server>>> = {
  async SQLite(fixtures) {
    const path = fixtures.path('abuse.db');
    await generateCatalogue(path, products);
    return startService(path, { pinned: false });
  },
  async PostgreSQL(fixtures) {
    const { url, schema, close } = await openPostgres();
    fixtures.atEnd(close);
    const service = await startService(url, { flags: ['--schema', schema, '--empty'], pinned: false });
    await fill(service, products);
    return service;
  },
};

async function attacked(target: Target, engine: string): Promise<Noticed[]> {
  const all: Noticed[] = [];
  for (const { name, run } of ATTACKS.filter((each) => each.name.includes(values.only ?? ''))) {
    const { pid, url } = target.server;
    const probe = startProbe(url);
    await Bun.sleep(1_000);
    await forgetPeak(pid);
    target.begin(seconds);
    await run(target);
    const found = await probe();
    const peak = await peakMegabytes(pid);
    await Bun.sleep(REST_MS);
    const noticed = { attack: name, engine, ...found, peak, after: await residentMegabytes(pid) };
    console.error(line(noticed));
    all.push(noticed);
  }
  return all;
}

/** Starts the probe and returns a function that stops it and resolves to its results. */
function startProbe(url: string): () => Promise<Found> {
  const found = Promise.withResolvers<Found>();
  const probe = Bun.spawn([process.execPath, 'bench/abuse/probe.ts', url, String(products)], {
    cwd: ROOT,
    ipc: (message) => found.resolve(message as Found),
  });
  return () => {
    probe.send('stop');
    return found.promise;
  };
}

await withFixtures(async (fixtures) => {
  const all: Noticed[] = [];
  for (const [engine, start] of Object.entries(SERVICES)) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    console.error(`making ${products.toLocaleString('en')} products on ${engine} …`);
    const server = await start(fixtures);
    await addLongRows(server, products);
    all.push(...(await attacked(new Target(server, products), engine)));
    await server.stop();
  }
  const text = `${products.toLocaleString('en')} products, ${seconds} s each. Goals: ${GOALS_IN_WORDS}; what missed them is bold.\n\n${table(all)}`;
  console.log(`${await machine()}\n\n${text}`);
  if (values.write) await writeAbuse(text);
});
