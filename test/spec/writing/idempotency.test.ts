/** Idempotency-Key: a write that a client retries after losing the response is applied once. */
import { describe, expect, test } from 'bun:test';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../../src/base/limits/http.ts';
import { makeEdgeChecks } from '../../../src/response/edge-checks.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { PLACES } from '../../support/engines/declared.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, sendJson } from '../../support/stories.ts';

const JAM = { product_name: 'Jam', unit_price: 3.5 };
const MARMALADE = { product_name: 'Marmalade', unit_price: 3.5 };

describe.each(TWO_ENGINES)('Idempotency-Key on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (key: string, body: unknown, headers: Record<string, string> = {}, path = '/products') =>
    catalogue.fetch(path, sendJson('POST', body, { 'idempotency-key': key, ...headers }));
  const created = () => catalogue.list('/products?id=gt.77');

  test('the same key and body return the first response again, and create one product', async () => {
    const first = await post('order-1', JAM);
    const again = await post('order-1', JAM);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('location')).toBe(first.headers.get('location')!);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await created()).toHaveLength(1);
  });

  test('a replay returns the rows of the first response, even if they have changed since', async () => {
    const wanted = { prefer: 'return=representation' };
    const first = await (await post('order-2', [JAM, MARMALADE], wanted)).json();
    await catalogue.fetch('/products?id=gt.77', { method: 'DELETE' });
    expect(await (await post('order-2', [JAM, MARMALADE], wanted)).json()).toEqual(first);
    expect(await created()).toEqual([]);
  });

  test('rows over the storage limit are not replayed, and the response says so', async () => {
    const name = 'x'.repeat(2_000);
    const patch = (headers: Record<string, string>) =>
      catalogue.fetch(
        '/products?id=gt.0',
        sendJson(
          'PATCH',
          { product_name: name },
          { 'idempotency-key': 'all', prefer: 'return=representation', ...headers },
        ),
      );
    const first = await patch({});
    expect([first.status, ((await first.json()) as unknown[]).length]).toEqual([200, 77]);
    await catalogue.fetch('/products/5', sendJson('PATCH', { product_name: 'Changed since' }));
    const again = await patch({});
    expect([again.status, await again.text()]).toEqual([200, '']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('preference-applied')).toBe('return=headers-only');
    expect(again.headers.get('content-range')).toBe(first.headers.get('content-range')!);
    expect(await catalogue.list('/products?id=eq.5&select=product_name')).toEqual([{ product_name: 'Changed since' }]);
  });

  test('a large request gets all its rows replayed, because the limit grows with the request', async () => {
    const rows = Array.from({ length: 20 }, () => ({ product_name: 'x'.repeat(10_000) }));
    const headers = { prefer: 'return=representation' };
    const first = await post('bulk', rows, headers);
    const again = await post('bulk', rows, headers);
    expect(await again.json()).toEqual(await first.json());
    expect(await created()).toHaveLength(20);
  });

  test('two concurrent requests are applied once', async () => {
    const answers = await Promise.all([post('twin', JAM), post('twin', JAM), post('twin', JAM)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(await created()).toHaveLength(1);
  });

  test('the same key with a different body is rejected with 422', async () => {
    await post('order-3', JAM);
    await expectRefusal(await post('order-3', MARMALADE), 422, 'CAT422');
    expect((await created()).map(({ product_name }) => product_name)).toEqual(['Jam']);
  });

  test('of two concurrent requests with one key and different bodies, one is applied and one rejected', async () => {
    const answers = await Promise.all([post('rivals', JAM), post('rivals', MARMALADE)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(await created()).toHaveLength(1);
  });

  test('the same key with a different URL, method or preference is a different request', async () => {
    await post('order-4', JAM);
    await expectRefusal(await post('order-4', JAM, {}, '/products?select=id'), 422, 'CAT422');
    await expectRefusal(await post('order-4', JAM, { prefer: 'return=representation' }), 422, 'CAT422');
    const patch = sendJson('PATCH', JAM, { 'idempotency-key': 'order-4' });
    await expectRefusal(await catalogue.fetch('/products?id=eq.78', patch), 422, 'CAT422');
    expect(await created()).toHaveLength(1);
  });

  test('other keys and a missing key are separate writes', async () => {
    await post('order-5', JAM);
    await post('order-6', JAM);
    await catalogue.fetch('/products', sendJson('POST', JAM));
    expect(await created()).toHaveLength(3);
  });

  test('PATCH is applied once', async () => {
    const move = () =>
      catalogue.fetch(
        '/products?units_in_stock=eq.0',
        sendJson('PATCH', { units_in_stock: 9 }, { 'idempotency-key': 'restock' }),
      );
    expect((await move()).status).toBe(204);
    const restocked = await catalogue.list('/products?units_in_stock=eq.9');
    await catalogue.fetch('/products?id=eq.1', sendJson('PATCH', { units_in_stock: 0 }));
    expect((await move()).status).toBe(204);
    expect(ids(await catalogue.list('/products?units_in_stock=eq.9'))).toEqual(ids(restocked));
    expect(ids(await catalogue.list('/products?units_in_stock=eq.0'))).toEqual([1]);
  });

  test('PATCH of one product with If-Match can be retried, although it changed the product', async () => {
    const tag = (await catalogue.fetch('/products/6')).headers.get('etag')!;
    const change = () =>
      catalogue.fetch(
        '/products/6',
        sendJson('PATCH', { unit_price: 26 }, { 'idempotency-key': 'k', 'if-match': tag }),
      );
    expect((await change()).status).toBe(204);
    expect((await change()).status).toBe(204);
  });

  test('a rejected write is not stored: once corrected, it succeeds with the same key', async () => {
    await expectRefusal(await post('order-7', { ...JAM, id: 5 }), 409, '23505');
    await expectRefusal(await post('order-7', { ...JAM, unit_price: 'free' }), 400, '22P02');
    await expectUntouched(catalogue);
    expect((await post('order-7', JAM)).status).toBe(201);
    expect(await created()).toHaveLength(1);
  });

  test('a rejected write can succeed when its obstacle is gone', async () => {
    const write = () => post('order-8', { ...JAM, id: 5 });
    await expectRefusal(await write(), 409, '23505');
    await catalogue.fetch('/products/5', { method: 'DELETE' });
    expect((await write()).status).toBe(201);
    expect((await write()).headers.get('idempotency-replayed')).toBe('true');
  });

  test('a dry run is not stored', async () => {
    expect((await post('order-9', JAM, { prefer: 'tx=rollback' })).status).toBe(201);
    await expectUntouched(catalogue);
    const real = await post('order-9', JAM);
    expect(real.status).toBe(201);
    expect(real.headers.get('idempotency-replayed')).toBeNull();
    expect(await created()).toHaveLength(1);
  });

  test('a key may be as long as the limit and no longer; an empty key is ignored', async () => {
    expect((await post('k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH), JAM)).status).toBe(201);
    await expectRefusal(await post('k'.repeat(MAX_IDEMPOTENCY_KEY_LENGTH + 1), JAM), 400, '54000');
    await expectRefusal(await post('', JAM), 400, '54000');
    expect(await created()).toHaveLength(1);
  });
});

const ORDERS = declaredBy(`
collections:
  orders: { fields: { id: int4, note: text } }
roles:
  anonymous: { orders: { create: true, read: { where: 'note=eq.public' } } }
  clerk: { orders: { create: true, read: true } }
`);

describe.each(Object.keys(PLACES))('Idempotency-Key of anonymous callers on %s', (engine) => {
  test('keys of different addresses are separate, also behind a trusted proxy', async () => {
    const edgeChecks = makeEdgeChecks({
      isOnLoopback: false,
      allowedHosts: [],
      corsOrigins: [],
      trustedProxies: ['192.0.2.1'],
    });
    const { collections } = ORDERS.draft;
    const { app, close } = await PLACES[engine]!().open({
      collections,
      options: { catalogue: ORDERS, identify, edgeChecks },
    });
    const post = async (address: string, headers: Record<string, string> = {}, path = '/orders') => {
      const body = path === '/batch' ? [{ method: 'POST', path: '/orders', body: { note: 'x' } }] : { note: 'x' };
      const init = sendJson('POST', body, { 'idempotency-key': path, ...headers });
      const peer = { address: () => address, isSecure: false, atWork: () => undefined, drop: () => undefined };
      const response = await app.fetch(new Request(`http://catalogue${path}`, init), peer);
      expect(response.status).toBeLessThan(300);
      return response.headers.get('idempotency-replayed') ?? 'new';
    };
    const from = (address: string) => post('192.0.2.1', { 'x-forwarded-for': address });
    expect([await post('198.51.100.1'), await post('198.51.100.1')]).toEqual(['new', 'true']);
    expect([await post('198.51.100.2'), await post('198.51.100.2')]).toEqual(['new', 'true']);
    expect([await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.2')]).toEqual([
      'new',
      'true',
      'new',
    ]);
    // A client's own header does not count, and one network of IPv6 is one client.
    expect(await post('198.51.100.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('true');
    expect([await post('2001:db8::1'), await post('2001:db8::2'), await post('2001:db8:1::1')]).toEqual([
      'new',
      'true',
      'new',
    ]);
    expect([await post('198.51.100.1', {}, '/batch'), await post('198.51.100.2', {}, '/batch')]).toEqual([
      'new',
      'new',
    ]);
    await close();
  });
});
