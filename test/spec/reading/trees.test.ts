/** Trees: a collection that refers to itself is read from any row down or up, and never becomes a circle. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PLACES } from '../../support/engines/declared.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { testServer } from '../../support/engines/postgres.ts';
import { declaredBy, identify, openRoled } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  categories:
    key: code
    fields:
      code: text
      name: text
      hidden: { type: boolean, required: true, default: false }
      parent: { type: text, references: categories }
  products:
    fields:
      id: int4
      name: text
      category: { type: text, references: categories }
      replaced_by: { type: int4, references: { collection: products, circles: true } }
  staff:
    fields:
      id: int4
      manager_id: { type: int4, references: { collection: staff, onDelete: set null } }
      mentor_id: { type: int4, references: { collection: staff, onDelete: set null } }
queries:
  shelf:
    parameters: { category: text }
    read: 'products?category=within.{category}&select=id'
roles:
  clerk:
    categories: { read: true }
    products: { read: { where: 'category=within.{claims.shelf}' }, create: { where: 'category=within.{claims.shelf}' } }
  visitor:
    categories: { read: { where: 'hidden=is.false' }, update: { fields: [parent] } }
    products: { read: true }
  blind:
    categories: { read: { fields: [code, name] } }
    products: { read: true }
  admin: all
`);

/** all: tents (dome, tunnel: small), stoves: gas; and a hidden one between: attic, box. */
const CATEGORIES = [
  ['all', null],
  ['tents', 'all'],
  ['dome', 'tents'],
  ['tunnel', 'tents'],
  ['small', 'tunnel'],
  ['stoves', 'all'],
  ['gas', 'stoves'],
  ['attic', 'stoves'],
  ['box', 'attic'],
].map(([code, parent]) => ({ code: code!, name: code!.toUpperCase(), hidden: code === 'attic', parent: parent! }));
const PRODUCTS = [...CATEGORIES.map(({ code }) => code), null].map((category, at) => {
  return { id: at + 1, name: `Product ${at + 1}`, category, replaced_by: null };
});
const STAFF = [
  { id: 1, manager_id: null, mentor_id: null },
  { id: 2, manager_id: 1, mentor_id: 3 },
  { id: 3, manager_id: 2, mentor_id: null },
];

