/** Any batch of writes takes effect like the same writes one after the other, or not at all. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Row } from '../../src/collection/value.ts';
import { type Catalogue, openCatalogue, REFERENCE_PRODUCTS, TWO_ENGINES } from '../support/engines/catalogue.ts';
import { ORDER_SHOP, ORDER_SHOP_ROWS } from '../support/engines/order-shop.ts';
import { openDeclared } from '../support/engines/shop.ts';
import { type GeneratedWrite, generatedWrite } from '../support/generated/generated-writes.ts';
import { RUNS } from '../support/generated/generators.ts';
import { ids, type ProblemBody, sendJson } from '../support/stories.ts';

const byId = (one: Row, other: Row) => Number(one.id) - Number(other.id);

interface Answered {
  readonly status: number;
  readonly body: Row[];
}

const requestOf = ({ method, path, body, prefer }: GeneratedWrite) => ({
  method,
  path,
  headers: { Prefer: ['return=representation', ...prefer].join(', ') },
  ...(method === 'DELETE' ? {} : { body }),
});

async function send(catalogue: Catalogue, requests: readonly unknown[], headers = {}) {
  const response = await catalogue.fetch('/batch', sendJson('POST', requests, headers));
  return { status: response.status, answer: await response.json() };
}

/** The rows after the writes, which the service has accepted with these answers. */
function apply(rows: readonly Row[], writes: readonly GeneratedWrite[], answers: readonly Answered[]): readonly Row[] {
  return writes.reduce((before, write, index) => {
    const { body } = answers[index]!;
    const effect = write.effect(before, write.unnumbered > 0 ? ids(body) : []);
    expect({ write, isAccepted: effect !== undefined }).toEqual({ write, isAccepted: true });
    expect(body.toSorted(byId)).toEqual(effect!.written.toSorted(byId));
    return effect!.rows;
  }, rows);
}

describe.each(TWO_ENGINES)('batches on %s', (engine) => {
  test('leave the rows of a model, or the rows as they were', async () => {
    const counts = { done: 0, refused: 0 };
    const batches = fc.array(fc.array(generatedWrite, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const catalogue = await openCatalogue(engine);
        let rows: readonly Row[] = REFERENCE_PRODUCTS;
        for (const writes of all) {
          const requests = writes.map(requestOf);
          const { status, answer } = await send(catalogue, requests);
          if (status === 200) rows = apply(rows, writes, answer as Answered[]);
          expect(await catalogue.list()).toEqual([...rows]);
          counts[status === 200 ? 'done' : 'refused']++;
          if (status === 200) continue;
          const { request: failing } = answer as ProblemBody;
          expect([status >= 400 && status < 500, failing !== undefined]).toEqual([true, true]);
          // The model needs the state before the failing request.
          const before = writes.slice(0, failing);
          if (before.some(({ unnumbered }) => unnumbered > 0)) continue;
          const dryRun = await send(catalogue, [...requests.slice(0, failing), NOTHING], { prefer: 'tx=rollback' });
          // Requests are validated before the first one is executed.
          if (dryRun.status !== 200) continue;
          const state = apply(rows, before, dryRun.answer as Answered[]);
          const write = writes[failing!]!;
          const assigned = Array.from({ length: write.unnumbered }, (_, index) => 1_000 + index);
          expect({ write, effect: write.effect(state, assigned) }).toEqual({ write, effect: undefined });
        }
        await catalogue.close();
      }),
      { numRuns: 20 * RUNS },
    );
    expect(counts.done).toBeGreaterThan(15);
    expect(counts.refused).toBeGreaterThan(8);
  });

  test('store an order with its lines and stock, or nothing of it', async () => {
    const line = fc.record({ product: fc.integer({ min: 1, max: 3 }), quantity: fc.integer({ min: -1, max: 4 }) });
    const order = fc.uniqueArray(line, { minLength: 1, maxLength: 3, selector: ({ product }) => product });
    const counts = { placed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 8 }), async (orders) => {
        const shop = await openDeclared(engine, ORDER_SHOP, ORDER_SHOP_ROWS);
        const stock = new Map(ORDER_SHOP_ROWS.products!.map(({ id, stock }) => [Number(id), Number(stock)]));
        const sold: Row[] = [];
        for (const [customer, lines] of orders.entries()) {
          const { status, answer } = await send(shop, orderOf(customer, lines));
          // Rules of lines are validated first, then stock in the order of the requests.
          const invalid = lines.findIndex(({ quantity }) => quantity < 1);
          const short = lines.findIndex(({ product, quantity }) => quantity > stock.get(product)!);
          const failing = invalid >= 0 ? 1 + 2 * invalid : short >= 0 ? 2 + 2 * short : undefined;
          counts[failing === undefined ? 'placed' : 'refused']++;
          expect([status, (answer as ProblemBody).request]).toEqual([failing === undefined ? 200 : 400, failing]);
          if (failing !== undefined) continue;
          for (const { product, quantity } of lines) {
            stock.set(product, stock.get(product)! - quantity);
            sold.push({ product_id: product, quantity, customer: String(customer) });
          }
        }
        const stored = await shop.list('/products?select=id,stock&order=id');
        expect(stored.map(({ id, stock: left }) => [id, left])).toEqual([...stock]);
        const lines = await shop.list('/order_lines?select=...orders(customer),product_id,quantity&order_id=gt.1');
        const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).toSorted();
        expect(sorted(lines)).toEqual(sorted(sold));
        await shop.close();
      }),
      { numRuns: 15 * RUNS },
    );
    expect(counts.placed).toBeGreaterThan(10);
    expect(counts.refused).toBeGreaterThan(10);
  });
});

const NOTHING = { method: 'DELETE', path: '/products?limit=0' };

function orderOf(customer: number, lines: readonly { readonly product: number; readonly quantity: number }[]) {
  return [
    { method: 'POST', path: '/orders', body: { customer: String(customer) } },
    ...lines.flatMap(({ product: product_id, quantity }) => [
      { method: 'POST', path: '/order_lines', body: { order_id: { $from: 0, field: 'id' }, product_id, quantity } },
      { method: 'PATCH', path: `/products/${product_id}`, body: { stock: { decrement: quantity } } },
    ]),
  ];
}
