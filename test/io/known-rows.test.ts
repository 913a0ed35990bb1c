/** Rows that a list has read are not read again for the next one, as long as nobody writes: which must not show. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { products } from '../../src/collection/products.ts';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import type { Row, Value } from '../../src/collection/value.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import type { ReadRows } from '../../src/engine/engine.ts';
import { openSqlite } from '../../src/engine/sqlite/index.ts';
import { KnownRows } from '../../src/engine/sqlite/known-rows.ts';
import { MAX_KNOWN_BYTES } from '../../src/limits.ts';
import { planRead } from '../../src/plan/read.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../support/process.ts';

setDefaultTimeout(60_000);
afterEach(cleanUp);

/** About as long as the data must stand still before rows are kept. */
const STILL_MS = 50;

/** Of the same rows, no two alike, so that no answer is kept as a whole. */
let asked = 0;
function nextList(): string {
  const filters = ['', '&order=product_name.desc', '&id=lt.70', '&or=(id.gt.40,units_in_stock.gte.0)', '&id=gt.30'];
  return `/products?limit=${1000 + ++asked}${filters[asked % filters.length]}`;
}

async function read(service: Service, url: string, headers: Record<string, string> = {}): Promise<Row[]> {
  return (await (await service.fetch(url, { headers })).json()) as Row[];
}

test('a list is of one moment, and no older than what anybody wrote before it', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const other = new Database(join(cwd, 'catalogue.db'));
  other.run('pragma busy_timeout = 5000');
  let written = 0;
  const writer = async () => {
    for (let round = 1; round <= 60; round++) {
      await Bun.sleep(STILL_MS + (round % 30));
      // Into two fields of all rows at once: a list of two moments would have two values.
      other.run('update products set units_in_stock = ?, units_on_order = ?', [round, round]);
      written = round;
    }
    written = Number.POSITIVE_INFINITY;
  };
  const reader = async () => {
    let lists = 0;
    while (written !== Number.POSITIVE_INFINITY) {
      const before = written;
      const rows = await read(service, nextList(), asked % 3 === 0 ? { prefer: 'count=exact' } : {});
      const values = new Set(rows.flatMap((row) => [row.units_in_stock, row.units_on_order]));
      if (before === 0) continue;
      expect(values.size).toBe(1);
      expect([...values][0]).toBeGreaterThanOrEqual(before);
      lists++;
    }
    return lists;
  };
  const [, ...lists] = await Promise.all([writer(), reader(), reader(), reader()]);
  other.close();
  // As many as there were writes, at least.
  expect(Math.min(...lists.map(Number))).toBeGreaterThan(60);
});

test('somebody may even write in the instant in which a list begins to be read', async () => {
  const path = join(temporaryFolder(), 'catalogue.db');
  const engine = openSqlite({
    path,
    collection: products,
    firstRows: referenceProducts,
    retryHours: 1,
    querySeconds: 5,
  });
  const changes = engine.changes!;
  const other = new Database(path);
  const stock = async (limit: number) => {
    const plan = planRead(products, parseQuery(''), { offset: 0, limit }, undefined);
    const { rows } = (await engine.read(plan, { format: 'json', stripNulls: false, columns: [] })) as ReadRows;
    return [...new Set(rows.map((row) => row.units_in_stock))];
  };
  const current = changes.current.bind(changes);
  for (let round = 1; round <= 3; round++) {
    // Longer than a transaction is kept open, so that the next list begins one.
    for (let turn = 0; turn < 5; turn++) {
      await stock(40 + turn);
      await Bun.sleep(STILL_MS + 10);
    }
    await Bun.sleep(300);
    let isFirst = true;
    changes.current = () => {
      const mark = current();
      if (isFirst) other.run('update products set units_in_stock = ?', [round]);
      isFirst = false;
      return mark;
    };
    expect(await stock(50)).toEqual([round]);
    changes.current = current;
    expect(await stock(49)).toEqual([round]);
  }
  other.close();
  await engine.close();
});

