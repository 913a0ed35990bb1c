/**
 * Identifies the files of a database when it is opened. If a file is removed or replaced while in use, SQLite continues
 * writing to the nameless old file, and those writes are lost.
 */
import { type BigIntStats, existsSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { ApiError } from '../../../base/errors.ts';

export const IN_MEMORY = ':memory:';

/** Suffixes of the companion files: log, its index, and rollback journal. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

export function filesOf(path: string): readonly string[] {
  const file = fileOf(path);
  return [file, ...COMPANIONS.map((ending) => `${file}${ending}`)];
}

/** SQLite places companion files beside the real file, not beside a link. */
export function fileOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Files by name. The inode of an open file is not reused. */
export type OpenFiles = readonly (readonly [name: string, number: string | undefined])[];

/** Call it while a connection has them open. */
export function openFiles(path: string): OpenFiles {
  const file = fileOf(path);
  return [path, `${file}-wal`, `${file}-shm`].map((name) => [name, numberOf(name)] as const);
}

/** Why nothing may be written; undefined if all files are in place. */
export function misplaced(files: OpenFiles): string | undefined {
  const changedFile = files.find(([name, number]) => numberOf(name) !== number);
  return changedFile && `${basename(changedFile[0])} was removed or replaced while it was in use`;
}

export function checkFiles(files: OpenFiles): void {
  const details = misplaced(files);
  if (details === undefined) return;
  throw new ApiError('CAT503', 'the database is not where it was', {
    details,
    hint: 'Put the file back, or restart the service.',
    headers: { 'retry-after': '10' },
  });
}

/** 0 if the file does not exist. */
export function sizeOf(name: string): number {
  return Number(look(name)?.size ?? 0);
}

function numberOf(name: string): string | undefined {
  const stats = look(name);
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Treats a file that cannot be inspected as removed. */
function look(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true });
  } catch {
    return undefined;
  }
}
