/** The backups of a service as an administrator sees them over HTTP. */
import { afterAll, expect, setSystemTime, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupResources } from '../../../src/serve/backups/resources.ts';
import { SERVE_SETTINGS } from '../../../src/settings/by-command.ts';
import { cleanUp, run, startService, temporaryFolder, until } from '../../support/processes/process.ts';
import { readSettings } from '../../support/settings.ts';
import { expectRefusal } from '../../support/stories.ts';

afterAll(cleanUp);

interface State {
  readonly last_backup_at: string | null;
  readonly is_late: boolean;
  readonly problem: string | null;
  readonly sentences?: Readonly<Record<string, { readonly words: string }>>;
  readonly backups: readonly { readonly backup: string; readonly bytes: number; readonly encrypted: boolean }[];
}

const DECLARATION = `collections:
  products: { fields: { id: int4, name: text } }
roles:
  admin: all
  viewer: { products: { read: true } }
`;

test('an administrator sees the backups and makes one now; others do not', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
  await run({ cwd, args: ['migrate'] });
  const keyOf = async (role: string) =>
    (await run({ cwd, args: ['key', 'add', '--role', role, '--name', role] })).stdout.trim();
  const [admin, viewer] = [await keyOf('admin'), await keyOf('viewer')];
  const service = await startService({ cwd, args: ['--backup-every', '1h', '--log-level', 'silent'] });
  const ask = (method: string, apikey = admin, more = {}) =>
    service.fetch('/catalogue/backups', { method, headers: { apikey, ...more } });
  const state = async () => (await (await ask('GET')).json()) as State;
  await until('the first backup', async () => (await state()).backups.length === 1);
  const headers = { apikey: admin, 'content-type': 'application/json' };
  await service.fetch('/products', { method: 'POST', headers, body: '{"id":1}' });
  await expectRefusal(await ask('POST', admin, { prefer: 'tx=rollback' }), 400, 'PGRST127');
  const added = await ask('POST');
  expect([added.status, ((await added.json()) as State).backups.length]).toEqual([201, 2]);
  const { backups, last_backup_at, ...rest } = await state();
  expect(rest as unknown).toEqual({ place: 'backups', interval_seconds: 3600, is_late: false, problem: null });
  expect(last_backup_at).toMatch(/^\d{4}-/);
  const listed = await run({ cwd, args: ['backups', 'backups', '--json'] });
  expect(backups as unknown).toEqual(JSON.parse(listed.stdout));
  await expectRefusal(await ask('GET', viewer), 404, 'PGRST205');
  expect((await service.fetch('/catalogue/backups')).status).toBe(401);
  const keys = JSON.parse((await run({ cwd, args: ['key', 'list', '--json'] })).stdout) as {
    last_used_at: string | null;
  }[];
  expect(keys.map(({ last_used_at }) => typeof last_used_at)).toEqual(['string', 'string']);

  // A place that cannot be written is a reason, and the service goes on.
  rmSync(join(cwd, 'backups'), { recursive: true });
  writeFileSync(join(cwd, 'backups'), '');
  expect(await expectRefusal(await ask('POST'), 503, 'CAT503')).toMatchObject({
    sentences: { message: { template: 'the backup failed: {0}' } },
  });
  expect(await state()).toMatchObject({ is_late: true, problem: expect.stringContaining('backups'), backups: [] });
});

test('before its first backup, a service is late only after twice the interval', async () => {
  const flags = ['--database', 'sqlite:some.db', '--backup-folder', temporaryFolder(), '--backup-every', '1h'];
  const { backups } = backupResources(readSettings(SERVE_SETTINGS, flags, {}), () => undefined, undefined);
  const state = async () =>
    JSON.parse(
      (await backups!.GET!({ name: 'backups', key: undefined, context: {} as never })).body as string,
    ) as State;
  expect(await state()).toMatchObject({ last_backup_at: null, is_late: false, backups: [] });
  setSystemTime(Date.now() + 3 * 3_600_000);
  expect((await state()).is_late).toBe(true);
  setSystemTime();
});

test('a service that makes no backups says so', async () => {
  const stateOf = async (database: string, folder: string) => {
    const settings = readSettings(SERVE_SETTINGS, ['--database', database, '--backup-folder', folder], {});
    const { backups } = backupResources(settings, () => undefined, undefined);
    const asked = { name: 'backups', key: undefined, context: {} as never };
    await expect(backups!.POST!(asked)).rejects.toThrow('the service makes no backups');
    return JSON.parse((await backups!.GET!(asked)).body as string) as State;
  };
  const absent = join(temporaryFolder(), 'absent');
  expect(await stateOf('sqlite:some.db', absent)).toMatchObject({ interval_seconds: 0, problem: null, backups: [] });
  const { problem, sentences } = await stateOf('postgres://somewhere/shop', absent);
  expect(problem).toContain('back up PostgreSQL with its own tools');
  expect(sentences?.problem?.words).toBe(problem!);
});
