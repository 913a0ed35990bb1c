/** Users, their passwords and their sessions, on every engine. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import type { StoredUser } from '../../src/auth/store.ts';
import { addUser, changeUser, removeUser } from '../../src/auth/users.ts';
import { TrustedProxies } from '../../src/http/edge/proxies.ts';
import { callOf } from '../support/call.ts';
import { newName, openWithAccess, RIGHTS, type WithAccess } from '../support/engines/access.ts';
import { until } from '../support/processes/process.ts';
import { expectRefusal, sendJson } from '../support/stories.ts';

const PASSWORD = 'correct horse battery';
const SAME = { origin: 'http://catalogue', host: 'catalogue' };

for (const engine of ['SQLite', 'PostgreSQL']) {
  describe(`users on ${engine}`, () => {
    let service: WithAccess;
    beforeAll(async () => {
      service = await openWithAccess(engine);
    });
    afterAll(() => service.close());

    /** For stories about headers, which do not depend on the engine. */
    const testOnce: (title: string, story: () => Promise<void>) => void = engine === 'SQLite' ? test : () => {};

    const addPerson = async (more: Partial<Parameters<typeof addUser>[1]> = {}) => {
      const name = newName('ann');
      await addUser(service.store, { name, role: 'editor', claims: {}, password: PASSWORD, ...more });
      return name;
    };
    const login = (name: string, password = PASSWORD, headers: Record<string, string> = {}, at = service) =>
      at.fetch('/auth/login', sendJson('POST', { name, password }, headers));
    const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';', 1)[0]!;
    const loggedIn = async (name: string, headers: Record<string, string> = {}) => {
      const response = await login(name, PASSWORD, headers);
      expect(response.status).toBe(200);
      return cookieOf(response);
    };
    const post = (path: string, cookie: string, body?: unknown, headers: Record<string, string> = SAME) =>
      service.fetch(path, sendJson('POST', body ?? {}, { cookie, ...headers }));

    test('log in and get a cookie that scripts cannot read and other sites cannot send', async () => {
      const name = await addPerson({ claims: { region: 'north' } });
      const response = await login(name);
      const cookie = response.headers.get('set-cookie')!;
      expect(cookie).toMatch(/^catalogue_session=[\w-]{43}; Path=\/; Max-Age=129600; HttpOnly; SameSite=Strict$/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({
        by: 'session',
        role: 'editor',
        name,
        rights: RIGHTS,
        expires_at: expect.any(String),
      });
      expect(await (await service.whoIs({ cookie: cookieOf(response) })).json()).toEqual({
        by: 'session',
        role: 'editor',
        name,
        rights: RIGHTS,
      });
      const caller = await service.access.identify(
        callOf(new Request('http://catalogue/', { headers: { cookie: cookieOf(response) } })),
      );
      expect(caller).toEqual({
        role: 'editor',
        name,
        identity: `user ${name}`,
        claims: { region: 'north', sub: name, role: 'editor' },
      });
    });

    test('can change a password only with a session, from a page of this host', async () => {
      const name = await addPerson();
      const cookie = await loggedIn(name);
      const body = { current: PASSWORD, password: 'another horse battery' };
      await expectRefusal(await post('/auth/password', cookie, body, { origin: 'http://evil.example' }), 403, 'CAT403');
      const unknown = `catalogue_session=${'a'.repeat(43)}`;
      await expectRefusal(await post('/auth/password', unknown, body), 401, 'CAT401');
      await expectRefusal(
        await post('/auth/password', unknown, body, { ...SAME, authorization: 'Bearer x.y.z' }),
        401,
        'CAT401',
      );
      expect((await login(name)).status).toBe(200);
    });

    test('get the usual error for a name or a password that cannot exist', async () => {
      for (const [name, password] of [
        ['a\0b', 'x'],
        ['n'.repeat(101), 'x'],
        [await addPerson(), 'x'.repeat(2_000)],
      ] as const) {
        await expectRefusal(await login(name, password), 401, 'CAT401');
      }
    });

    testOnce('get a cookie with the path of the service, and for TLS only if they use TLS', async () => {
      const name = await addPerson();
      const secure = await login(name, PASSWORD, { 'x-forwarded-proto': 'https' });
      expect(secure.headers.get('set-cookie')).toMatch(/^__Host-catalogue_session=[\w-]{43}; Path=\/; .*; Secure$/);
      expect((await service.whoIs({ cookie: cookieOf(secure) })).status).toBe(200);
      const below = await login(name, PASSWORD, { 'x-forwarded-prefix': '/shop', 'x-forwarded-proto': 'https' });
      expect(below.headers.get('set-cookie')).toMatch(
        /^__Secure-catalogue_session=[\w-]{43}; Path=\/shop; .*; Secure$/,
      );
    });

    testOnce('over TLS get no session from a cookie that could have been set without TLS', async () => {
      const name = await addPerson();
      const https = { 'x-forwarded-proto': 'https' };
      const below = { ...https, 'x-forwarded-prefix': '/shop' };
      const roleOf = async (headers: Record<string, string>) =>
        ((await (await service.whoIs(headers)).json()) as { role: string }).role;
      const plain = await loggedIn(name);
      const [secure, prefixed] = [await loggedIn(name, https), await loggedIn(name, below)];
      for (const tls of [https, { 'test-tls': 'yes' }]) {
        expect(await roleOf({ cookie: secure, ...tls })).toBe('editor');
        expect(await roleOf({ cookie: plain, ...tls })).toBe('anonymous');
        expect(await roleOf({ cookie: prefixed, ...tls })).toBe('anonymous');
        expect(await roleOf({ cookie: `${plain}; ${secure}`, ...tls })).toBe('editor');
      }
      expect(await roleOf({ cookie: prefixed, ...below })).toBe('editor');
      expect(await roleOf({ cookie: secure, ...below })).toBe('editor');
      expect(await roleOf({ cookie: plain, ...below })).toBe('anonymous');
      expect(await roleOf({ cookie: plain })).toBe('editor');
      expect(await roleOf({ cookie: secure })).toBe('anonymous');
      // The cookie of an expired session is deleted under its own name.
      const ended = await service.whoIs({ ...https, cookie: `__Host-catalogue_session=${'e'.repeat(43)}` });
      expect(ended.headers.get('set-cookie')).toStartWith('__Host-catalogue_session=; Path=/; Max-Age=0;');
    });

    testOnce('count as TLS clients only if a trusted proxy says so', async () => {
      const name = await addPerson();
      const alone = service.another({ proxies: new TrustedProxies([]) });
      const told = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' };
      const response = await login(name, PASSWORD, told, alone);
      expect(response.headers.get('set-cookie')).toMatch(/^catalogue_session=[^;]+; Path=\/; .*SameSite=Strict$/);
      const cookie = cookieOf(response);
      const logout = (headers: Record<string, string>) =>
        alone.fetch('/auth/logout', sendJson('POST', {}, { cookie, host: 'catalogue', ...headers }));
      await expectRefusal(await logout({ ...told, origin: 'http://shop.example' }), 403, 'CAT403');
      expect((await logout({ ...told, origin: 'http://catalogue' })).status).toBe(204);
    });

    test('get the same error whether the name or the password is wrong', async () => {
      const name = await addPerson();
      const [wrong, nobody] = [await login(name, 'wrong horse battery'), await login(newName('nobody'))];
      const problem = await expectRefusal(wrong, 401, 'CAT401');
      expect(problem.message).toBe('The name or the password is wrong');
      expect(await expectRefusal(nobody, 401, 'CAT401')).toEqual(problem);
      expect([...wrong.headers]).toEqual([...nobody.headers]);
      expect(wrong.headers.has('set-cookie')).toBe(false);
    });

    test('a system clock that is set back makes no pause longer', async () => {
      const name = await addPerson();
      try {
        await Promise.all(Array.from({ length: 12 }, () => login(name, 'guessed it?')));
        setSystemTime(new Date(Date.now() - 3_600_000));
        const answer = await login(name, 'guessed it?');
        // On a slow machine the pause of a second is over by now.
        expect([401, 429]).toContain(answer.status);
        expect(Number(answer.headers.get('retry-after') ?? 0)).toBeLessThan(60);
      } finally {
        setSystemTime();
      }
    });

    test('who guess have to wait, but the right password from another address does not', async () => {
      const name = await addPerson();
      const answers = await Promise.all(Array.from({ length: 12 }, () => login(name, 'guessed it?')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
      const tooSoon = answers.find(({ status }) => status === 429)!;
      expect(Number(tooSoon.headers.get('retry-after'))).toBeGreaterThan(0);
      await expectRefusal(tooSoon, 429, 'CAT429');
      expect((await login(name, PASSWORD, { 'test-address': '192.0.2.77' })).status).toBe(200);
      await until('the pause to end', async () => (await login(name)).status === 200);
    });

    testOnce('who send anything other than a name and a password get an error that says what to send', async () => {
      const bodies = [
        '',
        '{',
        '[]',
        'null',
        '{"name":"a"}',
        '{"name":1,"password":"x"}',
        '{"name":"a","password":["x"]}',
      ];
      for (const body of bodies) {
        const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
        await expectRefusal(await service.fetch('/auth/login', init), 400, 'PGRST102');
      }
      const form = {
        method: 'POST',
        body: 'name=ann&password=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
      await expectRefusal(await service.fetch('/auth/login', form), 400, 'PGRST102');
      await expectRefusal(await login('a', 'x'.repeat(100_000)), 413, 'CAT413');
      await expectRefusal(await login(newName('long'), 'x'.repeat(10_000)), 401, 'CAT401');
      await expectRefusal(await service.fetch('/auth/login'), 405, 'PGRST117');
      await expectRefusal(await service.fetch('/auth/session', { method: 'POST' }), 405, 'PGRST117');
    });

    test('get a new session at each login, so a planted session is not adopted', async () => {
      const name = await addPerson();
      const planted = `catalogue_session=${'P'.repeat(43)}`;
      const first = await loggedIn(name, { cookie: planted });
      expect(first).not.toBe(planted);
      await expectRefusal(await service.whoIs({ cookie: planted }), 401, 'CAT401');
      const second = await loggedIn(name, { cookie: first });
      expect(second).not.toBe(first);
      await expectRefusal(await service.whoIs({ cookie: first }), 401, 'CAT401');
      expect((await service.whoIs({ cookie: second })).status).toBe(200);
    });

    test('log out, which ends the session and deletes the cookie', async () => {
      const cookie = await loggedIn(await addPerson());
      const response = await post('/auth/logout', cookie);
      expect(response.status).toBe(204);
      expect(response.headers.get('set-cookie')).toStartWith('catalogue_session=; Path=/; Max-Age=0;');
      const ended = await service.whoIs({ cookie });
      expect(ended.headers.get('set-cookie')).toStartWith('catalogue_session=; Path=/; Max-Age=0;');
      await expectRefusal(ended, 401, 'CAT401');
      expect((await post('/auth/logout', cookie)).status).toBe(204);
      expect((await service.fetch('/auth/logout', { method: 'POST' })).status).toBe(204);
    });

    test('change their password, which ends all other sessions', async () => {
      const name = await addPerson();
      const [here, elsewhere] = [await loggedIn(name), await loggedIn(name)];
      const next = 'another horse battery';
      await expectRefusal(
        await post('/auth/password', here, { current: 'wrong horse', password: next }),
        401,
        'CAT401',
      );
      await expectRefusal(
        await post('/auth/password', here, { current: PASSWORD, password: 'short' }),
        400,
        'PGRST102',
      );
      const changed = await post('/auth/password', here, { current: PASSWORD, password: next });
      expect(changed.status).toBe(200);
      for (const cookie of [here, elsewhere]) {
        await until('the session to end', async () => (await service.whoIs({ cookie })).status === 401);
      }
      expect((await service.whoIs({ cookie: cookieOf(changed) })).status).toBe(200);
      await expectRefusal(await login(name), 401, 'CAT401');
      expect((await login(name, next)).status).toBe(200);
      await expectRefusal(await service.fetch('/auth/password', sendJson('POST', {})), 401, 'PGRST302');
    });

    test('get no session by a new password if they are disabled meanwhile', async () => {
      const [name, other] = [await addPerson(), await addPerson()];
      const cookie = await loggedIn(name);
      // Their passwords are hashed before that of the request, which has read the user by then.
      const from = { ...SAME, 'test-address': '203.0.113.9' };
      const logins = Array.from({ length: 4 }, () => login(other, PASSWORD, from));
      const body = { current: PASSWORD, password: 'another horse battery' };
      const changing = post('/auth/password', cookie, body, from);
      await Bun.sleep(20);
      await changeUser(service.store, name, { disabled: true });
      await expectRefusal(await changing, 401, 'CAT401');
      await Promise.all(logins);
      await changeUser(service.store, name, { disabled: false });
      expect((await login(name, PASSWORD, from)).status).toBe(200);
    });

    test('keep both of two changes at the same time', async () => {
      const name = await addPerson({ claims: { region: 'north' } });
      const changed = [{ claims: { region: 'south' } }, { disabled: true }, { role: 'viewer' }].map((changes) =>
        changeUser(service.store, name, changes),
      );
      expect(await Promise.all(changed)).toEqual([true, true, true]);
      const { claims, role } = (await service.store.users.find(name))!;
      expect({ claims, role }).toEqual({ claims: { region: 'south', disabled: true }, role: 'viewer' });
    });

    const CHANGES: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
      'given another role': (name) => changeUser(service.store, name, { role: 'viewer' }),
      'given another password': (name) => changeUser(service.store, name, { password: 'forgotten before' }),
      removed: (name) => removeUser(service.store, name),
      'removed and added again': async (name) => {
        const before = (await service.store.users.find(name)) as StoredUser;
        await removeUser(service.store, name);
        await addUser(service.store, { ...before, password: PASSWORD });
      },
    };
    test(`who are ${Object.keys(CHANGES).join(', or ')}, are logged out, in every process`, async () => {
      const second = service.another();
      const cookies = await Promise.all(
        Object.values(CHANGES).map(async (carryOut) => {
          const name = await addPerson();
          const cookie = await loggedIn(name);
          for (const each of [service, second]) expect((await each.whoIs({ cookie })).status).toBe(200);
          await carryOut(name);
          return cookie;
        }),
      );
      for (const cookie of cookies) {
        for (const each of [service, second]) {
          await until('the session to end', async () => (await each.whoIs({ cookie })).status === 401);
        }
      }
    });

    testOnce('cannot be made to write by a page of another site', async () => {
      const cookie = await loggedIn(await addPerson());
      const write = (headers: Record<string, string>) =>
        Promise.try(() =>
          service.access.identify(
            callOf(new Request('http://catalogue/products', { method: 'POST', headers: { cookie, ...headers } })),
          ),
        );
      for (const headers of FOREIGN) {
        expect(await write(headers).catch((error) => error)).toMatchObject({ code: 'CAT403', status: 403 });
        await expectRefusal(await post('/auth/logout', cookie, {}, headers), 403, 'CAT403');
        await expectRefusal(
          await post('/auth/password', cookie, { current: PASSWORD, password: 'x' }, headers),
          403,
          'CAT403',
        );
      }
      expect(await write(SAME)).toMatchObject({ role: 'editor' });
      expect(
        await write({ host: 'inside:3000', origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }),
      ).toMatchObject({ role: 'editor' });
      const https = { host: 'catalogue', 'x-forwarded-proto': 'https' };
      const secure = await loggedIn(await addPerson(), https);
      // An attacker on the network can change a page that comes over HTTP, so its origin is not trusted.
      for (const tls of [https, { host: 'catalogue', 'test-tls': 'yes' }]) {
        const logout = (origin: string) => post('/auth/logout', secure, {}, { ...tls, origin });
        await expectRefusal(await logout('http://catalogue'), 403, 'CAT403');
        expect((await logout('https://catalogue')).status).toBe(204);
      }
      // A proxy need not report that its client uses TLS.
      expect(await write({ host: 'catalogue', origin: 'https://catalogue' })).toMatchObject({ role: 'editor' });
      // Reads need no origin check, because a page of another site cannot see the response.
      expect((await service.whoIs({ cookie })).status).toBe(200);
    });

    testOnce('cannot be logged in by a page of another site', async () => {
      const name = await addPerson();
      for (const headers of FOREIGN.filter((each) => 'origin' in each || 'sec-fetch-site' in each)) {
        await expectRefusal(await login(name, PASSWORD, headers), 403, 'CAT403');
      }
      expect((await login(name, PASSWORD, SAME)).status).toBe(200);
    });
  });
}

const FOREIGN: readonly Record<string, string>[] = [
  { host: 'catalogue' },
  { host: 'catalogue', origin: 'https://evil.example' },
  { host: 'catalogue', origin: 'http://catalogue.evil.example' },
  { host: 'catalogue', origin: 'http://catalogue:8080' },
  { host: 'catalogue', origin: 'null' },
  { host: 'catalogue', origin: 'nonsense' },
  { host: 'catalogue', origin: 'http://catalogue', 'sec-fetch-site': 'cross-site' },
  { host: 'catalogue', origin: 'http://catalogue', 'sec-fetch-site': 'same-site' },
];

test('a user logs in on a large file, where other texts have a search index', async () => {
  const service = await openWithAccess('SQLite with large tables');
  const name = newName('ann');
  await addUser(service.store, { name, role: 'editor', claims: {}, password: PASSWORD });
  const response = await service.fetch('/auth/login', sendJson('POST', { name, password: PASSWORD }));
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(name)]);
  await service.close();
});