test('lists that have rows in common, some or all of them, have them as they are stored', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd, args: ['--empty'] });
  // Of those with a long name, some hundreds would be too many to keep.
  const rows = Array.from({ length: 3_000 }, (_, index) => ({
    product_name: `${index % 10 === 0 ? 'long '.repeat(2_500) : ''}Product ${index}`,
    unit_price: (index * 31) % 701,
  }));
  expect((await service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) })).status).toBe(201);
  // Until it is known how large the table is, and how often its values repeat.
  await Bun.sleep(1_500);
  const stored = new Database(join(cwd, 'catalogue.db'), { readonly: true });
  const pages = [
    { url: 'order=id', sql: 'order by id' },
    { url: 'order=unit_price.desc', sql: 'order by unit_price desc, id' },
    { url: 'order=product_name', sql: 'order by product_name, id' },
  ];
  for (const { url, sql } of pages) {
    // Forwards, new rows come last; backwards, first.
    for (const step of [0, 1, -1, 5, 15, -15, 20, 150, 1, -1]) {
      for (let turn = 0; turn < 25; turn++) {
        const [limit, offset] = [20 + (turn % 3), (900 + step * turn) % 900];
        const page = await read(service, `/products?${url}&limit=${limit}&offset=${offset}`);
        expect(page).toEqual(
          stored.query(`select * from products ${sql} limit ? offset ?`).all(limit, offset) as Row[],
        );
      }
    }
  }
  stored.close();
});

describe('of the rows of a list', () => {
  const row = (id: number, product_name = ''): Row => ({ id, product_name });
  const keys = (...ids: number[]): Row[] => ids.map((id) => ({ id }));
  const known = (...rows: Row[]) => {
    const all = new KnownRows('id');
    all.areUsual(1);
    all.learn(rows);
    all.learn(rows);
    return all;
  };

  /** Reads rows with a name, in an order of its own, and notes which. */
  const reader = (product_name = '') => {
    const asked: Value[][] = [];
    const read = (ids: readonly Value[]): Row[] => {
      asked.push([...ids]);
      return ids.map((id) => row(Number(id), product_name)).reverse();
    };
    return { asked, read };
  };

  test('only those that are not known are read, and all come in the order of their keys', () => {
    const rows = known(row(1), row(2), row(3), row(4));
    expect(rows.areUsual(1)).toBe(true);
    const { asked, read } = reader();
    expect(rows.ofKeys(keys(9, 2, 8, 1), read)).toEqual([row(9), row(2), row(8), row(1)]);
    expect(rows.ofKeys(keys(8, 9, 3), read)).toEqual([row(8), row(9), row(3)]);
    expect(asked).toEqual([[9, 8]]);
  });

  test('none is known once the data has changed', () => {
    const rows = known(row(1), row(2));
    expect(rows.areUsual(2)).toBe(false);
    expect(rows.ofKeys(keys(1, 2), reader('new').read)).toEqual([row(1, 'new'), row(2, 'new')]);
  });

  test('few are learnt while none comes again', () => {
    const rows = known();
    const ids = Array.from({ length: 1000 }, (_, index) => index);
    for (const id of ids) rows.learn([row(id)]);
    const { asked, read } = reader();
    rows.ofKeys(keys(...ids), read);
    expect(asked[0]!.length).toBeGreaterThan(950);
    expect(asked[0]!.length).toBeLessThan(1000);
  });

  test('no more are kept than there is room for', () => {
    const ids = Array.from({ length: 100 }, (_, index) => index);
    const rows = known(...ids.map((id) => row(id, 'x'.repeat(MAX_KNOWN_BYTES / 10))));
    const { asked, read } = reader();
    rows.ofKeys(keys(...ids), read);
    expect(asked[0]!.length).toBeGreaterThan(85);
  });
});
