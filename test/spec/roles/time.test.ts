/** Rules, stored queries and filters that compare with the present. Answers change without a write. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { withSettings } from '../../../src/collection/declaration.ts';
import { type Client, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { fromNow, TIME_SHOP } from '../../support/engines/time-shop.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, ids, sendJson } from '../../support/stories.ts';

const DAY = 86_400_000;
const dayFromNow = (days: number) => fromNow(days * DAY).slice(0, 10);

for (const engine of ROLE_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    const rows = () => ({
      products: [1, 2, 3].map((id) => ({ id, name: `p${id}`, released: dayFromNow(id - 2) })),
      prices: [
        { id: 1, product_id: 1, amount: 5, valid_from: fromNow(-DAY), valid_to: fromNow(DAY) },
        { id: 2, product_id: 1, amount: 6, valid_from: fromNow(DAY), valid_to: fromNow(2 * DAY) },
        { id: 3, product_id: 2, amount: 7, valid_from: fromNow(-2 * DAY), valid_to: fromNow(-DAY) },
        { id: 4, product_id: 3, amount: 8, valid_from: fromNow(DAY), valid_to: null },
      ],
      slots: [-1, 0, 1].map((days, at) => ({
        id: at + 1,
        starts: fromNow(days * DAY).slice(0, 19),
        day: dayFromNow(days),
      })),
    });
    beforeEach(async () => {
      shop = await openRoled(engine, TIME_SHOP, rows());
    });
    afterEach(() => shop.close());
    const visitor = (): Client => shop.as(undefined);
    const admin = (): Client => shop.as('admin');
    const seller = (): Client => shop.as('seller');
    const store = async (body: object) =>
      expect((await admin().fetch('/prices', sendJson('POST', body))).status).toBe(201);

    test('a rule with {now} shows the prices of now, also where they are embedded or decide about others', async () => {
      expect(ids(await visitor().list('/prices'))).toEqual([1]);
      expect(JSON.parse(await visitor().text('/products?select=id,prices(amount)'))).toEqual([
        { id: 1, prices: [{ amount: 5 }] },
        { id: 2, prices: [] },
      ]);
      expect(await visitor().list('/prices?select=count()')).toEqual([{ count: 1 }]);
      await expectRefusal(await visitor().fetch('/prices/2'), 404, 'CAT404');
    });

    test('{today} is the day', async () => {
      expect(ids(await visitor().list('/slots'))).toEqual([2, 3]);
    });

    test('filters read now, today, tomorrow and yesterday as PostgreSQL does', async () => {
      expect(ids(await admin().list('/prices?valid_from=lte.now&valid_to=gt.now'))).toEqual([1]);
      expect(ids(await admin().list('/prices?or=(valid_from.gt.NOW,valid_to.lt.now)&order=id'))).toEqual([2, 3, 4]);
      expect(ids(await admin().list('/slots?day=eq.today'))).toEqual([2]);
      expect(ids(await admin().list('/slots?day=gte.tomorrow'))).toEqual([3]);
      expect(ids(await admin().list('/slots?day=in.(yesterday,tomorrow)&order=id'))).toEqual([1, 3]);
      expect(ids(await admin().list('/slots?day=isdistinct.today&order=id'))).toEqual([1, 3]);
      expect(ids(await admin().list('/slots?day=not.eq.today&order=id'))).toEqual([1, 3]);
      expect(ids(await admin().list('/slots?day=eq(any).{today,2001-01-01}'))).toEqual([2]);
      expect(ids(await admin().list('/slots?starts=lt.today&order=id'))).toEqual([1]);
      expect(ids(await admin().list('/products?select=id,prices!inner(id)&prices.valid_from=gt.now&order=id'))).toEqual(
        [1, 3],
      );
      await expectRefusal(await admin().fetch('/prices?amount=eq.now'), 400, '22P02');
      await expectRefusal(await admin().fetch('/slots?day=eq.nowadays'), 400, '22007');
    });

    test('stored queries know the time', async () => {
      expect(ids(await admin().list('/rpc/current_prices?product=1'))).toEqual([1]);
      expect(ids(await admin().list('/rpc/released'))).toEqual([1, 2]);
    });

    test('an answer changes when the time comes, in every cache', async () => {
      await store({ id: 9, product_id: 2, amount: 1, valid_from: fromNow(-DAY), valid_to: fromNow(DAY) });
      const paths: readonly [Client, string][] = [
        [visitor(), '/prices?select=id,amount&order=id'],
        [admin(), '/prices?select=id,amount&order=id&valid_from=lte.now&valid_to=gt.now'],
        [admin(), '/rpc/current_prices?product=2&select=id,amount'],
        [visitor(), '/products?select=id,prices(id,amount)&id=eq.2'],
        [visitor(), '/prices/9?select=id,amount'],
      ];
      const answers = paths.map(() => ({ tag: 'none', isShown: false }));
      const areShown = async (isShown: boolean) => {
        for (const [at, [client, path]] of paths.entries()) {
          const response = await client.fetch(path, { headers: { 'if-none-match': answers[at]!.tag } });
          if (response.status === 304) continue;
          const tag = response.headers.get('etag') ?? 'none';
          answers[at] = { tag, isShown: (await response.text()).includes('{"id":9,"amount":1}') };
        }
        return answers.every((each) => each.isShown === isShown);
      };
      const change = (body: object) => admin().fetch('/prices?id=eq.9', sendJson('PATCH', body));
      await change({ valid_from: fromNow(700) });
      await areShown(false);
      await until('the price in every answer', () => areShown(true));
      await change({ valid_to: fromNow(700) });
      await until('the price to leave every answer', () => areShown(false));
    });

    test('rules for writes compare with the time of the write', async () => {
      const price = (from: number) => ({ product_id: 1, amount: 1, valid_from: fromNow(from) });
      await expectRefusal(await seller().fetch('/prices', sendJson('POST', price(-1000))), 403, '42501');
      expect((await seller().fetch('/prices', sendJson('POST', price(60_000)))).status).toBe(201);
      await expectRefusal(await seller().fetch('/prices/1', sendJson('PATCH', { amount: 1 })), 404, 'CAT404');
      await expectRefusal(
        await seller().fetch('/prices/2', sendJson('PATCH', { valid_from: fromNow(-1) })),
        403,
        '42501',
      );
      expect((await seller().fetch('/prices/2', sendJson('PATCH', { amount: 9 }))).status).toBe(204);
      await expectRefusal(await seller().fetch('/prices/1', { method: 'DELETE' }), 404, 'CAT404');
      expect((await seller().fetch('/prices/2', { method: 'DELETE' })).status).toBe(204);
    });

    test('as of an earlier time, a rule compares with that time', async () => {
      await store({ id: 20, product_id: 2, amount: 1, valid_from: fromNow(-DAY), valid_to: fromNow(DAY) });
      let end = 0;
      for (let wait = 1000; Date.now() >= end; wait *= 2) {
        end = Date.now() + wait;
        const change = { valid_to: new Date(end).toISOString() };
        expect((await admin().fetch('/prices/20', sendJson('PATCH', change))).status).toBe(204);
      }
      const then = new Date(end - 1).toISOString();
      await until('the price to end', async () => !ids(await visitor().list('/prices')).includes(20));
      const asOf = await visitor().fetch('/prices?order=id', { headers: { prefer: `as-of=${then}` } });
      expect(ids((await asOf.json()) as { id: number }[])).toEqual([1, 20]);
    });
  });
}

test('days begin at midnight in the time zone of the service', async () => {
  // In one of these zones, it is another day than in UTC.
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata'];
  for (const zone of zones) {
    const shop = await openRoled('SQLite', withSettings(TIME_SHOP, { timeZone: zone }), {});
    const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now());
    await shop.as('admin').fetch('/slots', sendJson('POST', { id: 1, day: local, starts: `${local}T00:00:00` }));
    expect(ids(await shop.as('admin').list('/slots?day=eq.today&starts=eq.today'))).toEqual([1]);
    await shop.close();
  }
});
