/** The declaration is changed over HTTP: the service migrates the tables, writes the file and replaces its workers. */
import { afterEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MARKER } from '../../../src/files/storage/storage.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { startLoad } from '../../support/network/load.ts';
import {
  cleanUp,
  type Environment,
  run,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const DECLARATION = `# The shop
collections:
  products: # all of them
    fields:
      id: int4
      name: { type: text, required: true }
      # In euros
      price: int4
  brands: { fields: { id: int4, size: int4 } }
roles: { admin: all }
`;

const databases: readonly [string, number, () => Environment][] = [
  ['SQLite', 1, () => ({})],
  ['PostgreSQL', 2, () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() })],
];
for (const [name, workers, envOf] of databases) {
  test.skipIf(process.platform !== 'linux')(
    `with --edit-declaration, an administrator adds a field and a rule without a lost request, on ${name}`,
    async () => {
      const [cwd, env] = [temporaryFolder(), envOf()];
      const file = join(cwd, 'collections.yaml');
      await Bun.write(file, DECLARATION);
      const files = ['--files', join(cwd, 'files')];
      const foreignMark = join(cwd, 'files', MARKER);
      await Bun.write(foreignMark, 'of another catalogue');
      const args = ['--edit-declaration', '--workers', String(workers), '--log-level', 'error', ...files];
      let service = await startService({ cwd, env, args });
      const added = await run({ cwd, env, args: ['key', 'add', '--role', 'admin', '--name', 'me'] });
      const headers = { authorization: `Bearer ${added.stdout.trim()}` };
      const ask = (path: string, init: RequestInit = {}) =>
        service.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });
      const edit = (patch: unknown, version?: string, query = '') =>
        ask(
          `/catalogue/declaration${query}`,
          sendJson('PATCH', patch, version === undefined ? {} : { 'if-match': version }),
        );
      expect((await ask('/products', sendJson('POST', { name: 'Chai', price: 18 }))).status).toBe(201);

      const request = `GET /products HTTP/1.1\r\nhost: localhost\r\nauthorization: ${headers.authorization}\r\n\r\n`;
      const load = startLoad(service.port, 2, () => request);
      const version = (await ask('/catalogue/declaration')).headers.get('etag')!;
      const fields = { colour: { type: 'text', maxLength: 20 }, price: { type: 'int4', minimum: 1 } };
      const answer = await edit({ collections: { products: { fields } } }, version);
      expect(await answer.json()).toMatchObject({
        steps: ['change the rules of products.price', 'add field products.colour'],
        problems: [],
        written: true,
      });
      const served = async () => ((await (await ask('/catalogue/declaration')).json()) as { served: boolean }).served;
      await until('the new workers alone', async () => (await served()) && (await served()) && (await served()));
      expect((await ask('/products', sendJson('POST', { name: 'Tea', colour: 'red' }))).status).toBe(201);
      await expectRefusal(await ask('/products', sendJson('POST', { name: 'Free', price: 0 })), 400, '23514');
      const text = DECLARATION.replace(
        'price: int4\n',
        'price: { type: int4, minimum: 1 }\n      colour: { type: text, maxLength: 20 }\n',
      );
      expect(readFileSync(file, 'utf8')).toBe(text);

      // Rejected edits: of an older version, unsafe, and one with which no process can start.
      await expectRefusal(await edit({ collections: { products: { title: 'Ours' } } }, version), 412, 'CAT412');
      const unsafe = await expectRefusal(
        await edit({ collections: { products: { fields: { name: null } } } }),
        409,
        'CAT409D',
      );
      expect(unsafe.details).toContain('products.name is no longer declared, and 2 rows have a value');
      const webhooks = { shop: { url: 'http://127.0.0.1:9/', secret: '{env.MISSING_SECRET}' } };
      const withField = { webhooks, collections: { products: { fields: { size: 'int4' } } } };
      const withoutPrice = { ...withField, collections: { products: { fields: { size: 'int4', price: null } } } };
      for (const failing of [edit(withField), edit(withoutPrice, undefined, '?allow=drop:products.price')])
        expect((await expectRefusal(await failing, 409, 'CAT409D')).details).toBe('Nothing was changed.');
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(readdirSync(cwd).filter((each) => each.includes('partial'))).toEqual([]);
      await load.stop();
      expect(load.failures()).toEqual([]);

      // A change that loses data needs a permission of its own, which no later change has.
      const fewer = { collections: { products: { fields: { price: null } } } };
      await expectRefusal(await edit(fewer, undefined, '?allow=drop:products.name'), 409, 'CAT409D');
      const dropped = await edit(fewer, undefined, '?allow=drop:products.price&allow=drop:products');
      expect(await dropped.json()).toMatchObject({ problems: [], written: true });
      await until('the new workers alone', async () => (await served()) && (await served()) && (await served()));
      expect(await (await ask('/products?order=id&limit=1')).json()).toEqual([{ id: 1, name: 'Chai', colour: null }]);
      await expectRefusal(await edit({ collections: { products: { fields: { name: null } } } }), 409, 'CAT409D');

      // A worker that is killed during an edit gets no second successor. Its answer may be lost.
      const old = childrenOf(service.pid);
      const interrupted = edit({ collections: { products: { title: 'Ours' } } }).catch(() => undefined);
      await until('the first new worker', () => childrenOf(service.pid).some((pid) => !old.includes(pid)));
      const replaced = childrenOf(service.pid).findLast((pid) => old.includes(pid));
      if (replaced !== undefined) process.kill(replaced, 'SIGKILL');
      await interrupted;
      await until('the new workers alone', async () => {
        const now = childrenOf(service.pid);
        const areNew = now.length === workers && !now.some((pid) => old.includes(pid));
        return areNew && (await served().catch(() => false));
      });

      // A process that fails after it has migrated leaves the new text, with which the next start succeeds.
      const late = await expectRefusal(
        await edit({ collections: { products: { fields: { photo: 'image' } } } }),
        409,
        'CAT409D',
      );
      expect(late.details).toBe('The tables have changed, so the file has the new text.');
      expect((await ask('/products')).status).toBe(200);
      service.kill('SIGKILL');
      rmSync(foreignMark);
      await service.exited;
      service = await startService({ cwd, env, args: ['--log-level', 'error', ...files] });
      expect(await (await ask('/products?select=name,colour,photo&order=name')).json()).toEqual([
        { name: 'Chai', colour: null, photo: null },
        { name: 'Tea', colour: 'red', photo: null },
      ]);
      expect(await (await ask('/catalogue/declaration')).json()).toMatchObject({ editable: false, served: true });

      // So does one that fails after a permitted loss, although the old text would fit the tables as well.
      service.kill('SIGKILL');
      await service.exited;
      service = await startService({ cwd, env, args });
      await Bun.write(foreignMark, 'of another catalogue');
      const lossy = await edit(
        { collections: { brands: { fields: { size: null } } } },
        undefined,
        '?allow=drop:brands.size',
      );
      const { details } = await expectRefusal(lossy, 409, 'CAT409D');
      expect(details).toBe('The tables have changed, so the file has the new text.');
      expect(readFileSync(file, 'utf8')).not.toContain('size');
    },
  );
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

test('--edit-declaration needs a declaration, a database of its own and roles on a network', async () => {
  const cwd = temporaryFolder();
  const start = async (...args: string[]) =>
    (await run({ cwd, args: ['serve', '--port', '0', '--edit-declaration', ...args] })).stderr;
  expect(await start()).toContain('Write one with catalogue init');
  await Bun.write(join(cwd, 'collections.yaml'), DECLARATION.replace('roles: { admin: all }\n', ''));
  expect(await start('--host', '0.0.0.0')).toContain('Declare roles');
  expect(await start('--database', ':memory:')).toContain('a catalogue in memory belongs to one process');
});
