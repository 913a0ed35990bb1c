/** Pages of a catalogue that is too large to sort on the event-loop thread: the service reads them along an index. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { talkTo } from '../../support/network/socket.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const ROWS = 6_000;

/** Rows in which some products share a price, some prices are unused, and some products have no price. */
const rows: Row[] = Array.from({ length: ROWS }, (_, index) => ({
  id: index + 1,
  product_name: `Product ${(index * 7919) % ROWS}`,
  category_id: index % 13 === 0 ? null : index % 8,
  unit_price: index % 50 === 0 ? null : ((index * 31) % 701) / 4,
}));

interface Order {
  readonly query: string;
  readonly field: 'unit_price' | 'category_id' | 'product_name';
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

const ORDERS: readonly Order[] = [
  { query: 'unit_price', field: 'unit_price' },
  { query: 'unit_price.nullsfirst', field: 'unit_price', nullsFirst: true },
  { query: 'unit_price.desc', field: 'unit_price', descending: true, nullsFirst: true },
  { query: 'unit_price.desc.nullslast', field: 'unit_price', descending: true },
  { query: 'category_id.desc', field: 'category_id', descending: true, nullsFirst: true },
  { query: 'product_name.desc', field: 'product_name', descending: true },
];

function sorted({ field, descending = false, nullsFirst = false }: Order): Row[] {
  const direction = descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[field]!, other[field]!];
    if (a === null || b === null) return a === b ? byId(one, other) : (a === null) === nullsFirst ? -1 : 1;
    return a === b ? byId(one, other) : a < b ? -direction : direction;
  });
}

function byId(one: Row, other: Row): number {
  return Number(one.id) - Number(other.id);
}

describe('pages of a large catalogue', () => {
  let service: Service;
  beforeAll(async () => {
    const cwd = temporaryFolder();
    const first = await startService({ cwd, args: ['--empty'] });
    const body = JSON.stringify(rows);
    expect((await first.fetch('/products', { method: 'POST', body })).status).toBe(201);
    first.kill('SIGTERM');
    await first.exited;
    // A service that starts on a large file soon knows how often values repeat, and thus which pages are cheap.
    service = await startService({ cwd, args: ['--plans', '--max-value-kb', '4096'] });
    let limit = 0;
    await until('pages along an index', async () => {
      await service.fetch(`/products?limit=${++limit}`);
      const headers = { accept: 'application/vnd.pgrst.plan' };
      const plan = await service.fetch('/products?order=unit_price.desc&limit=20', { headers });
      return (await plan.text()).includes('COVERING INDEX');
    });
  });
  afterAll(cleanUp);

  test.each(ORDERS)('following next by $query returns every product once, in order', async (order) => {
    const seen: unknown[] = [];
    let url: string | undefined = `/products?select=id,${order.field}&order=${order.query}&limit=97`;
    while (url !== undefined && seen.length <= ROWS) {
      const response = await service.fetch(url);
      seen.push(...((await response.json()) as Row[]).map(({ id }) => id));
      url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(sorted(order).map(({ id }) => id));
  });

  const LONG_ROWS = Array.from({ length: 20 }, (_, index) => `name${index}:product_name`).join();
  test.each([
    ['pages that no index leads to', `product_name=like.*2*&order=category_id,unit_price.desc&limit=70`],
    ['pages that are sent as they are read', `select=*,${LONG_ROWS}&order=unit_price.desc&limit=2500`],
  ])('following next over %s returns every product once, in the order of the keys', async (_, query) => {
    const path = `/products?${query}`;
    const all = (await (await service.fetch(path.replace(/&limit=\d+/, ''))).json()) as Row[];
    const seen: Row[] = [];
    let url: string | undefined = path;
    while (url !== undefined && seen.length <= ROWS) {
      const response = await service.fetch(url);
      seen.push(...((await response.json()) as Row[]));
      url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      expect(url ?? '').not.toContain('offset');
    }
    expect(Bun.deepEquals(seen, all)).toBe(true);
  });

  test.each(ORDERS)('any page by $query has the right products for its offset', async (order) => {
    const all = sorted(order);
    for (const [limit, offset] of [
      [1, 0],
      [20, 0],
      [7, 333],
      [250, 700],
      [3, ROWS - 2],
    ] as const) {
      const url = `/products?select=id,product_name,category_id,unit_price&order=${order.query}&limit=${limit}&offset=${offset}`;
      expect(await (await service.fetch(url)).json()).toEqual(all.slice(offset, offset + limit));
    }
  });

  test.each(ORDERS)(
    'the page after one by $query has the requested number of products, whatever the limit before',
    async (order) => {
      const first = await service.fetch(`/products?select=id,${order.field}&order=${order.query}&limit=700`);
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
      const ids = sorted(order).map(({ id }) => id);
      for (const limit of [5, 90, 17, 240, 1]) {
        const page = (await (await service.fetch(next.replace('limit=700', `limit=${limit}`))).json()) as Row[];
        expect(page.map(({ id }) => id)).toEqual(ids.slice(700, 700 + limit));
      }
    },
  );

  test('HEAD of an error response sends the length of the GET response', async () => {
    const length = (await (await service.fetch('/products/0')).text()).length;
    const client = await talkTo(service.port);
    client.send('HEAD /products/0 HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const received = await client.until('an answer', (text) => text.includes('\r\n\r\n'));
    client.close();
    expect(received.toLowerCase()).toContain(`content-length: ${length}\r\n`);
  });

  test('a product of several megabytes can be fetched as one object', async () => {
    const product = { product_name: 'x'.repeat(3_000_000), quantity_per_unit: 'long' };
    const headers = { prefer: 'return=representation' };
    const created = await service.fetch('/products', { method: 'POST', body: JSON.stringify(product), headers });
    const [{ id }] = (await created.json()) as [Row];
    const accept = 'application/vnd.pgrst.object+json';
    const found = await service.fetch('/products?quantity_per_unit=eq.long', { headers: { accept } });
    expect(await found.json()).toMatchObject({ id: id!, ...product });
    await service.fetch(`/products/${id}`, { method: 'DELETE' });
  });

  test('a page supports casts and aliases of its columns', async () => {
    const url =
      '/products?select="page%20key":product_name,id::text,unit_price&order=unit_price.desc.nullslast&limit=30';
    const shown = sorted(ORDERS[3]!)
      .slice(0, 30)
      .map((row) => ({ 'page key': row.product_name!, id: String(row.id), unit_price: row.unit_price! }));
    expect(await (await service.fetch(url)).json()).toEqual(shown);
  });

  test('HEAD of a streamed list sends no length', async () => {
    for (const path of ['/products', '/products?limit=7000']) {
      const client = await talkTo(service.port);
      client.send(`HEAD ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      await client.until('its headers', (text) => text.includes('\r\n\r\n'));
      client.send('GET /products/1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
      const received = await client.until('two answers', (text) => text.includes('"id":1,'));
      client.close();
      const head = received.slice(0, received.indexOf('\r\n\r\n')).toLowerCase();
      expect(head).toContain('200 ok');
      expect(head).not.toContain('content-length');
    }
  });
});
