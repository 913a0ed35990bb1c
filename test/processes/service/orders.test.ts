/** Orders by batch from many clients at once: the stock is never oversold, and a kill leaves no partial order. */
import { afterEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../../../src/collection/value.ts';
import { ORDER_SHOP_YAML } from '../../support/engines/order-shop.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';
import { type ProblemBody, sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const CLIENTS = 20;
const ORDERS = 400;
const PRODUCTS = 10;
/** Each product has this many units; there are more orders than units. */
const STOCK = (0.9 * ORDERS) / PRODUCTS;

/** Returns a function that starts the service on the same database each time. */
function starter(engine: string): () => Promise<Service> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'collections.yaml'), ORDER_SHOP_YAML);
  const args = ['--log-level', 'error', '--collections', 'collections.yaml'];
  if (engine === 'SQLite') return () => startService({ cwd, args });
  const schema = newSchema();
  return () => startService({ cwd, args: [...args, '--schema', schema], env: { DATABASE_URL: testServer.url } });
}

async function stockUp(service: Service, stock: number): Promise<void> {
  const rows = Array.from({ length: PRODUCTS }, (_, index) => ({ id: index + 1, sku: `s${index}`, stock }));
  expect((await service.fetch('/products', sendJson('POST', rows))).status).toBe(201);
}

function place(service: Service, customer: string, product: number): Promise<Response> {
  const line = { order_id: { $from: 0, field: 'id' }, product_id: product, quantity: 1 };
  return service.fetch(
    '/batch',
    sendJson('POST', [
      { method: 'POST', path: '/orders', body: { customer } },
      { method: 'POST', path: '/order_lines', body: line },
      { method: 'PATCH', path: `/products/${product}`, body: { stock: { decrement: 1 } }, affects: 1 },
    ]),
  );
}

async function list(service: Service, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = (await (await service.fetch(`${path}&limit=1000&offset=${rows.length}`)).json()) as Row[];
    rows.push(...page);
    if (page.length < 1000) return rows;
  }
}

describe.each(['SQLite', 'PostgreSQL'])('orders on %s', (engine) => {
  test(`${CLIENTS} clients sell the whole stock and nothing more, and none of them retries`, async () => {
    const service = await starter(engine)();
    await stockUp(service, STOCK);
    const placed: number[] = [];
    let next = 0;
    const client = async () => {
      while (next < ORDERS) {
        const order = next++;
        const product = (order % PRODUCTS) + 1;
        const response = await place(service, `c${order}`, product);
        const answer = (await response.json()) as ProblemBody;
        if (response.status === 200) placed.push(product);
        else expect([response.status, answer.code, answer.request]).toEqual([400, '23514', 2]);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(placed.length).toBe(STOCK * PRODUCTS);
    const products = await list(service, '/products?select=stock');
    expect(products).toEqual(Array.from({ length: PRODUCTS }, () => ({ stock: 0 })));
    const lines = await list(service, '/order_lines?select=order_id');
    const orders = await list(service, '/orders?select=id');
    expect([lines.length, orders.length]).toEqual([placed.length, placed.length]);
  });

  test('a killed service leaves whole orders only, and every acknowledged one', async () => {
    const start = starter(engine);
    let service = await start();
    await stockUp(service, 1_000_000);
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const enough = acknowledged.length + 20;
      const running = service;
      const client = async (_: unknown, index: number) => {
        for (let order = 0; ; order++) {
          const customer = `${round}.${index}.${order}`;
          try {
            const response = await place(running, customer, (index % PRODUCTS) + 1);
            await response.arrayBuffer();
            expect(response.status).toBe(200);
          } catch {
            return;
          }
          acknowledged.push(customer);
          if (acknowledged.length === enough) running.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: 8 }, client));
      await running.exited;
      service = await start();
      const orders = await list(service, '/orders?select=customer,order_lines(quantity)');
      const customers = new Set(orders.map(({ customer }) => customer));
      expect(acknowledged.filter((customer) => !customers.has(customer))).toEqual([]);
      expect(orders.filter(({ order_lines: lines }) => (lines as unknown as Row[]).length !== 1)).toEqual([]);
      const products = await list(service, '/products?select=stock');
      const taken = products.reduce((sum, { stock }) => sum + 1_000_000 - Number(stock), 0);
      expect(taken).toBe(orders.length);
    }
  });
});
