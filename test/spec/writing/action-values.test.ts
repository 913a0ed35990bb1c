/** Arguments and claims of an action are values, whatever they look like. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text, cost: int4, looks: int8, info: json }
  notes:
    fields: { id: int4, owner: int8, info: json, text: text }
actions:
  annotate:
    parameters: { product: int4, info: json, constructor: { type: text, required: false } }
    batch:
      - { name: seen, method: PATCH, path: 'products?id=eq.{product}', body: { looks: { increment: 1 } }, affects: 1 }
      - { name: note, method: POST, path: notes, body: { info: '{info}', text: '{constructor}' } }
    returns: note
  store:
    parameters: { rows: { type: rows, fields: { name: text, info: json } } }
    batch:
      - { name: first, method: POST, path: notes, body: { text: first } }
      - { name: stored, method: POST, path: products, body: '{rows}' }
    returns: stored
  sign:
    batch:
      - { method: PATCH, path: 'notes?owner=in.({claims.owners})', body: { info: '{claims.info}' } }
      - { name: note, method: POST, path: notes, body: { owner: '{claims.owner}', info: '{claims.info}' } }
    returns: note
roles:
  visitor: { call: [annotate, store, sign] }
  admin: all
`);
const ROWS = {
  products: [{ id: 1, name: 'Tent', cost: 77, looks: 0, info: null }],
  notes: [{ id: 1, owner: 5, info: null, text: null }],
};

describe.each(TWO_ENGINES)('values of actions on %s', (engine) => {
  let shop: Roled;
  beforeEach(async () => {
    shop = await openRoled(engine, SHOP, ROWS);
  });
  afterEach(() => shop.close());

  const call = (action: string, body: unknown, claims: Record<string, unknown> = {}) =>
    shop.as('visitor', claims).fetch(`/rpc/${action}`, sendJson('POST', body));

  test.each([[{ $from: 0, field: 'cost' }], [{ $from: 7 }], [{ increment: 1 }], ['{seen.cost}']])(
    '%j is stored as it is',
    async (info) => {
      const response = await call('annotate', { product: 1, info });
      expect([response.status, await response.json()]).toMatchObject([200, { info, text: null }]);
      const stored = await call('store', { rows: [{ name: 'Lamp', info }] });
      expect([stored.status, await stored.json()]).toMatchObject([200, [{ name: 'Lamp', info }]]);
      const signed = await call('sign', {}, { owners: [5], owner: 5, info });
      expect([signed.status, await signed.json()]).toMatchObject([200, { owner: 5, info }]);
    },
  );

  test('a list of claims is a list of values', async () => {
    const sign = (owners: unknown) => call('sign', {}, { owners, owner: 1, info: 'signed' });
    for (const owners of [[], [7, 8], ['a'], [[5]], [{ a: 5 }], [null], { a: 5 }, 'x', true]) {
      const { status } = await sign(owners);
      expect([owners, status < 500]).toEqual([owners, true]);
    }
    expect(await shop.as('admin').list('/notes?id=eq.1&select=info')).toEqual([{ info: null }]);
    expect((await sign([7, 5])).status).toBe(200);
    expect(await shop.as('admin').list('/notes?id=eq.1&select=info')).toEqual([{ info: 'signed' }]);
  });

  test('a claim that is not an exact number is not taken for another', async () => {
    for (const claims of [
      { owners: [2 ** 53], owner: 5 },
      { owners: 5, owner: 2 ** 53 },
    ]) {
      expect((await call('sign', {}, { ...claims, info: 1 })).status).toBe(403);
    }
    expect(await shop.as('admin').list('/notes')).toHaveLength(1);
  });
});
