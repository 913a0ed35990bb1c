/** Generated products for the benchmark of the declared search, and the size of their index. */
import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import type { EmptyDatabase } from './empty-databases.ts';

export const PRODUCT_FIELDS = `{ id: int4, name: { type: text, required: true }, brand_id: { type: int4, references: brands }, size: text, colour: text, price: 'decimal(12,2)', units_in_stock: int4, description: text }`;

/** `search` is the declared search of the products, or empty. */
export const declarationOf = (fields: string, search: string) => `
collections:
  brands:
    fields: { id: int4, name: text }
  products:
    fields: ${fields}
    ${search}
  plain_posts:
    fields: ${fields}
  searched_posts:
    fields: ${fields}
    ${search}
`;

let seed = 20_261_118;
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed % below;
}

/** Words with frequencies as in a language. The most frequent ones are in about a twentieth of the rows. */
const SYLLABLES = 'ba ke lo mi nu ra se to vi wa zel dor fan gri hul jas kom lun mer pol'.split(' ');
const WORDS = Array.from({ length: 30_000 }, () =>
  Array.from({ length: 2 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)]).join(''),
);
const frequent = () => WORDS[Math.floor(100 * (WORDS.length / 100) ** (random(1_000_000) / 1_000_000)) - 100]!;
const text = (length: number) => Array.from({ length }, frequent).join(' ');

export const BRANDS = Array.from({ length: 200 }, (_, id) => ({ id, name: text(2) }));

export class Products {
  /** The bytes of the searched texts so far. */
  bytes = 0;
  private readonly names: string[] = [];

  next(id: number) {
    const [name, description] = [text(3 + random(3)), text(15 + random(25))];
    this.bytes += name.length + description.length;
    this.names.push(name);
    return {
      id,
      name,
      brand_id: random(BRANDS.length),
      size: ['S', 'M', 'L', 'XL'][random(4)]!,
      colour: ['red', 'blue', 'green', 'black', 'white'][random(5)]!,
      price: random(20_000) / 100,
      units_in_stock: random(100),
      description,
    };
  }

  /** The first two words of some products. */
  samples(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      const [first, second] = this.names[random(this.names.length)]!.split(' ');
      return `${first} ${second}`;
    });
  }
}

/** The bytes of the tables of the index and of their indexes. */
export async function indexBytes({ database, flags: [, schema] }: EmptyDatabase): Promise<number> {
  if (schema === undefined) {
    const db = new Database(database);
    const sql = `select sum(pgsize) as bytes from dbstat where name glob '_products_search_[dwrs]*' or name glob 'sqlite_autoindex__products_search_*'`;
    const { bytes } = db.query(sql).get() as { bytes: number };
    db.close();
    return bytes;
  }
  const sql = new SQL(database, { max: 1 });
  const tables = ['documents', 'words', 'recent', 'stale'].map(
    (part) => `pg_total_relation_size('${schema}._products_search_${part}')`,
  );
  const [row] = await sql.unsafe(`select (${tables.join(' + ')})::float8 as bytes`);
  await sql.close();
  return Number(row.bytes);
}
