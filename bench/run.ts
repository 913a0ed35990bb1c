/**
 * `npm run bench`: the service beside bare baselines, alternated in one run, so that the ratios mean something on a
 * noisy machine. `--quick` takes under a minute; `--write` puts the table and the plot into docs/.
 */

import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCatalogue } from './generate.ts';
import { get, type Load, measure } from './load.ts';
import { millionCases } from './million.ts';
import { type Result, summarise, writeReport } from './report.ts';
import { type Server, startBareSqlite, startConstant, startService, stopAll } from './servers.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = 3;
const SECONDS = quick ? 1 : 4;
const WARM_UP = quick ? 1 : 6;

if (Bun.which('wrk') === null) {
  console.error('npm run bench needs wrk: on Debian, apt-get install wrk; on macOS, brew install wrk');
  process.exit(1);
}

interface Case {
  readonly name: string;
  readonly goal: number;
  readonly baseline: Server;
  readonly load: Load;
  /** Where the service's load differs from the baseline's. */
  readonly serviceLoad?: Load;
}

const NEW_PRODUCT = `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"product_name":"New product","supplier_id":1,"category_id":1,"unit_price":12.5,"units_in_stock":3}'`;

const folder = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
const results: Result[] = [];

async function compare(service: Server, each: Case): Promise<void> {
  const { name, goal, baseline, load, serviceLoad = load } = each;
  await measure(baseline.url, load, WARM_UP);
  await measure(service.url, serviceLoad, WARM_UP);
  const base: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    base.push((await measure(baseline.url, load, SECONDS)).perSecond);
    const measured = await measure(service.url, serviceLoad, SECONDS);
    if (measured.errors > 0) throw new Error(`${name}: ${measured.errors} errors`);
    ours.push(measured.perSecond);
  }
  results.push(summarise(name, goal, base, ours));
}

try {
  const small = join(folder, 'small.db');
  const service = await startService(small);
  const copy = join(folder, 'bare.db');
  new Database(small).run(`vacuum into '${copy}'`);
  const bare = await startBareSqlite(copy);
  const byId = get('"/products/"..(n % 77 + 1).."?limit="..n');
  const page = get('"/products?category_id=eq."..(n % 8 + 1).."&limit="..(12 + n)');
  const list = get('"/products?offset=0&limit="..(100 + n)');
  await compare(service, { name: 'GET by id, URLs all different', goal: 0.85, baseline: bare, load: { script: byId } });
  await compare(service, {
    name: 'filter page, URLs all different',
    goal: 0.85,
    baseline: bare,
    load: { script: page },
  });
  await compare(service, {
    name: 'list of 77, URLs all different',
    goal: 0.85,
    baseline: bare,
    load: { script: list },
  });

  const item = await startConstant(`${service.url}/products/1`);
  const all = await startConstant(`${service.url}/products`);
  await compare(service, { name: 'the same item again', goal: 0.85, baseline: item, load: { path: '/products/1' } });
  await compare(service, { name: 'the same list again', goal: 0.85, baseline: all, load: { path: '/products' } });
  const { headers } = await fetch(`${service.url}/products`);
  const known = { path: '/products', script: `wrk.headers["If-None-Match"] = '${headers.get('etag')}'` };
  await compare(service, {
    name: 'If-None-Match hits, beside the list itself',
    goal: 1,
    baseline: service,
    load: { path: '/products' },
    serviceLoad: known,
  });

  const writes = await startService(join(folder, 'writes.db'));
  await compare(writes, {
    name: 'durable POST of one product, beside bare GET by id',
    goal: 0.5,
    baseline: bare,
    load: { script: byId },
    serviceLoad: { path: '/products', script: NEW_PRODUCT },
  });

  if (!quick) {
    const million = join(folder, 'million.db');
    console.error('making a million products …');
    await generateCatalogue(million, 1_000_000);
    results.push(...(await millionCases(service, million, SECONDS, ROUNDS)));
  }
  await writeReport(results, process.argv.includes('--write'));
} finally {
  await stopAll();
  if (existsSync(folder)) rmSync(folder, { recursive: true });
}
