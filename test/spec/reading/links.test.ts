/** Page links: following `next` returns every row once, in order, for any order. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, ENGINES, openCatalogue } from '../../support/engines/catalogue.ts';
import { expectRefusal, ids } from '../../support/stories.ts';

function links(response: Response): Record<string, string> {
  const header = response.headers.get('link') ?? '';
  return Object.fromEntries(
    [...header.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation!, url!]),
  );
}

describe.each(Object.keys(ENGINES))('links between pages on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
    const body = JSON.stringify({ quantity_per_unit: null, unit_price: null });
    await catalogue.fetch('/products?id=in.(1,5,9,12,40,41)', { method: 'PATCH', body });
  });
  afterAll(() => catalogue.close());

  const orders = [
    'order=id',
    'order=id.desc',
    'order=unit_price',
    'order=unit_price.desc',
    'order=unit_price.nullsfirst',
    'order=unit_price.desc.nullslast',
    'order=category_id.desc,unit_price',
    'order=quantity_per_unit.desc,discontinued',
    'order=product_name&discontinued=eq.0',
    'order=supplier_id&select=id,supplier_id&id=gt.3',
    'and=(id.gt.20)&order=unit_price',
  ];
  test.each(orders)('following next over %s returns every row once', async (query) => {
    const all = (await catalogue.list(`/products?${query}`)).map((row) => row.id);
    const seen: unknown[] = [];
    let url: string | undefined = `/products?${query}&limit=7`;
    for (let page = 0; url !== undefined && page < 40; page++) {
      const response = await catalogue.fetch(url);
      seen.push(...((await response.json()) as { id: number }[]).map((row) => row.id));
      url = links(response).next;
    }
    expect(seen).toEqual(all);
  });

  test('next continues by the keys of the order', async () => {
    const { next } = links(await catalogue.fetch('/products?limit=20'));
    expect(next).toBe('/products?limit=20&after=(id.gt.20)');
  });

  test('a page of a counted list links to first, previous, next and last', async () => {
    const response = await catalogue.fetch('/products?limit=10&offset=20', { headers: { prefer: 'count=exact' } });
    expect(links(response)).toEqual({
      first: '/products?limit=10',
      prev: '/products?limit=10&offset=10',
      next: '/products?limit=10&offset=30',
      last: '/products?limit=10&offset=70',
    });
  });

  test('first leads back to the beginning, and keeps a filter of the client', async () => {
    const { next } = links(await catalogue.fetch('/products?id=gt.3&limit=5'));
    const { first } = links(await catalogue.fetch(next!));
    const rows = await catalogue.list(first);
    expect(rows.map((row) => row.id)).toEqual([4, 5, 6, 7, 8]);
  });

  const ownConditions = ['and=(id.gt.50)', 'and=(id.gt.50)&order=id', 'id=gt.50', 'and=(and(id.gt.50))'];
  test.each(ownConditions)(
    'first and next keep a client condition that looks like a generated one: %s',
    async (query) => {
      const [one, other] = [
        [51, 52, 53, 54, 55],
        [56, 57, 58, 59, 60],
      ];
      const pages = [await catalogue.fetch(`/products?${query}&limit=5`)];
      pages.push(await catalogue.fetch(links(pages[0]!).next!));
      expect(ids((await pages[1]!.json()) as Row[])).toEqual(other);
      for (const page of pages) expect(ids(await catalogue.list(links(page).first))).toEqual(one);
    },
  );

  test('the start condition of a page also limits a write to that URL', async () => {
    const { next } = links(await catalogue.fetch('/products?order=id.desc&limit=2&select=id'));
    const dryRun = { prefer: 'return=representation, tx=rollback' };
    const removed = await catalogue.fetch(next!, { method: 'DELETE', headers: dryRun });
    expect(ids((await removed.json()) as Row[])).toEqual([75, 74]);
  });

  test('a field may be named after: only a condition in parentheses is a page start', async () => {
    const { message } = await expectRefusal(await catalogue.fetch('/products?after=eq.5'), 400, '42703');
    expect(message).toContain('after');
    expect(ids(await catalogue.list('/products?after=(id.gt.70,id.lt.73)'))).toEqual([71, 72]);
  });

  test('the last page has no next link, and a list without a limit has no links', async () => {
    expect(links(await catalogue.fetch('/products?limit=100'))).toEqual({ first: '/products?limit=100' });
    expect((await catalogue.fetch('/products')).headers.get('link')).toBeNull();
  });

  test('an aggregate over all rows with a single-condition group has a first link', async () => {
    const response = await catalogue.fetch('/products?not.and=(supplier_id.in.(25,17))&select=count()&limit=35');
    expect(response.status).toBe(200);
    expect(links(response)).toHaveProperty('first');
  });

  test('a page filled by one aggregate row is linked by offset', async () => {
    const response = await catalogue.fetch('/products?select=count()&limit=1');
    expect(await response.json()).toEqual([{ count: 77 }]);
    expect(links(response).next).toBe('/products?select=count()&limit=1&offset=1');
  });
});
