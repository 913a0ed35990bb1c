/** A change without fields changes nothing: no row, no time of its last change, no entry in the log. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`collections:
  goods:
    fields:
      id: int4
      sku: { type: text, unique: true }
      price: { type: int4, default: 5 }
      changed_at: { type: timestamptz, default: now, onUpdate: now }
`);
const ROW = { id: 1, sku: 'A', price: 1, changed_at: '2026-01-02T03:04:05+00:00' };
const SHOWN = { prefer: 'return=representation' };
const MERGED = { prefer: 'resolution=merge-duplicates, return=representation' };

describe.each(TWO_ENGINES)('on %s', (engine) => {
  let shop: Catalogue;
  beforeEach(async () => {
    shop = await openDeclared(engine, SHOP, { goods: [ROW] });
  });
  afterEach(() => shop.close());

  const batch = (...requests: object[]) => sendJson('POST', requests);
  const requests: readonly (readonly [string, string, RequestInit, number])[] = [
    ['PATCH of an item', '/goods/1', sendJson('PATCH', {}), 204],
    ['PATCH of an item that returns it', '/goods/1', sendJson('PATCH', {}, SHOWN), 200],
    ['PATCH with a filter', '/goods?id=eq.1', sendJson('PATCH', {}), 204],
    ['PATCH with a filter that returns rows', '/goods?id=eq.1', sendJson('PATCH', {}, SHOWN), 200],
    ['PATCH with a filter and an empty object in a list', '/goods?id=eq.1', sendJson('PATCH', [{}]), 204],
    ['PATCH with a filter and an empty list', '/goods?id=eq.1', sendJson('PATCH', []), 204],
    ['bulk PATCH by the key', '/goods', sendJson('PATCH', [{ id: 1 }], SHOWN), 200],
    ['bulk PATCH by a unique field', '/goods?on_conflict=sku', sendJson('PATCH', [{ sku: 'A' }], SHOWN), 200],
    ['upsert of a key alone', '/goods', sendJson('POST', [{ id: 1 }], MERGED), 200],
    ['batch', '/batch', batch({ method: 'PATCH', path: '/goods/1', body: {} }), 200],
    ['batch with a filter', '/batch', batch({ method: 'PATCH', path: '/goods?id=eq.1', body: {} }), 200],
    ['batch of a list', '/batch', batch({ method: 'PATCH', path: '/goods', body: [{ id: 1 }] }), 200],
  ];
  test.each(requests)('an empty %s changes and logs nothing', async (_, path, init, status) => {
    const [before] = await shop.list('/goods');
    const response = await shop.fetch(path, init);
    expect({ status: response.status, text: status === 204 ? await response.text() : '' }).toEqual({
      status,
      text: '',
    });
    expect(await shop.list('/goods')).toEqual([before!]);
    expect(await shop.list('/changes')).toEqual([]);
  });

  test('an empty PATCH of an item returns it, or 404; one with a filter matches no row, as in PostgREST', async () => {
    const [before] = await shop.list('/goods');
    expect(await (await shop.fetch('/goods/1', sendJson('PATCH', {}, SHOWN))).json()).toEqual([before]);
    expect((await shop.fetch('/goods/2', sendJson('PATCH', {}))).status).toBe(404);
    expect(await (await shop.fetch('/goods?id=eq.1', sendJson('PATCH', {}, SHOWN))).json()).toEqual([]);
  });
});
