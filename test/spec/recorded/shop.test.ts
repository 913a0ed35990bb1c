/**
 * Recorded PostgREST responses for a declared catalogue: every type, with filters, casts, aggregates, order and
 * embeddings, on every engine. The size of a table matters to reads only, so writes run once per database system.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, ENGINES, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openShop, SHOP_ROWS } from '../../support/engines/shop.ts';
import { disagreements, type RecordedCase, recordedAreas, recordedCases } from '../../support/recorded.ts';

const CASES = recordedAreas('recorded-shop').map((area) => ({ area, cases: recordedCases(area, 'recorded-shop') }));

const TIES = 'ties are broken by the key, where PostgREST leaves them to chance';

/** Intentional departures. */
const DEPARTURES: Readonly<Record<string, string>> = {
  'embed-filter-1036': TIES,
  'embed-filter-1037': TIES,
  'array-0821': 'a backslash in CSV is one backslash, so that what is read can be written again; PostgREST doubles it',
  'shop-write-1374': 'a row that is met by another unique field keeps its key; PostgREST gives it the one of the body',
};

const isRead = ({ method }: RecordedCase) => method === 'GET' || method === 'HEAD';

describe.each(Object.keys(ENGINES))('recorded responses of the shop on %s', (engine) => {
  const takesWrites = TWO_ENGINES.some((each) => each === engine);
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openShop(engine);
  });
  afterAll(async () => {
    expect(await shop.list('/products')).toEqual([...SHOP_ROWS.products!]);
    await shop.close();
  });

  describe.each(CASES)('$area', ({ cases }) => {
    for (const recorded of cases.filter((each) => !(each.id in DEPARTURES) && (isRead(each) || takesWrites))) {
      test(`${recorded.id}: ${recorded.method} ${recorded.path}`, async () => {
        // The second read uses the row cache.
        for (let time = 0; time < (isRead(recorded) ? 2 : 1); time++) {
          expect(await disagreements(recorded, await replay(shop, recorded))).toEqual([]);
        }
      });
    }
  });
});

/** Replays a request. Writes are rolled back, so that each request starts from the same data. */
async function replay(shop: Catalogue, recorded: RecordedCase): Promise<Response> {
  const { method, path, headers, body } = recorded;
  if (isRead(recorded)) return shop.fetch(path, { method, headers });
  const preferences = [headers.Prefer, 'tx=rollback'].filter((each) => each !== undefined);
  return shop.fetch(path, { method, headers: { ...headers, Prefer: preferences.join(', ') }, body });
}

test('every departure refers to a recorded case', () => {
  const ids = CASES.flatMap(({ cases }) => cases.map(({ id }) => id));
  expect(Object.keys(DEPARTURES).filter((id) => !ids.includes(id))).toEqual([]);
});
