/** What PostgREST answered over a declared catalogue: every type, its filters, casts, aggregates and order, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, ENGINES } from '../support/catalogue.ts';
import { disagreements, type RecordedCase, recordedCases } from '../support/recorded.ts';
import { GENERATED, openShop, SHOP_COLLECTIONS, SHOP_ROWS } from '../support/shop.ts';

const AREAS = ['type-aggregate', 'type-cast', 'type-filter', 'type-order', 'array', 'json', 'shop-insert'];
const CASES = AREAS.map((area) => ({ area, cases: recordedCases(area, 'recorded-shop') }));

/** What the one collection that is opened here cannot answer, by what the case needs. */
function needed({ path, method, body, expect }: RecordedCase): string | undefined {
  if (!/^\/products(\?|$)/.test(path)) return 'another collection';
  if (SHOP_COLLECTIONS.some((name) => path.includes(`${name}(`))) return 'an embedding';
  const refusal = expect.status >= 400 ? (JSON.parse(expect.body) as { code: string; message: string }) : undefined;
  if (refusal?.code === '23503') return 'a reference';
  if (refusal?.code === '23514') return 'a rule';
  if (refusal?.code === '23505' && !refusal.message.includes('_pkey')) return 'a unique field';
  if (method === 'POST' && GENERATED.some((name) => !body?.includes(name))) return 'a generated default';
  return undefined;
}

/** Those that wait, one by one: none is left out in silence. */
const WAITING: Record<string, string[]> = {
  'a reference': ['shop-insert-1327', 'shop-insert-1328', 'shop-insert-1332', 'shop-insert-1334'],
  'a rule': ['shop-insert-1275', 'shop-insert-1276', 'shop-insert-1277', 'shop-insert-1335', 'shop-insert-1337'],
  'a unique field': ['shop-insert-1261', 'shop-insert-1262', 'shop-insert-1279'],
  'another collection': ['json-0886', 'json-0889'],
};

/** Departures on purpose. */
const DEPARTURES: Readonly<Record<string, string>> = {
  'array-0821': 'a backslash in CSV is one backslash, so that what is read can be written again; PostgREST doubles it',
};

describe.each(Object.keys(ENGINES))('recorded answers over the shop on %s', (engine) => {
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openShop(engine);
  });
  afterAll(async () => {
    expect(await shop.list()).toEqual([...SHOP_ROWS]);
    await shop.close();
  });

  describe.each(CASES)('$area', ({ cases }) => {
    for (const recorded of cases.filter((each) => needed(each) === undefined && !(each.id in DEPARTURES))) {
      test(`${recorded.id}: ${recorded.method} ${recorded.path}`, async () => {
        expect(await disagreements(recorded, await replay(shop, recorded))).toEqual([]);
      });
    }
  });
});

/** Writes are rolled back, and the answer is as if they had not been. */
async function replay(shop: Catalogue, { method, path, headers, body }: RecordedCase): Promise<Response> {
  if (method === 'GET' || method === 'HEAD') return shop.fetch(path, { method, headers });
  const preferences = [headers.Prefer, 'tx=rollback'].filter((each) => each !== undefined);
  const response = await shop.fetch(path, { method, headers: { ...headers, Prefer: preferences.join(', ') }, body });
  const applied = (response.headers.get('preference-applied') ?? '').replace(/(, )?tx=rollback/, '');
  const shown = new Headers(response.headers);
  if (applied === '') shown.delete('preference-applied');
  else shown.set('preference-applied', applied);
  return new Response(await response.text(), { status: response.status, headers: shown });
}

test('what is not replayed needs something that is not here', () => {
  const waiting: Record<string, string[]> = {};
  for (const recorded of CASES.flatMap(({ cases }) => cases)) {
    const reason = needed(recorded);
    if (reason !== undefined) waiting[reason] = [...(waiting[reason] ?? []), recorded.id];
  }
  expect(waiting).toEqual(WAITING);
});

test('every departure names a recorded case', () => {
  const ids = CASES.flatMap(({ cases }) => cases.map(({ id }) => id));
  expect(Object.keys(DEPARTURES).filter((id) => !ids.includes(id))).toEqual([]);
});