for (const engine of ['SQLite', 'SQLite with large tables', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: FeedService;
    beforeAll(async () => {
      const rows = { categories: CATEGORIES, products: PRODUCTS, staff: STAFF };
      shop = serveFeeds(await openDeclaredEngine(engine, SHOP, rows), SHOP, { identify });
    });
    afterAll(() => shop.close());
    const as = (role: string, claims: object = {}) => ({ 'x-role': role, 'x-claims': JSON.stringify(claims) });
    const list = async (path: string, headers = as('admin')) => {
      const response = await shop.fetch(path, { headers });
      return (await response.json()) as Record<string, unknown>[];
    };
    const codes = async (path: string, headers = as('admin')) =>
      (await list(`/categories?select=code&${path}`, headers)).map(({ code }) => code);
    const ids = async (path: string, headers = as('admin')) =>
      (await list(`/products?select=id&${path}`, headers)).map(({ id }) => id);
    const send = (path: string, method: string, body: unknown, more = {}) =>
      shop.fetch(path, sendJson(method, body, { ...as('admin'), ...more }));
    const move = (code: string, parent: string | null) => send(`/categories?code=eq.${code}`, 'PATCH', { parent });
    const moved = async (...args: Parameters<typeof move>) => expect((await move(...args)).status).toBe(204);
    const refused = async (response: Promise<Response>) => expectRefusal(await response, 400, '23514');

    test('within finds a row and all rows below it, above all rows above it', async () => {
      expect(await codes('code=within.tents')).toEqual(['dome', 'small', 'tents', 'tunnel']);
      expect(await codes('code=within.gas')).toEqual(['gas']);
      expect(await codes('parent=within.tents')).toEqual(['dome', 'small', 'tunnel']);
      expect(await codes('code=above.small')).toEqual(['all', 'tents', 'tunnel']);
      expect(await codes('code=above.all')).toEqual([]);
      expect(await codes('code=within.none')).toEqual([]);
      expect(await ids('category=within.tents')).toEqual([2, 3, 4, 5]);
      expect(await ids('category=above.small')).toEqual([1, 2, 4]);
    });

    test('they combine with other conditions, lists, embeddings and stored queries', async () => {
      expect(await ids('category=not.within.all')).toEqual([]);
      expect(await ids('category=not.within.tents')).toEqual([1, 6, 7, 8, 9]);
      expect(await ids('or=(category.within.gas,category.is.null)')).toEqual([7, 10]);
      expect(await ids('category=within(any).{gas,tunnel}')).toEqual([4, 5, 7]);
      expect(await ids('category=within(all).{tents,tunnel}&order=id.desc&limit=1')).toEqual([5]);
      expect(await list('/products?select=count()&category=within.tents')).toEqual([{ count: 4 }]);
      const inner = await list('/categories?select=code,products!inner(id)&products.category=within.tunnel');
      expect(inner.map(({ code }) => code)).toEqual(['small', 'tunnel']);
      expect(await list('/products?select=categories(parent)&categories.code=within.tunnel&id=in.(5,6)')).toEqual([
        { categories: { parent: 'tunnel' } },
        { categories: null },
      ]);
      expect(await list('/rpc/shelf?category=tunnel')).toEqual([{ id: 4 }, { id: 5 }]);
      const counted = await shop.fetch('/products?category=within.tents&limit=1', {
        headers: { ...as('admin'), prefer: 'count=exact' },
      });
      expect(counted.headers.get('content-range')).toBe('0-0/4');
    });

    test('a reference to the own collection is followed itself, the key follows the first one', async () => {
      const staff = async (filter: string) => (await list(`/staff?select=id&${filter}`)).map(({ id }) => id);
      expect(await staff('id=within.2')).toEqual([2, 3]);
      expect(await staff('manager_id=within.1')).toEqual([2, 3]);
      expect(await staff('mentor_id=within.3')).toEqual([2]);
      await refused(send('/staff?id=eq.3', 'PATCH', { mentor_id: 2 }));
      expect((await send('/staff?id=eq.3', 'PATCH', { mentor_id: 1 })).status).toBe(204);
    });

    test('facets count the rows of each category with those below it', async () => {
      const counts = async (query: string, headers = as('admin')) => {
        const accept = 'application/vnd.catalogue.facets+json';
        const response = await shop.fetch(`/products?select=id&${query}`, { headers: { ...headers, accept } });
        const { facets } = (await response.json()) as { facets: { category: { value: string; count: number }[] } };
        return Object.fromEntries(facets.category.map(({ value, count }) => [value, count]));
      };
      const all = await counts('facets=category(within)');
      expect(all).toEqual({
        ...{ all: 9, tents: 4, stoves: 4, attic: 2, tunnel: 2, box: 1, dome: 1, gas: 1, small: 1, null: 1 },
      });
      for (const code of ['all', 'tents', 'attic'])
        expect(await ids(`category=within.${code}`)).toHaveLength(all[code]!);
      // A facet ignores the condition on its own field, and no other.
      expect(await counts('facets=category(within)&category=within.gas')).toEqual(all);
      expect(await counts('facets=category(within)&id=lt.4')).toEqual({ all: 3, tents: 2, dome: 1 });
      // The way leads only through rows that the role may read.
      const seen = await counts('facets=category(within)', as('visitor'));
      expect(seen).toEqual({ ...all, all: 7, stoves: 2 });
      for (const code of ['all', 'stoves', 'attic'])
        expect(await ids(`category=within.${code}`, as('visitor'))).toHaveLength(seen[code]!);
      const headers = { ...as('admin'), accept: 'application/vnd.catalogue.facets+json' };
      await expectRefusal(await shop.fetch('/products?facets=name(within)', { headers }), 400, '42883');
      await expectRefusal(
        await shop.fetch('/products?facets=category(within)', { headers: { ...headers, ...as('blind') } }),
        400,
        '42883',
      );
    });

    test('facets count rows once for each category above their related rows', async () => {
      const placed = declaredBy(`
collections:
  categories: { fields: { id: int4, parent_id: { type: int4, references: categories } } }
  products: { fields: { id: int4 } }
  places:
    key: [product_id, category_id]
    fields: { product_id: { type: int4, references: products }, category_id: { type: int4, references: categories } }
roles:
  admin: all
  visitor: { categories: { read: { where: id=neq.3 } }, products: { read: true }, places: { read: true } }
`);
      const rows = {
        categories: [[1], [2, 1], [3, 1], [4, 2], [5]].map(([id, parent]) => ({ id: id!, parent_id: parent ?? null })),
        products: [1, 2, 3, 4].map((id) => ({ id })),
        places: [
          [1, 4],
          [1, 2],
          [1, 3],
          [2, 3],
          [3, 5],
        ].map(([product, category]) => {
          return { product_id: product!, category_id: category! };
        }),
      };
      const own = await openRoled(engine, placed, rows);
      const accept = 'application/vnd.catalogue.facets+json';
      const counts = async (path: string, name: string, role = 'admin') => {
        const response = await own.as(role).fetch(`${path}&facets=${name}(within)`, { headers: { accept } });
        const { facets } = (await response.json()) as { facets: Record<string, { value: number; count: number }[]> };
        return Object.fromEntries(facets[name]!.map(({ value, count }) => [value, count]));
      };
      const all = { 1: 2, 2: 1, 3: 2, 4: 1, 5: 1 };
      const name = 'places.category_id';
      expect(await counts('/products?select=id', name)).toEqual(all);
      const chosen = '/products?select=id,places!inner()&places.category_id=within.2';
      expect(await counts(chosen, name)).toEqual(all);
      expect(await counts(`${chosen}&id=eq.1`, name)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
      expect(await counts('/products?select=id', name, 'visitor')).toEqual({ ...all, 1: 1 });
      expect(await counts('/places?select=*', 'categories.parent_id')).toEqual({ 1: 4, 2: 1, null: 1 });
      expect(await counts('/places?select=*', 'categories.parent_id', 'visitor')).toEqual({ 1: 2, 2: 1, null: 1 });
      await own.close();
    });

    test('order=code(depth) lists the rows above from the top down', async () => {
      expect(await codes('code=above.small&order=code(depth)')).toEqual(['all', 'tents', 'tunnel']);
      expect(await codes('code=above.small&order=code(depth).desc')).toEqual(['tunnel', 'tents', 'all']);
      // A root and its children have no row above their parent.
      const topDown = ['all', 'tents'];
      expect(await codes('code=in.(all,tents)&order=parent(depth),code.desc')).toEqual(topDown);
      expect(await codes('code=in.(all,tents)&order=parent(depth).desc,code')).toEqual(topDown.toReversed());
      const visible = as('visitor');
      expect(await codes('code=in.(all,tents,small)&order=parent(depth),code.desc', visible)).toEqual([
        ...topDown,
        'small',
      ]);
      const staff = await list('/staff?select=id&order=manager_id(depth).desc,id');
      expect(staff.map(({ id }) => id)).toEqual([3, 2, 1]);
      expect(await ids('category=within.tents&order=category(depth).desc,id')).toEqual([5, 3, 4, 2]);
      // Only rows that the role may read count.
      expect(await codes('order=code(depth),code&code=in.(box,gas)', as('visitor'))).toEqual(['box', 'gas']);
      await expectRefusal(await shop.fetch('/products?order=name(depth)', { headers: as('admin') }), 400, 'PGRST108');
    });

    test('other fields and bad values are rejected', async () => {
      const problem = await expectRefusal(
        await shop.fetch('/products?name=within.x', { headers: as('admin') }),
        400,
        '42883',
      );
      expect(problem.hint).toContain('refers to itself');
      await expectRefusal(await shop.fetch('/products?id=within.x', { headers: as('admin') }), 400, '22P02');
      await expectRefusal(await shop.fetch('/products?category->x=within.x', { headers: as('admin') }), 400, '42883');
      await expectRefusal(await shop.fetch('/products?category=within.x', { headers: as('blind') }), 400, '42883');
    });

    test('a rule takes them, also with a claim', async () => {
      const clerk = as('clerk', { shelf: 'tents' });
      expect(await ids('', clerk)).toEqual([2, 3, 4, 5]);
      expect(await ids('', as('clerk'))).toEqual([]);
      const create = (category: string) => send('/products', 'POST', { name: 'x', category }, clerk);
      await expectRefusal(await create('gas'), 403, '42501');
      await expectRefusal(await create('nowhere'), 403, '42501');
      expect((await create('small')).status).toBe(201);
      expect((await send('/products?id=gt.10', 'DELETE', undefined)).status).toBe(204);
    });

    test('the way through a tree passes only rows that the caller may read', async () => {
      const visitor = as('visitor');
      expect(await ids('category=within.stoves')).toEqual([6, 7, 8, 9]);
      expect(await ids('category=within.stoves', visitor)).toEqual([6, 7]);
      expect(await codes('code=above.box', visitor)).toEqual([]);
      expect(await ids('category=above.box', visitor)).toEqual([8]);
      expect(await ids('category=above.attic', visitor)).toEqual([]);
      const { details, message } = await expectRefusal(
        await shop.fetch('/categories?code=eq.stoves', sendJson('PATCH', { parent: 'box' }, visitor)),
        400,
        '23514',
      );
      expect({ details, message }).toEqual({
        details: null,
        message: expect.stringContaining('categories_parent_circle'),
      });
    });

    test('a write that would close a circle is rejected and names its rows', async () => {
      const { message, details } = await refused(move('all', 'small'));
      expect(message).toContain('"categories_parent_circle"');
      expect(details).toMatch(/code (small|tunnel|tents|all) →.*→/);
      for (const code of ['all', 'tents', 'tunnel', 'small']) expect(details).toContain(code);
      await refused(move('all', 'all'));
      await refused(send('/categories?code=in.(all,gas)', 'PATCH', { parent: 'small' }));
      await refused(send('/categories/tents', 'PATCH', { parent: 'dome' }));
      await refused(send('/categories/tents', 'PUT', { code: 'tents', parent: 'dome' }));
      const pair = [
        { code: 'x', parent: 'y' },
        { code: 'y', parent: 'x' },
      ];
      expect((await refused(send('/categories', 'POST', pair))).index).toBe(0);
      const merge = { prefer: 'resolution=merge-duplicates' };
      await refused(send('/categories', 'POST', [{ code: 'stoves', parent: 'gas' }], merge));
      expect(
        (
          await refused(
            send('/categories', 'PATCH', [
              { code: 'box', parent: null },
              { code: 'stoves', parent: 'gas' },
            ]),
          )
        ).index,
      ).toBe(1);
      const batch = [
        { method: 'PATCH', path: '/categories?code=eq.gas', body: { parent: 'dome' } },
        { method: 'PATCH', path: '/categories?code=eq.tents', body: { parent: 'gas' } },
      ];
      expect(await (await send('/batch', 'POST', batch)).json()).toMatchObject({ code: '23514', request: 1 });
      expect(await codes('code=within.stoves')).toEqual(['attic', 'box', 'gas', 'stoves']);
      expect((await send('/products?id=in.(1,2)', 'PATCH', { replaced_by: 1 })).status).toBe(204);
      expect(await ids('replaced_by=within.1')).toEqual([1, 2]);
      expect((await send('/products?id=in.(1,2)', 'PATCH', { replaced_by: null })).status).toBe(204);
    });

    test('a new row may refer to itself, and is then a row at the top', async () => {
      const root = { code: 'root', parent: 'root' };
      expect((await send('/categories', 'POST', root)).status).toBe(201);
      expect((await send('/categories', 'PATCH', [{ ...root, name: 'Root' }])).status).toBe(204);
      await moved('gas', 'root');
      expect(await codes('code=within.root')).toEqual(['gas', 'root']);
      expect(await codes('code=above.gas')).toEqual(['root']);
      // A row that refers to itself further up is no circle, but one that begins to is.
      expect((await send('/categories', 'POST', { code: 'middle', parent: 'root' })).status).toBe(201);
      await moved('gas', 'middle');
      expect(await codes('code=above.gas')).toEqual(['middle', 'root']);
      await refused(move('middle', 'middle'));
      const merge = { prefer: 'resolution=merge-duplicates' };
      expect((await send('/categories', 'POST', [{ code: 'gas', parent: 'middle' }], merge)).status).toBe(200);
      await moved('gas', 'stoves');
      for (const code of ['middle', 'root']) {
        expect((await send(`/categories?code=eq.${code}`, 'DELETE', undefined)).status).toBe(204);
      }
    });

    test('the order of the rows of one write does not matter', async () => {
      const turn = (tents: string | null, all: string | null) => [
        { code: 'all', parent: all },
        { code: 'tents', parent: tents },
      ];
      expect((await send('/categories', 'PATCH', turn(null, 'tents'))).status).toBe(204);
      expect(await codes('code=above.gas')).toEqual(['all', 'stoves', 'tents']);
      const merge = { prefer: 'resolution=merge-duplicates' };
      expect((await send('/categories', 'POST', turn('all', null).toReversed(), merge)).status).toBeLessThan(300);
      expect(await codes('code=above.gas')).toEqual(['all', 'stoves']);
    });

    test('an undo that would close a circle is rejected', async () => {
      await moved('gas', null);
      const [last] = await list('/changes?select=seq&order=seq.desc&limit=1');
      await moved('stoves', 'gas');
      await refused(shop.fetch(`/changes/undo?seq=eq.${last!.seq}`, { method: 'POST', headers: as('admin') }));
      await moved('stoves', 'all');
      await moved('gas', 'stoves');
    });

    test('of writers that together would close a circle, one is rejected', async () => {
      const [, ...below] = CATEGORIES;
      const moves = below.flatMap(({ code }) => below.map((other) => move(code, other.code)));
      const statuses = new Set((await Promise.all(moves)).map(({ status }) => status));
      expect([...statuses].sort()).toEqual([204, 400]);
      expect(await codes('code=within.all')).toHaveLength(CATEGORIES.length);
      expect((await send('/categories', 'PATCH', CATEGORIES)).status).toBe(204);
    });

    test('a feed follows rows that move with a row above them', async () => {
      const feed = await shop.follow('/products?select=id&category=within.tents', as('admin'));
      expect(feed.take().filter(([name]) => name === 'row')).toHaveLength(4);
      await moved('stoves', 'small');
      expect((await feed.next()).map(([name, row]) => [name, row.id])).toEqual(
        [6, 7, 8, 9].map((id) => ['insert', id]),
      );
      await moved('stoves', 'all');
      expect((await feed.next()).map(([name, row]) => [name, row.id])).toEqual(
        [6, 7, 8, 9].map((id) => ['delete', id]),
      );
    });

    test('any tree and any moves agree with a walk in the test', async () => {
      const node = fc.integer({ min: 1, max: 8 });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(node, fc.option(node)), { maxLength: 12 }), async (moves) => {
          expect((await send('/staff?id=gt.0', 'DELETE', undefined)).status).toBe(204);
          const all = Array.from({ length: 8 }, (_, at) => ({ id: at + 1 }));
          expect((await send('/staff', 'POST', all)).status).toBe(201);
          const above = new Map<number, number | null>(all.map(({ id }) => [id, null]));
          const wayUp = (id: number): number[] => {
            const next = above.get(id) ?? null;
            return next === null ? [] : [next, ...wayUp(next)];
          };
          for (const [id, to] of moves) {
            const closes = to !== null && (to === id || wayUp(to).includes(id));
            const { status } = await send(`/staff?id=eq.${id}`, 'PATCH', { manager_id: to });
            expect(status).toBe(closes ? 400 : 204);
            if (!closes) above.set(id, to);
          }
          for (const id of [1, 5]) {
            const below = all.filter((row) => row.id === id || wayUp(row.id).includes(id));
            expect(await list(`/staff?select=id&id=within.${id}`)).toEqual(below);
            const higher = wayUp(id).toSorted((one, other) => one - other);
            expect(await list(`/staff?select=id&id=above.${id}`)).toEqual(higher.map((each) => ({ id: each })));
          }
        }),
        { numRuns: 5 },
      );
    });
  });
}

