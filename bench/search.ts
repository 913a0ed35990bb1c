/**
 * `npx bun bench/search.ts [products]`: measures the cost of the search index and of text filters with and without it,
 * in CPU time. Reads are compared with a table scan. POSTs are compared with those into a catalogue without the index
 * trigger.
 */
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { BUILT_IN } from '../src/collection/built-in.ts';
import { products } from '../src/collection/products.ts';
import { parseQuery } from '../src/dialect/query.ts';
import { outputOfRead } from '../src/engine/sql/output.ts';
import { compileRead } from '../src/engine/sql/read.ts';
import { Connection } from '../src/engine/sqlite/connection/connection.ts';
import { guardedDialect } from '../src/engine/sqlite/dialect.ts';
import { openSqlite } from '../src/engine/sqlite/engine.ts';
import { planRead, WHOLE_ROW_JSON } from '../src/plan/read/read.ts';
import { type Fixtures, withFixtures } from './fixtures.ts';
import { generateCatalogue, indexCatalogue } from './generate.ts';
import { median } from './outcome.ts';
import { cpuSeconds } from './readings.ts';
import { type Server, startService } from './servers.ts';

const SEARCHES = [
  'product_name=fts.saffron',
  'product_name=fts.77777',
  'product_name=fts.tofu&limit=20',
  'product_name=fts.tofu&limit=20&order=unit_price.desc',
  'product_name=fts.tofu',
  'product_name=wfts."hot sauce" -tea',
  'quantity_per_unit=plfts.ml bottles',
  'product_name=like.*ofu 777*',
  'product_name=ilike.*OFU 777*',
  'product_name=ilike.*tofu*',
  'product_name=fts.12',
];

const POSTS = 10_000;
const AT_ONCE = 32;
const ROUNDS = 5;

async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Posts single products, as many concurrently as share a commit. Returns microseconds of CPU time per product. */
async function post({ url, pid }: Server): Promise<number> {
  const before = await cpuSeconds(pid);
  let sent = 0;
  const client = async () => {
    while (sent < POSTS) {
      const body = JSON.stringify({
        product_name: `Smoked tofu ${++sent}`,
        quantity_per_unit: '12 boxes',
        unit_price: 5,
      });
      const response = await fetch(`${url}/products`, { method: 'POST', body });
      if (response.status !== 201) throw new Error(`answered ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return (((await cpuSeconds(pid)) - before) / POSTS) * 1e6;
}

async function comparePosts(fixtures: Fixtures): Promise<void> {
  const path = fixtures.path('indexed.db');
  const services = [await startService(path), await startService(fixtures.path('plain.db'))];
  const plain = new Database(fixtures.path('plain.db'));
  plain.run('drop trigger _products_search_insert');
  plain.close();
  const used = () => Promise.all(services.map(({ pid }) => cpuSeconds(pid)));
  const costs: [number, number][] = [];
  for (const service of services) await post(service);
  const before = await used();
  for (let round = 0; round < ROUNDS; round++) costs.push([await post(services[0]!), await post(services[1]!)]);
  const db = new Database(path, { readonly: true });
  const pending = db.query<{ count: number }, []>('select count(*) as count from _products_search_pending');
  while (pending.get()!.count >= 500) await Bun.sleep(100);
  db.close();
  const [all, others] = (await used()).map((seconds, at) => ((seconds - before[at]!) / ROUNDS / POSTS) * 1e6);
  const [noted, without] = [median(costs.map(([each]) => each)), median(costs.map(([, each]) => each))];
  console.log(
    `POST of one product: ${without.toFixed(0)} µs without the trigger, ${noted.toFixed(0)} µs with it;`,
    `until all is indexed: ${others!.toFixed(0)} µs, ${all!.toFixed(0)} µs`,
  );
}

const count = Number(process.argv[2] ?? 100_000);
await withFixtures(async (fixtures) => {
  const path = fixtures.path('catalogue.db');
  await generateCatalogue(path, count, { isIndexed: false });
  const indexing = await cpuMilliseconds(() => indexCatalogue(path));
  console.log(`${count} products: indexed in ${((indexing * 1000) / count).toFixed(1)} µs each`);
  const file = new Database(path);
  const [[own]] = file.query("select sum(pgsize) from dbstat where name glob '_*'").values() as [[number]];
  file.close();
  const bytes = statSync(path).size;
  console.log(`${((bytes - own) / count).toFixed(0)} bytes each, and ${(own / count).toFixed(0)} in the index`);
  const bounds = { retryHours: 24, querySeconds: 60 };
  const engine = openSqlite({ path, catalogue: BUILT_IN.catalogue, firstRows: () => [], ...bounds });
  const connection = new Connection(path, { readOnly: true });
  for (const search of SEARCHES) {
    const limit = /limit=(\d+)/.exec(search)?.[1];
    const page = { offset: 0, ...(limit === undefined ? {} : { limit: Number(limit) }) };
    const plan = planRead(products, parseQuery(search.replace(/&limit=\d+/, '')), page, undefined);
    const walk = compileRead(plan, outputOfRead(plan, WHOLE_ROW_JSON, guardedDialect), guardedDialect);
    const times: [number, number][] = [];
    for (let round = 0; round < 3; round++) {
      const walked = await cpuMilliseconds(() => connection.rows(walk));
      times.push([walked, await cpuMilliseconds(() => engine.read(plan, WHOLE_ROW_JSON))]);
    }
    const [walked, indexed] = [median(times.map(([each]) => each)), median(times.map(([, each]) => each))];
    console.log(
      `${search.padEnd(56)} ${walked.toFixed(1).padStart(8)} ms, by index ${indexed.toFixed(1).padStart(7)} ms`,
    );
  }
  connection.close();
  await engine.close();
  await comparePosts(fixtures);
});
