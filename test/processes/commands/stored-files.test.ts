/** Stored files in real processes: uploads by curl, a killed service, backup, restore, check and copy. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
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

afterAll(cleanUp);

const DECLARATION = `
collections:
  products:
    fields: { id: int4, name: text, image: image, sheet: file, papers: 'file[]' }
`;
const LARGE = new Uint8Array(2_000_000).map((_, at) => (at * 7919) >> 5);

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
  const [product] = (await (await service.fetch('/products?select=image,sheet,papers(name)')).json()) as [
    { image: string; sheet: string; papers: object[] },
  ];
  expect(product.papers).toEqual([{ name: 'large.bin' }, { name: 'file' }]);
  const bytes = async (id: string) => new Uint8Array(await (await service.fetch(`/files/${id}/x`)).arrayBuffer());
  expect(await bytes(product.image)).toEqual(PICTURE);
  expect(Bun.hash(await bytes(product.sheet))).toBe(Bun.hash(LARGE));
}

describe.each(DATABASES)('on %s', (system, environment) => {
  test('import uploads the files that a column names, and export writes them', async () => {
    const cwd = newShop();
    const env: Environment = environment();
    mkdirSync(join(cwd, 'pictures/old'), { recursive: true });
    writeFileSync(join(cwd, 'pictures/tea, green.png'), PICTURE);
    writeFileSync(join(cwd, 'pictures/old/cup.png'), gradient(9, 9));
    writeFileSync(join(cwd, 'pictures/large.bin'), LARGE);
    symlinkSync(join(cwd, 'collections.yaml'), join(cwd, 'pictures/link.yaml'));
    const rows = [
      { id: 1, name: 'Tea', image: 'tea, green.png', sheet: 'large.bin', papers: ['old/cup.png', 'large.bin'] },
      { id: 2, name: 'Cup', image: 'old/cup.png', sheet: null, papers: null },
    ];
    const importRows = (given: readonly object[], ...flags: string[]) => {
      writeFileSync(join(cwd, 'rows.json'), JSON.stringify(given));
      return run({ args: ['import', 'rows.json', ...flags], cwd, env });
    };
    const wrong = [
      '../collections.yaml',
      '/etc/hostname',
      'link.yaml',
      'no.png',
      'https://shop.example/tea.png',
      'old',
    ];
    const refused = await importRows(
      [...rows, ...[...wrong, 'large.bin'].map((image, index) => ({ id: 10 + index, image }))],
      '--files',
      'pictures',
    );
    expect(refused.exitCode).toBe(1);
    for (const name of wrong) expect(refused.stderr + refused.stdout).toContain(`"${name}"`);
    expect(refused.stderr + refused.stdout).toMatch(/is a URL.*fetches nothing/);
    expect(refused.stderr + refused.stdout).toContain('image: the file large.bin is application/octet-stream');
    const unnamed = await importRows(rows.slice(1));
    expect([unnamed.exitCode, unnamed.stderr + unnamed.stdout]).toEqual([1, expect.stringContaining('--files DIR')]);
    const stored = await importRows(rows, '--files', 'pictures');
    expect([stored.exitCode, stored.stderr]).toEqual([0, expect.any(String)]);
    // CSV and JSON lead back to the same rows.
    const shown = async () => {
      const query = 'products?select=id,name,image(name,sha256),sheet(size),papers(name)';
      const { stdout } = await run({ args: ['export', query, '--format', 'json'], cwd, env });
      return JSON.parse(stdout) as object[];
    };
    const before = await shown();
    expect(before).toMatchObject([
      { name: 'Tea', image: { name: 'tea, green.png' }, sheet: { size: LARGE.length } },
      { name: 'Cup', image: { name: 'cup.png' }, sheet: null },
    ]);
    for (const format of ['csv', 'json']) {
      const exported = await run({
        args: ['export', '--output', `out.${format}`, '--files', `out-${format}`],
        cwd,
        env,
      });
      expect([exported.exitCode, exported.stderr]).toEqual([0, expect.any(String)]);
      expect(readFileSync(join(cwd, `out.${format}`), 'utf8')).toContain('tea, green.png');
      const args = ['import', `out.${format}`, '--files', `out-${format}`, '--mode', 'upsert'];
      const back = await run({ args, cwd, env });
      expect([back.exitCode, back.stderr]).toEqual([0, expect.any(String)]);
    }
    expect(await shown()).toEqual(before);
    const again = await run({ args: ['export', '--files', 'out-csv'], cwd, env });
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('out-csv is not empty')]);
  });

  test('a killed service keeps acknowledged files, and no file lacks its bytes', async () => {
    const cwd = newShop();
    const env: Environment = environment();
    const service = await startService({ cwd, env });
    await fill(service, cwd);
    // Uploads in flight: some are acknowledged before the kill, others are not.
    const acknowledged: string[] = [];
    const gone = new AbortController();
    const uploads = Array.from({ length: 12 }, async (_, index) => {
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
      const bytes = await (await again.fetch(`/files/${id}/x`)).arrayBuffer();
      expect(bytes.byteLength).toBe(size);
    }
    await stop(again);
    if (system === 'SQLite') {
      const checked = await run({ cwd, env, args: ['check'] });
      expect(checked).toMatchObject({ exitCode: 0, stderr: '' });
    }
  });

  test('export and import have lists of files as JSON, and import rejects a file that does not exist', async () => {
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
  });

  test('copy takes the files along', async () => {
    const cwd = newShop();
    const env = environment();
    const service = await startService({ cwd, env });
    await fill(service, cwd);
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
