/**
 * Measures 20 clients that place orders: an order, its line, and one unit of stock less. With a batch each order is one
 * request. Without, the stock is a read and a conditional write that repeats after a conflict, and an order may stay
 * without its line. Usage: bun bench/orders.ts [ORDERS]
 */
import { ORDER_SHOP_YAML } from '../test/support/engines/order-shop.ts';
import { keepToLoadCore } from './cores.ts';
import { withFixtures } from './fixtures.ts';
import { machine } from './machine.ts';
import { openPostgres } from './postgres.ts';
import { type Server, startService } from './servers.ts';

const CLIENTS = 20;
const PRODUCTS = 10;
const orders = Number(process.argv[2] ?? 2_000);
keepToLoadCore();

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
/** Places an order of one product; returns the number of requests. */
type Place = (send: Send, product: number) => Promise<number>;

const byBatch: Place = async (send, product) => {
  const line = { order_id: { $from: 0, field: 'id' }, product_id: product, quantity: 1 };
  const { status } = await send('POST', '/batch', [
    { method: 'POST', path: '/orders', body: { customer: 'c' } },
    { method: 'POST', path: '/order_lines', body: line },
    { method: 'PATCH', path: `/products/${product}`, body: { stock: { decrement: 1 } } },
  ]);
  if (status !== 200) throw new Error(`a batch got ${status}`);
  return 1;
};

const bySingleRequests: Place = async (send, product) => {
  for (let requests = 4; ; requests += 2) {
    const read = await send('GET', `/products/${product}`);
    const { stock } = (await read.json()) as { stock: number };
    const condition = { 'if-match': read.headers.get('etag')! };
    const { status } = await send('PATCH', `/products/${product}`, { stock: stock - 1 }, condition);
    if (status === 412) continue;
    const order = await send('POST', '/orders?select=id', { customer: 'c' }, { prefer: 'return=representation' });
    const [{ id }] = (await order.json()) as [{ id: number }];
    await send('POST', '/order_lines', { order_id: id, product_id: product, quantity: 1 });
    return requests;
  }
};

async function measure({ url }: Server, place: Place): Promise<string[]> {
  const send: Send = async (method, path, body, headers = {}) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers, ...json });
    if (response.status >= 500) throw new Error(`${method} ${path} got ${response.status}`);
    return response;
  };
  const sold = async () => {
    const rows = (await (await send('GET', '/products?select=stock')).json()) as { stock: number }[];
    return rows.reduce((sum, { stock }) => sum - stock, 0);
  };
  const before = await sold();
  let next = 0;
  let requests = 0;
  const client = async () => {
    while (next < orders) {
      const sent = await place(send, (next++ % PRODUCTS) + 1);
      requests += sent;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - started) / 1000;
  if ((await sold()) - before !== orders) throw new Error('the stock does not agree with the orders');
  return [String(Math.round(orders / seconds)), (requests / orders).toFixed(1)];
}

async function compare(engine: string, server: Server): Promise<string[][]> {
  const rows = Array.from({ length: PRODUCTS }, (_, index) => ({ id: index + 1, sku: `s${index}`, stock: 1e6 }));
  await fetch(`${server.url}/products`, { method: 'POST', body: JSON.stringify(rows) });
  const batch = await measure(server, byBatch);
  const single = await measure(server, bySingleRequests);
  await server.stop();
  return [
    [engine, 'batch', ...batch],
    [engine, 'single requests with If-Match', ...single],
  ];
}

await withFixtures(async (fixtures) => {
  const declaration = fixtures.path('collections.yaml');
  await Bun.write(declaration, ORDER_SHOP_YAML);
  const flags = ['--collections', declaration];
  const { url, schema, close } = await openPostgres();
  fixtures.atEnd(close);
  const results = [
    ...(await compare('SQLite', await startService(fixtures.path('orders.db'), { flags }))),
    ...(await compare('PostgreSQL', await startService(url, { flags: [...flags, '--schema', schema] }))),
  ];
  const head = ['database', 'each order is', 'orders per second', 'requests per order'];
  for (const cells of [head, head.map(() => '---'), ...results]) console.log(`| ${cells.join(' | ')} |`);
  console.log(`\n${CLIENTS} clients, ${orders} orders of ${PRODUCTS} products. ${await machine()}`);
});
process.exit();
