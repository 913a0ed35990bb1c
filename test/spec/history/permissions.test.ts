/** The log is granted by the declaration: a role reads `changes` and earlier rows only if its rules say so. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rolesWithoutLog } from '../../../src/collection/access/role-warnings.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLLECTIONS = `
collections:
  products:
    fields: { id: int4, name: text, cost: int4 }
  customers:
    fields: { id: int4, name: text }
`;
const SHOP = declaredBy(`${COLLECTIONS}
roles:
  visitor:
    products: { read: { fields: [id, name] } }
  seller:
    products: { read: true, create: true, update: true, delete: true }
  auditor:
    products: { read: { where: 'id=lt.10', fields: [id, name] } }
    customers: { read: true }
    changes:
      read:
        where: 'collection=in.(products,prices)'
        fields: [seq, at, collection, key, kind, before, after]
  recent:
    products: { read: true }
    changes: { read: { where: 'kind=eq.update' } }
  writer:
    products: { read: true, update: true }
    changes: { read: { where: 'actor=eq.{claims.sub}', fields: [seq, collection, kind] } }
  chief:
    include: [auditor]
    changes: { read: true }
  admin: all
`);

describe.each(TWO_ENGINES)('permissions of the log on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    shop = await openRoled(engine, SHOP, {
      products: [
        { id: 1, name: 'a', cost: 1 },
        { id: 11, name: 'b', cost: 1 },
      ],
      customers: [{ id: 1, name: 'Ada' }],
    });
    const patch = (path: string, body: object) =>
      shop.as('admin', { sub: 'root' }).fetch(path, sendJson('PATCH', body));
    await patch('/products?id=eq.1', { name: 'A' });
    await patch('/products?id=eq.1', { cost: 2 });
    await patch('/products?id=eq.11', { name: 'B' });
    await patch('/customers?id=eq.1', { name: 'Eva' });
  });
  afterEach(() => shop.close());

  const now = () => ({ headers: { prefer: `as-of=${new Date(Date.now() + 60_000).toISOString()}` } });
  const undo = (role: string, sub: string | undefined, filter: string, prefer = '') =>
    shop
      .as(role, sub === undefined ? {} : { sub })
      .fetch(`/changes/undo?${filter}`, { method: 'POST', headers: { prefer } });

  test('a role without the permission reads no list and no entry of the log, and no earlier rows', async () => {
    const visitor = shop.as('visitor');
    const [{ seq }] = (await shop.as('admin').list('/changes?limit=1')) as [{ seq: number }];
    for (const path of ['/changes', '/catalogue/changes', `/changes/${seq}`, '/changes?select=seq&limit=0']) {
      const problem = await expectRefusal(await visitor.fetch(path), 403, '42501');
      expect(problem.message).toBe('permission denied for table changes');
    }
    await expectRefusal(await visitor.fetch('/products', now()), 403, '42501');
    await expectRefusal(await visitor.fetch('/products/1', now()), 403, '42501');
    expect((await visitor.fetch('/products')).status).toBe(200);
  });

  test('a rule grants some entries and some of their fields, of rows and fields that the role may read', async () => {
    const auditor = shop.as('auditor');
    const changes = await auditor.list('/changes');
    expect(changes.map(({ seq: _, at: __, ...entry }) => entry) as unknown).toEqual([
      { collection: 'products', key: '1', kind: 'update', before: { name: 'a' }, after: { name: 'A' } },
    ]);
    expect(await auditor.list('/changes?collection=eq.customers')).toEqual([]);
    expect(await auditor.list('/changes?select=count()')).toEqual([{ count: 1 }]);
    for (const query of ['select=actor', 'role=eq.admin', 'order=request_id']) {
      await expectRefusal(await auditor.fetch(`/changes?${query}`), 403, '42501');
    }
  });

  test('earlier rows need all changes of their collections, with their values', async () => {
    const auditor = shop.as('auditor');
    expect((await auditor.fetch('/products', now())).status).toBe(200);
    await expectRefusal(await auditor.fetch('/customers', now()), 403, '42501');
    await expectRefusal(await shop.as('recent').fetch('/products', now()), 403, '42501');
    expect((await shop.as('chief').fetch('/customers', now())).status).toBe(200);
  });

  test('a filter on values is not applied to hidden changes, whose fields of the same name have other types', async () => {
    const declared = declaredBy(`
collections:
  products: { fields: { id: int4, name: text } }
  letters: { fields: { id: text, name: text } }
roles:
  visitor: { products: { read: true }, changes: { read: true } }
  admin: all
`);
    const catalogue = await openRoled(engine, declared, {});
    for (const [path, body] of [
      ['/letters', { id: 'A 1', name: 'tea' }],
      ['/products', { id: 1, name: 'tea' }],
    ] as const) {
      expect((await catalogue.as('admin').fetch(path, sendJson('POST', body))).status).toBe(201);
    }
    for (const role of ['visitor', 'admin']) {
      const found = await catalogue.as(role).text('/changes?select=after&after->>name=like.t*&collection=eq.products');
      expect(JSON.parse(found)).toEqual([{ after: { id: 1, name: 'tea' } }]);
    }
    await catalogue.close();
  });

  test('a role may read who wrote, and one with every right reads everything', async () => {
    const chief = await shop.as('chief').list('/changes?select=actor,collection&order=seq');
    expect(chief).toEqual([
      { actor: 'root', collection: 'products' },
      { actor: 'root', collection: 'customers' },
    ]);
    expect(await shop.as('admin').list('/changes?select=seq')).toHaveLength(4);
  });

  test('a rule may refer to claims, so that a role reads its own entries', async () => {
    const writer = shop.as('writer', { sub: 'wim' });
    expect((await writer.fetch('/products?id=eq.1', sendJson('PATCH', { name: 'mine' }))).status).toBe(204);
    expect(await writer.list('/changes?select=collection,kind')).toEqual([{ collection: 'products', kind: 'update' }]);
    expect(await shop.as('writer', { sub: 'eve' }).list('/changes')).toEqual([]);
    await expectRefusal(await writer.fetch('/products', now()), 403, '42501');
  });

  test('without the permission, a caller can undo its own changes and nothing else', async () => {
    const seller = shop.as('seller', { sub: 'sue' });
    expect((await seller.fetch('/products?id=eq.1', sendJson('PATCH', { name: 'mine' }))).status).toBe(204);
    expect(await (await undo('seller', 'sue', 'collection=eq.products')).json()).toEqual({ undone: 1, skipped: [] });
    expect(await shop.as('admin').list('/products?id=eq.1')).toEqual([{ id: 1, name: 'A', cost: 2 }]);
    expect(await (await undo('seller', 'bob', 'seq=gt.0', 'tx=rollback')).json()).toEqual({ undone: 0, skipped: [] });
    await expectRefusal(await undo('seller', undefined, 'seq=gt.0'), 403, '42501');
  });
});

describe('a declaration', () => {
  const mistakesOf = (roles: string) => {
    try {
      parseDeclaration(`${COLLECTIONS}roles:\n${roles}`, 'collections.yaml');
      return '';
    } catch (error) {
      return String(error);
    }
  };

  test('reports mistakes in the rules of the log with their line', () => {
    expect(mistakesOf('  a: { changes: { update: true } }')).toContain('can only be read');
    expect(mistakesOf('  a: { change: { read: true } }')).toContain('changes');
    expect(mistakesOf('  a: { changes: { read: { fields: [seq, actr] } } }')).toContain('actor');
    expect(mistakesOf('  a: { changes: { read: { fields: [at] } } }')).toContain('fields must hold seq');
    expect(mistakesOf("  a: { changes: { read: { where: 'colection=eq.a' } } }")).toContain('collection');
    expect(mistakesOf('  a: { changes: { read: true } }')).toBe('');
    expect(mistakesOf('  a: { catalogue/changes: { read: true } }')).toBe('');
  });

  test('warns if its roles could read the log before and no role says whether they still may', () => {
    const warningOf = (roles: string) => rolesWithoutLog(declaredBy(`${COLLECTIONS}${roles}`));
    const roles = 'roles:\n  a: { products: { read: true } }\n  b: { customers: { read: true } }\n  admin: all\n';
    expect(warningOf(roles)).toContain('cannot read the log of changes (/changes, Prefer: as-of): a, b.');
    expect(warningOf(roles)).toContain('"changes: { read: { fields: [seq, at,');
    expect(warningOf(`${roles}  c: { changes: {} }\n`)).toBeUndefined();
    expect(warningOf('roles:\n  admin: all\n')).toBeUndefined();
    expect(warningOf('')).toBeUndefined();
  });
});
