/**
 * A hand-written server for the shop: Bun with one prepared SQLite statement per request. Plain rows are read directly.
 * For embeddings, SQLite builds the JSON in one statement.
 */
import { Database } from 'bun:sqlite';

const [port = '0', path = ''] = process.argv.slice(2);
const db = new Database(path);

interface Stored {
  readonly tags: string;
  readonly sizes: string;
  readonly attributes: string;
  readonly available: number;
}

const byId = db.prepare<Stored, [number]>('select * from products where id = ?');
const filtered = db.prepare<Stored, [number, number]>(
  'select * from products where category_id = ? order by id limit +?',
);
const list = db.prepare<Stored, [number]>('select * from products order by id limit +?');

const CATEGORY = `(select json_object('category_name', category_name) from categories where id = products.category_id)`;
const SUPPLIER = `(select json_object('company_name', company_name, 'country', country) from suppliers where id = products.supplier_id)`;
const PRICES = `(select json_group_array(json_object('currency', currency, 'amount', amount)) from
  (select * from prices where product_id = products.id order by currency))`;
const PRODUCTS = `(select json_group_array(json_object('id', id, 'product_name', product_name, 'unit_price', unit_price)) from
  (select * from products where category_id = categories.id order by id))`;

const withBoth = db.prepare<{ json: string }, [number]>(`select json_group_array(
  json_object('id', id, 'product_name', product_name, 'categories', json(${CATEGORY}), 'suppliers', json(${SUPPLIER}))) as json
  from (select * from products order by id limit +?) as products`);
const withProducts = db.prepare<{ json: string }, [number]>(`select json_group_array(
  json_object('id', id, 'category_name', category_name, 'products', json(${PRODUCTS}))) as json
  from (select * from categories order by id limit +?) as categories`);
const withThree = db.prepare<{ json: string }, [number]>(`select
  json_object('id', id, 'product_name', product_name, 'categories', json(${CATEGORY}), 'suppliers', json(${SUPPLIER}), 'prices', json(${PRICES})) as json
  from products where id = ?`);

const headers = { 'content-type': 'application/json; charset=utf-8' };
const sent = (text: string) => new Response(text, { headers });
const json = (value: unknown) => sent(JSON.stringify(value));

function shown(row: Stored): object {
  return {
    ...row,
    tags: JSON.parse(row.tags),
    sizes: JSON.parse(row.sizes),
    attributes: JSON.parse(row.attributes),
    available: row.available === 1,
  };
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  fetch({ url }) {
    const limit = Number(/limit=(\d+)/.exec(url)?.[1] ?? 100);
    if (url.includes('/categories')) return sent(withProducts.get(limit)!.json);
    const id = /\/products\/(\d+)/.exec(url);
    if (id !== null) {
      if (url.includes('select=')) return sent(withThree.get(Number(id[1]))!.json);
      return json(shown(byId.get(Number(id[1]))!));
    }
    if (url.includes('select=')) return sent(withBoth.get(limit)!.json);
    const filter = /category_id=eq\.(\d+)/.exec(url);
    const rows = filter === null ? list.all(limit) : filtered.all(Number(filter[1]), limit);
    return json(rows.map(shown));
  },
});
