/** A client follows a list: its rows, then every change of them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  categories: { fields: { id: int4, name: text } }
  products:
    fields:
      id: int4
      name: text
      price: decimal(8,2)
      category_id: { type: int4, references: { collection: categories, onDelete: cascade } }
  tags: { fields: { id: int4, name: text } }
  product_tags:
    key: [product_id, tag_id]
    fields:
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
      tag_id: { type: int4, references: tags }
      note: text
  quiet: { history: false, fields: { id: int4 } }
`);
const ROWS = {
  categories: [
    { id: 1, name: 'Tea' },
    { id: 2, name: 'Coffee' },
  ],
  products: [
    { id: 1, name: 'Assam', price: 5, category_id: 1 },
    { id: 2, name: 'Espresso', price: 9, category_id: 2 },
  ],
  tags: [{ id: 1, name: 'new' }],
  product_tags: [{ product_id: 1, tag_id: 1, note: 'a' }],
};

for (const engine of ['SQLite', 'SQLite in memory', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeEach(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, SHOP, ROWS), SHOP);
    });
    afterEach(() => shop.close());

    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await shop.fetch(
        path,
        body === undefined ? { method, headers } : sendJson(method, body, headers),
      );
      expect(response.status).toBeLessThan(300);
    };

    test('a feed begins with the rows of the list, and then has inserts, updates and deletes', async () => {
      const client = await shop.follow('/products?select=id,name');
      expect(client.response!.headers.get('content-type')).toBe('text/event-stream');
      expect(client.take()).toEqual([
        ['row', { id: 1, name: 'Assam' }],
        ['row', { id: 2, name: 'Espresso' }],
        ['ready', {}],
      ]);
      await send('POST', '/products', { id: 3, name: 'Sencha' });
      expect(await client.next()).toEqual([['insert', { id: 3, name: 'Sencha' }]]);
      await send('PATCH', '/products?id=eq.3', { name: 'Gyokuro' });
      expect(await client.next()).toEqual([['update', { id: 3, name: 'Gyokuro' }]]);
      await send('DELETE', '/products?id=eq.3');
      expect(await client.next()).toEqual([['delete', { id: 3 }]]);
    });

    test('rows enter and leave the feed by its filter, and changes of other fields are invisible', async () => {
      const client = await shop.follow('/products?select=id,name&price=lt.8');
      client.take();
      await send('PATCH', '/products?id=eq.1', { price: 10 });
      expect(await client.next()).toEqual([['delete', { id: 1 }]]);
      await send('PATCH', '/products?id=eq.1', { price: 6 });
      expect(await client.next()).toEqual([['insert', { id: 1, name: 'Assam' }]]);
      await send('PATCH', '/products?id=eq.1', { price: 7 });
      await send('PATCH', '/products?id=eq.1', { name: 'Darjeeling' });
      expect(await client.next()).toEqual([['update', { id: 1, name: 'Darjeeling' }]]);
    });

    test('a change of an embedded row changes the rows that embed it', async () => {
      const client = await shop.follow('/products?select=id,categories(name)&categories=not.is.null');
      const tagged = await shop.follow('/products?select=nr:id,product_tags(note),tags(name)&order=id', {}, ['nr']);
      client.take();
      tagged.take();
      await send('PATCH', '/categories?id=eq.1', { name: 'Green tea' });
      expect(await client.next()).toEqual([['update', { id: 1, categories: { name: 'Green tea' } }]]);
      await send('PATCH', '/tags?id=eq.1', { name: 'old' });
      const tags = [{ name: 'old' }];
      expect(await tagged.next()).toEqual([['update', { nr: 1, product_tags: [{ note: 'a' }], tags }]]);
      await send('PATCH', '/product_tags?product_id=eq.1', { product_id: 2 });
      expect(await tagged.next(2)).toEqual([
        ['update', { nr: 1, product_tags: [], tags: [] }],
        ['update', { nr: 2, product_tags: [{ note: 'a' }], tags }],
      ]);
    });

    test('a cascade, an upsert and a batch are events of one step', async () => {
      const client = await shop.follow('/products?select=id,name');
      client.take();
      await send('DELETE', '/categories?id=eq.1');
      expect(await client.next()).toEqual([['delete', { id: 1 }]]);
      const rows = [
        { id: 2, name: 'Mocha' },
        { id: 5, name: 'Rooibos' },
      ];
      await send('POST', '/products', rows, { prefer: 'resolution=merge-duplicates' });
      expect(await client.next(2)).toEqual([
        ['update', { id: 2, name: 'Mocha' }],
        ['insert', { id: 5, name: 'Rooibos' }],
      ]);
      await send('POST', '/batch', [
        { method: 'DELETE', path: '/products?id=eq.5' },
        { method: 'POST', path: '/products', body: { id: 6, name: 'Mate' } },
      ]);
      expect(await client.next(2)).toEqual([
        ['delete', { id: 5 }],
        ['insert', { id: 6, name: 'Mate' }],
      ]);
    });

    test('a dry run and a rejected write have no events', async () => {
      const client = await shop.follow('/products?select=id,name');
      client.take();
      await send('POST', '/products', { id: 7, name: 'x' }, { prefer: 'tx=rollback' });
      const rows = [{ id: 8 }, { id: 1 }];
      expect((await shop.fetch('/products', sendJson('POST', rows))).status).toBe(409);
      await send('POST', '/products', { id: 9, name: 'y' });
      expect(await client.next()).toEqual([['insert', { id: 9, name: 'y' }]]);
    });

    test('a key of several fields identifies the row of a delete', async () => {
      const client = await shop.follow('/product_tags', {}, ['product_id', 'tag_id']);
      client.take();
      await send('PATCH', '/product_tags?tag_id=eq.1', { note: 'b' });
      expect(await client.next()).toEqual([['update', { product_id: 1, tag_id: 1, note: 'b' }]]);
      await send('DELETE', '/product_tags?tag_id=eq.1');
      expect(await client.next()).toEqual([['delete', { product_id: 1, tag_id: 1 }]]);
    });

    test('a client that resumes gets exactly the changes that it missed', async () => {
      const path = '/products?select=id,name';
      const first = await shop.follow(path);
      await send('POST', '/products', { id: 3, name: 'Sencha' });
      await first.next(4);
      first.close();
      await send('PATCH', '/products?id=eq.3', { name: 'Gyokuro' });
      await send('DELETE', '/products?id=eq.1');
      const second = await shop.resume(path, first);
      expect(await second.next(2)).toEqual([
        ['delete', { id: 1 }],
        ['update', { id: 3, name: 'Gyokuro' }],
      ]);
      expect([...second.rows.values()]).toEqual(await shop.listAt(path, second.position));
      await send('POST', '/products', { id: 4, name: 'Matcha' });
      expect(await second.next()).toEqual([['insert', { id: 4, name: 'Matcha' }]]);
    });

    test('a position that the log does not have resets the client', async () => {
      const client = await shop.follow('/products?select=id', { 'last-event-id': '999999' });
      expect(client.take()).toEqual([
        ['reset', {}],
        ['row', { id: 1 }],
        ['row', { id: 2 }],
        ['ready', {}],
      ]);
    });

    test('the log of changes is a feed of every single change', async () => {
      const path = '/changes?collection=eq.products&select=seq,kind,key,after->>name';
      const client = await shop.follow(path, {}, ['seq']);
      client.take();
      await send('PATCH', '/products?id=eq.1', { name: 'Darjeeling' });
      await send('PATCH', '/products?id=eq.1', { name: 'Ceylon' });
      const events = await client.next(2);
      expect(events.map(([name, { kind, key, name: after }]) => [name, kind, key, after])).toEqual([
        ['insert', 'update', '1', 'Darjeeling'],
        ['insert', 'update', '1', 'Ceylon'],
      ]);
    });

    test('a feed rejects what it cannot follow', async () => {
      const ask = (path: string, headers: Record<string, string> = {}) =>
        shop.fetch(path, { headers: { accept: 'text/event-stream', ...headers } });
      for (const path of [
        '/products?limit=1',
        '/products?offset=1',
        '/products?select=count()',
        '/products?select=name',
      ]) {
        expect((await expectRefusal(await ask(path), 400, 'PGRST127')).hint).not.toBeNull();
      }
      await expectRefusal(await ask('/products', { range: '0-1' }), 400, 'PGRST127');
      await expectRefusal(await ask('/products', { prefer: 'as-of=2026-01-01' }), 400, 'PGRST127');
      await expectRefusal(await ask('/products', { 'last-event-id': 'abc' }), 400, 'PGRST100');
      await expectRefusal(await ask('/products?nope=eq.1'), 400, '42703');
      await expectRefusal(await ask('/products/1'), 406, 'PGRST107');
      await expectRefusal(await ask('/quiet'), 501, 'CAT501');
      const head = await shop.fetch('/products', { method: 'HEAD', headers: { accept: 'text/event-stream' } });
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect(shop.feed.metrics().find(({ name }) => name === 'feed_subscribers')!.value).toBe(0);
    });
  });
}