test('first rows that form a circle are rejected', async () => {
  const rows = {
    staff: [
      { id: 1, manager_id: 2, mentor_id: 1 },
      { id: 2, manager_id: 1, mentor_id: null },
    ],
  };
  await expect(openDeclaredEngine('SQLite', SHOP, rows)).rejects.toThrow('staff_manager_id_circle');
});

describe.if('PostgreSQL' in PLACES)('two instances on PostgreSQL', () => {
  test('a move waits for a move that another transaction has not committed', async () => {
    const place = PLACES.PostgreSQL!();
    const { collections } = SHOP.draft;
    const service = await place.open({ collections, rows: { categories: CATEGORIES, products: [], staff: [] } });
    const second = await place.open({ collections });
    const other = await testServer.admin.reserve();
    try {
      // The batch moves a row, and then waits for a key that this session may still store.
      await other.unsafe(`begin; insert into "${place.schema}".products (id) values (99)`);
      const change = (path: string, parent: string) => ({ method: 'PATCH', path, body: { parent } });
      const requests = [
        change('/categories?code=eq.stoves', 'small'),
        { method: 'POST', path: '/products', body: { id: 99 } },
      ];
      const waiting = async (type: string) =>
        (
          await place.ask(
            `select 1 from pg_locks join pg_stat_activity using (pid) where not granted and locktype = '${type}' and datname = current_database()`,
          )
        ).length > 0;
      const batch = service.fetch('/batch', sendJson('POST', requests));
      await until('the batch to wait', () => waiting('transactionid'));
      const move = second.fetch('/categories?code=eq.tents', sendJson('PATCH', { parent: 'gas' }));
      await until('the move to wait', () => waiting('advisory'));
      await other.unsafe('rollback');
      expect((await batch).status).toBe(200);
      await expectRefusal(await move, 400, '23514');
    } finally {
      other.release();
      await second.close();
      await service.close();
    }
  });
});
