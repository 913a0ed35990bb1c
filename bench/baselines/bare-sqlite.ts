/** A minimal hand-written server: Bun with one prepared SQLite statement per request. */
import { Database } from 'bun:sqlite';

const [port = '0', path = ''] = process.argv.slice(2);
const db = new Database(path);
const byId = db.prepare<object, [number]>('select * from products where id = ?');
// A limit that consists only of a parameter would make SQLite prepare the statement each time.
const filtered = db.prepare<object, [number, number]>(
  'select * from products where category_id = ? order by id limit +?',
);
const list = db.prepare<object, [number]>('select * from products order by id limit +?');
const headers = { 'content-type': 'application/json; charset=utf-8' };
const json = (value: unknown) => new Response(JSON.stringify(value), { headers });

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  fetch({ url }) {
    const id = /\/products\/(\d+)/.exec(url);
    if (id !== null) return json(byId.get(Number(id[1])));
    const filter = /category_id=eq\.(\d+)&limit=(\d+)/.exec(url);
    if (filter !== null) return json(filtered.all(Number(filter[1]), Number(filter[2])));
    return json(list.all(Number(/limit=(\d+)/.exec(url)?.[1] ?? 100)));
  },
});
