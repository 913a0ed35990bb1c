/**
 * Runs `bun test` with the given arguments. Every test and hook may take 60 seconds, for a busy machine. Without
 * Chromium it leaves the browser tests out, and says so in its last lines.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildAssetsTo } from '../src/console/bundle.ts';
import { CHROMIUM, NO_CHROMIUM } from '../test/support/browser/chromium.ts';
import { newFolder } from '../test/support/folders.ts';
import { RUNS } from '../test/support/generated/runs.ts';
import { MAIN, THREADS } from './program.ts';

/**
 * Bundles the program. A run starts it more than a thousand times, and loading hundreds of files takes a third of each
 * short command's time.
 */
async function bundleProgram(folder: string): Promise<string> {
  // The program looks for the packed console in ../../dist.
  const program = join(folder, 'program/bundle');
  await Bun.build({
    entrypoints: [MAIN, ...THREADS],
    outdir: program,
    naming: '[name].[ext]',
    target: 'bun',
    splitting: true,
  });
  for (const file of THREADS.map((path) => basename(path))) {
    await Bun.write(join(program, file), `import './${file.replace('.ts', '.js')}';\n`);
  }
  await buildAssetsTo(join(folder, 'dist'));
  return join(program, 'main.js');
}

const timeout = `--timeout=${60_000 * RUNS}`;
const without = CHROMIUM === undefined ? ['--path-ignore-patterns=test/browser/**'] : [];
const options = ['--max-http-header-size=1048576', 'test', timeout, ...without, ...process.argv.slice(2)];
const folder = newFolder('catalogue-program-');
const tests = Bun.spawn([process.execPath, ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
  env: { ...process.env, TEST_PROGRAM: await bundleProgram(folder) },
});
const exitCode = await tests.exited;
rmSync(folder, { recursive: true, force: true });
if (CHROMIUM === undefined) console.error(`\nNOT ALL TESTS RAN: ${NO_CHROMIUM}`);
process.exit(exitCode);
