/** A million products beside the 77: what must not get slower, what must not hold up others, what must stream. */
import { Database } from 'bun:sqlite';
import { get, type Load, measure } from './load.ts';
import { type Result, summarise } from './report.ts';
import { type Server, startService } from './servers.ts';

const SAME_SPEED: readonly { name: string; small: Load; large: Load }[] = [
  {
    name: 'by id',
    small: { script: get('"/products/"..(n % 77 + 1).."?limit="..n') },
    large: { script: get('"/products/"..(n % 1000000 + 1).."?limit="..n') },
  },
  {
    name: 'indexed filter page',
    small: { script: get('"/products?category_id=eq."..(n % 8 + 1).."&limit="..(5 + n % 6)') },
    large: { script: get('"/products?category_id=eq."..(n % 8 + 1).."&limit="..(5 + n % 6)') },
  },
  {
    name: 'order=unit_price.desc&limit=20',
    small: { script: get('"/products?order=unit_price.desc&limit="..(20 + n % 2).."&unit_price=gte.0"') },
    large: { script: get('"/products?order=unit_price.desc&limit="..(20 + n % 2).."&unit_price=gte.0"') },
  },
  {
    name: 'keyset next page at row 900,000',
    small: { script: get('"/products?and=(id.gt."..(n % 50)..")&limit=20&id=gt.-"..n') },
    large: { script: get('"/products?and=(id.gt."..(900000 + n % 50000)..")&limit=20&id=gt.-"..n') },
  },
];

export async function millionCases(small: Server, path: string, seconds: number, rounds: number): Promise<Result[]> {
  const large = await startService(path);
  const results: Result[] = [];
  await Bun.sleep(1500);
  for (const { name, small: smallLoad, large: largeLoad } of SAME_SPEED) {
    const base: number[] = [];
    const ours: number[] = [];
    await measure(small.url, smallLoad, seconds);
    await measure(large.url, largeLoad, seconds);
    for (let round = 0; round < rounds; round++) {
      base.push((await measure(small.url, smallLoad, seconds)).perSecond);
      ours.push((await measure(large.url, largeLoad, seconds)).perSecond);
    }
    results.push(summarise(`a million: ${name}, beside 77 products`, 0.7, base, ours));
  }
  results.push(await countAll(large, path, rounds));
  for (const type of ['application/json', 'text/csv', 'application/x-ndjson'])
    results.push(await exportAll(large, path, type));
  results.push(await quietLatency(large, seconds));
  await large.stop();
  return results;
}

/** Milliseconds here: the goal is under three times a bare count, so that the ratio is base / ours. */
async function countAll(server: Server, path: string, rounds: number): Promise<Result> {
  const bare = new Database(path, { readonly: true });
  const base: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds + 2; round++) {
    const started = performance.now();
    bare.query('select count(*) from products').values();
    base.push(1000 / (performance.now() - started));
    const asked = performance.now();
    await (
      await fetch(`${server.url}/products?limit=1&offset=${round}`, { headers: { prefer: 'count=exact' } })
    ).text();
    ours.push(1000 / (performance.now() - asked));
  }
  bare.close();
  return summarise('a million: count=exact, beside a bare select count(*)', 0.34, base, ours);
}

/** Megabytes a second of a whole export, beside a bare loop over the same rows; and how much memory it took. */
async function exportAll(server: Server, path: string, type: string): Promise<Result> {
  const bare = new Database(path, { readonly: true });
  const started = performance.now();
  let bytes = 0;
  for (const row of bare.query('select * from products order by id').iterate()) bytes += JSON.stringify(row).length;
  const base = bytes / 1e6 / ((performance.now() - started) / 1000);
  bare.close();
  const before = await residentMegabytes(server.pid);
  let most = before;
  const watch = setInterval(async () => {
    most = Math.max(most, await residentMegabytes(server.pid));
  }, 50);
  const asked = performance.now();
  const response = await fetch(`${server.url}/products`, { headers: { accept: type } });
  let received = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) received += chunk.length;
  clearInterval(watch);
  const ours = received / 1e6 / ((performance.now() - asked) / 1000);
  const grown = Math.max(0, most - before).toFixed(0);
  return summarise(
    `a million: export as ${type} in MB/s, memory +${grown} MB, beside a bare loop`,
    0.5,
    [base],
    [ours],
  );
}

/** GET by id while four clients search a million names by an expression: its 99th percentile, quiet / loaded. */
async function quietLatency(server: Server, seconds: number): Promise<Result> {
  const byId: Load = { script: get('"/products/"..(n % 1000000 + 1)'), connections: 4 };
  const quiet = await measure(server.url, byId, seconds);
  const stop = new AbortController();
  const search = async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      const url = `${server.url}/products?product_name=imatch.zz${round}&select=id`;
      await fetch(url, { signal: stop.signal })
        .then((response) => response.text())
        .catch(() => undefined);
    }
  };
  const searches = [1, 2, 3, 4].map(search);
  const loaded = await measure(server.url, byId, Math.max(4, seconds));
  stop.abort();
  await Promise.all(searches);
  const name = `a million: p99 of GET by id while 4 clients search (${quiet.p99.toFixed(2)} ms quiet, ${loaded.p99.toFixed(2)} ms then)`;
  return summarise(name, 0.1, [1 / quiet.p99], [1 / loaded.p99]);
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
