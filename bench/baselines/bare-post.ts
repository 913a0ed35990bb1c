/**
 * A minimal hand-written server for POST: it parses the body, and inserts the rows of one turn of the event loop with a
 * prepared statement and one sync. The file is a copy of the service's, so its triggers write the log.
 */
import { Database } from 'bun:sqlite';

const [port = '0', path = ''] = process.argv.slice(2);
const db = new Database(path);
db.run('pragma journal_mode = wal');
db.run('pragma synchronous = full');
const fields = ['product_name', 'supplier_id', 'category_id', 'unit_price', 'units_in_stock'] as const;
const insert = db.prepare<unknown, (string | number)[]>(
  `insert into products (${fields.join(', ')}) values (${fields.map(() => '?').join(', ')})`,
);
type Product = Readonly<Record<(typeof fields)[number], string | number>>;
let waiting: { readonly product: Product; readonly answer: (response: Response) => void }[] = [];

const commit = db.transaction((products: readonly Product[]) =>
  products.map((product) => insert.run(...fields.map((field) => product[field])).lastInsertRowid),
);

function answerAll(): void {
  const answered = waiting;
  waiting = [];
  const keys = commit(answered.map(({ product }) => product));
  for (const [at, { answer }] of answered.entries()) {
    answer(new Response(null, { status: 201, headers: { location: `/products?id=eq.${keys[at]}` } }));
  }
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') return new Response();
    const product = (await request.json()) as Product;
    return new Promise<Response>((answer) => {
      if (waiting.push({ product, answer }) === 1) setImmediate(answerAll);
    });
  },
});
