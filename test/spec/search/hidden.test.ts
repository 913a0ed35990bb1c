/** Rows and fields that a role may not read change nothing in the results of its searches. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { fromNow } from '../../support/engines/time-shop.ts';
import { sendJson } from '../../support/stories.ts';

const DECLARATION = declaredBy(`
collections:
  brands:
    fields: { id: int4, name: text, known_from: timestamptz }
  products:
    fields:
      id: int4
      name: text
      note: text
      brand_id: { type: int4, references: brands }
      secret: { type: boolean, default: false }
    search: { fields: { name: 3, note: 1, brand.name: 1 }, language: english }
roles:
  admin: all
  guest:
    products: { read: { where: secret=is.false, fields: [id, name, brand_id, secret] } }
    brands: { read: { where: 'known_from=lte.{now}' } }
  partner:
    products: { read: { fields: [id, brand_id] } }
    brands: { read: { where: 'known_from=lte.{now}' } }
`);
const HOUR = 3_600_000;

describe.each(TWO_ENGINES)('a search of a role on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    const brands = [
      { id: 1, name: 'shoe', known_from: fromNow(HOUR) },
      { id: 2, name: 'Zephyr', known_from: fromNow(HOUR) },
    ];
    const products = [
      { id: 1, name: 'Shoelace', note: 'shoe', brand_id: null },
      { id: 2, name: 'Shoelace', note: null, brand_id: null },
      { id: 3, name: 'Shoelace', note: null, brand_id: 1 },
      { id: 4, name: 'Lantern', note: null, brand_id: 2 },
      { id: 5, name: 'Run', note: null, brand_id: null },
      { id: 6, name: 'Lamps', note: null, brand_id: null },
    ];
    shop = await openRoled(engine, DECLARATION, { brands, products });
  });
  afterAll(() => shop.close());

  const find = (role: string, words: string, select = 'id') =>
    shop.as(role).list(`/products?search=wfts.${words}&select=${select}&order=id`);
  const ids = async (role: string, words: string) => (await find(role, words)).map(({ id }) => id);
  const store = async (...rows: readonly object[]) =>
    expect((await shop.as('admin').fetch('/products', sendJson('POST', rows))).status).toBe(201);
  const remove = async (id: number) =>
    expect((await shop.as('admin').fetch(`/products?id=eq.${id}`, { method: 'DELETE' })).status).toBe(204);

  test('finds the beginning of a word in a row whose hidden text has the whole word', async () => {
    const rows = await find('guest', 'shoe', 'id,search,search->highlight');
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(new Set(rows.map(({ search }) => search)).size).toBe(1);
    expect(rows.map(({ highlight }) => highlight) as unknown).toEqual(Array(3).fill({ name: '<mark>Shoelace</mark>' }));
  });

  test('does not correct a word by words of hidden and deleted rows', async () => {
    const searches = () =>
      Promise.all(['runnign', 'lamps lantern', 'runnign lantern'].map((words) => find('guest', words, 'id,search')));
    const before = await searches();
    expect(before.map((rows) => rows.map(({ id }) => id))).toEqual([[], [4, 6], [4]]);
    await store({ id: 20, name: 'Running', secret: true }, { id: 21, name: 'Lamp', secret: true });
    expect(await searches()).toEqual(before);
    expect(await ids('admin', 'runnign')).toEqual([5, 20]);
    await remove(20);
    await remove(21);
    expect(await ids('admin', 'runnign')).toEqual([]);
    expect(await searches()).toEqual(before);
    await store({ id: 22, name: 'Running', secret: false });
    expect(await find('guest', 'runnign', 'id,search->highlight')).toEqual([
      { id: 5, highlight: { name: '<mark>Run</mark>' } },
      { id: 22, highlight: { name: '<mark>Running</mark>' } },
    ] as never);
  });

  test('finds a text from the time on at which the role may read it', async () => {
    const both = async () => [await ids('guest', 'zephyr'), await ids('partner', 'zephyr')];
    // Repeated answers are cached.
    for (let nth = 0; nth < 3; nth++) expect(await both()).toEqual([[], []]);
    try {
      setSystemTime(new Date(Date.now() + 2 * HOUR));
      expect(await both()).toEqual([[4], [4]]);
    } finally {
      setSystemTime();
    }
  });
});
