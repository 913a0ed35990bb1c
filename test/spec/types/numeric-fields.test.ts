/** Numeric fields of unlimited precision, as `catalogue declare` writes them: read-only, and exact on both engines. */
import { describe, expect, test } from 'bun:test';
import { PLACES } from '../../support/engines/declared.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const collections = [
  {
    name: 'parcels',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'weight', type: 'numeric', readOnly: true },
    ],
  },
];
const weights = ['1200.0', '700', '12345678901234567890.5', null, '1200.00', '-3'];
const rows = { parcels: weights.map((weight, index) => ({ id: index + 1, weight })) };

describe.each(Object.keys(PLACES))('a numeric field on %s', (engine) => {
  test('is compared, sorted, summed and printed by its value, also after the database is opened again', async () => {
    const place = PLACES[engine]!();
    await (await place.open({ collections, rows })).close();
    expect((await place.plan({ collections })).steps).toEqual([]);
    const opened = await place.open({ collections });
    const ids = async (query: string) => (await opened.list(`/parcels?select=id&${query}`)).map(({ id }) => id);
    expect(await ids('weight=gt.500&order=id')).toEqual([1, 2, 3, 5]);
    expect(await ids('weight=eq.1200&order=id')).toEqual([1, 5]);
    expect(await ids('weight=in.(700.0,-3)&order=id')).toEqual([2, 6]);
    expect(await ids('order=weight.desc.nullslast,id')).toEqual([3, 1, 5, 2, 6, 4]);
    const sums = await opened.fetch('/parcels?select=weight.sum(),high:weight.max(),low:weight.min()');
    expect(await sums.text()).toBe('[{"sum":12345678901234570987.50,"high":12345678901234567890.5,"low":-3}]');
    const refused = await opened.fetch('/parcels', sendJson('POST', { id: 9, weight: 1 }));
    await expectRefusal(refused, 400, '428C9');
    await opened.close();
  });
});
