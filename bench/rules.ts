/**
 * `npx bun bench/rules.ts [REQUESTS]`: measures the CPU time of a list whose rule follows one reference or two, and of
 * the same list whose rule tests a field of its own, on both engines. On PostgreSQL, the time of its processes counts.
 */
import { measureBothEngines } from './both-engines.ts';
import { median } from './outcome.ts';
import { cpuWithChildren } from './readings.ts';
import type { Server } from './servers.ts';

const LINES = 20_000;
const ORDERS = 5_000;
const CUSTOMERS = 500;
const ROUNDS = 5;
const requests = Number(process.argv[2] ?? 400);

const LINE =
  'id: int4, order_id: { type: int4, references: orders }, customer_id: { type: int4, indexed: true }, status: text, note: text';
/** For each kind of rule: many rows match, or few. */
const RULES = {
  many: { own: 'status=eq.live', one: 'orders.status=eq.live', two: 'orders.customers.status=eq.live' },
  few: { own: 'customer_id=eq.7', one: 'orders.customer_id=eq.7', two: 'orders.customers.id=eq.7' },
} as const;
type Case = keyof (typeof RULES)['many'];
const CASES: readonly Case[] = ['own', 'one', 'two'];
const kinds = Object.keys(RULES) as (keyof typeof RULES)[];
const names = kinds.flatMap((kind) => CASES.map((each) => ({ kind, each, name: `${kind}_${each}` })));

const YAML = `collections:
  customers: { fields: { id: int4, status: text } }
  orders: { fields: { id: int4, customer_id: { type: int4, references: customers }, status: text } }
${names.map(({ name }) => `  ${name}: { fields: { ${LINE} } }`).join('\n')}
roles:
  anonymous:
    changes: {}
    customers: { create: true }
    orders: { create: true }
${names.map(({ name, kind, each }) => `    ${name}: { create: true, read: { where: '${RULES[kind][each]}' } }`).join('\n')}
`;

/** Nine of ten rows are live, with and without references. */
const statusOf = (customer: number) => (customer % 10 === 3 ? 'draft' : 'live');

async function load({ url }: Server): Promise<void> {
  const post = async (name: string, count: number, row: (id: number) => object) => {
    for (let from = 1; from <= count; from += 5_000) {
      const rows = Array.from({ length: Math.min(5_000, count - from + 1) }, (_, at) => row(from + at));
      const response = await fetch(`${url}/${name}`, { method: 'POST', body: JSON.stringify(rows) });
      if (response.status !== 201) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    }
  };
  const customerOf = (order: number) => (order % CUSTOMERS) + 1;
  await post('customers', CUSTOMERS, (id) => ({ id, status: statusOf(id) }));
  await post('orders', ORDERS, (id) => ({ id, customer_id: customerOf(id), status: statusOf(customerOf(id)) }));
  for (const { name } of names) {
    await post(name, LINES, (id) => {
      const order_id = (id % ORDERS) + 1;
      const customer_id = customerOf(order_id);
      return { id, order_id, customer_id, status: statusOf(customer_id), note: `line ${id}` };
    });
  }
}

/** Each request differs, so that no cached response is sent. */
async function read({ url }: Server, name: string, round: number): Promise<void> {
  for (let count = 0; count < requests; count++) {
    const response = await fetch(`${url}/${name}?id=gt.${(count * 7 + round) % (LINES / 2)}&limit=20`);
    const text = await response.text();
    if (response.status !== 200 || text === '[]') throw new Error(`${name}: ${response.status} ${text}`);
  }
}

async function measure(engine: string, server: Server, analyze: () => Promise<unknown>, postmaster?: number) {
  await load(server);
  await analyze();
  for (const { name } of names) await read(server, name, -1);
  const figures = new Map<string, number[]>(names.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name } of names) {
      const before = await cpuWithChildren(server.pid, postmaster);
      await read(server, name, round * requests * 7);
      figures.get(name)!.push((((await cpuWithChildren(server.pid, postmaster)) - before) / requests) * 1e6);
    }
  }
  for (const kind of kinds) {
    const [own, one, two] = CASES.map((each) => median(figures.get(`${kind}_${each}`)!));
    console.log(
      `${engine}, ${kind} rows: own field ${own!.toFixed(0)} µs, one reference ${one!.toFixed(0)} µs (${(one! / own!).toFixed(2)}), two ${two!.toFixed(0)} µs (${(two! / own!).toFixed(2)})`,
    );
  }
}

await measureBothEngines(YAML, measure);
