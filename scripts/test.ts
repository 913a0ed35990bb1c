/**
 * Runs `bun test` with the given arguments. Every test and hook may take 60 seconds, for a busy machine. Without
 * Chromium it leaves the browser tests out, and says so in its last lines.
 */
import { CHROMIUM, NO_CHROMIUM } from '../test/support/browser/chromium.ts';
import { RUNS } from '../test/support/generated/runs.ts';

const timeout = `--timeout=${60_000 * RUNS}`;
const without = CHROMIUM === undefined ? ['--path-ignore-patterns=test/browser/**'] : [];
const options = ['--max-http-header-size=1048576', 'test', timeout, ...without, ...process.argv.slice(2)];
const tests = Bun.spawn([process.execPath, ...options], { stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' });
const exitCode = await tests.exited;
if (CHROMIUM === undefined) console.error(`\nNOT ALL TESTS RAN: ${NO_CHROMIUM}`);
process.exit(exitCode);
