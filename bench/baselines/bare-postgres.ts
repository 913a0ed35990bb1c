/** The bare server for PostgreSQL: the driver of Bun prepares each of the three statements once per connection. */
import { SQL } from 'bun';

const [port = '0', url = '', schema = 'public'] = process.argv.slice(2);
const sql = new SQL(url, { connection: { search_path: schema } });
// The cast is needed because the driver returns a decimal as text, and JSON needs a number.
const select = `select id, product_name, discontinued, supplier_id, category_id, quantity_per_unit,
  unit_price::float8 as unit_price, units_in_stock, units_on_order, reorder_level from products`;
const byId = `${select} where id = $1`;
const filtered = `${select} where category_id = $1 order by id limit $2`;
const list = `${select} order by id limit $1`;
const headers = { 'content-type': 'application/json; charset=utf-8' };
const json = (value: unknown) => new Response(JSON.stringify(value), { headers });

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch({ url }) {
    const id = /\/products\/(\d+)/.exec(url);
    if (id !== null) return json((await sql.unsafe(byId, [Number(id[1])]))[0]);
    const filter = /category_id=eq\.(\d+)&limit=(\d+)/.exec(url);
    if (filter !== null) return json(await sql.unsafe(filtered, [Number(filter[1]), Number(filter[2])]));
    return json(await sql.unsafe(list, [Number(/limit=(\d+)/.exec(url)?.[1] ?? 100)]));
  },
});
