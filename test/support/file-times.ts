/**
 * Measures every test file: wall time, and the CPU time of this process and of the processes that it waited for. Each
 * file becomes a line of the file that TEST_TIMES names. `scripts/test.ts` reads these lines.
 */
import { afterAll } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { cpuMs } from './processes/cpu-time.ts';

const { TEST_TIMES } = process.env;

let last = { wall: performance.now(), cpu: cpuMs() };

afterAll(() => {
  if (TEST_TIMES === undefined) return;
  const current = { wall: performance.now(), cpu: cpuMs() };
  const file = relative(process.cwd(), Bun.main);
  const times = { file, wall: current.wall - last.wall, cpu: current.cpu - last.cpu };
  last = current;
  appendFileSync(TEST_TIMES, `${JSON.stringify(times)}\n`);
});
