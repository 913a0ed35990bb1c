/** The subjects of two issuers are two callers, whatever their subjects are. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SignJWT } from 'jose';
import { bearer, openWithAccess, SECRET, type WithAccess } from '../support/engines/access.ts';
import { TWO_ENGINES } from '../support/engines/catalogue.ts';
import { sendJson } from '../support/stories.ts';

const KEY = new TextEncoder().encode(SECRET);

describe.each(TWO_ENGINES)('%s: tokens of two issuers with the same subject', (engine) => {
  let service: WithAccess;
  beforeAll(async () => {
    service = await openWithAccess(engine);
  });
  afterAll(() => service.close());

  const as = async (claims: Record<string, unknown>, on = service) => {
    const token = await new SignJWT({ role: 'editor', ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(KEY);
    return (path: string, init: RequestInit = {}) =>
      on.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...bearer(token) } });
  };
  const callers = (on = service) =>
    Promise.all([{ sub: 'ann', iss: 'a' }, { sub: 'ann', iss: 'b' }, { sub: 'ann' }].map((claims) => as(claims, on)));

  test('have views and presence of their own', async () => {
    const [one, other, none] = await callers();
    const view = { collection: 'products', name: 'mine', definition: {} };
    const presence = { id: crypto.randomUUID(), collection: 'products', key: '1' };
    for (const [path, row] of [['/catalogue/views', view] as const, ['/catalogue/presence', presence] as const]) {
      expect((await one!(path, sendJson('POST', row))).status).toBe(201);
      expect(await (await one!(`${path}?select=owner`)).json()).toEqual([{ owner: 'token ["a","ann"]' }]);
    }
    for (const ask of [other!, none!]) {
      expect(await (await ask('/catalogue/views')).json()).toEqual([]);
      const init = { method: 'DELETE', headers: { prefer: 'return=representation' } };
      expect(await (await ask('/catalogue/views?collection=eq.products', init)).json()).toEqual([]);
    }
  });

  test('are two names in the log and in the session, unless one issuer is required', async () => {
    const asked = await Promise.all((await callers()).map(async (ask) => (await ask('/auth/session')).json()));
    expect(asked.map((session) => (session as { name: string }).name)).toEqual(['ann (a)', 'ann (b)', 'ann']);
    const required = service.another({ settings: ['--jwt-issuer', 'a'] });
    const only = await as({ sub: 'ann', iss: 'a' }, required);
    expect(await (await only('/auth/session')).json()).toMatchObject({ name: 'ann' });
  });

  test('cannot undo the changes of each other', async () => {
    const rules = (['read', 'update'] as const).map((right) => ({ collection: 'products', right }));
    const [one, other, none] = await callers(service.another({ rules }));
    expect((await one!('/products?id=eq.1', sendJson('PATCH', { product_name: 'Tea' }))).status).toBe(204);
    const undone = [];
    for (const ask of [other!, none!, one!]) {
      const response = await ask('/changes/undo?collection=eq.products', { method: 'POST' });
      undone.push(((await response.json()) as { undone: number }).undone);
    }
    expect(undone).toEqual([0, 0, 1]);
  });

  test('do not share an Idempotency-Key', async () => {
    const replays = [];
    for (const ask of await callers()) {
      const init = sendJson('POST', { product_name: 'Jam' }, { 'idempotency-key': `${engine} one` });
      const responses = [await ask('/products', init), await ask('/products', init)];
      replays.push(responses.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]));
    }
    expect(replays).toEqual(
      Array(3).fill([
        [201, null],
        [201, 'true'],
      ]),
    );
  });
});
