/** An administrator's view of sessions, logins and the use of keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/app.ts';
import { openAuthentication } from '../../src/auth/access.ts';
import { addKey } from '../../src/auth/keys.ts';
import { CredentialStore } from '../../src/auth/store.ts';
import { addUser } from '../../src/auth/users.ts';
import { TrustedProxies } from '../../src/http/edge/proxies.ts';
import { SERVE_SETTINGS } from '../../src/settings/by-command.ts';
import { bearer } from '../support/engines/access.ts';
import { type Opened, PLACES } from '../support/engines/declared.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { until } from '../support/processes/process.ts';
import { readSettings } from '../support/settings.ts';
import { expectRefusal, sendJson } from '../support/stories.ts';

const DECLARATION = `collections:
  products: { fields: { id: int4 } }
roles:
  customer: { products: { read: true } }
  support: { products: { read: true }, users: { manage: [customer] } }
  admin: all
`;
const PASSWORD = 'correct horse battery';
const DEVICE = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0';
const SESSIONS = '/catalogue/sessions';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

for (const [engineName, newPlace] of Object.entries(PLACES)) {
  describe(`an administrator on ${engineName}`, () => {
    const place = newPlace();
    let stored: Opened;
    let store: CredentialStore;
    let fetch: (path: string, init?: RequestInit) => Promise<Response>;
    const keys: Record<string, string> = {};

    beforeAll(async () => {
      const catalogue = declaredBy(DECLARATION);
      stored = await place.open({ collections: catalogue.draft.collections });
      const { engine } = stored;
      const settings = readSettings(SERVE_SETTINGS, ['--database', place.url, '--schema', place.schema], {});
      const proxies = new TrustedProxies(['192.0.2.1']);
      const access = openAuthentication({ engine, settings, catalogue, verifier: undefined, proxies });
      const { identify, pages, resources } = access;
      const limits = { maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false };
      const app = createApp({ catalogue, engine, identify, pages, resources, ...limits });
      store = new CredentialStore(engine);
      for (const role of ['support', 'admin']) keys[role] = await addKey(store, { name: role, role, claims: {} });
      for (const name of ['ann', 'bob']) {
        await addUser(store, { name, role: 'customer', claims: {}, password: PASSWORD });
      }
      fetch = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
    });
    afterAll(() => stored.close());

    const as = (role: string, path: string, init: RequestInit = {}) =>
      fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...bearer(keys[role]!) } });
    const list = async (path: string) => (await (await as('admin', path)).json()) as Record<string, unknown>[];
    const login = async (name: string, password = PASSWORD) => {
      const { headers, ...rest } = sendJson('POST', { name, password });
      const from = { 'x-forwarded-for': '198.51.100.7', 'user-agent': DEVICE };
      const answer = await fetch('/auth/login', { ...rest, headers: { ...(headers as object), ...from } });
      return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    };
    const who = async (cookie: string) => (await fetch('/auth/session', { headers: { cookie } })).status;

    test('sees when a key was last used, and nothing for a new key of the same name', async () => {
      expect(await list('/catalogue/keys?select=name&order=name')).toEqual([{ name: 'admin' }, { name: 'support' }]);
      const used = async (name: string) => (await list(`/catalogue/keys?name=eq.${name}`))[0]!.last_used_at;
      await until('the use is stored', async () => (await used('admin')) !== null);
      const [admin, support] = await list('/catalogue/keys?order=name');
      expect(admin).toEqual({
        name: 'admin',
        role: 'admin',
        claims: {},
        created_at: TIME,
        expires_at: null,
        last_used_at: TIME,
      });
      expect(support!.last_used_at).toBeNull();
      expect((await as('support', '/products')).status).toBe(200);
      await until('the use is stored', async () => (await used('support')) !== null);
      expect((await as('admin', '/catalogue/keys/support', { method: 'DELETE' })).status).toBe(204);
      keys.support = await addKey(store, { name: 'support', role: 'support', claims: {} });
      expect(await used('support')).toBeNull();
    });

    test('sees sessions with their address and device, ends one of them, and all of a person', async () => {
      const [first, second, other] = [await login('ann'), await login('Ann'), await login('bob')];
      const sessions = await list(`${SESSIONS}?order=user_name`);
      const session = { hash: expect.any(String), expires_at: TIME, at: TIME, address: '198.51.100.7', device: DEVICE };
      expect(sessions as unknown).toEqual([
        { ...session, user_name: 'ann' },
        { ...session, user_name: 'ann' },
        { ...session, user_name: 'bob' },
      ]);
      expect(JSON.stringify(sessions)).not.toContain(other.split('=')[1]!);
      expect((await as('admin', `${SESSIONS}/${sessions[2]!.hash}`, { method: 'DELETE' })).status).toBe(204);
      await until('the session has ended', async () => (await who(other)) === 401);
      expect(await who(first)).toBe(200);
      expect((await as('admin', `${SESSIONS}?user_name=eq.ann`, { method: 'DELETE' })).status).toBe(204);
      await until('the sessions have ended', async () => (await who(first)) === 401 && (await who(second)) === 401);
      expect(await list(SESSIONS)).toEqual([]);
    });

    test('sees who logged in, and who tried without success', async () => {
      await login('bob');
      const old = { id: 'old', at: '2026-01-01T00:00:00Z', user_name: 'bob', result: 'ok', address: '', device: '' };
      await store.logins.add(old);
      await login('bob', 'wrong');
      // A failure also ends what is older than 30 days: nobody may log in for long.
      expect(await list('/catalogue/logins?id=eq.old')).toEqual([]);
      await login('s3cret typed as a name', 'wrong');
      await as('admin', '/catalogue/users/bob', sendJson('PATCH', { disabled: true }));
      await login('bob');
      const logins = await list('/catalogue/logins?select=user_name,result,address,device&order=at.desc&limit=4');
      const from = { address: '198.51.100.7', device: DEVICE };
      expect(logins).toEqual([
        { user_name: 'bob', result: 'disabled', ...from },
        { user_name: null, result: 'unknown_user', ...from },
        { user_name: 'bob', result: 'wrong_password', ...from },
        { user_name: 'bob', result: 'ok', ...from },
      ]);
      expect(JSON.stringify(await list('/catalogue/logins'))).not.toContain('s3cret');
    });

    test('gets a clear error for a session that does not exist, and for a write without a filter', async () => {
      const remove = (path: string, headers = {}) => as('admin', `${SESSIONS}${path}`, { method: 'DELETE', headers });
      await expectRefusal(await remove('/unknown'), 404, 'CAT404');
      await expectRefusal(await remove(''), 400, '21000');
      for (const other of ['limit=1', 'offset=1', 'order=at', 'select=hash']) {
        await expectRefusal(await remove(`?user_name=eq.ann&${other}`), 400, 'PGRST127');
      }
      await expectRefusal(await remove('?nothing=eq.1'), 400, '42703');
      await expectRefusal(await remove('?stamp=not.is.null'), 400, '42703');
      await expectRefusal(await remove('?user_name=eq.ann', { prefer: 'tx=rollback' }), 400, 'PGRST127');
      await expectRefusal(await as('admin', '/catalogue/logins?select=nothing'), 400, '42703');
      await expectRefusal(await as('admin', '/catalogue/logins', sendJson('POST', {})), 405, 'PGRST117');
    });

    test('alone sees them', async () => {
      for (const path of [SESSIONS, `${SESSIONS}/x`, '/catalogue/logins', '/catalogue/keys']) {
        expect((await as('support', path)).status).toBe(404);
        expect((await fetch(path)).status).not.toBe(200);
      }
    });
  });
}
