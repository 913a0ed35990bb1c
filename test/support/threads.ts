/**
 * Threads of engines in the process of a test start from the bundles in the folder that TEST_THREADS names, with
 * compiled bytecode as in the executable: the sources need more than twice the CPU time for each start.
 */
import { basename, join } from 'node:path';

const folder = process.env.TEST_THREADS;

function bundleOf(file: string | URL): string | URL {
  const name = basename(String(file));
  return folder !== undefined && name.endsWith('-thread.ts') ? join(folder, name.replace('.ts', '.js')) : file;
}

globalThis.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(bundleOf(file), options);
  }
};
