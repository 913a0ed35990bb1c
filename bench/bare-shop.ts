/** The data of the shop in hand-written tables: the same rows, with json and arrays stored as text. */
import { Database } from 'bun:sqlite';
import { shopCatalogue } from './shop.ts';

type Shown = Readonly<Record<string, unknown>>;

export async function copyShop(url: string, path: string): Promise<void> {
  const db = new Database(path);
  db.run('pragma journal_mode = wal');
  for (const { name, fields, key } of shopCatalogue().collections.values()) {
    const columns = fields.map((field) => `"${field.name}"`).join(', ');
    const type = key.length === 1 ? '"id" integer primary key, ' : '';
    const others = fields.filter((field) => type === '' || field !== key[0]).map((field) => `"${field.name}"`);
    const together = key.length === 1 ? '' : `, primary key (${key.map((field) => `"${field.name}"`).join(', ')})`;
    db.run(`create table "${name}" (${type}${others.join(', ')}${together})`);
    const insert = db.prepare(`insert into "${name}" (${columns}) values (${fields.map(() => '?').join(', ')})`);
    const rows = (await (await fetch(`${url}/${name}`)).json()) as Shown[];
    db.transaction(() => {
      for (const row of rows) insert.run(...fields.map((field) => stored(row[field.name], field.type.name)));
    })();
  }
  db.run('create index products_category_id on products (category_id)');
  db.close();
}

function stored(value: unknown, type: string): string | number | null {
  if (type === 'json' || type.endsWith('[]')) return JSON.stringify(value);
  return typeof value === 'boolean' ? Number(value) : (value as string | number | null);
}
