/**
 * `npx bun bench/trees.ts [TAXONOMY.csv]`: measures lists of the products within a top category, over 100,000 products,
 * on both engines. Without a file of categories (id, parent_id), it generates 15,000 in seven levels.
 */
import { readFileSync } from 'node:fs';
import { measureBothEngines } from './both-engines.ts';
import { median } from './outcome.ts';
import { cpuWithChildren } from './readings.ts';
import type { Server } from './servers.ts';

const PRODUCTS = 100_000;
const ROUNDS = 25;
const YAML = `collections:
  categories: { fields: { id: text, parent_id: { type: text, references: categories } } }
  products: { fields: { id: int4, name: text, category_id: { type: text, references: categories } } }
`;

interface Category {
  readonly id: string;
  readonly parent_id: string | null;
}

const categories = process.argv[2] === undefined ? generated() : taxonomy(process.argv[2]);

function taxonomy(file: string): Category[] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [id, parent] = line.split(',', 2) as [string, string];
    return { id, parent_id: parent === '' ? null : parent };
  });
}

/** 20 top categories with five children each, in six more levels at most. */
function generated(): Category[] {
  const all: Category[] = Array.from({ length: 20 }, (_, at) => ({ id: `c${at}`, parent_id: null }));
  for (let at = 0; all.length < 15_000; at++) {
    const { id } = all[at]!;
    for (let child = 1; child <= 5; child++) all.push({ id: `${id}-${child}`, parent_id: id });
  }
  return all;
}

/** The keys of a category and of all below it, by a walk of its own. */
function below(root: string): ReadonlySet<string> {
  const found = new Set([root]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { id, parent_id } of categories) if (parent_id !== null && found.has(parent_id)) found.add(id);
  }
  return found;
}

const categoryOf = (id: number) => categories[(id * 7919) % categories.length]!.id;

async function load({ url }: Server): Promise<void> {
  const post = async (name: string, rows: readonly object[]) => {
    for (let from = 0; from < rows.length; from += 20_000) {
      const body = JSON.stringify(rows.slice(from, from + 20_000));
      const response = await fetch(`${url}/${name}`, { method: 'POST', body });
      if (response.status !== 201) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    }
  };
  await post('categories', categories);
  const products = Array.from({ length: PRODUCTS }, (_, at) => {
    return { id: at + 1, name: `Product ${at + 1}`, category_id: categoryOf(at + 1) };
  });
  await post('products', products);
}

async function measure(
  engine: string,
  server: Server,
  analyze: () => Promise<unknown>,
  postmaster?: number,
): Promise<void> {
  await load(server);
  await analyze();
  const [root] = categories
    .filter(({ parent_id }) => parent_id === null)
    .map(({ id }) => ({ id, keys: below(id) }))
    .toSorted((one, other) => other.keys.size - one.keys.size);
  const matching = Array.from({ length: PRODUCTS }, (_, at) => categoryOf(at + 1)).filter((id) => root!.keys.has(id));
  for (const [name, query] of [
    ['page of 100', '&limit=100'],
    ['page and exact count', '&limit=100&count'],
    ['count', '&select=count()'],
  ] as const) {
    const times: number[] = [];
    const before = await cpuWithChildren(server.pid, postmaster);
    for (let round = 0; round < ROUNDS; round++) {
      const path = `/products?category_id=within.${root!.id}&id=gt.${-round}${query.replace('&count', '')}`;
      const headers: Record<string, string> = query.endsWith('&count') ? { prefer: 'count=exact' } : {};
      const start = performance.now();
      const response = await fetch(`${server.url}${path}`, { headers });
      const body = await response.text();
      times.push(performance.now() - start);
      const total = response.headers.get('content-range')?.split('/')[1] ?? '*';
      const count = name === 'count' ? String((JSON.parse(body) as [{ count: number }])[0].count) : total;
      if (response.status > 206 || (count !== '*' && Number(count) !== matching.length)) throw new Error(body);
    }
    const cpu = (((await cpuWithChildren(server.pid, postmaster)) - before) / ROUNDS) * 1000;
    console.log(
      `${engine}, ${name}: ${median(times).toFixed(1)} ms, ${cpu.toFixed(1)} ms of CPU time (${root!.keys.size} of ${categories.length} categories, ${matching.length} of ${PRODUCTS} products)`,
    );
  }
}

await measureBothEngines(YAML, measure);
