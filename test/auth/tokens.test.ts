/** Tokens: valid ones, and the published ways to forge one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, generateSecret, type JWK, SignJWT } from 'jose';
import { openPublicKeys } from '../../src/auth/public-keys.ts';
import { MAX_CREDENTIAL_LENGTH } from '../../src/base/limits/auth.ts';
import { listen } from '../../src/serve/server.ts';
import { callOf } from '../support/call.ts';
import { bearer, openWithAccess, RIGHTS, SECRET, type WithAccess } from '../support/engines/access.ts';
import { statusesIn, talkTo } from '../support/network/socket.ts';
import { temporaryFolder } from '../support/processes/process.ts';
import { expectRefusal } from '../support/stories.ts';

const ENGINE = 'SQLite in memory';
const seconds = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const KEY = new TextEncoder().encode(SECRET);

function signed(claims: Record<string, unknown>, header: Record<string, unknown> = {}, key: Uint8Array = KEY) {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(key);
}

/** Signs a token without a library, and thus without its checks. */
function handmade(header: unknown, payload: unknown, key: string | Uint8Array = SECRET): string {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${new Bun.CryptoHasher('sha256', key).update(text).digest('base64url')}`;
}

describe('a token signed with a secret', () => {
  let service: WithAccess;
  beforeAll(async () => {
    service = await openWithAccess(ENGINE);
  });
  afterAll(() => service.close());

  const refused = async (token: string, code: string, message: string) => {
    const response = await service.whoIs(bearer(token));
    const challenge = `Bearer error="invalid_token", error_description="${message.replaceAll('"', '\\"')}"`;
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect((await expectRefusal(response, 401, code)).message).toBe(message);
  };

  test('has the role that it names, in Authorization or apikey', async () => {
    const token = await signed({ role: 'editor', sub: 'ann' });
    const who = { by: 'token', role: 'editor', name: 'ann', rights: RIGHTS };
    for (const headers of [bearer(token), { apikey: token }, { authorization: `bearer  ${token}` }]) {
      const response = await service.whoIs(headers);
      expect([response.status, await response.json()]).toEqual([200, who]);
    }
  });

  test('without a role is anonymous and keeps its claims', async () => {
    const caller = await service.access.identify(
      callOf(new Request('http://catalogue/products', { headers: bearer(await signed({ tenant: 7 })) })),
    );
    const claims = { tenant: 7, role: 'anonymous' };
    expect(caller).toEqual({ role: 'anonymous', claims, identity: expect.any(String) });
  });

  test('has a distinct identity for each subject and issuer of any length, and one of its own without a subject', async () => {
    const long = 'a'.repeat(300);
    const identities = [];
    for (const claims of [{ sub: `${long}X` }, { sub: `${long}Y` }, { sub: long, iss: 'b' }, { sub: long }, {}]) {
      const headers = bearer(await signed({ role: 'editor', ...claims }));
      const caller = await service.access.identify(callOf(new Request('http://catalogue/products', { headers })));
      identities.push(caller.identity);
    }
    expect(new Set(identities).size).toBe(5);
    expect(identities).not.toContain(undefined);
  });

  test('is logged by its subject, without terminal control characters', async () => {
    const token = await signed({ role: 'editor', sub: `ann\x1b[2J\n${'x'.repeat(500)}` });
    const { name } = (await (await service.whoIs(bearer(token))).json()) as { name: string };
    expect(name).toBe(`ann?[2J?${'x'.repeat(92)}`);
  });

  test('that was verified before is accepted from the cache', async () => {
    const headers = bearer(await signed({ role: 'viewer' }));
    const first = service.access.identify(callOf(new Request('http://catalogue/', { headers })));
    expect(first).toBeInstanceOf(Promise);
    const caller = await first;
    const known = service.access.identify(callOf(new Request('http://catalogue/', { headers })));
    expect(known).toBe(caller);
  });

  test('that has expired since it was verified is rejected', async () => {
    const headers = bearer(await signed({ role: 'viewer', exp: Date.now() / 1000 - 29.6 }));
    expect((await service.whoIs(headers)).status).toBe(200);
    for (const deadline = Date.now() + 150_000; (await service.whoIs(headers)).status === 200; await Bun.sleep(20)) {
      expect(Date.now()).toBeLessThan(deadline);
    }
    await expectRefusal(await service.whoIs(headers), 401, 'PGRST303');
  });

  test('is valid with 30 s of leeway', async () => {
    for (const claims of [{ exp: seconds() - 20 }, { nbf: seconds() + 20 }, { iat: seconds() + 20 }]) {
      expect((await service.whoIs(bearer(await signed({ role: 'editor', ...claims })))).status).toBe(200);
    }
  });

  const CLAIMS: Readonly<Record<string, [claims: Record<string, unknown>, message: string]>> = {
    'that has expired': [{ exp: seconds() - 40 }, 'JWT expired'],
    'that is not valid yet': [{ nbf: seconds() + 400 }, 'JWT not yet valid'],
    'of the future': [{ iat: seconds() + 400 }, 'JWT issued at future'],
    'whose exp is null': [{ exp: null }, "The JWT 'exp' claim must be a number"],
    'whose nbf is null': [{ nbf: null }, "The JWT 'nbf' claim must be a number"],
    'whose iat is null': [{ iat: null }, "The JWT 'iat' claim must be a number"],
    'whose exp is a text': [{ exp: '9999999999' }, "The JWT 'exp' claim must be a number"],
    'whose nbf is a text': [{ nbf: 'now' }, "The JWT 'nbf' claim must be a number"],
    'whose iat is a list': [{ iat: [1] }, "The JWT 'iat' claim must be a number"],
    'whose aud is a number': [{ aud: 5 }, "The JWT 'aud' claim must be a string or an array of strings"],
    'of a role that nobody declared': [{ role: 'owner' }, 'role "owner" does not exist'],
    'of a role with odd letters': [{ role: 'a"\\\r\n' }, 'role "a"\\\r\n" does not exist'],
    'whose role is a list': [{ role: ['editor'] }, 'The role in the JWT must be a string'],
  };
  for (const [name, [claims, message]] of Object.entries(CLAIMS)) {
    test(`${name} is rejected`, async () => {
      const response = await service.whoIs(bearer(await signed({ role: 'editor', ...claims })));
      expect((await expectRefusal(response, 401, 'PGRST303')).message).toBe(message);
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"');
    });
  }

  const EDITOR = { role: 'editor' };
  const right = handmade({ alg: 'HS256' }, EDITOR);
  const [head, body, signature] = right.split('.') as [string, string, string];

  test('made by hand is accepted, as a check of the forgeries below', async () => {
    expect((await service.whoIs(bearer(right))).status).toBe(200);
  });

  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    test(`with the algorithm "${alg}" is rejected, signed or not`, async () => {
      const unsigned = `${encoded({ alg })}.${body}.`;
      for (const token of [unsigned, `${unsigned}${signature}`, handmade({ alg, typ: 'JWT' }, EDITOR)]) {
        await expectRefusal(await service.whoIs(bearer(token)), 401, 'PGRST301');
      }
    });
  }

  test('with an algorithm other than HS256 is rejected, even with the right secret', async () => {
    for (const alg of ['HS384', 'HS512']) {
      await refused(await signed(EDITOR, { alg }), 'PGRST301', 'Wrong or unsupported encoding algorithm');
    }
    const { privateKey } = await generateKeyPair('RS256');
    const token = await new SignJWT(EDITOR).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    await refused(token, 'PGRST301', 'Wrong or unsupported encoding algorithm');
  });

  test('whose signature is stripped, truncated, changed or for other claims is rejected', async () => {
    const other = encoded({ role: 'owner' });
    const response = await service.whoIs(bearer(`${head}.${other}.${signature}`));
    expect(await response.json()).toMatchObject({
      hint: 'The token is signed with another key than that of --jwt-secret or --jwks.',
    });
    await refused(`${head}.${body}.`, 'PGRST301', 'JWT cryptographic operation failed');
    await refused(`${head}.${body}.${signature.slice(0, -4)}`, 'PGRST301', 'JWT cryptographic operation failed');
    await refused(`${head}.${other}.${signature}`, 'PGRST301', 'JWT cryptographic operation failed');
    await refused(`${head}.${body}.${encoded('x'.repeat(32))}`, 'PGRST301', 'JWT cryptographic operation failed');
    await refused(
      await signed(EDITOR, {}, new TextEncoder().encode(`${SECRET}.`)),
      'PGRST301',
      'JWT cryptographic operation failed',
    );
  });

  const FORMS: Readonly<Record<string, [token: string, message: string]>> = {
    'of one part': ['abc', 'Expected 3 parts in JWT; got 1'],
    'of two parts': [`${head}.${body}`, 'Expected 3 parts in JWT; got 2'],
    'of five parts, as an encrypted one has': [`${right}.a.b`, 'Expected 3 parts in JWT; got 5'],
    'of nothing but dots': ['..', "JWT couldn't be decoded"],
    'whose header is not JSON': [`${encoded('{')}.${body}.${signature}`, "JWT couldn't be decoded"],
    'whose header is a list': [handmade(['HS256'], EDITOR), "JWT couldn't be decoded"],
    'without an algorithm': [handmade({ typ: 'JWT' }, EDITOR), "JWT couldn't be decoded"],
    'that demands an extension (crit)': [
      handmade({ alg: 'HS256', crit: ['exp'], exp: 1 }, EDITOR),
      'The JWT demands extensions (crit) that are not supported',
    ],
    'that names a known extension (b64)': [
      handmade({ alg: 'HS256', crit: ['b64'], b64: true }, EDITOR),
      'The JWT demands extensions (crit) that are not supported',
    ],
    'with an empty crit': [handmade({ alg: 'HS256', crit: [] }, EDITOR), "JWT couldn't be decoded"],
  };
  for (const [name, [token, message]] of Object.entries(FORMS)) {
    test(`${name} is rejected`, () => refused(token, 'PGRST301', message));
  }

  test('whose payload is not encoded (b64) is rejected', async () => {
    const header = encoded({ alg: 'HS256', b64: false, crit: ['b64'] });
    for (const payload of [body, 'eyJ9']) {
      const text = `${header}.${payload}`;
      const mac = new Bun.CryptoHasher('sha256', SECRET).update(text).digest('base64url');
      await expectRefusal(await service.whoIs(bearer(`${text}.${mac}`)), 401, 'PGRST301');
    }
  });

  for (const payload of ['no JSON', '[]', '"editor"', 'null', '7', '\xff', '{"role":"editor"']) {
    test(`whose payload is ${JSON.stringify(payload)} is rejected`, async () => {
      const bytes = Buffer.from(payload, 'latin1').toString('base64url');
      const text = `${head}.${bytes}`;
      const mac = new Bun.CryptoHasher('sha256', SECRET).update(text).digest('base64url');
      await refused(`${text}.${mac}`, 'PGRST303', 'Parsing claims failed');
    });
  }

  for (const kid of ['../../../../../dev/null', "' or '1'='1", '| id', 'a'.repeat(2_000)]) {
    test(`whose key id is ${kid.slice(0, 30)} is verified only with the secret`, async () => {
      expect((await service.whoIs(bearer(handmade({ alg: 'HS256', kid }, EDITOR)))).status).toBe(200);
      await refused(
        handmade({ alg: 'HS256', kid }, EDITOR, new Uint8Array()),
        'PGRST301',
        'JWT cryptographic operation failed',
      );
      await refused(handmade({ alg: 'HS256', kid }, EDITOR, '\0'), 'PGRST301', 'JWT cryptographic operation failed');
    });
  }

  test('that is huge is rejected before any other check', async () => {
    const message = `A token or key has at most ${MAX_CREDENTIAL_LENGTH} characters`;
    await refused(handmade({ alg: 'HS256' }, { role: 'editor', more: 'x'.repeat(8_000) }), 'PGRST301', message);
    await expectRefusal(await service.whoIs({ apikey: 'x'.repeat(100_000) }), 401, 'PGRST301');
  });

  test('is rejected with another scheme, or if it is sent twice', async () => {
    const odd = [
      'Basic YW5uOnNlY3JldA==',
      `Token ${right}`,
      right,
      `Bearer ${right} ${right}`,
      `Bearer ${right}, Bearer ${right}`,
    ];
    for (const authorization of odd) {
      const { message } = await expectRefusal(await service.whoIs({ authorization }), 401, 'PGRST301');
      expect(message).toBe('The Authorization header cannot be read');
    }
    const { message } = await expectRefusal(await service.whoIs({ authorization: 'Bearer' }), 401, 'PGRST301');
    expect(message).toBe('Empty JWT is sent in Authorization header');
  });

  test('is not repeated in the error message', async () => {
    const response = await service.whoIs({ authorization: 'Digest username="mallory", response="hunter2"' });
    expect(`${JSON.stringify([...response.headers])}${await response.text()}`).not.toMatch(/hunter2|mallory/);
  });

  test('is rejected if one of two Authorization headers is wrong', async () => {
    const listening = listen(({ headers }) => service.fetch('/auth/session', { headers }), {
      host: '127.0.0.1',
      port: 0,
    });
    const asked = async (...tokens: string[]) => {
      const talk = await talkTo(Number(new URL(listening.url).port));
      const headers = tokens.map((each) => `Authorization: Bearer ${each}\r\n`).join('');
      talk.send(`GET /auth/session HTTP/1.1\r\nHost: catalogue\r\n${headers}Connection: close\r\n\r\n`);
      return statusesIn(await talk.until('an answer', (received) => received.includes('\r\n\r\n')));
    };
    expect(await asked(right)).toEqual([200]);
    expect(await asked('forged', right)).toEqual([401]);
    expect(await asked(right, 'forged')).toEqual([401]);
    await listening.stop(0);
  });
});

describe('the token settings', () => {
  test('define the required audience and issuer', async () => {
    const service = await openWithAccess(ENGINE, {
      settings: ['--jwt-audience', 'shop', '--jwt-issuer', 'https://id.example'],
    });
    const who = async (claims: Record<string, unknown>) =>
      service.whoIs(bearer(await signed({ role: 'editor', ...claims })));
    const iss = 'https://id.example';
    for (const aud of ['shop', ['other', 'shop']]) expect((await who({ aud, iss })).status).toBe(200);
    for (const aud of [undefined, 'other', [], ['shop '], null]) {
      expect((await expectRefusal(await who({ aud, iss }), 401, 'PGRST303')).message).toBe('JWT not in audience');
    }
    for (const other of [undefined, 'https://id.example/', [iss], 7]) {
      const { message } = await expectRefusal(await who({ aud: 'shop', iss: other }), 401, 'PGRST303');
      expect(message).toBe('JWT of another issuer');
    }
  });

  test('define the claim that holds the role', async () => {
    const paths: Readonly<Record<string, Record<string, unknown>>> = {
      '.app_metadata.role': { app_metadata: { role: 'editor' } },
      '."https://example.com/roles"[1]': { 'https://example.com/roles': ['viewer', 'editor'] },
      '.a."b\\"c"': { a: { 'b"c': 'editor' } },
    };
    for (const [path, claims] of Object.entries(paths)) {
      const service = await openWithAccess(ENGINE, { settings: ['--jwt-role-claim', path] });
      expect(await (await service.whoIs(bearer(await signed({ role: 'viewer', ...claims })))).json()).toMatchObject({
        role: 'editor',
      });
      expect(await (await service.whoIs(bearer(await signed({ role: 'viewer' })))).json()).toMatchObject({
        role: 'anonymous',
      });
    }
    const odd = await openWithAccess(ENGINE, { settings: ['--jwt-role-claim', '.constructor.name'] });
    expect(await (await odd.whoIs(bearer(await signed({})))).json()).toMatchObject({ role: 'anonymous' });
  });

  test('without a secret or public keys reject every token; without anonymous they reject requests without credentials', async () => {
    const service = await openWithAccess(ENGINE, { verifier: undefined, roles: ['editor'] });
    for (const text of [await signed({ role: 'editor' }), 'nonsense']) {
      const { hint } = await expectRefusal(await service.whoIs(bearer(text)), 401, 'PGRST300');
      expect(hint).toStartWith('Set --jwt-secret or --jwks to accept tokens');
    }
    expect(await (await service.whoIs({})).json()).toEqual({ by: 'nothing', role: null, name: null, rights: null });
    expect(() => service.access.identify(callOf(new Request('http://catalogue/products')))).toThrow(
      'Anonymous access is disabled',
    );
    const withSecret = await openWithAccess(ENGINE, { roles: ['editor'] });
    await expectRefusal(await withSecret.whoIs(bearer(await signed({ tenant: 7 }))), 401, 'PGRST302');
  });
});

describe('a token verified with public keys', () => {
  let rsa: { privateKey: CryptoKey; publicKey: CryptoKey };
  let ec: { privateKey: CryptoKey; publicKey: CryptoKey };
  let ed: { privateKey: CryptoKey; publicKey: CryptoKey };
  let wide: { privateKey: CryptoKey; publicKey: CryptoKey };
  let service: WithAccess;
  let jwks: { keys: JWK[] };
  let file: string;

  const made = (alg: string, key: CryptoKey, header: Record<string, unknown> = {}) =>
    new SignJWT({ role: 'editor' }).setProtectedHeader({ alg, ...header }).sign(key);
  const openWith = async (
    source: string,
    times = { cacheMaxAge: 600_000, cooldownDuration: 0, timeoutDuration: 500 },
  ) => openWithAccess(ENGINE, { verifier: await openPublicKeys(source, () => undefined, times) });

  beforeAll(async () => {
    [rsa, ec, ed, wide] = await Promise.all([
      generateKeyPair('RS256', { extractable: true }),
      generateKeyPair('ES256', { extractable: true }),
      generateKeyPair('EdDSA', { extractable: true }),
      generateKeyPair('ES384', { extractable: true }),
    ]);
    const published = async (kid: string, key: CryptoKey) => ({ ...(await exportJWK(key)), kid });
    jwks = {
      keys: [
        await published('rsa', rsa.publicKey),
        // A private key and a secret published by mistake. The service uses only public keys.
        await published('ec', ec.privateKey),
        await published('ed', ed.publicKey),
        await published('wide', wide.publicKey),
        { kty: 'oct', kid: 'secret', k: encoded(SECRET), alg: 'HS256' },
      ],
    };
    file = `${temporaryFolder()}/jwks.json`;
    await Bun.write(file, JSON.stringify(jwks));
    service = await openWith(file);
  });
  afterAll(() => service.close());

  test('is accepted with RS256, ES256 and EdDSA, whether it names its key or not', async () => {
    for (const [alg, kid, key] of [
      ['RS256', 'rsa', rsa.privateKey],
      ['ES256', 'ec', ec.privateKey],
      ['EdDSA', 'ed', ed.privateKey],
    ] as const) {
      expect((await service.whoIs(bearer(await made(alg, key, { kid })))).status).toBe(200);
      expect((await service.whoIs(bearer(await made(alg, key)))).status).toBe(200);
    }
  });

  test('that is signed with a public key as an HMAC secret is rejected', async () => {
    const pem = await exportSPKI(rsa.publicKey);
    const jwk = jwks.keys[0]!;
    const secrets = [
      pem,
      pem.trim(),
      pem.replaceAll('\n', ''),
      jwk.n!,
      Buffer.from(jwk.n!, 'base64url'),
      JSON.stringify(jwk),
      SECRET,
    ];
    for (const secret of secrets) {
      for (const kid of [undefined, 'rsa', 'secret']) {
        const token = handmade({ alg: 'HS256', ...(kid === undefined ? {} : { kid }) }, { role: 'editor' }, secret);
        await expectRefusal(await service.whoIs(bearer(token)), 401, 'PGRST301');
      }
    }
  });

  test('with another curve, algorithm or key than it names is rejected', async () => {
    const other = await generateKeyPair('RS256');
    const pss = await generateKeyPair('PS256');
    const forged = [
      await made('ES384', wide.privateKey, { kid: 'wide' }),
      await made('PS256', pss.privateKey, { kid: 'rsa' }),
      await made('RS256', other.privateKey, { kid: 'rsa' }),
      await made('RS256', other.privateKey),
      await made('ES256', ec.privateKey, { kid: 'rsa' }),
      await made('RS256', rsa.privateKey, { kid: 'ec' }),
      await made('RS256', rsa.privateKey, { kid: 'unknown' }),
      // A signature of zeros, which some ECDSA implementations accepted.
      `${encoded({ alg: 'ES256', kid: 'ec' })}.${encoded({ role: 'editor' })}.${Buffer.alloc(64).toString('base64url')}`,
      `${encoded({ alg: 'none', kid: 'rsa' })}.${encoded({ role: 'editor' })}.`,
    ];
    for (const token of forged) await expectRefusal(await service.whoIs(bearer(token)), 401, 'PGRST301');
  });

  test('that contains its own key or a URL for one is rejected, and nothing is fetched', async () => {
    let fetched = 0;
    const mine = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(mine.publicKey)), kid: 'mine' };
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => {
        fetched++;
        return Response.json({ keys: [jwk] });
      },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    for (const header of [
      { jwk },
      { jku: url },
      { x5u: url },
      { jku: url, kid: 'mine' },
      { kid: url },
      { jwk, kid: 'rsa' },
      { x5c: ['MIIB'] },
    ]) {
      await expectRefusal(await service.whoIs(bearer(await made('RS256', mine.privateKey, header))), 401, 'PGRST301');
    }
    expect(fetched).toBe(0);
    await server.stop(true);
  });

  test('is accepted at once when its key appears at the URL, and rejected when the key is removed', async () => {
    let published: unknown = { keys: [jwks.keys[0]] };
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(published) });
    const remote = await openWith(`http://127.0.0.1:${server.port}/jwks.json`);
    const [old, fresh] = [
      await made('RS256', rsa.privateKey, { kid: 'rsa' }),
      await made('EdDSA', ed.privateKey, { kid: 'ed' }),
    ];
    expect((await remote.whoIs(bearer(old))).status).toBe(200);
    await expectRefusal(await remote.whoIs(bearer(fresh)), 401, 'PGRST301');
    published = { keys: [jwks.keys[2]] };
    expect((await remote.whoIs(bearer(fresh))).status).toBe(200);
    await expectRefusal(await remote.whoIs(bearer(old)), 401, 'PGRST301');
    // When the key server returns invalid data or is down, the known keys remain valid.
    published = 'nonsense';
    expect((await remote.whoIs(bearer(await made('EdDSA', ed.privateKey)))).status).toBe(200);
    await server.stop(true);
    expect((await remote.whoIs(bearer(await made('EdDSA', ed.privateKey, { typ: 'JWT' })))).status).toBe(200);
  });

  test('whose keys cannot be loaded gets an error that says to retry', async () => {
    const silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => undefined),
    });
    const wrong = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('x'.repeat(3_000_000)) });
    const away = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.redirect('http://127.0.0.1:1/') });
    const token = await made('RS256', rsa.privateKey);
    for (const source of [
      `http://127.0.0.1:${silent.port}`,
      `http://127.0.0.1:${wrong.port}`,
      `http://127.0.0.1:${away.port}`,
      'http://127.0.0.1:1',
    ]) {
      const remote = await openWith(source);
      const response = await remote.whoIs(bearer(token));
      expect(response.headers.get('retry-after')).toBe('5');
      await expectRefusal(response, 503, 'CAT503');
      expect((await remote.whoIs({})).status).toBe(200);
    }
    for (const server of [silent, wrong, away]) await server.stop(true);
  });

  test('is verified with the valid keys of a set; invalid keys are reported and do not affect the others', async () => {
    const bits = { modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
    const short = await crypto.subtle.generateKey({ name: 'RSASSA-PKCS1-v1_5', ...bits }, true, ['sign', 'verify']);
    const source = `${temporaryFolder()}/mixed.json`;
    const { kid: _, ...unnamed } = jwks.keys[0]!;
    await Bun.write(
      source,
      JSON.stringify({
        keys: [
          { kty: 'RSA', e: 'AQAB', kid: 'no modulus' },
          { ...(await exportJWK(short.publicKey)), alg: 'RS256' },
          { ...(await exportJWK(wide.publicKey)), kid: 'another curve' },
          { ...(await exportJWK(rsa.publicKey)), alg: 'RS512', kid: 'another algorithm' },
          { ...(await exportJWK(rsa.publicKey)), alg: 'RSA-OAEP', use: 'enc' },
          unnamed,
        ],
      }),
    );
    const told: string[] = [];
    const mixed = service.another({ verifier: await openPublicKeys(source, (message) => told.push(message)) });
    const token = await new SignJWT({ role: 'editor' }).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
    expect(await (await mixed.whoIs(bearer(token))).json()).toMatchObject({ by: 'token', role: 'editor' });
    expect(told).toHaveLength(1);
    expect(told[0]).toStartWith('4 of 5 public keys of tokens cannot be used: "no modulus": ');
    expect(told[0]).toContain('number 2: it has 1024 bits, and needs 2048; "another curve": ');
    expect(told[0]).toContain('"another algorithm": it is for RS512, and not for RS256');
    await Bun.write(source, JSON.stringify({ keys: [{ kty: 'RSA', e: 'AQAB' }] }));
    const none = openPublicKeys(source, () => undefined);
    expect(String(await none.catch((error) => error))).toContain('none of its keys can be used: number 1: ');
  });

  test('needs a key file, and errors in it are reported at the start', async () => {
    const secretOnly = `${temporaryFolder()}/secret.json`;
    await Bun.write(
      secretOnly,
      JSON.stringify({ keys: [await exportJWK(await generateSecret('HS256', { extractable: true }))] }),
    );
    for (const [source, reason] of [
      [`${file}.missing`, /does not exist/],
      [secretOnly, /no public key/],
      [import.meta.path, /JSON/],
    ] as const) {
      const opened = openPublicKeys(source, () => undefined);
      expect(String(await opened.catch((error) => error))).toMatch(reason);
    }
  });
});
