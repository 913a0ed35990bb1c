/**
 * Every read returns the latest written data, for any order of reads and writes and any way a read ends. No read blocks
 * the WAL checkpoint.
 */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { type Catalogue, catalogueOn, REFERENCE_PRODUCTS } from '../support/engines/catalogue.ts';
import { beginningWith, LARGE_TABLES, newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';
import { RUNS } from '../support/generated/generators.ts';

/** Large enough that a list of all rows is sent in chunks. */
const ROWS = Array.from({ length: 4_000 }, (_, index) => ({
  id: index + 1,
  product_name: `Product ${index} ${'x'.repeat(200)}`,
  discontinued: 0,
}));
const SMALL = { name: 'a small table', rows: REFERENCE_PRODUCTS, isLarge: false };
const LARGE = { name: 'a large table', rows: ROWS, isLarge: true };

type Read = (catalogue: Catalogue, number: number) => Promise<unknown>;

/** Ways to read, and to abort a read. Every URL is different, so that no response comes from the cache. */
const READS: Readonly<Record<string, Read>> = {
  'one product': ({ fetch }, number) => fetch(`/products/${(number % 77) + 1}?limit=${number + 1}`),
  'a page, counted': ({ fetch }, number) =>
    fetch(`/products?limit=5&offset=${number}`, { headers: { prefer: 'count=exact' } }),
  'a sorted page': ({ list }, number) => list(`/products?order=quantity_per_unit.desc,id&limit=${number + 1}`),
  'the whole list': ({ list }, number) => list(`/products?limit=${10_000 + number}`),
  'the head of the list': ({ fetch }, number) => fetch(`/products?limit=${20_000 + number}`, { method: 'HEAD' }),
  'the list, not even looked at': ({ fetch }, number) => fetch(`/products?limit=${30_000 + number}`),
  'the list as one object': ({ fetch }, number) =>
    fetch(`/products?limit=${40_000 + number}`, { headers: { accept: 'application/vnd.pgrst.object+json' } }),
  'the start of the list': async ({ fetch }, number) => {
    const reader = (await fetch(`/products?limit=${50_000 + number}`)).body!.getReader();
    await reader.read();
    await reader.cancel();
  },
  'a plan': ({ fetch }, number) =>
    fetch(`/products?id=gt.${number}&order=unit_price`, { headers: { accept: 'application/vnd.pgrst.plan+json' } }),
  'a cast that fails on the way': ({ fetch }, number) =>
    fetch(`/products?select=product_name::int&limit=${60_000 + number}`),
  'past the end': ({ fetch }, number) =>
    fetch(`/products?offset=${70_000 + number}`, { headers: { prefer: 'count=exact' } }),
};

const step = fc.record({
  read: fc.constantFrom(...Object.keys(READS)),
  number: fc.nat({ max: 5_000 }),
  /** Some pauses are long enough for the service to keep a read transaction open, or to close it. */
  pauseMs: fc.constantFrom(0, 0, 0, 0, 0, 60, 300),
  writes: fc.boolean(),
});

describe.each([SMALL, LARGE])('on $name', ({ rows, isLarge }) => {
  test('reads return the latest data', async () => {
    const path = newFile();
    const large = isLarge ? LARGE_TABLES : {};
    const engine = openSqlite({ ...TEST_OPTIONS, ...large, path, firstRows: beginningWith(rows) });
    const catalogue = catalogueOn(engine, { plans: true });
    const other = new Database(path);
    other.run('pragma busy_timeout = 5000');
    let stock = 0;
    const stocks = async (query: string) =>
      (await catalogue.list(`/products?select=units_in_stock&${query}`)).map((row) => row.units_in_stock);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const { read, number, pauseMs, writes } of steps) {
          await READS[read]!(catalogue, number);
          await Bun.sleep(pauseMs);
          if (!writes) continue;
          stock++;
          // Writes through the service, or through another process.
          if (stock % 2 === 0) other.run('update products set units_in_stock = ? where id = 7', [stock]);
          else await catalogue.fetch('/products/7', { method: 'PATCH', body: `{"units_in_stock":${stock}}` });
          expect(await stocks(`id=eq.7&limit=${stock}`)).toEqual([stock]);
          expect(await stocks(`units_in_stock=eq.${stock}&id=lte.7&order=reorder_level.desc,id.desc&limit=1`)).toEqual([
            stock,
          ]);
        }
      }),
      { numRuns: 4 * RUNS },
    );
    expect(engine.unreadyReason!()).toBeUndefined();
    expect(engine.metrics!().find(({ name }) => name === 'stale_connections_total')!.value).toBe(0);
    await engine.close();
    expect(other.query('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 });
    other.close();
  });
});
