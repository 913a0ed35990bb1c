/** `export` and `query`: they take the query string of the API, work on a file in use, and are quiet in a pipe. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

const QUERY = 'discontinued=eq.0&category_id=in.(1,2)&select=id,product_name,unit_price&order=unit_price.desc';

test('export writes the API response byte for byte while the service runs', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  for (const [format, accept] of [
    ['csv', 'text/csv'],
    ['json', 'application/json'],
    ['ndjson', 'application/x-ndjson'],
  ] as const) {
    const answer = await (await service.fetch(`/products?${QUERY}`, { headers: { accept } })).text();
    const exported = await run({ cwd, args: ['export', QUERY, '--format', format] });
    // A JSON response has no final newline, so the command adds one for the terminal.
    expect(exported).toEqual({ exitCode: 0, stdout: format === 'json' ? `${answer}\n` : answer, stderr: '' });
  }
});

test('export and query read in the language that they name', async () => {
  const cwd = temporaryFolder();
  await Bun.write(
    `${cwd}/collections.yaml`,
    'collections: { t: { fields: { id: int4, name: { type: text, translations: [de] } } } }',
  );
  await Bun.write(`${cwd}/t.csv`, 'id,name,name_de\n1,Boot,Stiefel\n2,Tent,\n');
  await run({ cwd, args: ['import', 't.csv'] });
  const german = await run({ cwd, args: ['export', 't?select=name&lang=de-AT'] });
  expect(german.stdout).toBe('name\nStiefel\nTent\n');
  const unknown = await run({ cwd, args: ['query', 't?lang=it'] });
  expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("'it' is not a language") });
});

test('export writes semicolons, tabs and decimal commas, which import reads', async () => {
  const cwd = temporaryFolder();
  await run({ cwd, args: ['migrate'] });
  const query = 'id=lte.3&select=id,product_name,unit_price';
  const european = await run({ cwd, args: ['export', query, '--separator', ';', '--decimal-comma'] });
  expect(european.stdout).toBe('id;product_name;unit_price\n1;Chai;18\n2;Chang;19\n3;Aniseed Syrup;10\n');
  await run({ cwd, args: ['export', 'unit_price=not.is.null', '--decimal-comma', '--output', 'all.tsv'] });
  const text = readFileSync(join(cwd, 'all.tsv'), 'utf8');
  expect(text).toContain('\t21,35\t');
  const imported = await run({ cwd, args: ['import', 'all.tsv', '--mode', 'upsert', '--json'] });
  expect(JSON.parse(imported.stdout)).toMatchObject({ ok: true, updated: 0, inserted: 0 });
  const json = await run({ cwd, args: ['export', query, '--format', 'json', '--decimal-comma'] });
  expect(json).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--decimal-comma are for CSV') });
});

test('a URL instead of a query is rejected with the query to use', async () => {
  const cwd = temporaryFolder();
  await run({ cwd, args: ['migrate'] });
  for (const command of ['export', 'query']) {
    expect(await run({ cwd, args: [command, 'http://127.0.0.1:3000/rest/v1/products?id=eq.1'] })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        "catalogue: 'http://127.0.0.1:3000/rest/v1/products?id=eq.1' is an address, and this command reads the database itself. For the same rows, use 'products?id=eq.1'. Choose another database with --database\n",
    });
  }
  expect((await run({ cwd, args: ['query', 'http://'] })).stderr).toBe(
    "catalogue: 'http://' is an address, and this command reads the database itself. Choose another database with --database\n",
  );
});

test.skipIf(!existsSync('/dev/full'))('a full standard output is reported as a failure', async () => {
  const cwd = temporaryFolder();
  await run({ cwd, args: ['migrate'] });
  for (const command of ['export', 'openapi', 'types']) {
    const finished = await run({ cwd, args: [command], prefix: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'] });
    expect(finished).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'catalogue: standard output cannot be written: the disk is full\n',
    });
  }
});

test('an exported file appears complete, and its name determines the format', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const { exitCode, stdout } = await run({ cwd, args: ['export', '--output', 'all.ndjson', '--json'] });
  const text = readFileSync(join(cwd, 'all.ndjson'), 'utf8');
  expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    ok: true,
    rows: 77,
    bytes: Buffer.byteLength(text),
  });
  expect(text.trimEnd().split('\n')).toHaveLength(77);
  expect(existsSync(join(cwd, 'all.ndjson.partial'))).toBe(false);
  const unknown = await run({ cwd, args: ['export', '--output', 'all.ods'] });
  expect(unknown).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/all\.ods.+\.csv.+--format/),
  });
  expect(existsSync(join(cwd, 'all.ods'))).toBe(false);
  const forced = await run({ cwd, args: ['export', 'id=eq.1', '--output', 'one.txt', '--format', 'csv'] });
  expect(forced).toEqual({ exitCode: 0, stdout: 'Exported 1 row to one.txt\n', stderr: '' });
  service.kill('SIGTERM');
  await service.exited;
});

test('export writes a workbook by the name of the file or --format', async () => {
  const cwd = temporaryFolder();
  await run({ cwd, args: ['migrate'] });
  const exported = await run({ cwd, args: ['export', 'select=id,product_name&id=lt.3', '--output', 'two.xlsx'] });
  expect(exported).toEqual({ exitCode: 0, stdout: 'Exported 2 rows to two.xlsx\n', stderr: '' });
  const parts = unzipSync(readFileSync(join(cwd, 'two.xlsx')));
  expect(strFromU8(parts['xl/worksheets/sheet1.xml']!)).toContain('<row><c><v>1</v></c><c t="inlineStr"><is><t');
  const named = await run({ cwd, args: ['export', 'id=eq.1', '--output', 'one.bin', '--format', 'xlsx'] });
  expect(named.exitCode).toBe(0);
  const rejected = await run({ cwd, args: ['export', '--output', 'all.xlsx', '--files', 'folder'] });
  expect(rejected).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--files is for csv') });
});

test('export --spreadsheet adds a byte order mark and escapes formulas; a plain export keeps all values unchanged', async () => {
  const cwd = temporaryFolder();
  await run({
    cwd,
    args: ['import', '-', '--format', 'ndjson'],
    stdin: '{"id":1,"product_name":"=1+1","unit_price":-2}',
  });
  const query = 'select=id,product_name,unit_price';
  const exported = async (...flags: string[]) => {
    await run({ cwd, args: ['export', query, '--output', 'out.csv', '--force', ...flags] });
    return readFileSync(join(cwd, 'out.csv'), 'utf8');
  };
  expect(await exported()).toBe('id,product_name,unit_price\n1,=1+1,-2\n');
  expect(await exported('--bom')).toBe('\uFEFFid,product_name,unit_price\n1,=1+1,-2\n');
  expect(await exported('--spreadsheet')).toBe("\uFEFFid,product_name,unit_price\n1,'=1+1,-2\n");
  const json = await run({ cwd, args: ['export', '--format', 'json', '--bom'] });
  expect(json).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('for CSV') });
});

test('a reader that closes the pipe early is not an error', async () => {
  const cwd = temporaryFolder();
  const rows = Array.from({ length: 20_000 }, (_, index) => `{"product_name":"Product number ${index}"}`).join('\n');
  await run({ cwd, args: ['import', '-', '--format', 'ndjson'], stdin: rows });
  const shell = ['sh', '-c', '"$0" "$@" | head -n 2'];
  const { exitCode, stdout, stderr } = await run({ cwd, prefix: shell, args: ['export'] });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
});

test('query prints a table, and says when there are more rows', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const found = await run({ cwd, args: ['query', 'select=id,product_name&id=lt.4'] });
  expect(found).toEqual({
    exitCode: 0,
    stdout: 'id  product_name\n──  ─────────────\n 1  Chai\n 2  Chang\n 3  Aniseed Syrup\n',
    stderr: '',
  });
  const some = await run({ cwd, args: ['query', '/products?select=id', '--rows', '2'] });
  expect(some).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^1 to 2 of 77; .*limit=.*\n$/) });
  const cut = await run({ cwd, args: ['query', 'select=id&offset=1', '--rows', '2', '--json'] });
  expect(cut).toMatchObject({ stdout: '[{"id":2},{"id":3}]\n', stderr: expect.stringMatching(/^2 to 3 of 77; /) });
  const json = await run({ cwd, args: ['query', 'id=eq.1&select=id', '--json'] });
  expect(json.stdout).toBe('[{"id":1}]\n');
  service.kill('SIGTERM');
  await service.exited;
});

test('query prints a hundred rows, or as many as the query requests', async () => {
  const cwd = temporaryFolder();
  const rows = Array.from({ length: 150 }, (_, index) => `{"product_name":"P${index}"}`).join('\n');
  await run({ cwd, args: ['import', '-', '--format', 'ndjson'], stdin: rows });
  const shown = async (...args: string[]) => {
    const { stdout, stderr } = await run({ cwd, args: ['query', ...args, '--json'] });
    return [(JSON.parse(stdout) as unknown[]).length, stderr.split(';')[0]];
  };
  expect(await shown()).toEqual([100, '1 to 100 of 150']);
  expect(await shown('limit=120')).toEqual([120, '1 to 120 of 150']);
  expect(await shown('limit=120', '--rows', '7')).toEqual([7, '1 to 7 of 150']);
  expect(await shown('--rows', '150')).toEqual([150, '']);
});

test('a mistake in the query is reported as by the API, and no database is created', async () => {
  const cwd = temporaryFolder();
  const missing = await run({ cwd, args: ['export'] });
  expect(missing).toEqual({ exitCode: 1, stdout: '', stderr: 'catalogue: database catalogue.db does not exist\n' });
  expect(existsSync(join(cwd, 'catalogue.db'))).toBe(false);
  await run({ cwd, args: ['migrate'] });
  const wrong = await run({ cwd, args: ['export', 'prodct_name=eq.x'] });
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('product_name') });
  const forMachines = await run({ cwd, args: ['query', 'id=1', '--json'] });
  expect(JSON.parse(forMachines.stdout)).toMatchObject({ ok: false, error: expect.stringContaining('id=eq.1') });
});
