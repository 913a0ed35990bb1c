/** The files that a catalogue is kept in: its own, and those that SQLite keeps beside it. */
import { existsSync, realpathSync } from 'node:fs';

/** Endings of the files beside it: the log, its index, and the journal of a file without a log. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** SQLite keeps them beside the file itself, and not beside a link to it. */
export function filesOf(path: string): readonly string[] {
  const file = existsSync(path) ? realpathSync(path) : path;
  return [file, ...COMPANIONS.map((ending) => `${file}${ending}`)];
}
