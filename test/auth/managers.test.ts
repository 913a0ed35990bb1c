/** A role that manages the users of some roles, and no others; names of users compare without case. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/app.ts';
import { openAuthentication } from '../../src/auth/access.ts';
import { addKey } from '../../src/auth/keys.ts';
import { CredentialStore } from '../../src/auth/store.ts';
import { addUser } from '../../src/auth/users.ts';
import { parseDeclaration } from '../../src/declare/read.ts';
import { TrustedProxies } from '../../src/http/edge/proxies.ts';
import { SERVE_SETTINGS } from '../../src/settings/by-command.ts';
import { bearer, newName } from '../support/engines/access.ts';
import { type Opened, PLACES } from '../support/engines/declared.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { readSettings } from '../support/settings.ts';
import { expectRefusal, sendJson } from '../support/stories.ts';

const COLLECTIONS = 'collections:\n  products: { fields: { id: int4 } }\n';
const DECLARATION = `${COLLECTIONS}roles:
  anonymous: { products: { read: true } }
  customer: { products: { read: true } }
  guest: { products: { read: true } }
  support: { products: { read: true }, users: { manage: [customer, guest] } }
  lead: { include: [support] }
  admin: all
`;
const PASSWORD = 'correct horse battery';
const USERS = '/catalogue/users';

for (const [engineName, newPlace] of Object.entries(PLACES)) {
  describe(`a role that manages users on ${engineName}`, () => {
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
      const proxies = new TrustedProxies([]);
      const access = openAuthentication({ engine, settings, catalogue, verifier: undefined, proxies });
      const { identify, pages, resources } = access;
      const limits = { maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false };
      const app = createApp({ catalogue, engine, identify, pages, resources, ...limits });
      store = new CredentialStore(engine);
      for (const role of ['customer', 'support', 'lead', 'admin']) {
        keys[role] = await addKey(store, { name: role, role, claims: {} });
      }
      fetch = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
    });
    afterAll(() => stored.close());

    const as = (role: string, path: string, init: RequestInit = {}) =>
      fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...bearer(keys[role]!) } });
    const login = (name: string, password = PASSWORD) => fetch('/auth/login', sendJson('POST', { name, password }));
    const add = async (role: string, name = newName('ann')) => {
      await addUser(store, { name, role, claims: { customer_id: 7 }, password: PASSWORD });
      return name;
    };
    const names = async (role: string) =>
      ((await (await as(role, `${USERS}?select=name,role`)).json()) as { name: string; role: string }[]).map(
        (user) => user.name,
      );

    test('it creates, lists, disables, enables and removes users of these roles, and sets their passwords', async () => {
      const name = newName('bob');
      const created = await as('support', USERS, sendJson('POST', { name, role: 'customer', password: PASSWORD }));
      expect(created.status).toBe(201);
      expect((await login(name)).status).toBe(200);
      expect(await names('support')).toContain(name);
      expect(await names('lead')).toContain(name);
      const change = (body: object) => as('support', `${USERS}/${name}`, sendJson('PATCH', body));
      const cookie = (await login(name)).headers.get('set-cookie')!.split(';', 1)[0]!;
      expect((await change({ disabled: true })).status).toBe(204);
      await expectRefusal(await login(name), 401, 'CAT401');
      expect(await (await fetch('/auth/session', { headers: { cookie } })).text()).toContain('CAT401');
      // New claims do not enable the user.
      expect((await change({ claims: { customer_id: 8 } })).status).toBe(204);
      await expectRefusal(await login(name), 401, 'CAT401');
      expect((await change({ disabled: false, password: `${PASSWORD} 2` })).status).toBe(204);
      expect((await login(name, `${PASSWORD} 2`)).status).toBe(200);
      expect((await change({ role: 'guest' })).status).toBe(204);
      expect((await as('support', `${USERS}/${name}`, { method: 'DELETE' })).status).toBe(204);
      await expectRefusal(await login(name, `${PASSWORD} 2`), 401, 'CAT401');
    });

    test('it neither sees nor changes other users, and nobody gets another role by it', async () => {
      const other = await add('admin');
      const own = await add('customer');
      expect(await names('support')).not.toContain(other);
      expect(await names('admin')).toContain(other);
      expect(await (await as('support', `${USERS}?role=eq.admin`)).json()).toEqual([]);
      expect(await (await as('support', `${USERS}?or=(role.eq.admin,role.eq.support)`)).json()).toEqual([]);
      const patch = (name: string, body: object) => as('support', `${USERS}/${name}`, sendJson('PATCH', body));
      await expectRefusal(await patch(other, { password: 'another password' }), 404, 'CAT404');
      await expectRefusal(await patch(other, { role: 'customer' }), 404, 'CAT404');
      await expectRefusal(await as('support', `${USERS}/${other}`, { method: 'DELETE' }), 404, 'CAT404');
      for (const role of ['admin', 'support', 'lead']) {
        await expectRefusal(await patch(own, { role }), 403, '42501');
        const body = { name: newName('eve'), role, password: PASSWORD };
        await expectRefusal(await as('support', USERS, sendJson('POST', body)), 403, '42501');
      }
      expect((await login(other)).status).toBe(200);
      expect((await login(own)).status).toBe(200);
    });

    test('login and session report the roles whose users it manages, and all roles to an administrator', async () => {
      const name = await add('lead');
      const { rights } = (await (await login(name)).json()) as { rights: object };
      const fields = { create: [], update: [], delete: [] };
      expect(rights).toEqual({
        products: { ...fields, read: ['id'] },
        users: { ...fields, read: [], manage: ['customer', 'guest'] },
      });
      const managedBy = async (init: RequestInit = {}) => {
        const caller = (await (await fetch('/auth/session', init)).json()) as {
          rights: { users?: { manage: string[] } };
        };
        return caller.rights.users?.manage;
      };
      const byKey = (role: string) => managedBy({ headers: bearer(keys[role]!) });
      expect(await byKey('support')).toEqual(['customer', 'guest']);
      expect(await byKey('admin')).toEqual(['anonymous', 'customer', 'guest', 'support', 'lead', 'admin']);
      expect(await byKey('customer')).toBeUndefined();
      expect(await managedBy()).toBeUndefined();
    });

    test('keys, roles and the declaration stay for administrators, and users for managers', async () => {
      for (const path of ['/catalogue/keys', '/catalogue/roles']) {
        const { hint } = await expectRefusal(await as('support', path), 404, 'PGRST205');
        expect(hint).toBe('Available: /catalogue/users.');
      }
      expect((await as('customer', USERS)).status).toBe(404);
      expect((await fetch(USERS)).status).toBe(404);
    });

    test('the claim disabled changes nothing, so it is rejected', async () => {
      const name = await add('customer');
      const change = (body: object) => as('support', `${USERS}/${name}`, sendJson('PATCH', body));
      const shown = async () => {
        const query = `name=ilike.${name.toUpperCase()}&select=claims,disabled:claims->disabled`;
        return (await (await as('support', `${USERS}?${query}`)).json()) as unknown;
      };
      for (const disabled of [true, 'x', 1]) {
        const { hint } = await expectRefusal(await change({ claims: { disabled } }), 400, '23514');
        expect(hint).toBe('Send {"disabled": true} or {"disabled": false} beside the claims.');
      }
      expect(await shown()).toEqual([{ claims: { customer_id: 7 }, disabled: null }]);
      expect((await change({ disabled: true })).status).toBe(204);
      await expectRefusal(await change({ claims: { disabled: false, customer_id: 2 } }), 400, '23514');
      expect(await shown()).toEqual([{ claims: { customer_id: 7, disabled: true }, disabled: true }]);
      // The claims as the list shows them, and a claim beside the member that has the effect.
      expect((await change({ claims: { customer_id: 3, disabled: true } })).status).toBe(204);
      expect((await change({ claims: { disabled: true }, disabled: false })).status).toBe(204);
      expect(await shown()).toEqual([{ claims: {}, disabled: null }]);
    });

    test('names of users compare without case', async () => {
      const name = newName('Zoë%_\\');
      await add('customer', name);
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
        const session = (await (await login(spelling)).json()) as { name: string };
        expect(session.name).toBe(name);
      }
      await expectRefusal(await login(name.replaceAll('%', 'x')), 401, 'CAT401');
      const again = { name: name.toUpperCase(), role: 'customer', password: PASSWORD };
      await expectRefusal(await as('support', USERS, sendJson('POST', again)), 409, '23505');
      const path = `${USERS}/${encodeURIComponent(name.toLowerCase())}`;
      expect((await as('support', path, sendJson('PATCH', { disabled: true }))).status).toBe(204);
      await expectRefusal(await login(name), 401, 'CAT401');
    });

    test('of names from before that differ only by case, each needs its spelling', async () => {
      const name = newName('Pat');
      for (const each of [name, name.toLowerCase()]) {
        const user = { name: each, role: 'customer', claims: {}, stamp: each, created_at: new Date().toISOString() };
        await store.users.add({ ...user, password: await Bun.password.hash(PASSWORD) });
      }
      for (const each of [name, name.toLowerCase()]) {
        expect(((await (await login(each)).json()) as { name: string }).name).toBe(each);
      }
      await expectRefusal(await login(name.toUpperCase()), 401, 'CAT401');
    });

    test('two requests at once cannot add a name in two cases', async () => {
      const name = newName('Kim');
      const add = (each: string) =>
        as('support', USERS, sendJson('POST', { name: each, role: 'customer', password: PASSWORD }));
      await Promise.all([name, name.toLowerCase(), name.toUpperCase()].map(add));
      expect((await store.users.named(name)).length).toBeLessThan(2);
    });
  });
}

test('mistakes in manage are reported', () => {
  const mistakes = (roles: string) => {
    try {
      parseDeclaration(`${COLLECTIONS}roles:\n${roles}\n  customer: { products: { read: true } }\n`, 'c.yaml');
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(mistakes('  a: { users: { manage: [custmer] } }')).toContain('customer');
  expect(mistakes('  b: all\n  a: { users: { manage: [b] } }')).toContain('which has every right');
  expect(mistakes('  a: { products: { manage: [customer] } }')).toContain('manage is for users');
  expect(mistakes('  a: { users: { manage: [customer], read: true } }')).toContain('takes only manage');
  expect(mistakes('  anonymous: { users: { manage: [customer] } }')).toContain('without credentials');
  expect(mistakes('  a: { users: { manage: [customer] } }')).toBe('');
});
