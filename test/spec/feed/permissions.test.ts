/** A feed contains only what its caller may read, for as long as the caller may read it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openAuthentication } from '../../../src/auth/access.ts';
import { addKey, signWithKey } from '../../../src/auth/keys.ts';
import { CredentialStore } from '../../../src/auth/store.ts';
import { ApiError } from '../../../src/base/errors.ts';
import { TrustedProxies } from '../../../src/http/edge/proxies.ts';
import { SERVE_SETTINGS } from '../../../src/settings/by-command.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import type { EventClient } from '../../support/network/event-stream.ts';
import { until } from '../../support/processes/process.ts';
import { readSettings } from '../../support/settings.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    let revoked: ApiError | undefined;
    let supplierId = 1;
    beforeEach(async () => {
      revoked = undefined;
      supplierId = 1;
      shop = serveFeeds(await openDeclaredEngine(engine, ROLE_SHOP, ROLE_SHOP_ROWS), ROLE_SHOP, {
        identify: (request) => {
          const caller = identify(request);
          if (caller.role !== 'supplier') return caller;
          if (revoked !== undefined) throw revoked;
          return { ...caller, claims: { supplier_id: supplierId } };
        },
      });
    });
    afterEach(() => shop.close());

    const update = async (id: number, body: object) => {
      const headers = { 'x-role': 'admin' };
      expect((await shop.fetch(`/products?id=eq.${id}`, sendJson('PATCH', body, headers))).status).toBe(204);
    };
    const SUPPLIER = { 'x-role': 'supplier' };

    test('rows enter and leave by the rules of the role, and hidden fields have no events', async () => {
      const visitor = await shop.follow('/products?select=id,name');
      expect(visitor.take().map(([name, { id }]) => [name, id])).toEqual([
        ['row', 1],
        ['row', 2],
        ['row', 4],
        ['ready', undefined],
      ]);
      await update(1, { cost: 99, stock: 3 });
      await update(3, { name: 'Older tea' });
      await update(2, { discontinued: 1 });
      expect(await visitor.next()).toEqual([['delete', { id: 2 }]]);
      await update(3, { discontinued: 0 });
      expect(await visitor.next()).toEqual([['insert', { id: 3, name: 'Older tea' }]]);
    });

    test('an embedded row that becomes hidden changes the row, or removes it', async () => {
      const visitor = await shop.follow('/products?select=id,categories(name)&id=eq.1');
      const inner = await shop.follow('/products?select=id,categories!inner(name)&id=eq.1');
      visitor.take();
      inner.take();
      const hide = sendJson('PATCH', { hidden: true }, { 'x-role': 'admin' });
      expect((await shop.fetch('/categories?id=eq.1', hide)).status).toBe(204);
      expect(await visitor.next()).toEqual([['update', { id: 1, categories: null }]]);
      expect(await inner.next()).toEqual([['delete', { id: 1 }]]);
    });

    test('callers with different claims follow different rows of the same list', async () => {
      const one = await shop.follow('/products?select=id,stock', SUPPLIER);
      supplierId = 2;
      const two = await shop.follow('/products?select=id,stock', SUPPLIER);
      expect(two.take().map(([, { id }]) => id)).toEqual([4, 5, undefined]);
      one.take();
      await update(4, { stock: 7 });
      expect(await two.next()).toEqual([['update', { id: 4, stock: 7 }]]);
      // The permissions of the first caller have changed.
      await one.ended();
      expect(one.take()).toEqual([]);
    });

    test('a feed ends when its credentials do, and cannot be resumed with them', async () => {
      const client = await shop.follow('/products', SUPPLIER);
      const visitor = await shop.follow('/products?select=id,name');
      visitor.take();
      revoked = new ApiError('PGRST303', 'JWT expired');
      await client.ended();
      await update(1, { name: 'Assam 2' });
      expect(await visitor.next()).toEqual([['update', { id: 1, name: 'Assam 2' }]]);
      const headers = { accept: 'text/event-stream', 'last-event-id': client.position!, ...SUPPLIER };
      await expectRefusal(await shop.fetch('/products', { headers }), 401, 'PGRST303');
    });

    test('signed addresses are feeds that resume, and each ends with its own key', async () => {
      const database = await openDeclaredEngine(engine, ROLE_SHOP, ROLE_SHOP_ROWS);
      const access = openAuthentication({
        engine: database,
        settings: readSettings(SERVE_SETTINGS, [], {}),
        catalogue: ROLE_SHOP,
        verifier: undefined,
        proxies: new TrustedProxies([]),
      });
      const signed = serveFeeds(database, ROLE_SHOP, { identify: access.identify });
      const store = new CredentialStore(database);
      const later = Math.floor(Date.now() / 1000) + 1000;
      const keys = ['one', 'two'].map((name) => addKey(store, { name, role: 'admin', claims: {} }));
      const [key] = await Promise.all(keys);
      const sign = async (name: string) => (await signWithKey(store, '/products?select=id,name&id=eq.1', name, later))!;
      const [one, two] = [await sign('one'), await sign('two')];
      const [first, second] = [await signed.follow(one), await signed.follow(two)];
      first.take();
      await store.keys.remove('name', 'two');
      await second.ended();
      const headers = { authorization: `Bearer ${key}` };
      const rename = sendJson('PATCH', { name: 'Assam 2' }, headers);
      expect((await signed.fetch('/products?id=eq.1', rename)).status).toBe(204);
      const renamed = [['update', { id: 1, name: 'Assam 2' }]] as const;
      expect(await first.next()).toEqual(renamed);
      const resume = { accept: 'text/event-stream', 'last-event-id': second.position! };
      await expectRefusal(await signed.fetch(two, { headers: resume }), 401, 'PGRST301');
      expect(await (await signed.resume(one, second)).next()).toEqual(renamed);
      await signed.close();
    });

    test('a feed survives while credentials cannot be checked', async () => {
      const client = await shop.follow('/products?select=id,stock&id=eq.1', SUPPLIER);
      client.take();
      revoked = new ApiError('CAT503', 'the database is not available');
      await Bun.sleep(1_500);
      revoked = undefined;
      await update(1, { stock: 77 });
      expect(await client.next()).toEqual([['update', { id: 1, stock: 77 }]]);
    });

    test('feeds of two databases that differ only in hidden values are equal', async () => {
      const { products, categories, ...others } = ROLE_SHOP_ROWS;
      const hidden = {
        ...others,
        categories: categories!.map((row) => (row.hidden === true ? { ...row, name: 'Other' } : row)),
        products: products!.map((row) => ({ ...row, cost: 1, ...(row.discontinued === 1 ? { name: 'Other' } : {}) })),
      };
      const other = serveFeeds(await openDeclaredEngine(engine, ROLE_SHOP, hidden), ROLE_SHOP, { identify });
      const path = '/products?select=id,name,categories(name),tags(name)';
      const clients = [await shop.follow(path), await other.follow(path)] as const;
      const changes: readonly (readonly [string, object])[] = [
        ['/products?id=eq.1', { cost: 1 }],
        ['/products?discontinued=eq.1', { name: 'Other' }],
        ['/products?cost=eq.1', { stock: 4 }],
        ['/categories?hidden=is.true', { name: 'Other' }],
        ['/product_tags?draft=is.true', { tag_id: 2 }],
        ['/products?id=eq.4', { name: 'Ristretto' }],
        ['/products?id=eq.3', { discontinued: 0, name: 'Now visible' }],
        ['/products?id=eq.1', { name: 'The last' }],
      ];
      for (const [target, body] of changes) {
        const init = sendJson('PATCH', body, { 'x-role': 'admin' });
        for (const each of [shop, other]) expect((await each.fetch(target, init)).status).toBe(204);
      }
      const isLast = ({ events }: EventClient) => events.some(({ data }) => data.name === 'The last');
      await until('the last change', () => clients.every(isLast));
      // Writes may share a step, which sorts its events.
      const [mine, theirs] = clients.map(({ events }) => events.map((event) => JSON.stringify(event)).sort());
      expect(mine).toEqual(theirs!);
      await other.close();
    });

    test('fields and collections that a role may not read are rejected', async () => {
      const ask = (path: string, role: string) =>
        shop.fetch(path, { headers: { accept: 'text/event-stream', 'x-role': role } });
      await expectRefusal(await ask('/products?select=id,cost', 'supplier'), 403, '42501');
      await expectRefusal(await ask('/categories', 'supplier'), 403, '42501');
      await expectRefusal(await ask('/changes', 'editor'), 403, '42501');
    });
  });
}
