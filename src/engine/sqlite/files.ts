/**
 * The files of a catalogue, as they were when it was opened. One that is removed or replaced while it is in use takes with it
 * what is written from then on: SQLite goes on with the file that has no name any more.
 */
import { type BigIntStats, existsSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../../errors.ts';

/** The path of a catalogue that has none. */
export const IN_MEMORY = ':memory:';

/** Endings of the files beside it: the log, its index, and the journal of a file without a log. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

export function filesOf(path: string): readonly string[] {
  const file = fileOf(path);
  return [file, ...COMPANIONS.map((ending) => `${file}${ending}`)];
}

/** SQLite keeps the others beside the file itself, and not beside a link to it. */
export function fileOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** By name. A file that is open keeps its number, and no other gets it. */
export type OpenFiles = readonly (readonly [name: string, number: string | undefined])[];

/** While a connection has them open. */
export function openFiles(path: string): OpenFiles {
  const file = fileOf(path);
  return [path, `${file}-wal`, `${file}-shm`].map((name) => [name, numberOf(name)] as const);
}

/** Why nothing may be written; undefined where all are in their place. */
export function misplaced(files: OpenFiles): string | undefined {
  const found = files.find(([name, number]) => numberOf(name) !== number);
  return found && `${basename(found[0])} was removed or replaced while it was in use`;
}

export function checkFiles(files: OpenFiles): void {
  const details = misplaced(files);
  if (details === undefined) return;
  throw new Refusal('CAT503', 'the database is not where it was', {
    details,
    hint: 'Put the file back, or restart the service.',
    headers: { 'retry-after': '10' },
  });
}

/** 0 for a file that is not there. */
export function sizeOf(name: string): number {
  return Number(look(name)?.size ?? 0);
}

function numberOf(name: string): string | undefined {
  const found = look(name);
  return found && `${found.dev} ${found.ino}`;
}

/** A file that cannot be looked at, as in a folder that may not be read any more, is as good as gone. */
function look(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true });
  } catch {
    return undefined;
  }
}
