/** The log of changes of commands: what they record, and what becomes of a log that exists. */
import { afterEach, describe, expect, test } from 'bun:test';
import { EventClient } from '../../support/network/event-stream.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, type Environment, startService, until } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const DECLARATION = 'collections:\n  items: { fields: { id: int4, name: text } }\n';

function shop(environment: Environment) {
  const space = workspace(environment);
  space.write('collections.yaml', DECLARATION);
  /** Serves, does some work, and ends before the next command. */
  const serving = async <T>(args: string[], work: (fetch: (typeof service)['fetch']) => Promise<T>): Promise<T> => {
    service = await startService({ cwd: space.cwd, env: environment, args });
    try {
      return await work(service.fetch);
    } finally {
      service.kill('SIGTERM');
      await service.exited;
    }
  };
  let service: Awaited<ReturnType<typeof startService>>;
  const changes = (query: string, ...args: string[]) =>
    serving(args, async (fetch) => (await fetch(`/changes?${query}`)).json());
  return { ...space, serving, changes };
}

for (const [name, environment] of DATABASES) {
  describe(name, () => {
    test('an import is logged as one request of the command, and one with --no-history is not', async () => {
      const { command, write, changes } = shop(environment());
      expect(await command('migrate')).toMatchObject({ exitCode: 0 });
      write('a.json', '[{"id":1,"name":"a"},{"id":2,"name":"b"}]');
      write('b.json', '[{"id":2,"name":"c"},{"id":3,"name":"d"}]');
      const load = (file: string, ...flags: string[]) => command('import', file, '--collection', 'items', ...flags);
      expect(await load('a.json')).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await load('b.json', '--mode', 'upsert', '--no-history')).toMatchObject({ exitCode: 0, stderr: '' });
      write('c.json', '[{"id":3,"name":"e"}]');
      expect(await load('c.json', '--mode', 'upsert')).toMatchObject({ exitCode: 0, stderr: '' });
      const entries = (await changes('select=actor,request_id,key,kind,after')) as { request_id: string }[];
      expect(entries.map(({ request_id: _, ...rest }) => rest) as unknown[]).toEqual([
        { actor: 'catalogue import', key: '1', kind: 'insert', after: { id: 1, name: 'a' } },
        { actor: 'catalogue import', key: '2', kind: 'insert', after: { id: 2, name: 'b' } },
        { actor: 'catalogue import', key: '3', kind: 'update', after: { name: 'e' } },
      ]);
      const shown = await command('query', 'changes?select=key,kind&order=seq.desc&limit=1', '--json');
      expect(shown).toMatchObject({ exitCode: 0, stdout: '[{"key":"3","kind":"update"}]\n' });
      const exported = await command('export', 'changes?select=key,kind&collection=eq.items');
      expect(exported).toMatchObject({ exitCode: 0, stdout: 'key,kind\n1,insert\n2,insert\n3,update\n' });
      const [first, second, third] = entries.map(({ request_id }) => request_id);
      expect([second, third === first]).toEqual([first, false]);
    });

    test('the history begins again with an import that leaves it out', async () => {
      const { command, write, serving } = shop(environment());
      write('a.json', '[{"id":1,"name":"a"}]');
      write('b.json', '[{"id":1,"name":"b"}]');
      const load = (file: string, ...flags: string[]) =>
        command('import', file, '--collection', 'items', '--mode', 'upsert', ...flags);
      const asOf = (at: string) =>
        serving([], async (fetch) => {
          const past = await fetch('/items', { headers: { prefer: `as-of=${at}` } });
          return [past.status, await past.json()];
        });
      expect(await load('a.json')).toMatchObject({ exitCode: 0 });
      const first = new Date().toISOString();
      expect(await load('a.json', '--no-history')).toMatchObject({ exitCode: 0 });
      expect(await asOf(first)).toEqual([200, [{ id: 1, name: 'a' }]]);
      expect(await load('b.json', '--no-history')).toMatchObject({ exitCode: 0 });
      expect(await asOf(first)).toEqual([410, expect.objectContaining({ code: 'CAT410' })]);
      expect(await asOf(new Date().toISOString())).toEqual([200, [{ id: 1, name: 'b' }]]);
    });

    test('a feed that resumes after an import without history begins again', async () => {
      const { command, write, serving } = shop(environment());
      write('a.json', '[{"id":1,"name":"a"}]');
      write('b.json', '[{"id":1,"name":"b"}]');
      const load = (file: string, ...flags: string[]) =>
        command('import', file, '--collection', 'items', '--mode', 'upsert', ...flags);
      const follow = (from?: EventClient) =>
        serving([], async (fetch) => {
          const client = await EventClient.open(fetch, '/items', from && { from });
          if (from === undefined) await client.ready();
          else await fetch('/items', sendJson('POST', { id: 2, name: 'c' }));
          await until('the rows', () => from === undefined || client.rows.has('[2]'));
          client.close();
          return client;
        });
      expect(await load('a.json')).toMatchObject({ exitCode: 0 });
      const before = await follow();
      expect(await load('b.json', '--no-history')).toMatchObject({ exitCode: 0 });
      const after = await follow(before);
      expect([...after.rows.values()]).toEqual([
        { id: 1, name: 'b' },
        { id: 2, name: 'c' },
      ]);
    });

    test('--history-days 0 drops the log, also for commands; a service with the default starts it again', async () => {
      const { serving, changes, command, write } = shop(environment());
      const post = (id: number) => (fetch: (path: string, init?: RequestInit) => Promise<Response>) =>
        fetch('/items', sendJson('POST', { id })).then(({ status }) => status);
      expect(await serving([], post(1))).toBe(201);
      await serving(['--history-days', '0'], async (fetch) => {
        expect(await post(2)(fetch)).toBe(201);
        expect(await (await fetch('/items?select=id')).json()).toEqual([{ id: 1 }, { id: 2 }]);
        expect((await fetch('/changes')).status).toBe(501);
        const past = { headers: { prefer: 'as-of=2999-01-01' } };
        expect((await fetch('/items', past)).status).toBe(501);
      });
      write('more.json', '[{"id":9}]');
      expect(await command('import', 'more.json', '--collection', 'items')).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await command('migrate')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('up to date') });
      expect(await serving([], post(3))).toBe(201);
      expect((await changes('select=key')) as unknown).toEqual([{ key: '3' }]);
    });
  });
}

