/**
 * Measures the declared search on both engines: CPU time of typical requests, size of the index, the cost of a POST,
 * and the delays of other clients. `npx bun bench/declared-search.ts [--products 100000] [--engine SQLite]`. On
 * PostgreSQL, the time of its processes counts.
 */
import { parseArgs } from 'node:util';
import { startProbe } from './abuse/start-probe.ts';
import { type EmptyDatabase, ENGINES } from './empty-databases.ts';
import { type Fixtures, withFixtures } from './fixtures.ts';
import { machine } from './machine.ts';
import { cpuWithChildren, peakMegabytes } from './readings.ts';
import { BRANDS, declarationOf, indexBytes, PRODUCT_FIELDS, Products } from './searched-products.ts';
import { type Server, startService } from './servers.ts';

const { values } = parseArgs({
  options: { products: { type: 'string', default: '100000' }, engine: { type: 'string' } },
});
const COUNT = Number(values.products);
const REQUESTS = 40;
const ROWS_A_REQUEST = 5_000;
const POST_ROUNDS = 8;
const POSTS_A_ROUND = 250;
const FACETS_TYPE = 'application/vnd.catalogue.facets+json';
const PAGE = '&limit=20&select=id,name,price';
const FACETS = '&facets=brand_id,size,colour,price(0,50,100,200)';

/** The requests of a case, built from two neighbouring words of a product. */
const CASES: Readonly<Record<string, (words: string) => string>> = {
  'two words': (words) => `${words}${PAGE}`,
  'two words and a filter': (words) => `${words}&size=eq.M${PAGE}`,
  'two words with four facets': (words) => `${words}${PAGE}${FACETS}`,
  'two words, one misspelt': (words) => `${words.replace(/^(..)(.)/, '$1x')}${PAGE}`,
  'three letters': (words) => `${words.slice(0, 3)}${PAGE}`,
};

async function send({ url }: Server, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = path.includes('facets=') ? { accept: FACETS_TYPE } : {};
  const response = await fetch(`${url}${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  return response;
}

const post = (server: Server, collection: string, rows: unknown) =>
  send(server, `/${collection}`, { method: 'POST', body: JSON.stringify(rows) });

/** The slowest requests of another client while `work` runs. */
async function beside({ url }: Server, work: () => Promise<unknown>): Promise<string> {
  const stop = await startProbe(url, COUNT, []);
  await work();
  const { read, write } = await stop();
  return `worst read ${read!.worst.toFixed(0)} ms, worst write ${write!.worst.toFixed(0)} ms`;
}

async function measure(fixtures: Fixtures, engine: string): Promise<void> {
  const empty = await ENGINES[engine]!(fixtures, 'search');
  const report = (text: string) => console.log(`${engine}, ${COUNT.toLocaleString('en')} products: ${text}`);
  const products = new Products();
  const plain = await start(fixtures, empty, '');
  await post(plain, 'brands', BRANDS);
  for (let first = 1; first <= COUNT; first += ROWS_A_REQUEST) {
    const length = Math.min(ROWS_A_REQUEST, COUNT - first + 1);
    await post(
      plain,
      'products',
      Array.from({ length }, (_, at) => products.next(first + at)),
    );
  }
  report(`nothing else: ${await beside(plain, () => Bun.sleep(5_000))}`);
  await plain.stop();

  const server = await start(
    fixtures,
    empty,
    'search: { fields: { name: 3, brand_id.name: 2, description: 1 }, language: english }',
  );
  const cpu = () => cpuWithChildren(server.pid, empty.postmaster);
  const startCpu = await cpu();
  const delays = await beside(server, async () => {
    // Until all rows are indexed, a search fails at its time limit.
    while (!(await send(server, '/products?search=wfts.first&limit=1').catch(() => undefined)));
  });
  report(`indexed in ${((await cpu()) - startCpu).toFixed(0)} s of CPU time; meanwhile ${delays}`);
  const bytes = await indexBytes(empty);
  report(`index ${bytes} bytes, texts ${products.bytes} bytes, ratio ${(bytes / products.bytes).toFixed(2)}`);
  for (const [name, build] of Object.entries(CASES)) {
    const paths = products.samples(REQUESTS).map((words) => `/products?search=wfts.${build(words)}`);
    for (const path of paths.slice(0, 5)) await send(server, path);
    const before = await cpu();
    let worst = 0;
    for (const path of paths) {
      const sentAt = performance.now();
      await send(server, path);
      worst = Math.max(worst, performance.now() - sentAt);
    }
    const mean = (((await cpu()) - before) / REQUESTS) * 1000;
    report(`${name}: ${mean.toFixed(1)} ms of CPU time, at most ${worst.toFixed(0)} ms`);
  }
  const paths = products.samples(200).flatMap((words) => Object.values(CASES).map((build) => build(words)));
  const endsAt = performance.now() + 5_000;
  const search = async (client: number) => {
    for (let nth = client; performance.now() < endsAt; nth += 4) {
      await send(server, `/products?search=wfts.${paths[nth % paths.length]}`);
    }
  };
  report(`4 clients that search: ${await beside(server, () => Promise.all([0, 1, 2, 3].map(search)))}`);
  report(`memory at most ${(await peakMegabytes(server.pid)).toFixed(0)} MB`);
  const times = new Map([
    ['plain_posts', 0],
    ['searched_posts', 0],
  ]);
  for (let round = -1; round < POST_ROUNDS; round++) {
    for (const [collection, time] of times) {
      const before = await cpu();
      for (let nth = 0; nth < POSTS_A_ROUND; nth++)
        await post(server, collection, { ...products.next(0), id: undefined });
      let searching = 0;
      if (collection === 'searched_posts') {
        // The first search indexes the rest. The second one takes the time of the search itself.
        const search = () => send(server, `/${collection}?search=wfts.77777&limit=1`);
        await search();
        const indexedAt = await cpu();
        await search();
        searching = 2 * ((await cpu()) - indexedAt);
      }
      if (round >= 0) times.set(collection, time + (await cpu()) - before - searching);
    }
  }
  for (const [collection, time] of times) {
    report(`POST to ${collection}: ${((time * 1000) / (POST_ROUNDS * POSTS_A_ROUND)).toFixed(3)} ms of CPU time`);
  }
  await server.stop();
}

async function start(fixtures: Fixtures, { database, flags }: EmptyDatabase, search: string): Promise<Server> {
  const file = fixtures.path('search.yaml');
  await Bun.write(file, declarationOf(PRODUCT_FIELDS, search));
  const settings = ['--collections', file, '--max-body-mb', '64', '--history-days', '0'];
  return startService(database, { flags: [...flags, ...settings], pinned: false });
}

console.log(await machine());
await withFixtures(async (fixtures) => {
  for (const engine of Object.keys(ENGINES)) {
    if (values.engine === undefined || values.engine === engine) await measure(fixtures, engine);
  }
});
