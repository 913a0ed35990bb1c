/** Stored files in real processes: uploads by curl, a killed service, backup, restore, check and copy. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { type S3Server, startS3 } from '../../support/network/s3-server.ts';
import { gradient, PICTURE } from '../../support/pictures.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import {
  cleanUp,
  type Environment,
  run,
  type Service,
  startService,
  temporaryFolder,
} from '../../support/processes/process.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(async () => {
  await cleanUp();
  await s3.close();
});

const DECLARATION = `
collections:
  products:
    fields: { id: int4, name: text, image: image, sheet: file, papers: 'file[]' }
`;
const LARGE = new Uint8Array(700_000).map((_, at) => (at * 7919) >> 5);

function newShop(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
  writeFileSync(join(cwd, 'tea.png'), PICTURE);
  writeFileSync(join(cwd, 'large.bin'), LARGE);
  return cwd;
}

async function curl(cwd: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn(['curl', '-sS', '--max-time', '30', ...args], { cwd, stdout: 'pipe' });
  return new Response(child.stdout).text();
}

async function stop(service: Service): Promise<void> {
  service.kill('SIGTERM');
  await service.exited;
}

/** Uploads a picture and a large file, and sets them. */
async function fill(service: Service, cwd: string): Promise<void> {
  const url = `${service.url}/files`;
  const image = JSON.parse(await curl(cwd, '-T', 'tea.png', '-X', 'POST', url)) as { id: string; media_type: string };
  expect(image.media_type).toBe('image/png');
  const [sheet] = JSON.parse(await curl(cwd, '-F', 'file=@large.bin', url)) as { id: string; name: string }[];
  expect(sheet!.name).toBe('large.bin');
  const body = JSON.stringify({ id: 1, name: 'Tea', image: image.id, sheet: sheet!.id, papers: [sheet!.id, image.id] });
  const headers = { 'content-type': 'application/json' };
  expect((await service.fetch('/products', { method: 'POST', headers, body })).status).toBe(201);
}

/** Expects that the product has both files with all their bytes. */
async function expectFilled(service: Service): Promise<void> {
  const [product] = (await (await service.fetch('/products?id=eq.1&select=image,sheet,papers(name)')).json()) as [
    { image: string; sheet: string; papers: object[] },
  ];
  expect(product.papers).toEqual([{ name: 'large.bin' }, { name: 'file' }]);
  const bytes = async (id: string) => new Uint8Array(await (await service.fetch(`/files/${id}/x`)).arrayBuffer());
  expect(await bytes(product.image)).toEqual(PICTURE);
  expect(Bun.hash(await bytes(product.sheet))).toBe(Bun.hash(LARGE));
}

/** The place of files for each engine, besides the database. */
const PLACES = [
  ['SQLite', 'the database', () => ({})],
  ['PostgreSQL', 'the database', () => ({})],
  ['SQLite', 'a folder', () => ({ CATALOGUE_FILES: 'uploads' })],
  ['PostgreSQL', 'S3', () => ({ CATALOGUE_FILES: s3.newLocation(), ...s3.environment })],
] as const;

test.each(PLACES)(
  'on %s with files in %s, a killed service keeps acknowledged files, and no file lacks its bytes',
  async (system, where, placeOf) => {
    const cwd = newShop();
    const environment = DATABASES.find(([name]) => name === system)![1];
    const env: Environment = { ...environment(), ...placeOf() };
    const service = await startService({ cwd, env });
    await fill(service, cwd);
    // Uploads in flight: some are acknowledged before the kill, others are not.
    const acknowledged: string[] = [];
    const gone = new AbortController();
    const uploads = Array.from({ length: 8 }, async (_, index) => {
      const body = new Uint8Array(LARGE);
      body[0] = index;
      const response = await service.fetch('/files', { method: 'POST', body, signal: gone.signal });
      if (response.status === 201) acknowledged.push(((await response.json()) as { id: string }).id);
    });
    await Promise.race(uploads);
    service.kill('SIGKILL');
    await service.exited;
    gone.abort();
    await Promise.allSettled(uploads);
    const again = await startService({ cwd, env });
    await expectFilled(again);
    const files = (await (await again.fetch('/files?select=id,size')).json()) as { id: string; size: number }[];
    expect(files.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    for (const { id, size } of files) {
      const response = await again.fetch(`/files/${id}/x`);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
      if (where === 'a folder') expect(response.headers.get('content-length')).toBe(String(size));
    }
    await stop(again);
    expect(await run({ cwd, env, args: ['check'] })).toMatchObject({ exitCode: 0, stderr: '' });
  },
);

test('copy moves files between storages, and check finds those that are missing', async () => {
  const cwd = newShop();
  const service = await startService({ cwd });
  await fill(service, cwd);
  await stop(service);
  const env = s3.environment;
  const copy = (from: string, to: string, ...more: string[]) =>
    run({ cwd, env, args: ['copy', '--from', `sqlite:${from}.db`, '--to', `sqlite:${to}.db`, ...more] });
  expect(await copy('catalogue', 'b', '--to-files', s3.newLocation())).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await copy('b', 'c', '--to-files', 'moved')).toMatchObject({ exitCode: 0, stderr: '' });
  const taken = await copy('catalogue', 'x', '--to-files', 'moved');
  expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining('the files of another catalogue')]);
  const there = await startService({ cwd, args: ['--database', 'c.db'] });
  await expectFilled(there);
  await stop(there);
  expect(await copy('c', 'd')).toMatchObject({ exitCode: 0, stderr: '' });
  const back = await startService({ cwd, args: ['--database', 'd.db'] });
  await expectFilled(back);
  await stop(back);
  const backup = await run({ cwd, args: ['backup', 'copy.db', '--database', 'c.db'] });
  expect(backup).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`Copy ${join(cwd, 'moved')} as well`) });
  const check = () => run({ cwd, args: ['check', '--database', 'c.db'] });
  expect(await check()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ok +files +2 contents/) });
  const sha256 = new Bun.CryptoHasher('sha256').update(PICTURE).digest('hex');
  const folder = join(cwd, 'moved', sha256.slice(0, 2));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  // Another program writes a list without a check.
  const db = new Database(join(cwd, 'c.db'));
  db.run(`update products set papers = json_insert(papers, '$[#]', '00000000-0000-4000-8000-000000000000')`);
  db.close();
  expect(await check()).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/BAD +files +file .* missing.*\nBAD +lists of files +papers of 1 row of products/),
  });
});

