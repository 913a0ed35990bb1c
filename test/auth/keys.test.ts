/** API keys on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addKey, signWithKey } from '../../src/auth/keys.ts';
import { KEYS } from '../../src/collection/own-collections.ts';
import { EMPTY_QUERY } from '../../src/dialect/query.ts';
import { planRead, WHOLE_ROW_JSON } from '../../src/plan/read/read.ts';
import { readWhole } from '../../src/response/body.ts';
import { callOf } from '../support/call.ts';
import { bearer, newName, openWithAccess, RIGHTS, type WithAccess } from '../support/engines/access.ts';
import { WITH_MEMORY } from '../support/engines/catalogue.ts';
import { until } from '../support/processes/process.ts';
import { expectRefusal } from '../support/stories.ts';

for (const engine of WITH_MEMORY) {
  describe(`a key on ${engine}`, () => {
    let service: WithAccess;
    beforeAll(async () => {
      service = await openWithAccess(engine);
    });
    afterAll(() => service.close());

    const add = (name: string, more: { role?: string; expires?: Date; claims?: Record<string, unknown> } = {}) =>
      addKey(service.store, { name, role: 'editor', claims: {}, ...more });
    const identify = (key: string) =>
      service.access.identify(
        callOf(new Request('http://catalogue/products', { method: 'POST', headers: bearer(key) })),
      );

    test('authenticates a program with its role, in Authorization or apikey', async () => {
      const name = newName('erp');
      const key = await add(name, { claims: { region: 'north' } });
      const who = { by: 'key', role: 'editor', name, rights: RIGHTS };
      for (const headers of [bearer(key), { apikey: key }, { ...bearer(key), apikey: key }]) {
        expect(await (await service.whoIs(headers)).json()).toEqual(who);
      }
      expect(await identify(key)).toEqual({
        role: 'editor',
        name,
        identity: expect.stringMatching(/^key /),
        claims: { region: 'north', sub: name, role: 'editor' },
      });
      // The key was looked up a moment ago, so the result is cached.
      expect(identify(key)).not.toBeInstanceOf(Promise);
    });

    test('in Authorization wins over one in apikey, and either wins over a cookie', async () => {
      const [first, second] = [newName('first'), newName('second')];
      const [one, other] = [await add(first), await add(second, { role: 'viewer' })];
      const cookie = `catalogue_session=${'x'.repeat(43)}`;
      expect(await (await service.whoIs({ ...bearer(one), apikey: other, cookie })).json()).toMatchObject({
        name: first,
      });
      expect(await (await service.whoIs({ apikey: other, cookie })).json()).toMatchObject({
        name: second,
        role: 'viewer',
      });
      await expectRefusal(await service.whoIs({ ...bearer('wrong'), apikey: other }), 401, 'PGRST301');
    });

    test('signs an address, which then needs no credentials until it expires or the key is revoked', async () => {
      const service = await openWithAccess(engine, { roles: ['editor'] });
      const name = newName('feed & shop');
      await addKey(service.store, { name, role: 'editor', claims: {} });
      const later = Math.floor(Date.now() / 1000) + 1000;
      const sign = async (address: string, expires = later) =>
        (await signWithKey(service.store, address, name, expires))!;
      const get = (path: string, init?: RequestInit) => service.fetch(path, init);
      const denied = async (path: string) => expectRefusal(await get(path), 401, 'PGRST301');

      const address = await sign('/products?select=id&id=eq.1');
      const response = await get(address);
      expect([response.status, await response.json()]).toEqual([200, [{ id: 1 }]]);
      expect(response.headers.get('content-location')).toBe('/products?id=eq.1&select=id');
      expect((await get(await sign('/products'), { method: 'HEAD' })).status).toBe(200);
      expect((await get(address, { headers: { accept: 'text/csv' } })).headers.get('content-type')).toContain('csv');

      // The signature is for the rows of today.
      const earlier = await get(address, { headers: { prefer: `as-of=${new Date().toISOString()}` } });
      await expectRefusal(earlier, 400, 'PGRST127');
      expect((await get(address, { headers: { prefer: 'count=exact' } })).status).toBe(200);

      await expectRefusal(await get('/products?select=id&id=eq.1'), 401, 'PGRST302');
      await denied(address.replace('id=eq.1', 'id=eq.2'));
      await denied(address.replace(String(later), String(later + 1)));
      await denied(address.replace(encodeURIComponent(name), 'nobody'));
      await denied(await sign('/products', later - 2000));
      // Also if something is added or missing at its end, as after a mistake in copying it.
      for (const changed of [
        `${address}&limit=1`,
        `${address}&`,
        `${await sign('/products')}&id=eq.1`,
        address.slice(0, -1),
      ])
        expect(await expectRefusal(await get(changed), 401, 'PGRST301')).toMatchObject({
          message: 'The signed address has expired or was changed, or its key was revoked',
        });
      // A signature is for reads.
      await expectRefusal(await get(address, { method: 'DELETE' }), 401, 'PGRST302');
      await expectRefusal(await get(address.replace(encodeURIComponent(name), '%ff')), 400, '22021');
      expect(await signWithKey(service.store, '/products', 'nobody', later)).toBeUndefined();

      await service.store.keys.remove('name', name);
      await until('the address ends with its key', async () => (await get(address)).status === 401);
      await addKey(service.store, { name, role: 'editor', claims: {} });
      await denied(`${address}`);
      await service.close();
    });

    test('that is mistyped gets an error that says how a key begins', async () => {
      const hint = 'A key begins with cat_, and has 43 letters, digits, - or _ after it.';
      for (const [text, message] of [
        [`cat-${'A'.repeat(43)}`, 'Expected 3 parts in JWT; got 1'],
        [`cat_${'A'.repeat(42)}`, 'The key is incomplete'],
        [`cat_${'A'.repeat(20)}.${'A'.repeat(22)}`, 'The key is incomplete'],
      ] as const) {
        for (const headers of [bearer(text), { apikey: text }]) {
          const problem = await expectRefusal(await service.whoIs(headers), 401, 'PGRST301');
          expect(problem).toMatchObject({ message, hint });
        }
      }
      expect((await expectRefusal(await service.whoIs(bearer('a.b')), 401, 'PGRST301')).hint).toBeNull();
      const without = service.another({ verifier: undefined });
      expect((await expectRefusal(await without.whoIs(bearer('nonsense')), 401, 'PGRST300')).hint).toBe(
        `Set --jwt-secret or --jwks to accept tokens, or send a key. ${hint}`,
      );
    });

    test('is stored only as a hash', async () => {
      const key = await add(newName('hidden'));
      const plan = planRead(KEYS, EMPTY_QUERY, { offset: 0 }, undefined);
      const { body } = await readWhole(await service.engine.read(plan, WHOLE_ROW_JSON));
      expect(body).toContain('hidden');
      expect(body).not.toContain(key);
      expect(body).not.toContain(key.slice(4));
    });

    test('that is unknown, expired or of a removed role is rejected', async () => {
      const unknown = `cat_${'A'.repeat(43)}`;
      const response = await service.whoIs(bearer(unknown));
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"');
      expect((await expectRefusal(response, 401, 'PGRST301')).message).toBe('The key is not known, or was revoked');
      const expired = await add(newName('old'), { expires: new Date(Date.now() - 1) });
      expect((await expectRefusal(await service.whoIs(bearer(expired)), 401, 'PGRST301')).message).toBe(
        'The key has expired',
      );
      const roleless = await add(newName('roleless'), { role: 'owner' });
      await expectRefusal(await service.whoIs(bearer(roleless)), 401, 'CAT401');
      const soon = await add(newName('soon'), { expires: new Date(Date.now() + 300) });
      await until('the key to expire', async () => (await service.whoIs(bearer(soon))).status === 401);
    });

    test('that is revoked is rejected everywhere', async () => {
      const name = newName('lost');
      const key = await add(name);
      const second = service.another();
      for (const each of [service, second]) expect((await each.whoIs(bearer(key))).status).toBe(200);
      expect(await service.store.keys.remove('name', name)).toBe(true);
      expect(await service.store.keys.remove('name', name)).toBe(false);
      for (const each of [service, second]) {
        await until('the key to be refused', async () => (await each.whoIs(bearer(key))).status === 401);
      }
      expect(
        (await service.access.metrics()).find((each) => each.name === 'credentials_refused_total')?.value,
      ).toBeGreaterThan(0);
    });

    test('has a unique name', async () => {
      const name = newName('twice');
      await add(name);
      expect(await add(name).catch((error) => error)).toMatchObject({ code: '23505' });
    });
  });
}
