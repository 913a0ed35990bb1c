/** Costly requests of anybody that wait, and the lookups of the service: for logins, files and health checks. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { gradient } from '../../support/pictures.ts';
import {
  cleanUp,
  type Launch,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const PASSWORD = 'correct horse battery';
const DECLARATION = `collections:
  codes: { key: code, fields: { code: text } }
  lines: { fields: { id: int4, words: text } }
  pictures: { fields: { id: int4, shown: boolean, image: image } }
roles:
  editor:
    lines: { read: true, create: true, update: true }
    pictures: { read: true, create: true }
  anonymous:
    codes: { read: true }
    lines: { read: true }
    pictures: { read: { where: shown=is.true } }
`;
/** More users than a small table has rows. */
const MANY_USERS = `insert into catalogue_users (name, role, claims, created_at, password, stamp)
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
  select name || n, role, claims, created_at, password, stamp from numbers, catalogue_users`;
/** A pattern whose match with a long text takes the product of their lengths in steps. */
const SLOW = `/lines?words=like.*${'_'.repeat(20_000)}b*`;

describe.each(['SQLite', 'PostgreSQL'])('%s: while costly requests wait', (engine) => {
  const schema = newSchema();
  const admin = new SQL(testServer.url, { max: 1 });
  let service: Service;
  let authorization: string;
  let picture: string;

  const login = () => service.fetch('/auth/login', sendJson('POST', { name: 'Ann', password: PASSWORD }));
  const upload = (seed: number) => {
    return service.fetch('/files', { method: 'POST', body: gradient(40, 40, seed), headers: { authorization } });
  };

  beforeAll(async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: schema };
    const launch: Launch = { cwd, env: { ...env, CATALOGUE_POOL_SIZE: '10' } };
    const args = ['--query-timeout', '100', '--max-total-file-mb', '100'];
    service = await startService({ ...launch, args });
    await run({ ...launch, args: ['user', 'add', 'ann', '--role', 'editor'], stdin: PASSWORD });
    const added = await run({ ...launch, args: ['key', 'add', '--name', 'ann', '--role', 'editor', '--json'] });
    authorization = `Bearer ${(JSON.parse(added.stdout) as { key: string }).key}`;
    if (engine === 'PostgreSQL') await admin.unsafe(`set search_path = ${schema}; ${MANY_USERS}`);
    else new Database(join(cwd, 'catalogue.db')).run(MANY_USERS);
    picture = ((await (await upload(1)).json()) as { id: string }).id;
    const rows: [string, object][] = [
      ['/pictures', { shown: true, image: picture }],
      ['/lines', { words: 'a'.repeat(400_000) }],
    ];
    for (const [path, row] of rows) {
      expect((await service.fetch(path, sendJson('POST', row, { authorization }))).status).toBe(201);
    }
    await (engine === 'SQLite' ? fillTheQueue() : lockLines());
  });
  afterAll(async () => {
    service.kill('SIGKILL');
    await service.exited;
    await admin.close({ timeout: 0 });
    await cleanUp();
  });

  /** Costly reads use all threads, and so many wait that the service rejects the next one. */
  async function fillTheQueue(): Promise<void> {
    let isFull = false;
    while (!isFull) {
      const slow = service.fetch(SLOW).then(({ status }) => {
        isFull ||= status === 503;
      });
      await Promise.race([slow.catch(() => undefined), Bun.sleep(5)]);
    }
  }

  /** Costly reads and writes use all connections for them until the end. */
  async function lockLines(): Promise<void> {
    await admin.unsafe(`begin; lock table ${schema}.lines in access exclusive mode`);
    const costly = [{}, sendJson('PATCH', { words: 'x' }, { authorization })];
    for (const init of [...costly, ...costly, ...costly]) {
      void service.fetch('/lines?words=match.x', init).catch(() => undefined);
    }
    const waiting = `select count(*)::int4 as statements from pg_locks
      where not granted and relation = 'lines'::regclass`;
    await until('costly statements to wait', async () => (await admin.unsafe(waiting))[0].statements === 4);
  }

  test('a user logs in', async () => {
    expect((await login()).status).toBe(200);
  });

  test('a wrong password is rejected', async () => {
    const wrong = { name: 'ann', password: 'wrong horse battery' };
    expect((await service.fetch('/auth/login', sendJson('POST', wrong))).status).toBe(401);
  });

  test('the sign of life of an editor is stored', async () => {
    const row = { id: crypto.randomUUID(), collection: 'lines', key: '1' };
    const stored = await service.fetch('/catalogue/presence', sendJson('POST', row, { authorization }));
    expect(stored.status).toBe(201);
  });

  test('a picture that a rule shows is sent', async () => {
    const shown = await service.fetch(`/files/${picture}/x`);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('a file is stored within the limit of all files', async () => {
    expect((await upload(2)).status).toBe(201);
  });

  test('the service is ready', async () => {
    expect(await (await service.fetch('/ready')).text()).toBe('ready\n');
  });
});
