/**
 * The actions of the clients with their frequencies: reads of every kind, writes that clean up after themselves, and
 * invalid requests.
 */
import type { Client } from './client.ts';

export interface Deed {
  /** The relative frequency. */
  readonly weight: number;
  /** Runs the action on a catalogue that starts with this many products, with ids from 1. */
  readonly run: (client: Client, products: number) => Promise<unknown>;
}

const TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const;
const WORDS = ['Cheese', 'Bröd', 'Tofu', 'Kaviar', 'Syrup', 'Röd', 'Smoked'] as const;

/** Invalid requests and their expected status. */
const MISTAKES: readonly (readonly [string, number])[] = [
  ['/products?colour=eq.red', 400],
  ['/products?unit_price=eq.cheap', 400],
  ['/products?id=eq', 400],
  ['/products?order=unit_price.sideways', 400],
  ['/products?limit=few', 400],
  ['/products/2000000000', 404],
  ['/produce', 404],
];

const below = (limit: number) => Math.floor(Math.random() * limit);
const any = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;

export const DEEDS: readonly Deed[] = [
  { weight: 300, run: (client, products) => client.ask(`/products/${1 + below(products)}`) },
  { weight: 100, run: (client) => client.ask(`/products?category_id=eq.${1 + below(8)}&limit=${1 + below(50)}`) },
  { weight: 60, run: (client) => client.ask('/products?order=unit_price.desc&limit=20') },
  { weight: 20, run: (client) => client.ask(`/products?product_name=ilike.*${any(WORDS)}*&limit=${1 + below(20)}`) },
  { weight: 5, run: (client) => client.ask(`/products?product_name=imatch.${any(WORDS)} ${below(999)}%24&select=id`) },
  { weight: 5, run: (client) => client.ask(`/products?product_name=fts.${any(WORDS)}&limit=20`) },
  {
    weight: 20,
    run: (client) =>
      client.ask(`/products?supplier_id=eq.${1 + below(29)}&limit=10`, {
        headers: { prefer: 'count=exact' },
        expect: [200, 206],
      }),
  },
  { weight: 10, run: (client) => client.ask('/products?select=category_id,unit_price.avg(),count()') },
  { weight: 50, run: fewPages },
  { weight: 60, run: conditionalRead },
  { weight: 60, run: lifeOfAProduct },
  { weight: 30, run: changePrice },
  { weight: 3, run: manyAtOnce },
  {
    weight: 50,
    run: (client) => {
      const [path, status] = any(MISTAKES);
      return client.ask(path, { expect: [status] });
    },
  },
  {
    weight: 20,
    run: (client) =>
      client.ask('/products', {
        method: 'POST',
        body: '{"product_name":',
        headers: { 'content-type': 'application/json' },
        expect: [400],
      }),
  },
  { weight: 1, run: (client) => client.download('/products', any(TYPES)) },
  { weight: 1, run: (client) => client.download('/products', any(TYPES), 1_000_000) },
];

/** Follows the next links over a few pages. */
async function fewPages(client: Client): Promise<void> {
  let path: string | undefined = `/products?limit=50&order=${any(['id', 'product_name', 'unit_price.desc'])}`;
  for (let page = 0; page < 4 && path !== undefined; page++) {
    const { headers } = await client.ask(path);
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
}

/** Sends a conditional read. Either status is valid, because other clients may have written in between. */
async function conditionalRead(client: Client): Promise<void> {
  const path = `/products?category_id=eq.${1 + below(8)}&limit=10`;
  const { headers } = await client.ask(path);
  await client.ask(path, { headers: { 'if-none-match': headers.get('etag') ?? '' }, expect: [200, 304] });
}

async function lifeOfAProduct(client: Client): Promise<void> {
  const product = { product_name: `Soaked ${any(WORDS)}`, category_id: 1 + below(8), unit_price: below(30_000) / 100 };
  const { text } = await client.send('POST', '/products', product, [201], 'return=representation');
  if (text === '') return;
  const [{ id }] = JSON.parse(text) as [{ id: number }];
  await client.send('PATCH', `/products?id=eq.${id}`, { units_in_stock: below(100) }, [204]);
  await client.ask(`/products/${id}`);
  await client.ask(`/products?id=eq.${id}`, { method: 'DELETE', expect: [204] });
}

async function changePrice(client: Client, products: number): Promise<void> {
  const price = below(30_000) / 100;
  await client.send('PATCH', `/products?id=eq.${1 + below(products)}`, { unit_price: price }, [204]);
}

async function manyAtOnce(client: Client): Promise<void> {
  const batch = `Batch ${below(1e9)}`;
  const rows = Array.from({ length: 200 }, (_, index) => ({ product_name: batch, reorder_level: index }));
  await client.send('POST', '/products', rows, [201]);
  await client.ask(`/products?product_name=eq.${encodeURIComponent(batch)}`, { method: 'DELETE', expect: [204] });
}

const BY_WEIGHT = DEEDS.flatMap((deed) => Array.from({ length: deed.weight }, () => deed));

export function anyDeed(): Deed {
  return any(BY_WEIGHT);
}
