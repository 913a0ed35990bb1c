/**
 * `npm run build`: builds one executable, dist/catalogue. It contains Bun, the program, its threads, the reference
 * products, the console and the API reference. `npm run build -- FILE [TARGET]` writes another file, or builds for
 * another system (bun-linux-arm64, bun-darwin-arm64, …). For this system it also contains compiled bytecode, with which
 * a command and a service start in half the CPU time.
 */
import { dirname, join } from 'node:path';
import { buildAssetsTo } from '../src/console/bundle.ts';
import { MAIN, THREADS } from './program.ts';

const root = dirname(import.meta.dir);
const [outfile = join(root, 'dist/catalogue'), target] = process.argv.slice(2);

const isThisSystem = target === undefined || target === `bun-${process.platform}-${process.arch}`;
const assets = await buildAssetsTo(dirname(outfile));
const command = [
  process.execPath,
  'build',
  '--compile',
  '--minify',
  '--format=esm',
  // A command loads only the modules that it needs.
  '--splitting',
  // The output is flat, because the program looks for thread files in its own folder.
  '--entry-naming=[name].[ext]',
  '--asset-naming=[name].[ext]',
  '--compile-exec-argv=--max-http-header-size=1048576',
  isThisSystem ? '--bytecode' : `--target=${target}`,
  `--outfile=${outfile}`,
  MAIN,
  ...THREADS,
  assets,
];
const { exitCode } = Bun.spawnSync(command, { cwd: root, stdout: 'inherit', stderr: 'inherit' });
process.exit(exitCode);