describe.each(DATABASES)('on %s', (system, environment) => {
  test('export, import and copy take lists of files along, and import rejects a file that does not exist', async () => {
    const cwd = newShop();
    const env = environment();
    const service = await startService({ cwd, env });
    await fill(service, cwd);
    const exported = await run({ cwd, env, args: ['export', '--output', 'rows.json', '--format', 'json'] });
    expect(exported).toMatchObject({ exitCode: 0, stderr: '' });
    const [row] = JSON.parse(readFileSync(join(cwd, 'rows.json'), 'utf8')) as [{ papers: string[] }];
    expect(row.papers).toHaveLength(2);
    const write = (rows: object[]) => writeFileSync(join(cwd, 'rows.json'), JSON.stringify(rows));
    write([
      { ...row, id: 2 },
      { ...row, id: 3, papers: [row.papers[0], '00000000-0000-4000-8000-000000000000'] },
    ]);
    const refused = await run({ cwd, env, args: ['import', 'rows.json'] });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('00000000-0000-4000')]);
    write([{ ...row, id: 2 }]);
    expect(await run({ cwd, env, args: ['import', 'rows.json'] })).toMatchObject({ exitCode: 0 });
    const found = await (await service.fetch('/products?id=eq.2&select=papers(size)')).json();
    expect(found).toEqual([{ papers: [{ size: LARGE.length }, { size: PICTURE.length }] }]);
    await stop(service);
    const schema = newSchema();
    const isFile = system === 'SQLite';
    const to = isFile ? ['--to', testServer.url, '--to-schema', schema] : ['--to', 'sqlite:copy.db'];
    const from = isFile
      ? ['--from', 'sqlite:catalogue.db']
      : ['--from', testServer.url, '--schema', env.CATALOGUE_SCHEMA!];
    const copied = await run({ cwd, args: ['copy', ...from, ...to] });
    expect(copied).toMatchObject({ exitCode: 0, stderr: '' });
    const args = isFile ? ['--database', testServer.url, '--schema', schema] : ['--database', 'sqlite:copy.db'];
    const target = await startService({ cwd, args });
    await expectFilled(target);
    await stop(target);
  });
});

test('a backup of SQLite is whole, and a restore brings the files back', async () => {
  const cwd = newShop();
  const service = await startService({ cwd });
  await fill(service, cwd);
  expect(await run({ cwd, args: ['backup', 'copy.db'] })).toMatchObject({ exitCode: 0, stderr: '' });
  await service.fetch('/products?id=eq.1', { method: 'DELETE' });
  await service.fetch('/files', { method: 'POST', body: gradient(10, 10, 9) });
  expect(await run({ cwd, args: ['restore', 'copy.db', '--force'] })).toMatchObject({ exitCode: 0, stderr: '' });
  await expectFilled(service);
  expect(((await (await service.fetch('/files')).json()) as unknown[]).length).toBe(2);
  await stop(service);
  expect(await run({ cwd, args: ['check'] })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('descriptions and commands know the declared collections only', async () => {
  const cwd = newShop();
  const openapi = await run({ cwd, args: ['openapi'] });
  expect(openapi).toMatchObject({ exitCode: 0, stderr: '' });
  expect(Object.keys((JSON.parse(openapi.stdout) as { paths: object }).paths).join()).not.toContain('catalogue_');
  const types = await run({ cwd, args: ['types'] });
  expect(types.stdout).not.toContain('catalogue_file_chunks');
  expect(await run({ cwd, args: ['check', 'collections.yaml'] })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 collection,'),
  });
});
