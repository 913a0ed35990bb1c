/** Figures of related rows: lists ordered and filtered by an aggregate of the rows that refer to them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text, brand: text }
  prices:
    fields:
      id: int4
      product_id: { type: int4, references: products, indexed: true }
      amount: decimal(12,2)
      currency: text
      secret: { type: boolean, required: true, default: false }
  offers:
    fields: { id: int4, price_id: { type: int4, references: prices }, percent: int4 }
queries:
  cheap:
    parameters: { most: 'decimal(12,2)' }
    read: 'products?select=id,prices()&prices.currency=eq.EUR&prices.amount.min()=lte.{most}&order=prices(amount.min())'
roles:
  visitor:
    products: { read: true }
    prices: { read: { fields: [id, product_id, amount], where: 'secret=is.false' } }
  admin: all
`);

/** Product 4 has no price, and the cheapest price of product 3 is secret. */
const AMOUNTS: readonly (readonly [product: number, amount: number | null, currency: string, secret?: boolean])[] = [
  [1, 20, 'EUR'],
  [1, 15.5, 'USD'],
  [2, 9.99, 'EUR'],
  [2, 30, 'EUR'],
  [2, null, 'USD'],
  [3, 5, 'EUR', true],
  [3, 18, 'EUR'],
  [5, 15.5, 'EUR'],
];
const ROWS = {
  products: [1, 2, 3, 4, 5].map((id) => ({ id, name: `Product ${id}`, brand: ['a', 'b', null][id % 3]! })),
  prices: AMOUNTS.map(([product_id, amount, currency, secret = false], at) => {
    return { id: at + 1, product_id, amount, currency, secret };
  }),
  offers: [
    { id: 1, price_id: 1, percent: 10 },
    { id: 2, price_id: 3, percent: 30 },
  ],
};

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeAll(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, SHOP, ROWS), SHOP, { identify });
    });
    afterAll(() => shop.close());
    const admin = { 'x-role': 'admin' };
    const visitor = { 'x-role': 'visitor' };
    const list = async (path: string, headers = admin) => {
      const response = await shop.fetch(path, { headers });
      return (await response.json()) as Record<string, unknown>[];
    };
    const ids = async (query: string, headers = admin, more = '') =>
      (await list(`/products?select=id${more}&${query}`, headers)).map(({ id }) => id);
    const refused = async (path: string, code: string, headers = admin) =>
      expectRefusal(await shop.fetch(path, { headers }), 400, code);

    test('order=prices(amount.min()) lists the cheapest first, rows without any last', async () => {
      expect(await ids('order=prices(amount.min())')).toEqual([3, 2, 1, 5, 4]);
      expect(await ids('order=prices(amount.max()).desc.nullslast,id.desc')).toEqual([2, 1, 3, 5, 4]);
      expect(await ids('order=prices(count()).desc,name.desc')).toEqual([2, 3, 1, 5, 4]);
      expect(await ids('order=prices(amount.sum()),id')).toEqual([5, 3, 1, 2, 4]);
      expect(await ids('order=prices(currency.max()).nullsfirst')).toEqual([4, 3, 5, 1, 2]);
    });

    test('prices.amount.min()=lt.10 compares the figure, also in or= and with every operator', async () => {
      expect(await ids('prices.amount.min()=lt.10')).toEqual([2, 3]);
      expect(await ids('prices.amount.min()=is.null')).toEqual([4]);
      expect(await ids('prices.amount.avg()=eq.19.995')).toEqual([2]);
      expect(await ids('prices.count()=gte.2')).toEqual([1, 2, 3]);
      expect(await ids('prices.amount.count()=not.eq.2')).toEqual([4, 5]);
      expect(await ids('prices.currency.count(distinct)=eq.2')).toEqual([1, 2]);
      expect(await ids('or=(prices.amount.max().gt.25,and(prices.count().eq.0,name.like.*4))')).toEqual([2, 4]);
      expect(await ids('prices.count()=in.(0,1)')).toEqual([4, 5]);
      expect(await list('/products?select=count()&prices.amount.min()=lt.16')).toEqual([{ count: 4 }]);
    });

    test('the conditions of an embedding of the request apply to the figure', async () => {
      expect(await ids('order=p(amount.min())&p.currency=eq.EUR', admin, ',p:prices()')).toEqual([3, 2, 5, 1, 4]);
      expect(await ids('p.amount.min()=gt.15&p.currency=eq.EUR', admin, ',p:prices()')).toEqual([1, 5]);
      const nested = await list(
        '/products?select=id,prices!inner(id)&prices.offers.percent.max()=gt.20&prices.order=offers(percent.max())',
      );
      expect(nested).toEqual([{ id: 2, prices: [{ id: 3 }] }]);
    });

    test('the pages of an order by a figure neither overlap nor skip, by keys', async () => {
      for (const order of ['prices(amount.min())', 'prices(amount.avg()).desc', 'prices(count()),brand.desc']) {
        const whole = await ids(`order=${order}`);
        const seen: unknown[] = [];
        let next: string | undefined = `/products?select=id&order=${order}&limit=2`;
        while (next !== undefined) {
          const response = await shop.fetch(next, { headers: admin });
          seen.push(...((await response.json()) as { id: number }[]).map(({ id }) => id));
          next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
          if (next !== undefined) expect(next).toContain('after=');
        }
        expect(seen).toEqual(whole);
      }
    });

    test('rows and fields that a role may not read do not count', async () => {
      expect(await ids('order=prices(amount.min())', visitor)).toEqual([2, 1, 5, 3, 4]);
      expect(await ids('prices.amount.min()=lt.10', visitor)).toEqual([2]);
      expect(await ids('prices.count()=eq.1', visitor)).toEqual([3, 5]);
      for (const query of ['order=prices(currency.max())', 'prices.currency.max()=eq.EUR']) {
        await expectRefusal(await shop.fetch(`/products?${query}`, { headers: visitor }), 403, '42501');
      }
      await expectRefusal(await shop.fetch('/prices?offers.percent.max()=eq.1', { headers: visitor }), 403, '42501');
    });

    test('count(distinct) counts different values, alone and in groups', async () => {
      expect(await list('/prices?select=amount.count(distinct),n:amount.count()')).toEqual([{ count: 6, n: 7 }]);
      expect(await list('/prices?select=currency,products:product_id.count(distinct)&order=currency')).toEqual([
        { currency: 'EUR', products: 4 },
        { currency: 'USD', products: 2 },
      ]);
      expect(await list('/products?select=id,prices(currency.count(distinct))&id=eq.2')).toEqual([
        { id: 2, prices: [{ count: 2 }] },
      ]);
    });

    test('a stored query and a write use figures, and a feed follows them', async () => {
      expect(await list('/rpc/cheap?most=16')).toEqual([{ id: 3 }, { id: 2 }, { id: 5 }]);
      const feed = await shop.follow('/products?select=id&prices.count()=gte.3', admin);
      const added = { id: 20, product_id: 1, amount: 50, currency: 'EUR', secret: false };
      await shop.fetch('/prices', sendJson('POST', added, admin));
      await until('the product enters the list', () => feed.rows.size === 2);
      await shop.fetch('/prices?id=eq.20', { method: 'DELETE', headers: admin });
      await until('the product leaves the list', () => feed.rows.size === 1);
      const patched = await shop.fetch('/products?prices.count()=eq.0', {
        ...sendJson('PATCH', { brand: 'none' }, { ...admin, prefer: 'return=representation' }),
      });
      expect(await patched.json()).toEqual([{ id: 4, name: 'Product 4', brand: 'none' }]);
    });

    test('bad figures are rejected', async () => {
      await refused('/products?prices.amount.median()=eq.1', 'PGRST100');
      await refused('/products?order=prices(amount.min)', 'PGRST100');
      await refused('/products?prices.amount.min()=eq.x', '22P02');
      await refused('/products?prices.secret.sum()=eq.1', '42883');
      await refused('/products?prices.none.sum()=eq.1', '42703');
      await refused('/products?offers.count()=eq.1', 'PGRST200');
      await refused('/products?select=brand,count()&order=prices(count())', 'PGRST127');
      await refused('/products?prices.count()=within.1', '42883');
      expect(() => declaredBy(`${RULED}prices.count()=eq.0' } }\n`)).toThrow();
    });
  });
}

const RULED = `
collections:
  products: { fields: { id: int4 } }
  prices: { fields: { id: int4, product_id: { type: int4, references: products } } }
roles:
  one:
    products: { read: { where: '`;
