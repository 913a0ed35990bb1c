/** The npm package: what it contains, and that its command runs from an empty folder. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const NOT_COPIED = ['.git', 'node_modules', 'dist', 'test', 'bench'];

afterAll(cleanUp);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Runs `npm pack` in a copy of this checkout, because it writes to `dist`. */
function pack(): { readonly file: string; readonly packed: Packed } {
  const copy = temporaryFolder();
  for (const name of readdirSync(ROOT).filter((each) => !NOT_COPIED.includes(each))) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const { exitCode, stdout, stderr } = Bun.spawnSync(['npm', 'pack', '--json', '--silent'], {
    cwd: copy,
    stderr: 'pipe',
  });
  expect([exitCode, exitCode === 0 ? '' : `${stderr}`]).toEqual([0, '']);
  // The script before it prints its own lines. npm 11.6 and newer print a map instead of a list.
  const [packed] = Object.values(JSON.parse(/^[[{][\s\S]*/m.exec(`${stdout}`)![0]) as Record<string, Packed>);
  return { file: join(copy, packed!.filename), packed: packed! };
}

/** Installs the package as npm does, with the dependencies of this checkout. */
function install(file: string): string {
  const cwd = temporaryFolder();
  const modules = join(cwd, 'node_modules');
  const target = join(modules, manifest.name);
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(target);
  Bun.spawnSync(['tar', '-xzf', file, '--strip-components=1', '-C', target]);
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(ROOT, 'node_modules/.bin/bun'), join(modules, '.bin/bun'));
  symlinkSync(
    `../${manifest.name}/${manifest.bin[manifest.name as 'product-catalogue']}`,
    join(modules, '.bin', manifest.name),
  );
  return cwd;
}

let archive: ReturnType<typeof pack>;
beforeAll(() => {
  archive = pack();
});

test('the package contains the program, its console and its license', () => {
  const { packed } = archive;
  const paths = packed.files.map(({ path }) => path);
  expect([...new Set(paths.map((path) => path.split('/')[0]))].sort()).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'package.json',
    'src',
  ]);
  expect(paths.filter((path) => /^dist\/|\/browser\/|\.test\.|\.db$/.test(path))).toEqual(['dist/console.assets']);
  expect(packed.unpackedSize).toBeLessThan(5_000_000);
});

test('the installed command serves', async () => {
  const cwd = install(archive.file);
  const program = [join(cwd, 'node_modules/.bin', manifest.name)];
  expect(await run({ cwd, program, args: ['--version'] })).toMatchObject({
    stdout: `${manifest.version}\n`,
    stderr: '',
  });
  const service = await startService({ cwd, program });
  expect(await (await service.fetch('/products?select=count()')).json()).toEqual([{ count: 77 }]);
  expect((await service.fetch('/docs')).status).toBe(200);
  expect(await (await service.fetch('/console')).text()).toContain('<script');
});
