/** Folders for the files of tests, in memory if it has room, because a disk takes milliseconds for every commit. */
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** The test files need less. A container often has only 64 MiB. */
const ENOUGH_BYTES = 2 ** 31;

const parent = hasRoom() ? MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Creates an empty folder whose name begins with `prefix`. */
export function newFolder(prefix: string): string {
  return mkdtempSync(join(parent, prefix));
}
