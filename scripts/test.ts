/**
 * Runs `bun test` with the given arguments. Every test and hook may take three minutes, for a busy machine. Without
 * Chromium it leaves the browser tests out, and says so in its last lines.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';
import { CHROMIUM, LAUNCH_OPTIONS, NO_CHROMIUM } from '../test/support/browser/chromium.ts';
import { createData, newSharedServer, type OwnServer, pidIn } from '../test/support/engines/postgres-server.ts';
import { newFolder } from '../test/support/folders.ts';
import { RUNS, SEED } from '../test/support/generated/runs.ts';
import { cpuMs, cpuMsBelow } from '../test/support/processes/cpu-time.ts';
import { whenThisProcessEnds } from '../test/support/processes/process-end.ts';
import { THREADS } from './program.ts';
import { selectTests } from './test-selection.ts';
import { readTimes, seconds, slowest, storeTimes, writeTimings } from './test-times.ts';

const { args, isQuick, hasBrowser, workersPerCore } = selectTests(process.argv.slice(2));
const folder = newFolder('catalogue-program-');
whenThisProcessEnds(`rm -rf '${folder}'`);
const program = join(folder, 'catalogue');
const times = join(folder, 'times.ndjson');
const timings = join(folder, 'timings.json');
writeTimings(timings);

/** Builds the executable. A run starts it more than a thousand times, and the sources need twice its CPU time. */
async function buildProgram(): Promise<void> {
  const build = Bun.spawn([process.execPath, join(import.meta.dir, 'build.ts'), program], { stderr: 'pipe' });
  const [exitCode, stderr] = await Promise.all([build.exited, build.stderr.text()]);
  if (exitCode !== 0) throw new Error(`the build failed: ${stderr}`);
}

/** Bundles the threads of engines, for those in the processes of the tests. */
async function buildThreads(): Promise<void> {
  await Bun.build({
    entrypoints: THREADS,
    outdir: folder,
    naming: '[name].[ext]',
    target: 'bun',
    format: 'cjs',
    minify: true,
    bytecode: true,
  });
}

/** Starts the PostgreSQL that all workers share, and keeps a copy of its empty data for tests with their own server. */
async function startServer(): Promise<OwnServer> {
  await createData(folder);
  process.env.TEST_POSTGRES = folder;
  return newSharedServer();
}

/** Starts the browser that all workers share, if this run has browser tests. */
async function startBrowser(): Promise<BrowserServer | undefined> {
  return hasBrowser && CHROMIUM !== undefined ? chromium.launchServer(LAUNCH_OPTIONS) : undefined;
}

const [server, browser] = await Promise.all([
  startServer(),
  startBrowser(),
  isQuick || buildProgram(),
  isQuick || buildThreads(),
]);
const preparationMs = cpuMs();
const usageBefore = process.cpuUsage();
const options = [
  `--timeout=${180_000 * RUNS}`,
  `--timings=${timings}`,
  // More than cores, because tests also wait. Each worker keeps its modules and engines between files.
  ...(args.some((each) => each.startsWith('--parallel'))
    ? []
    : [`--parallel=${Math.ceil(availableParallelism() * workersPerCore)}`]),
  '--no-isolate',
  ...(CHROMIUM === undefined ? ['--path-ignore-patterns=test/browser/**'] : []),
];
const tests = Bun.spawn([process.execPath, '--max-http-header-size=1048576', 'test', ...options, ...args], {
  stdio: ['inherit', 'inherit', 'inherit'],
  env: {
    // Most processes of a run end before optimized code is worth its CPU time, a tenth of the whole for the last step
    // of compilation alone. Only the hottest code gets the step before it.
    BUN_JSC_useFTLJIT: '0',
    BUN_JSC_thresholdForOptimizeAfterWarmUp: '20000',
    BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '20000',
    // The workers keep freed memory: returning it took a twentieth of their CPU time.
    MIMALLOC_PURGE_DELAY: '-1',
    ...process.env,
    ...(isQuick ? { TEST_ENGINE: 'SQLite' } : { TEST_PROGRAM: program, TEST_THREADS: folder }),
    TEST_SERVER_URL: server.url,
    TEST_TIMES: times,
    ...(browser && { TEST_BROWSER_URL: browser.wsEndpoint() }),
  },
});
const exitCode = await tests.exited;
const measured = readTimes(times);
storeTimes(measured);
const { user, system } = process.cpuUsage(usageBefore);
const parts = {
  preparation: preparationMs,
  'tests and the processes that they started': measured.reduce((sum, { cpu }) => sum + cpu, 0),
  'Playwright, between the tests and Chromium': (user + system) / 1000,
  Chromium: browser === undefined ? 0 : cpuMsBelow(browser.process().pid!),
  PostgreSQL: cpuMsBelow(await pidIn(server.dataFolder)),
};
const all = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
console.error(`\n${slowest(measured)}\n\nCPU time in seconds, with SEED=${SEED}`);
for (const [name, ms] of Object.entries({ ...parts, all })) console.error(`${seconds(ms)}  ${name}`);
await Promise.all([browser?.close(), server.stop()]);
if (hasBrowser && CHROMIUM === undefined) console.error(`\nNOT ALL TESTS RAN: ${NO_CHROMIUM}`);
process.exit(exitCode);
