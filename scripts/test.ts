/**
 * Runs `bun test` with the given arguments. Every test and hook may take 60 seconds, for a busy machine. Without
 * Chromium it leaves the browser tests out, and says so in its last lines.
 */
import { join } from 'node:path';
import { CHROMIUM, NO_CHROMIUM } from '../test/support/browser/chromium.ts';
import { createData } from '../test/support/engines/postgres-server.ts';
import { newFolder } from '../test/support/folders.ts';
import { RUNS } from '../test/support/generated/runs.ts';
import { whenThisProcessEnds } from '../test/support/processes/process-end.ts';

/** Builds the executable. A run starts it more than a thousand times, and the sources need twice its CPU time. */
function buildProgram(folder: string): string {
  const program = join(folder, 'catalogue');
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'build.ts'), program]);
  if (exitCode !== 0) throw new Error(`the build failed: ${stderr}`);
  return program;
}

/** Lets the folders with the longest files start first, so that no worker still runs one of them at the end. */
async function writeTimings(path: string): Promise<string> {
  const names = [...new Bun.Glob('test/**/*.test.ts').scanSync()];
  const durations = names.map((name) => [name, /^test\/(browser|processes|property)\//.test(name) ? 2 : 1]);
  await Bun.write(path, JSON.stringify({ version: 1, files: Object.fromEntries(durations) }));
  return path;
}

const timeout = `--timeout=${60_000 * RUNS}`;
const without = CHROMIUM === undefined ? ['--path-ignore-patterns=test/browser/**'] : [];
const folder = newFolder('catalogue-program-');
whenThisProcessEnds(`rm -rf '${folder}'`);
const timings = `--timings=${await writeTimings(join(folder, 'timings.json'))}`;
const options = ['--max-http-header-size=1048576', 'test', timeout, timings, ...without, ...process.argv.slice(2)];
await createData(folder);
const tests = Bun.spawn([process.execPath, ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
  env: { ...process.env, TEST_PROGRAM: buildProgram(folder), TEST_POSTGRES: folder },
});
const exitCode = await tests.exited;
if (CHROMIUM === undefined) console.error(`\nNOT ALL TESTS RAN: ${NO_CHROMIUM}`);
process.exit(exitCode);
