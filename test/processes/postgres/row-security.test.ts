/** Row level security that the service's own role bypasses protects nothing: every command that meets it says so. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

const { url, admin } = testServer;
const schema = newSchema();
const roles = { owner: `${schema}_owner`, bypass: `${schema}_bypass`, subject: `${schema}_subject` };
const urlOf = (role: string) => url.replace(/\/\/[^@]*@/, `//${role}:secret@`);
const args = ['--schema', schema];

beforeAll(async () => {
  await admin.unsafe(`create schema "${schema}"`);
  await admin.unsafe(`create role ${roles.owner} login password 'secret'`);
  await admin.unsafe(`create role ${roles.bypass} login password 'secret' bypassrls`);
  await admin.unsafe(`create role ${roles.subject} login password 'secret'`);
  await admin.unsafe(`grant usage, create on schema "${schema}" to public`);
  await admin.unsafe(`create table "${schema}".letters (id integer primary key, body text)`);
  await admin.unsafe(`create table "${schema}".stamps (id integer primary key)`);
  await admin.unsafe(`alter table "${schema}".letters enable row level security`);
  for (const table of ['letters', 'stamps']) {
    await admin.unsafe(`alter table "${schema}".${table} owner to ${roles.owner}`);
    await admin.unsafe(`grant all on "${schema}".${table} to public`);
  }
});
afterAll(cleanUp);

async function outputs(role: string | undefined): Promise<readonly string[]> {
  const cwd = temporaryFolder();
  const database = role === undefined ? url : urlOf(role);
  const declared = await run({ args: ['declare', database, ...args], cwd });
  const checked = await run({
    args: ['check', '--database', database, '--collections', 'collections.yaml', ...args],
    cwd,
  });
  const service = await startService({ args, cwd, env: { DATABASE_URL: database } });
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  return [declared.stderr, checked.stdout, service.stderr()];
}

test.each([
  ['a superuser', undefined, 'is a superuser'],
  ['a role with BYPASSRLS', roles.bypass, 'has BYPASSRLS'],
  ['the owner', roles.owner, 'owns them'],
])('declare, check and serve warn %s', async (_, role, reason) => {
  for (const output of await outputs(role)) {
    expect(output).toContain('row level security does not apply to letters: the role');
    expect(output).toContain(reason);
    expect(output).not.toContain('stamps: the role');
  }
});

test('a role that the policies apply to is not warned, nor an owner that they are forced on', async () => {
  for (const output of await outputs(roles.subject)) expect(output).not.toContain('row level security');
  await admin.unsafe(`alter table "${schema}".letters force row level security`);
  for (const output of await outputs(roles.owner)) expect(output).not.toContain('row level security');
});
