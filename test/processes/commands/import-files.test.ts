/** `import --files` and `export --files`: rows with the names of files. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gradient, PICTURE } from '../../support/pictures.ts';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, type Environment, run, temporaryFolder } from '../../support/processes/process.ts';

afterAll(cleanUp);

const DECLARATION = `
collections:
  products:
    fields: { id: int4, name: text, image: image, sheet: file, papers: 'file[]' }
`;
const LARGE = new Uint8Array(2_000_000).map((_, at) => (at * 7919) >> 5);

describe.each(DATABASES)('on %s', (_system, environment) => {
  test('import uploads the files that a column names, and export writes them', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
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
});
