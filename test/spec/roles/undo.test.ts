/** Undo under roles: a caller can undo what it sees and could write itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields:
      id: int4
      name: text
      cost: int4
      shop: text
  notes:
    fields:
      id: int4
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
roles:
  clerk:
    products:
      read: { where: 'shop=eq.{claims.shop}', fields: [id, name, shop] }
      create: true
      update: { where: 'id=gt.10', fields: [name] }
      delete: { where: 'id=gt.10' }
    changes: { read: true }
  keeper:
    products: { read: true, create: true, update: true, delete: true }
    changes: { read: true }
  seller:
    products: { read: true, create: true, update: true, delete: true }
  reader:
    products: { read: true }
  admin: all
`);

describe.each(TWO_ENGINES)('undo under roles on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    const row = (id: number, name: string, of: string) => ({ id, name, cost: id, shop: of });
    shop = await openRoled(engine, SHOP, { products: [row(1, 'a', 'x'), row(11, 'b', 'x'), row(12, 'c', 'y')] });
  });
  afterEach(() => shop.close());

  const store = async (path: string, init: RequestInit) => {
    expect((await shop.as('admin').fetch(path, init)).status).toBeLessThan(300);
    const [newest] = await shop.as('admin').list('/changes?order=seq.desc&limit=1');
    return Number(newest!.seq);
  };
  const undo = (role: string | undefined, filter: string, prefer = '') =>
    shop.as(role, { shop: 'x' }).fetch(`/changes/undo?${filter}`, { method: 'POST', headers: { prefer } });
  const product = async (id: number) => (await shop.as('admin').list(`/products?id=eq.${id}`))[0] as Row;

  test('a visible change of fields and rows that the role may write', async () => {
    const seq = await store('/products?id=eq.11', sendJson('PATCH', { name: 'new' }));
    expect(await (await undo('clerk', `seq=eq.${seq}`)).json()).toEqual({ undone: 1, skipped: [] });
    expect(await product(11)).toMatchObject({ name: 'b' });
    const [own] = await shop.as('admin').list('/changes?order=seq.desc&limit=1');
    expect(own).toMatchObject({ role: 'clerk', key: '11' });
  });

  test('an invisible change does not exist', async () => {
    const cost = await store('/products?id=eq.11', sendJson('PATCH', { cost: 9 }));
    const other = await store('/products?id=eq.12', sendJson('PATCH', { name: 'new' }));
    const response = await undo('clerk', `seq=in.(${cost},${other},${other + 1})`);
    expect(await response.json()).toEqual({ undone: 0, skipped: [] });
    expect([await product(11), await product(12)]).toMatchObject([{ cost: 9 }, { name: 'new' }]);
  });

  test('a later change of hidden fields is not a conflict, and stays', async () => {
    const seq = await store('/products?id=eq.11', sendJson('PATCH', { name: 'new' }));
    await store('/products?id=eq.11', sendJson('PATCH', { cost: 9 }));
    expect(await (await undo('clerk', `seq=eq.${seq}`)).json()).toEqual({ undone: 1, skipped: [] });
    expect(await product(11)).toMatchObject({ name: 'b', cost: 9 });
    await expectRefusal(await undo('keeper', `seq=eq.${seq}`), 409, '55000');
  });

  test('rows and fields that the role may not write get 42501', async () => {
    const row = await store('/products?id=eq.1', sendJson('PATCH', { name: 'new' }));
    await expectRefusal(await undo('clerk', `seq=eq.${row}`), 403, '42501');
    const field = await store('/products?id=eq.11', sendJson('PATCH', { name: 'new', shop: 'z' }));
    await store('/products?id=eq.11', sendJson('PATCH', { shop: 'x' }));
    await expectRefusal(await undo('clerk', `seq=gte.${field}&key=eq.11`), 403, '42501');
    // A role that may write nothing is rejected before the log is read.
    const problem = await expectRefusal(await undo('reader', 'seq=eq.999999999'), 403, '42501');
    expect(problem.message).toBe('permission denied for undo');
    await expectRefusal(await undo(undefined, `seq=eq.${row}`), 401, 'PGRST302');
    expect([await product(1), await product(11)]).toMatchObject([{ name: 'new' }, { name: 'new' }]);
  });

  test('a new row that the role may not delete, and a deleted row with hidden fields', async () => {
    const made = await store('/products', sendJson('POST', { id: 2, name: 'd', shop: 'x' }));
    await expectRefusal(await undo('clerk', `seq=eq.${made}`), 403, '42501');
    const removed = await store('/products?id=eq.11', { method: 'DELETE' });
    const problem = await expectRefusal(await undo('clerk', `seq=eq.${removed}`), 403, '42501');
    expect(problem.hint).toBe('Only a role that reads all fields can restore a deleted row.');
    expect(await (await undo('keeper', `seq=in.(${made},${removed})`)).json()).toEqual({ undone: 2, skipped: [] });
    expect([await product(2), await product(11)] as unknown[]).toEqual([
      undefined,
      { id: 11, name: 'b', cost: 11, shop: 'x' },
    ]);
  });

  test('the rows of collections that a role cannot read stay unknown to it', async () => {
    const made = await store('/products', sendJson('POST', { id: 20, name: 'd', shop: 'x' }));
    expect((await undo('keeper', `seq=eq.${made}`, 'tx=rollback')).status).toBe(200);
    await store('/notes', sendJson('POST', { id: 1, product_id: 20 }));
    expect((await undo('keeper', `seq=eq.${made}`, 'tx=rollback')).status).toBe(200);
    await expectRefusal(await undo('admin', `seq=eq.${made}`), 409, '23503');
  });
});
