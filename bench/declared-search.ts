/**
 * Measures the declared search on SQLite: CPU time of typical requests, size of the index, and the cost of a POST.
 * `npx bun bench/declared-search.ts [rows] [words]`: 100,000 products by default, with 15 to 40 words in a description,
 * or just as many as given. The time limit of a request is that of a service.
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { declareCatalogue } from '../src/collection/declaration.ts';
import { parseDeclaration } from '../src/declare/read.ts';
import { openSqlite } from '../src/engine/sqlite/engine.ts';
import { firstRowsOf } from '../src/plan/write/first-rows.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const WORD_COUNT = process.argv[3];
/** The default of `--query-timeout`. */
const QUERY_SECONDS = 10;
const FIELDS = `{ id: int4, name: { type: text, required: true }, brand_id: { type: int4, references: brands }, size: text, colour: text, price: 'decimal(12,2)', description: text }`;
const declarationOf = (search: string) => `
collections:
  brands:
    fields: { id: int4, name: text }
  products:
    fields: ${FIELDS}
${search}`;
const SEARCH = '    search: { fields: { name: 3, brand_id.name: 2, description: 1 }, language: english }';

let seed = 20_261_118;
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed % below;
}

/** Words with frequencies as in a language. The most frequent ones are in about a twentieth of the rows. */
const SYLLABLES = 'ba ke lo mi nu ra se to vi wa zel dor fan gri hul jas kom lun mer pol'.split(' ');
const WORDS = Array.from({ length: 30_000 }, () =>
  Array.from({ length: 2 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)]).join(''),
);
const frequent = () => WORDS[Math.floor(100 * (WORDS.length / 100) ** (random(1_000_000) / 1_000_000)) - 100]!;
const text = (length: number) => Array.from({ length }, frequent).join(' ');
const brands = Array.from({ length: 200 }, (_, id) => ({ id, name: text(2) }));
const productOf = (id: number) => ({
  id,
  name: text(3 + random(3)),
  brand_id: random(200),
  size: ['S', 'M', 'L', 'XL'][random(4)]!,
  colour: ['red', 'blue', 'green', 'black', 'white'][random(5)]!,
  price: random(20_000) / 100,
  description: text(WORD_COUNT === undefined ? 15 + random(25) : Number(WORD_COUNT)),
});
type Product = ReturnType<typeof productOf>;

const folder = mkdtempSync(join(tmpdir(), 'bench-search-'));
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function openShop(name: string, search: string, count: number) {
  const catalogue = declareCatalogue(parseDeclaration(declarationOf(search), 'collections.yaml'));
  const path = join(folder, name);
  const firstRows = firstRowsOf({ catalogue, rows: (each) => (each === 'brands' ? brands : []) });
  const engine = openSqlite({ catalogue, firstRows, path, retryHours: 1, querySeconds: QUERY_SECONDS });
  const app = createApp({ catalogue, engine, maxBodyBytes: 1 << 24, allowUnfilteredWrites: true });
  const fetch = async (url: string, init?: RequestInit) => {
    const response = await app.fetch(new Request(`http://catalogue${url}`, init));
    const body = await response.text();
    if (!response.ok) throw new Error(body);
    return body;
  };
  return { fetch, path, close: () => engine.close(), text: store(path, count) };
}

/** Stores products past the service, which is many times as fast. Returns their texts. */
function store(path: string, count: number): readonly string[] {
  const db = new Database(path);
  const names: readonly (keyof Product)[] = ['id', 'name', 'brand_id', 'size', 'colour', 'price', 'description'];
  const insert = db.prepare(`insert into products (${names.join(', ')}) values (?, ?, ?, ?, ?, ?, ?)`);
  const texts: string[] = [];
  db.transaction(() => {
    for (let id = 1; id <= count; id++) {
      const product = productOf(id);
      texts.push(`${product.name} ${product.description}`);
      insert.run(...names.map((name) => (name === 'price' ? String(product.price) : product[name])));
    }
  })();
  insert.finalize();
  db.close();
  return texts;
}

async function measure(name: string, requests: readonly string[], shop: Awaited<ReturnType<typeof openShop>>) {
  const headers = { accept: 'application/vnd.catalogue.facets+json' };
  const send = (url: string) => shop.fetch(url, url.includes('facets=') ? { headers } : {});
  for (const url of requests.slice(0, 5)) await send(url);
  const start = cpu();
  for (const url of requests) await send(url);
  console.log(`${name}: ${((cpu() - start) / requests.length).toFixed(2)} ms CPU`);
}

const shop = await openShop('search.db', SEARCH, COUNT);
const bytesBefore = statSync(shop.path).size;
const start = cpu();
// Until all rows are indexed, a search fails at its time limit.
while (!(await shop.fetch('/products?search=wfts.first&limit=1').catch(() => '')));
console.log(`index of ${COUNT} rows: ${Math.round(cpu() - start)} ms CPU`);
const textBytes = shop.text.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
const db = new Database(shop.path);
db.run('pragma wal_checkpoint(truncate)');
const indexed = db
  .query(
    `select sum(pgsize) as bytes from dbstat where name glob '_products_search_[dws]*' or name glob 'sqlite_autoindex__products_search_*'`,
  )
  .get() as { bytes: number } | null;
db.close();
console.log(`index ${indexed?.bytes ?? statSync(shop.path).size - bytesBefore} bytes, text ${textBytes} bytes`);

const sample = (build: (name: string) => string, count = 40) =>
  Array.from({ length: count }, () => {
    const words = shop.text[random(COUNT)]!.split(' ');
    return build(`${words[0]} ${words[1]}`);
  });
const misspelt = (name: string) => name.replace(/^(..)(.)/, '$1x');
const list = '&limit=20&select=id,name,price';
const facets = '&facets=brand_id,size,colour,price(0,50,100,200)';
await measure(
  'two words',
  sample((name) => `/products?search=wfts.${name}${list}`),
  shop,
);
await measure(
  'two words and a filter',
  sample((name) => `/products?search=wfts.${name}&size=eq.M${list}`),
  shop,
);
await measure(
  'two words with four facets',
  sample((name) => `/products?search=wfts.${name}${list}${facets}`),
  shop,
);
await measure(
  'misspelt',
  sample((name) => `/products?search=wfts.${misspelt(name)}${list}`),
  shop,
);
await measure(
  'a frequent word',
  sample(() => `/products?search=wfts.${WORDS[random(10)]}${list}`),
  shop,
);
await measure(
  'three letters',
  sample((name) => `/products?search=wfts.${name.slice(0, 3)}${list}`),
  shop,
);
await shop.close();

for (const [name, search] of [
  ['plain', ''],
  ['searched', SEARCH],
  ['plain again', ''],
  ['searched again', SEARCH],
] as const) {
  const small = await openShop(`${name}.db`, search, 100);
  const headers = { 'content-type': 'application/json' };
  const post = () =>
    small.fetch('/products', { method: 'POST', headers, body: JSON.stringify({ ...productOf(0), id: undefined }) });
  for (let nth = 0; nth < 200; nth++) await post();
  const before = cpu();
  for (let nth = 0; nth < 1_000; nth++) await post();
  console.log(`POST, ${name}: ${((cpu() - before) / 1_000).toFixed(3)} ms CPU`);
  await small.close();
}
rmSync(folder, { recursive: true });
process.exit(0);