test('a backup contains the log; a restore to the same database is logged itself', async () => {
  const { command, serving } = shop({ DATABASE_URL: 'sqlite:catalogue.db' });
  const add = (id: number) => (fetch: (path: string, init?: RequestInit) => Promise<Response>) =>
    fetch('/items', sendJson('POST', { id }));
  const before = await serving([], async (fetch) => {
    await add(1)(fetch);
    await Bun.sleep(5);
    const time = new Date().toISOString();
    await Bun.sleep(5);
    await fetch('/items/1', { method: 'DELETE' });
    return { time, entries: (await (await fetch('/changes')).json()) as object[] };
  });
  expect(await command('backup', 'copy.db')).toMatchObject({ exitCode: 0 });
  await serving([], add(2));
  expect(await command('restore', 'copy.db', '--force')).toMatchObject({ exitCode: 0 });
  expect(await command('restore', 'copy.db', '--database', 'new.db')).toMatchObject({ exitCode: 0 });
  for (const [database, since] of [
    ['new.db', []],
    [
      'catalogue.db',
      [
        { collection: 'items', key: '2', kind: 'insert' },
        { key: '2', kind: 'delete' },
      ],
    ],
  ] as const) {
    await serving(['--database', database], async (fetch) => {
      const entries = (await (await fetch('/changes')).json()) as object[];
      expect(entries.slice(0, 2)).toEqual(before.entries);
      expect(entries.slice(2)).toEqual(since.map((each) => expect.objectContaining(each)));
      const past = await fetch('/items', { headers: { prefer: `as-of=${before.time}` } });
      expect(await past.json()).toEqual([{ id: 1, name: null }]);
      await add(3)(fetch);
      const last = await (await fetch('/changes?order=seq.desc&limit=1&select=key,kind')).json();
      expect(last).toEqual([{ key: '3', kind: 'insert' }]);
    });
  }
});
