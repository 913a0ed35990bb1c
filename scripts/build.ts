/**
 * `npm run build`: one executable, dist/catalogue, with everything inside: Bun itself, the program, its threads, the
 * reference products, the console and the API reference. `npm run build -- FILE [TARGET]` builds elsewhere, or for
 * another system (bun-linux-arm64, bun-darwin-arm64, …).
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildAssetsTo } from '../src/console/bundle.ts';

const root = dirname(import.meta.dir);
const [outfile = join(root, 'dist/catalogue'), target] = process.argv.slice(2);

/** A thread is started by its file's name: each is an entry of its own. */
const threads = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('-thread.ts'))
  .map((name) => join(root, 'src', name));
const assets = await buildAssetsTo(dirname(outfile));
const command = [
  process.execPath,
  'build',
  '--compile',
  '--minify',
  // Flat, since a thread is looked for beside the program.
  '--entry-naming=[name].[ext]',
  '--asset-naming=[name].[ext]',
  '--compile-exec-argv=--max-http-header-size=1048576',
  ...(target === undefined ? [] : [`--target=${target}`]),
  `--outfile=${outfile}`,
  join(root, 'src/main.ts'),
  ...threads,
  assets,
];
const { exitCode } = Bun.spawnSync(command, { cwd: root, stdout: 'inherit', stderr: 'inherit' });
process.exit(exitCode);
