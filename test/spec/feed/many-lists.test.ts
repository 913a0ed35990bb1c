/** Many lists are followed at the same time: each client gets the events of its own. */
import { afterEach, describe, expect, test } from 'bun:test';
import { PARALLEL_JOINS, PARALLEL_STEPS } from '../../../src/base/limits/feed.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { makeEdgeChecks } from '../../../src/response/edge-checks.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  categories: { fields: { id: int4, name: text } }
  products:
    fields:
      id: int4
      name: text
      stock: int4
      category_id: { type: int4, references: categories }
roles:
  anonymous: { products: { read: true }, categories: { read: true } }
  admin: all
`);
const ADMIN = { 'x-role': 'admin' };
const ROWS = {
  categories: [1, 2, 3].map((id) => ({ id, name: `c${id}` })),
  products: Array.from({ length: 500 }, (_, index) => {
    return { id: index + 1, name: `product ${index}`, stock: 0, category_id: (index % 3) + 1 };
  }),
};
const identifyByName = (request: Pick<Request, 'headers'>) => {
  const name = request.headers.get('x-name');
  return { ...identify(request), ...(name === null ? {} : { name, identity: `user ${name}` }) };
};

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(engine, () => {
    let service: FeedService;
    afterEach(() => service.close());
    const open = async (options: Parameters<typeof serveFeeds>[2] = {}) => {
      const opened = await openDeclaredEngine(engine, SHOP, ROWS);
      service = serveFeeds(opened, SHOP, { identify: identifyByName, ...options });
    };
    const update = async (filter: string, body: object) => {
      expect((await service.fetch(`/products?${filter}`, sendJson('PATCH', body, ADMIN))).status).toBe(204);
    };

    test('each of many lists has exactly the changes of its own rows', async () => {
      await open();
      const filters = [
        ...['id=eq.1', 'id=in.(1,2)', 'id=gt.2', 'id=not.in.(1,2)', 'or=(id.eq.1,stock.eq.7)'],
        ...['category_id=eq.1', 'category_id=eq.2', 'category_id=is.null', 'category_id=neq.1', 'stock=gte.5'],
        ...['name=eq.new', 'name=neq.new', 'not.and=(id.gte.2,name.neq.new)', 'name=like.n*', 'stock=eq.7&id=lt.3'],
      ];
      const clients = await Promise.all(filters.map((filter) => service.follow(`/products?id=lte.3&${filter}`)));
      const changes: readonly (readonly [string, object])[] = [
        ['id=eq.1', { stock: 7 }],
        ['id=eq.1', { category_id: 2 }],
        ['id=eq.2', { category_id: null, stock: 5 }],
        ['id=eq.2', { category_id: 1 }],
        ['id=in.(1,2,3)', { name: 'new' }],
        ['id=eq.3', { name: null }],
        ['id=eq.1', { stock: 1 }],
        ['id=eq.500', { stock: 1 }],
      ];
      for (const [filter, body] of changes) {
        await update(filter, body);
        for (const [index, { rows }] of clients.entries()) {
          const path = `/products?id=lte.3&${filters[index]}`;
          const expected = JSON.stringify(await (await service.fetch(path)).json());
          await until(
            path,
            () => JSON.stringify([...rows.values()].sort((a, b) => Number(a.id) - Number(b.id))) === expected,
          );
        }
      }
      expect(clients.flatMap(({ contradictions }) => contradictions)).toEqual([]);
    });

    if (engine === 'PostgreSQL') {
      test('clients that open feeds at the same time leave the connections to others', async () => {
        await open();
        const requests = () => service.engine.metrics!().find(({ name }) => name === 'pool_requests')!.value;
        const all = Array.from({ length: 80 }, (_, index) =>
          service.follow(`/products?id=eq.${index + 1}`, { ...ADMIN, 'x-name': `user ${index % 10}` }),
        );
        let isOver = false;
        const opened = Promise.all(all).finally(() => {
          isOver = true;
        });
        let most = 0;
        while (!isOver) {
          most = Math.max(most, requests());
          await new Promise((resolve) => setImmediate(resolve));
        }
        // The events of feeds that are open already are read beside them.
        expect(most).toBeLessThanOrEqual(PARALLEL_JOINS + 2 * PARALLEL_STEPS);
        expect(await opened).toHaveLength(80);
      });

      test('lists that wait for a locked table do not delay the events of others', async () => {
        const { url, admin } = testServer;
        const schema = newSchema();
        const firstRows = firstRowsOf({ catalogue: SHOP, rows: (name) => ROWS[name as keyof typeof ROWS] });
        const opened = openPostgres({ ...TEST_SETTINGS, catalogue: SHOP, firstRows, url, schema, poolSize: 10 });
        await opened.opened;
        service = serveFeeds(opened, SHOP, { identify: identifyByName });
        const followAs = (name: string) => (path: string) => service.follow(path, { ...ADMIN, 'x-name': name });
        const paths = [1, 2, 3, 4, 5, 6].map((id) => `/categories?id=lte.${id}`);
        const waiting = await Promise.all(['ann', 'bob'].flatMap((name) => paths.map(followAs(name))));
        const other = await followAs('eve')('/products?id=eq.1&select=id,stock');
        for (const client of [other, ...waiting]) client.take();
        const [writer, locker] = [await admin.reserve(), await admin.reserve()];
        const table = `"${schema}".categories`;
        const isLocked = async (mode: string) => {
          const locks = `select 1 from pg_locks where relation = '${table}'::regclass and mode = '${mode}' and not granted`;
          return (await writer.unsafe(locks)).length > 0;
        };
        // The lock waits for this transaction, and every later read of the table waits for the lock.
        await writer.unsafe(`begin; update ${table} set name = 'new' where id = 1`);
        const lock = locker.unsafe(`begin; lock table ${table} in access exclusive mode`).then(() => undefined);
        await until('the lock to wait', () => isLocked('AccessExclusiveLock'));
        await writer.unsafe('commit');
        await lock;
        await until('lists to wait', () => isLocked('AccessShareLock'));
        for (let stock = 1; stock <= 3; stock++) {
          await update('id=eq.1', { stock });
          expect(await other.next()).toEqual([['update', { id: 1, stock }]]);
          expect(await isLocked('AccessShareLock')).toBe(true);
        }
        await locker.unsafe('rollback');
        for (const client of waiting) expect(await client.next()).toEqual([['update', { id: 1, name: 'new' }]]);
        for (const each of [writer, locker]) each.release();
      });
    }

    const from = (address: string) => ({ 'x-forwarded-for': address });
    const edgeChecks = makeEdgeChecks({
      isOnLoopback: true,
      allowedHosts: [],
      corsOrigins: [],
      trustedProxies: ['127.0.0.1'],
    });
    const ask = (headers: Record<string, string>) =>
      service.fetch('/products?id=eq.1', { headers: { accept: 'text/event-stream', ...headers } });

    test('a caller has a limit of feeds of its own, by its name or its address', async () => {
      await open({ edgeChecks, maxFeedsPerCaller: 1 });
      const first = await service.follow('/products?id=eq.1', from('192.0.2.1'));
      const refused = await expectRefusal(await ask(from('192.0.2.1')), 429, 'CAT429');
      expect(refused.hint).toContain('--max-feeds-per-caller');
      await service.follow('/products?id=eq.1', from('192.0.2.2'));
      const ann = { ...from('192.0.2.1'), ...ADMIN, 'x-name': 'ann' };
      await service.follow('/products?id=eq.1', ann);
      await expectRefusal(await ask({ ...ann, ...from('192.0.2.9') }), 429, 'CAT429');
      await service.follow('/products?id=eq.1', { ...ann, 'x-name': 'bob' });
      first.close();
      await until('room for another feed', async () => {
        const response = await ask(from('192.0.2.1'));
        await response.body!.cancel();
        return response.status === 200;
      });
    });

    test('callers without credentials cannot use up all feeds', async () => {
      await open({ edgeChecks, maxFeeds: 4 });
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
        await service.follow('/products?id=eq.1', from(address));
      }
      const refused = await expectRefusal(await ask(from('192.0.2.4')), 503, 'CAT503');
      expect(refused.message).toContain('without credentials');
      await service.follow('/products?id=eq.1', { ...ADMIN, 'x-name': 'ann' });
    });
  });
}
