/** The row cache keeps serialized rows for later lists until somebody writes. Clients must not notice it. */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Row } from '../../../src/collection/value.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';
import { startShop } from '../../support/processes/shop-services.ts';

afterEach(cleanUp);

/** Roughly how long the data must stay unchanged before the service caches rows. */
const STILL_MS = 50;

const HIDING = `collections:
  things: { rows: things.json, fields: { id: int4, shown: boolean } }
roles:
  anonymous: { things: { read: { where: 'shown=is.true' } } }
`;

/** Counts the requests, so that each list URL is different and the response cache never applies. */
let asked = 0;
function nextList(): string {
  const filters = ['', '&order=product_name.desc', '&id=lt.70', '&or=(id.gt.40,units_in_stock.gte.0)', '&id=gt.30'];
  return `/products?limit=${1000 + ++asked}${filters[asked % filters.length]}`;
}

async function read(service: Service, url: string, headers: Record<string, string> = {}): Promise<Row[]> {
  return (await (await service.fetch(url, { headers })).json()) as Row[];
}

/** A process that keeps the service busy with long filters until it is killed. */
const BUSY = `
  let key = 0;
  for (let client = 0; client < 50; client++) void ask();
  async function ask() {
    const terms = () => Array.from({ length: 400 }, () => 'id.eq.' + ++key);
    for (;;) await (await fetch(process.argv.at(-1) + '/products?or=(' + terms() + ')')).arrayBuffer();
  }
`;

test.each(['alone', 'beside many requests'])(
  'a list shows one snapshot, which includes every earlier write, %s',
  async (where) => {
    const cwd = temporaryFolder();
    const service = await startService({ cwd });
    const others =
      where === 'alone'
        ? undefined
        : Bun.spawn([process.execPath, '-e', BUSY, '--', service.url], { stderr: 'ignore' });
    const other = new Database(join(cwd, 'catalogue.db'));
    other.run('pragma busy_timeout = 5000');
    let written = 0;
    const writer = async () => {
      for (let round = 1; round <= 25; round++) {
        await Bun.sleep(STILL_MS + (round % 30));
        // The update sets two fields of all rows to the same value. A list that mixes two snapshots would show two
        // values.
        other.run('update products set units_in_stock = ?, units_on_order = ?', [round, round]);
        written = round;
      }
      written = Number.POSITIVE_INFINITY;
    };
    const reader = async () => {
      while (written !== Number.POSITIVE_INFINITY) {
        const before = written;
        const rows = await read(service, nextList(), asked % 3 === 0 ? { prefer: 'count=exact' } : {});
        const values = new Set(rows.flatMap((row) => [row.units_in_stock, row.units_on_order]));
        if (before === 0) continue;
        expect(values.size).toBe(1);
        expect([...values][0]).toBeGreaterThanOrEqual(before);
      }
    };
    await Promise.all([writer(), reader(), reader(), reader()]).finally(() => others?.kill());
    other.close();
  },
);

test('lists that share some or all rows show them as stored, and continue correctly after them', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const stored = new Database(join(cwd, 'catalogue.db'), { readonly: true });
  await Bun.sleep(2 * STILL_MS);
  const orders = [
    { url: 'order=id', sql: 'order by id' },
    { url: 'order=unit_price.desc', sql: 'order by unit_price desc, id' },
    { url: 'order=product_name', sql: 'order by product_name, id' },
  ];
  for (const { url, sql } of orders) {
    for (let offset = 0; offset < 80; offset += 7) {
      const response = await service.fetch(`/products?${url}&limit=20&offset=${offset}`);
      const expected = stored.query(`select * from products ${sql} limit 20 offset ?`).all(offset) as Row[];
      expect((await response.json()) as Row[]).toEqual(expected);
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (expected.length < 20) continue;
      expect(await read(service, next!)).toEqual(
        stored.query(`select * from products ${sql} limit 20 offset ?`).all(offset + 20) as Row[],
      );
    }
  }
  stored.close();
});

test('embedded rows are as current as their parent row', async () => {
  const service = await startShop('SQLite');
  const select = 'select=id,categories(category_name),suppliers!supplier_id(company_name)';
  const shown = async () => {
    const rows = await read(service, `/products?${select}&limit=${1000 + ++asked}`);
    const item = (await (await service.fetch(`/products/1?${select}&limit=${++asked}`)).json()) as Record<
      string,
      unknown
    >;
    expect(rows.find((row) => row.id === 1) as unknown).toEqual(item);
    return item;
  };
  const headers = { 'content-type': 'application/json' };
  for (const [collection, field, key] of [
    ['categories', 'category_name', 'category_id'],
    ['suppliers', 'company_name', 'supplier_id'],
  ] as const) {
    const [product] = await read(service, `/products?select=${key}&id=eq.1`);
    for (let round = 1; round <= 3; round++) {
      const body = JSON.stringify({ [field]: `Renamed ${round}` });
      const url = `/${collection}?id=eq.${product![key]}`;
      expect((await service.fetch(url, { method: 'PATCH', body, headers })).status).toBe(204);
      expect((await shown())[collection]).toEqual({ [field]: `Renamed ${round}` });
      await Bun.sleep(2 * STILL_MS);
      for (let time = 0; time < 3; time++) {
        expect((await shown())[collection]).toEqual({ [field]: `Renamed ${round}` });
      }
    }
  }
});

test('a row disappears or appears at once when a rule begins to hide or to show it', async () => {
  const cwd = temporaryFolder();
  await Bun.write(join(cwd, 'collections.yaml'), HIDING);
  await Bun.write(join(cwd, 'things.json'), '[{"id":1,"shown":true},{"id":2,"shown":true}]');
  const service = await startService({ cwd });
  const stored = new Database(join(cwd, 'catalogue.db'));
  stored.run('pragma busy_timeout = 5000');
  const statuses = async () => {
    const found = [];
    for (const id of [1, 2]) found.push((await service.fetch(`/things/${id}?limit=${++asked}`)).status);
    return found;
  };
  for (let round = 0; round < 3; round++) {
    const isShown = round % 2 === 0;
    stored.run('update things set shown = ? where id = 1', [isShown]);
    expect(await statuses()).toEqual([isShown ? 200 : 404, 200]);
    await Bun.sleep(2 * STILL_MS);
    for (let time = 0; time < 3; time++) expect(await statuses()).toEqual([isShown ? 200 : 404, 200]);
  }
  stored.close();
});
