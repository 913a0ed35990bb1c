/**
 * Runs `bun test` with the given arguments. Without Chromium it leaves the browser tests out, and says so in its last
 * lines.
 */
import { CHROMIUM, NO_CHROMIUM } from '../test/support/browser/chromium.ts';

const without = CHROMIUM === undefined ? ['--path-ignore-patterns=test/browser/**'] : [];
const command = [process.execPath, '--max-http-header-size=1048576', 'test', ...without, ...process.argv.slice(2)];
const tests = Bun.spawn(command, { stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' });
const exitCode = await tests.exited;
if (CHROMIUM === undefined) console.error(`\nNOT ALL TESTS RAN: ${NO_CHROMIUM}`);
process.exit(exitCode);
