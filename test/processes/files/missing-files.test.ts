/**
 * Catalogue files removed or replaced under a running service: it reports the problem and acknowledges no write that
 * would be lost.
 */
import { afterEach, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

const write = (service: Service) =>
  service.fetch('/products/1', { method: 'PATCH', body: JSON.stringify({ reorder_level: 99 }) });

async function expectRefused(service: Service, file: string): Promise<void> {
  const reason = `${file} was removed or replaced while it was in use`;
  const refused = await write(service);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    code: 'CAT503',
    message: 'the database is not where it was',
    details: reason,
    hint: 'Put the file back, or restart the service.',
  });
  const ready = await service.fetch('/ready');
  expect({ status: ready.status, text: await ready.text() }).toEqual({ status: 503, text: `not ready: ${reason}\n` });
  const metrics = await (await service.fetch('/metrics')).text();
  expect(metrics).toContain('\ncatalogue_database_up 0\n');
  expect(metrics).toContain('\ncatalogue_ready 0\n');
}

async function expectWell(service: Service): Promise<void> {
  expect((await write(service)).status).toBe(204);
  expect((await service.fetch('/ready')).status).toBe(200);
  expect(await (await service.fetch('/metrics')).text()).toContain('\ncatalogue_database_up 1\n');
}

test.each(['catalogue.db', 'catalogue.db-wal', 'catalogue.db-shm'])('%s is removed', async (name) => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  await expectWell(service);
  rmSync(join(cwd, name));
  await expectRefused(service, name);
});

test('all files are moved away and put back', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const names = ['catalogue.db', 'catalogue.db-wal', 'catalogue.db-shm'];
  for (const name of names) renameSync(join(cwd, name), join(cwd, `${name}.away`));
  await expectRefused(service, 'catalogue.db');
  for (const name of names) renameSync(join(cwd, `${name}.away`), join(cwd, name));
  await expectWell(service);
});

test('another file replaces the database, even a copy of it', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  copyFileSync(join(cwd, 'catalogue.db'), join(cwd, 'copy.db'));
  renameSync(join(cwd, 'copy.db'), join(cwd, 'catalogue.db'));
  await expectRefused(service, 'catalogue.db');
});

test('the database may be a link to a file in another folder, until the link changes its target', async () => {
  const cwd = temporaryFolder();
  const [link, folder] = [join(cwd, 'catalogue.db'), join(cwd, 'data')];
  mkdirSync(folder);
  symlinkSync(join(folder, 'own.db'), link);
  const killed = await startService({ cwd });
  await expectWell(killed);
  killed.kill('SIGKILL');
  await killed.exited;
  const service = await startService({ cwd });
  expect(await (await service.fetch('/products/1?select=reorder_level')).json()).toEqual({ reorder_level: 99 });
  await expectWell(service);
  copyFileSync(join(folder, 'own.db'), join(folder, 'copy.db'));
  rmSync(link);
  symlinkSync(join(folder, 'copy.db'), link);
  await expectRefused(service, 'catalogue.db');
});
