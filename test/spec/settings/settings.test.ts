/** Users, keys, roles, webhooks and the declaration over HTTP, for callers with every right. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { openAuthentication } from '../../../src/auth/access.ts';
import { addKey } from '../../../src/auth/keys.ts';
import { CredentialStore } from '../../../src/auth/store.ts';
import { Sentence } from '../../../src/base/sentence.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { TrustedProxies } from '../../../src/http/edge/proxies.ts';
import { Log } from '../../../src/observe/log.ts';
import { declarationEdits } from '../../../src/serve/declaration-edits.ts';
import { webhookResources } from '../../../src/serve/webhooks/resources.ts';
import { WebhookStore } from '../../../src/serve/webhooks/store.ts';
import { Webhooks } from '../../../src/serve/webhooks/webhooks.ts';
import { SERVE_SETTINGS } from '../../../src/settings/by-command.ts';
import { bearer } from '../../support/engines/access.ts';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { temporaryFolder } from '../../support/processes/process.ts';
import { readSettings } from '../../support/settings.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const DECLARATION = `# What the shop sells
collections:
  products:
    fields: # in output order
      id: int4
      name: { type: text, required: true } # the title
      price:   'decimal(12,2)'
  base: &base { fields: { id: int4 } }
  copy: *base
roles:
  admin: all
  viewer:
    products: { read: true }
webhooks:
  shop: { url: https://shop.example/hook, secret: whsec_${'A'.repeat(32)} }
`;

for (const [engineName, newPlace] of Object.entries(PLACES)) {
  describe(`settings over HTTP on ${engineName}`, () => {
    const place = newPlace();
    const file = join(temporaryFolder(), 'collections.yaml');
    const events: unknown[] = [];
    const catalogue = declaredBy(DECLARATION);
    let stored: Opened;
    let ask: ReturnType<typeof serve>;
    const keys = { admin: '', viewer: '' };

    /** The webhooks have not started. */
    const serve = (engine: Engine) => {
      const audit = (event: string, about: unknown) => events.push([event, about]);
      const flags = ['--database', place.url, '--schema', place.schema];
      const settings = readSettings(SERVE_SETTINGS, flags, {});
      const proxies = new TrustedProxies([]);
      const access = openAuthentication({ engine, settings, catalogue, verifier: undefined, proxies, audit });
      const webhooks = new Webhooks(
        engine,
        catalogue,
        settings,
        new Log('error', { write: () => {}, isPretty: false }),
      );
      const app = createApp({
        catalogue,
        engine,
        maxBodyBytes: 1024 * 1024,
        allowUnfilteredWrites: false,
        identify: access.identify,
        steps: [webhooks.middleware],
        resources: {
          ...access.resources,
          ...webhookResources(engine, catalogue, webhooks, audit),
          ...declarationEdits({ file, served: DECLARATION, settings }),
        },
      });
      return async (path: string, init: RequestInit = {}, key = keys.admin) => {
        const headers = { ...(init.headers as Record<string, string>), ...bearer(key) };
        return app.fetch(new Request(`http://catalogue${path}`, { ...init, headers }));
      };
    };

    beforeAll(async () => {
      writeFileSync(file, DECLARATION);
      stored = await place.open({ collections: catalogue.draft.collections });
      await stored.post('products', [
        { id: 1, name: 'Chai', price: 18 },
        { id: 2, name: 'Chang', price: 190 },
      ]);
      for (const role of ['admin', 'viewer'] as const) {
        keys[role] = await addKey(new CredentialStore(stored.engine), { name: `the ${role}`, role, claims: {} });
      }
      ask = serve(stored.engine);
    });
    afterAll(() => stored.close());

    test('a new key is shown once, works, and is rejected after its removal', async () => {
      const added = await ask('/catalogue/keys', sendJson('POST', { name: 'till', role: 'viewer' }));
      expect([added.status, added.headers.get('location')]).toEqual([201, '/catalogue/keys?name=eq.till']);
      expect(added.headers.get('cache-control')).toBe('no-store');
      const { key, ...account } = (await added.json()) as { readonly key: string };
      expect(account as unknown).toEqual({ name: 'till', role: 'viewer', expires_at: null });
      expect((await ask('/products', {}, key)).status).toBe(200);
      const list = await ask('/catalogue/keys?select=name,role,expires_at&role=eq.viewer&order=name');
      expect(await list.json()).toEqual([
        { name: 'the viewer', role: 'viewer', expires_at: null },
        { name: 'till', role: 'viewer', expires_at: null },
      ]);
      const all = await (await ask('/catalogue/keys')).text();
      expect(all).not.toContain('hash');
      expect(all).not.toContain(key);
      await expectRefusal(await ask('/catalogue/keys?select=hash'), 400, '42703');
      await expectRefusal(await ask('/catalogue/keys?hash=not.is.null'), 400, '42703');
      await expectRefusal(
        await ask('/catalogue/keys', sendJson('POST', { name: 'till', role: 'viewer' })),
        409,
        '23505',
      );
      const dryRun = { method: 'DELETE', headers: { prefer: 'tx=rollback' } };
      await expectRefusal(await ask('/catalogue/keys/till', dryRun), 400, 'PGRST127');
      await addKey(new CredentialStore(stored.engine), { name: 'old', role: 'viewer', claims: {} });
      expect((await ask('/catalogue/keys/old', { method: 'DELETE' })).status).toBe(204);
      // The last use cannot be removed, for example because the service lacks the right.
      await place.ask('alter table catalogue_key_uses rename to other_uses');
      expect((await ask('/catalogue/keys/till', { method: 'DELETE' })).status).toBe(204);
      await place.ask('alter table other_uses rename to catalogue_key_uses');
      await expectRefusal(await ask('/catalogue/keys/till', { method: 'DELETE' }), 404, 'CAT404');
      await Bun.sleep(600);
      await expectRefusal(await ask('/products', {}, key), 401, 'PGRST301');
      expect(events).toContainEqual(['a key was added', { account: 'till', account_role: 'viewer', by: 'the admin' }]);
      expect(events).toContainEqual(['a key was removed', { account: 'till', by: 'the admin' }]);
    });

    test('a user is added, gets another role, and is removed', async () => {
      const user = { name: 'Zoë Ünal', role: 'viewer', password: 'correct horse', claims: { region: 'north' } };
      expect((await ask('/catalogue/users', sendJson('POST', user))).status).toBe(201);
      const path = `/catalogue/users/${encodeURIComponent(user.name)}`;
      expect((await ask(path, sendJson('PATCH', { role: 'admin' }))).status).toBe(204);
      const [listed] = (await (await ask('/catalogue/users')).json()) as Record<string, unknown>[];
      expect(listed).toEqual({ name: user.name, role: 'admin', claims: user.claims, created_at: expect.any(String) });
      expect((await ask(path, { method: 'DELETE' })).status).toBe(204);
      expect(await (await ask('/catalogue/users')).json()).toEqual([]);
      expect(JSON.stringify(events)).not.toContain(user.password);
    });

    for (const [what, path, body, code] of [
      ['an unknown role', 'users', { name: 'a', role: 'vewer', password: 'long enough' }, '23514'],
      ['a short password', 'users', { name: 'a', role: 'viewer', password: 'short' }, '23514'],
      ['no password', 'users', { name: 'a', role: 'viewer' }, '23502'],
      ['an unknown member', 'users', { name: 'a', role: 'viewer', password: 'long enough', stamp: '1' }, 'PGRST204'],
      ['a name with a line break', 'keys', { name: 'a\nb', role: 'viewer' }, '23514'],
      ['claims that are a list', 'keys', { name: 'a', role: 'viewer', claims: [] }, '23514'],
      ['an end in the past', 'keys', { name: 'a', role: 'viewer', expires_at: '2001-01-01' }, '23514'],
      ['a list', 'keys', [], 'PGRST102'],
    ] as const) {
      test(`an account with ${what} is rejected`, async () => {
        const problem = await expectRefusal(await ask(`/catalogue/${path}`, sendJson('POST', body)), 400, code);
        expect(JSON.stringify(problem)).not.toContain('long enough');
        expect(await (await ask(`/catalogue/${path}?name=eq.a`)).json()).toEqual([]);
      });
    }

    test('an account with an impossible name does not exist', async () => {
      for (const name of ['a%2Fb', 'x'.repeat(5000)]) {
        for (const kind of ['users', 'keys']) {
          await expectRefusal(await ask(`/catalogue/${kind}/${name}`, { method: 'DELETE' }), 404, 'CAT404');
        }
        const changed = await ask(`/catalogue/users/${name}`, sendJson('PATCH', { role: 'viewer' }));
        await expectRefusal(changed, 404, 'CAT404');
      }
      for (const name of ['%00', '%FF']) {
        await expectRefusal(await ask(`/catalogue/keys/${name}`, { method: 'DELETE' }), 400, '22021');
      }
      const problem = await expectRefusal(await ask('/catalogue/roles', { method: 'DELETE' }), 405, 'PGRST117');
      expect(problem.hint).toBe('Allowed here: OPTIONS, GET, HEAD.');
    });

    test('the roles are listed with their rules', async () => {
      expect(await (await ask('/catalogue/roles')).json()).toMatchObject([
        { name: 'admin', isAll: true },
        { name: 'viewer', rules: [{ collection: 'products', right: 'read' }] },
      ]);
    });

    test('for another role, nothing of this exists', async () => {
      for (const [method, path] of [
        ['GET', 'users'],
        ['GET', 'keys'],
        ['POST', 'keys'],
        ['GET', 'roles'],
        ['GET', 'declaration'],
        ['PATCH', 'declaration'],
      ] as const) {
        const init = method === 'GET' ? {} : sendJson(method, { name: 'mine', role: 'admin' });
        const [answer, unknown] = await Promise.all(
          [path, 'nonsense'].map((each) => ask(`/catalogue/${each}`, init, keys.viewer)),
        );
        const text = await answer!.text();
        expect(answer!.status).toBe(404);
        expect(text).toBe((await unknown!.text()).replaceAll('nonsense', path));
      }
      await expectRefusal(await ask('/catalogue/keys/till', { method: 'DELETE' }, keys.viewer), 404, 'PGRST125');
    });

    const dryRun = (patch: unknown, headers: Record<string, string> = {}) =>
      ask('/catalogue/declaration', {
        ...sendJson('PATCH', patch),
        headers: { prefer: 'tx=rollback', 'content-type': 'application/json', ...headers },
      });

    test('a change of the declaration is planned, and its text keeps comments and order', async () => {
      const current = await ask('/catalogue/declaration');
      const shown = DECLARATION.replace(/whsec_A+/, 'whsec_…');
      expect(await current.json()).toEqual({ file, editable: false, served: true, text: shown });
      const fields = { colour: { type: 'text', oneOf: ['red', 'blue'] }, price: { type: 'decimal(12,2)', minimum: 0 } };
      const patch = {
        collections: { products: { title: 'Our products', fields }, brands: { fields: { id: 'int4' } } },
      };
      const planned = await dryRun(patch, { 'if-match': current.headers.get('etag')! });
      expect(planned.status).toBe(200);
      expect(await planned.json()).toEqual({
        file,
        steps: ['change the rules of products.price', 'add field products.colour', 'create table brands'],
        sentences: [
          {
            words: 'change the rules of products.price',
            template: 'change the rules of {0}',
            values: ['products.price'],
          },
          { words: 'add field products.colour', template: 'add field {0}{1}', values: ['products.colour', ''] },
          { words: 'create table brands', template: 'create table {0}', values: ['brands'] },
        ],
        problems: [],
        written: false,
        text: shown
          .replace(
            "price:   'decimal(12,2)'\n",
            "price: { type: 'decimal(12,2)', minimum: 0 }\n      colour: { type: text, oneOf: [ red, blue ] }\n    title: Our products\n",
          )
          .replace('copy: *base\n', 'copy: *base\n  brands:\n    fields:\n      id: int4\n'),
      });
    });

    test('an unsafe change is planned with its problems', async () => {
      const fields = { price: { type: 'decimal(12,2)', maximum: 100 }, name: null };
      const { problems } = (await (await dryRun({ collections: { products: { fields } } })).json()) as {
        readonly problems: unknown;
      };
      expect(problems).toEqual([
        {
          words: 'products.name is no longer declared, and 2 rows have a value',
          template: '{0} is no longer declared, and {1}{2}',
          values: [
            'products.name',
            { words: '2 rows have a value', template: '{0} rows have a value', values: [2] },
            '',
          ],
          allow: 'drop:products.name',
        },
        {
          words: '1 row breaks the rules of products.price (maximum 100)',
          template: '1 row breaks the rules of {0} ({1})',
          values: ['products.price', 'maximum 100'],
          allow: 'clear:products.price',
        },
      ]);
    });

    test('a change that locks its caller out has a problem', async () => {
      for (const admin of [null, { products: { read: true } }]) {
        expect(await (await dryRun({ roles: { admin } })).json()).toMatchObject({
          problems: [{ words: 'your role admin would lose rights, so you could not undo the change' }],
        });
      }
      expect(await (await dryRun({ roles: { admin: { include: ['boss'] }, boss: 'all' } })).json()).toMatchObject({
        problems: [],
      });
    });

    test('an invalid change says what is wrong', async () => {
      const invalid = await dryRun({ collections: { products: { fields: { price: { type: 'decimel(12,2)' } } } } });
      expect(await expectRefusal(invalid, 400, 'CAT400D')).toMatchObject({
        details: expect.stringContaining('decimel(12,2)'),
        errors: [{ field: 'collections.products.fields.price.type' }],
      });
      for (const collections of [{ copy: { title: 'Copies' } }, { base: null }]) {
        expect((await expectRefusal(await dryRun({ collections }), 400, 'CAT400D')).hint).toBe(
          'Change the file by hand.',
        );
      }
      await expectRefusal(await dryRun([]), 400, 'PGRST102');
      const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
      const tooDeep = sendJson('PATCH', {}, { prefer: 'tx=rollback' });
      await expectRefusal(await ask('/catalogue/declaration', { ...tooDeep, body: deep }), 400, '54000');
      for (const path of ['declaration', 'roles']) {
        await expectRefusal(await ask(`/catalogue/${path}/more`), 404, 'PGRST125');
      }
      await expectRefusal(await dryRun({}, { 'if-match': '"older"' }), 412, 'CAT412');
    });

    test('a request names no file of the machine, in whatever form', async () => {
      const existing = join(temporaryFolder(), 'rows.csv');
      writeFileSync(existing, 'id\n1\n');
      const fields = { id: 'int4' };
      for (const rows of [existing, '/etc/passwd', '../missing.csv']) {
        const loot = { fields, rows };
        for (const patch of [
          { collections: { loot } },
          { collections: { loot: { fields, '<<': { rows } } } },
          { collections: { loot: { fields, '<<': [{ rows }, { title: 'x' }] } } },
          { collections: { '<<': { loot } } },
          { '<<': { collections: { loot } } },
          { collections: { loot: { fields: { ...fields, '<<': { more: 'int4' } } } } },
          // The alias `copy` is the same node.
          { collections: { base: { rows } } },
        ]) {
          const { message, details, hint } = await expectRefusal(await dryRun(patch), 400, 'CAT400D');
          expect(`${message}${details}${hint}`).not.toMatch(/exist|is not a/);
        }
      }
    });

    test('a text in a request is neither an alias nor an anchor', async () => {
      const title = (name: string) => ({ collections: { products: { title: name } } });
      for (const name of ['*base', '&base x', '<<', '!!map', '<<: *base']) {
        const planned = (await (await dryRun(title(name))).json()) as { readonly text: string };
        expect(planned.text).toMatch(/title: ['"]?[*&<!]/);
        expect(parseDeclaration(planned.text.replace('whsec_…', `whsec_${'A'.repeat(32)}`), file)).toMatchObject({
          collections: [{ title: name }, {}, {}],
        });
      }
      const invalid = await dryRun({ collections: { '*base': '*base' } });
      expect((await expectRefusal(invalid, 400, 'CAT400D')).details).toContain('*base');
    });

    test('a service without --edit-declaration does not write the file', async () => {
      const patch = sendJson('PATCH', { collections: { products: { title: 'Changed' } } });
      const problem = await expectRefusal(await ask('/catalogue/declaration', patch), 403, '42501');
      expect(problem.hint).toContain('--edit-declaration');
      expect(await Bun.file(file).text()).toBe(DECLARATION);
    });

    test('a file that changed since the service started is not edited', async () => {
      writeFileSync(file, `${DECLARATION}# changed\n`);
      expect(await (await ask('/catalogue/declaration')).json()).toMatchObject({ served: false });
      const problem = await expectRefusal(await dryRun({ collections: {} }), 412, 'CAT412');
      expect(problem.message).toContain('since the service started');
      writeFileSync(file, DECLARATION);
    });

    test('a webhook counts its unsent changes, and a wrong request sends nothing', async () => {
      const send = (body: unknown, name = 'shop') => ask(`/catalogue/webhooks/${name}`, sendJson('POST', body));
      expect((await ask('/base', sendJson('POST', [{ id: 1 }, { id: 2 }]))).status).toBe(201);
      const [listed] = (await (await ask('/catalogue/webhooks')).json()) as Record<string, unknown>[];
      expect(listed).toMatchObject({ name: 'shop', delivered: 0, unsent: 2, waiting: 0, failed: 0 });
      expect(Object.keys(listed!)).not.toContain('secret');
      for (const test of ['true', 1, false, null]) {
        const problem = await expectRefusal(await send({ test }), 400, '22P02');
        expect(problem).toMatchObject({ hint: 'Use true.', field: 'test' });
      }
      const unknown = await expectRefusal(await send({ tset: true }), 400, 'PGRST204');
      expect(unknown.hint).toBe('The members are seq, since, test (perhaps you meant test).');
      await expectRefusal(await send({ seq: '1' }), 400, '22P02');
      for (const since of ['yesterday at noon', '', 'infinity', '4713-01-01 BC', 17, null]) {
        const problem = await expectRefusal(await send({ since }), 400, '22007');
        expect(problem).toMatchObject({ hint: 'Use a time such as 2026-11-18T08:30:00Z.', field: 'since' });
      }
      await expectRefusal(await send({ seq: 1, since: '2026-11-18T08:30:00Z' }), 400, 'PGRST102');
      await expectRefusal(await send({ test: true }, 'none'), 404, 'CAT404');
      const dryRun = sendJson('POST', {}, { prefer: 'tx=rollback' });
      await expectRefusal(await ask('/catalogue/webhooks/shop', dryRun), 400, 'PGRST127');
      expect(JSON.stringify(events)).not.toContain('webhook');
      await expectRefusal(await send({ test: true }), 503, 'CAT503');
      expect(await (await send({})).json()).toEqual({ count: 0 });
      // The two products are from before the webhook began; it sends later changes anyway.
      expect(await (await send({ since: '2000-01-01' })).json()).toEqual({ count: 2 });
      expect(await (await send({ since: '2090-01-01T00:00:00+02:00' })).json()).toEqual({ count: 0 });
      const waiting = (await (await ask('/catalogue/webhooks/shop')).json()) as { readonly seq: number }[];
      expect(waiting).toMatchObject([
        { collection: 'products', key: '1', status: 'waiting' },
        { collection: 'products', key: '2', status: 'waiting' },
      ]);
      expect(await (await send({ seq: Number(waiting[1]!.seq) })).json()).toEqual({ count: 1 });
      const about = { webhook: 'shop', by: 'the admin' };
      expect(events.slice(-5, -3)).toEqual([
        ['a test of a webhook is requested', about],
        ['deliveries of a webhook are sent again', about],
      ]);
    });

    test('a webhook lists a limited number of deliveries with reasons, the oldest first', async () => {
      const times = { first_at: '2026-11-18T08:30:00Z', next_at: null };
      const failed = {
        webhook: 'shop',
        collection: 'products',
        key: '1',
        status: 'failed',
        attempts: 1,
        ...times,
      } as const;
      const deliveries = Array.from({ length: 1_001 }, (_, at) => ({ ...failed, seq: 1_000 + at, reason: 'timeout' }));
      const status = { seq: 999, reason: new Sentence('status {0}', [500]) };
      await new WebhookStore(stored.engine).redeliver([...deliveries, { ...failed, ...status }]);
      const listed = (await (await ask('/catalogue/webhooks/shop')).json()) as { readonly seq: number }[];
      const [first, second] = listed.slice(listed.findIndex(({ seq }) => Number(seq) === 999));
      expect(first).toMatchObject({
        reason: 'status 500',
        sentences: { reason: { words: 'status 500', template: 'status {0}', values: [500] } },
      });
      expect(second).toMatchObject({ reason: 'timeout' });
      expect(second).not.toHaveProperty('sentences');
      const seqs = listed.map(({ seq }) => Number(seq));
      expect(seqs).toHaveLength(1_000);
      expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    });

    test('without a log of changes, nothing is unsent, and the test of a webhook says what is missing', async () => {
      const { engine, close } = await place.open({ collections: catalogue.draft.collections, historyDays: 0 });
      const askUnlogged = serve(engine);
      const list = await askUnlogged('/catalogue/webhooks');
      expect([list.status, await list.json()]).toMatchObject([200, [{ seq: expect.any(Number), unsent: 0 }]]);
      const again = await askUnlogged('/catalogue/webhooks/shop', sendJson('POST', { since: '2000-01-01T00:00:00Z' }));
      await expectRefusal(again, 501, 'CAT501');
      const sent = await askUnlogged('/catalogue/webhooks/shop', sendJson('POST', { test: true }));
      const reason =
        'webhooks need the log of changes, and --history-days is 0. Start the service with --history-days 30';
      expect(await sent.json()).toEqual({
        reason,
        sentences: { reason: { words: reason, template: reason, values: [] } },
      });
      await close();
    });
  });
}
