/** `catalogue copy` moves a complete catalogue from SQLite to PostgreSQL and back. */
import { afterAll, describe, expect, test } from 'bun:test';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterAll(cleanUp);
const { url } = testServer;

/** The rows and the stored views. */
async function contentOf({ fetch }: Pick<Awaited<ReturnType<typeof startService>>, 'fetch'>): Promise<string> {
  return (await (await fetch('/products')).text()) + (await (await fetch('/catalogue/views')).text());
}

async function listOf(args: readonly string[], cwd: string): Promise<string> {
  const service = await startService({ args, cwd });
  const text = await contentOf(service);
  service.kill('SIGTERM');
  await service.exited;
  return text;
}

describe('catalogue copy', () => {
  test('copies everything and confirms it', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const source = await startService({ args: ['--database', 'sqlite:from.db'], cwd });
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      product_name: `Nº ${index} "x",\n`,
      unit_price: index / 100,
    }));
    const headers = { 'content-type': 'application/json' };
    await source.fetch('/products', { method: 'POST', headers, body: JSON.stringify(many) });
    const view = { collection: 'products', name: 'Cheap', definition: { query: 'unit_price=lt.5' } };
    await source.fetch('/catalogue/views', { method: 'POST', headers, body: JSON.stringify(view) });
    const before = await contentOf(source);
    expect(before).toContain('Cheap');
    source.kill('SIGTERM');
    await source.exited;

    const there = await run({ args: ['copy', '--from', 'sqlite:from.db', '--to', url, '--schema', schema], cwd });
    expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    expect(there.stdout).toContain('Copied 5077 rows from from.db');
    expect(await listOf(['--database', url, '--schema', schema], cwd)).toBe(before);

    const back = await run({ args: ['copy', '--from', url, '--schema', schema, '--to', 'sqlite:back.db'], cwd });
    expect(back.exitCode).toBe(0);
    expect(await listOf(['--database', 'sqlite:back.db'], cwd)).toBe(before);

    const again = await run({ args: ['copy', '--from', 'sqlite:from.db', '--to', url, '--schema', schema], cwd });
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('holds 5077 rows already');
  });

  test('from a missing source creates no schema; neither does a failed or dry-run import', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const rows = 'product_name,unit_price\nTea,1\nJam,cheap\n';
    const into = ['--database', url, '--schema', schema];
    await run({ cwd, args: ['copy', '--from', 'typo.db', '--to', url, '--schema', schema] });
    await run({ cwd, args: ['import', '-', '--format', 'csv', ...into], stdin: rows });
    await run({ cwd, args: ['import', '-', '--format', 'csv', '--keep-going', '--dry-run', ...into], stdin: rows });
    await run({ cwd, args: ['export', ...into] });
    const [found] = await testServer.admin.unsafe(
      `select count(*)::int4 as schemas from pg_namespace where nspname = '${schema}'`,
    );
    expect(found).toEqual({ schemas: 0 });
  });

  test('is all or nothing: other clients see either no table or the complete one', async () => {
    const cwd = temporaryFolder();
    const schema = newSchema();
    const rows = 20_000;
    const lines = Array.from({ length: rows }, (_, index) => `{"product_name":"Product number ${index}"}`).join('\n');
    await run({ cwd, args: ['import', '-', '--format', 'ndjson', '--database', 'from.db'], stdin: lines });
    let isDone = false;
    const copying = run({ cwd, args: ['copy', '--from', 'from.db', '--to', url, '--schema', schema] }).then(
      (result) => {
        isDone = true;
        return result;
      },
    );
    const seen = new Set<number>();
    while (!isDone) {
      const [found] = await testServer.admin.unsafe(`select to_regclass('${schema}.products') is not null as there`);
      if (found.there) {
        const [counted] = await testServer.admin.unsafe(`select count(*)::int4 as rows from "${schema}".products`);
        seen.add(counted.rows);
      }
      await Bun.sleep(1);
    }
    expect(await copying).toMatchObject({ exitCode: 0, stderr: '' });
    expect([...seen].filter((count) => count !== rows)).toEqual([]);
  });
});
