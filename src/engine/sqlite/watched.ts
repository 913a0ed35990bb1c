/**
 * The connection that quick reads run on, and the mark that tells when what it sees has changed.
 *
 * The mark maps the WAL index, and closes it again: with that go all locks that this process has on it (POSIX drops them
 * with any handle on a file), and another process would take the index for abandoned and cut it off under us. So it is
 * mapped while no connection of ours is open, and the file is made to outlast the one before. But another process whose
 * connection happens to be the last one may remove it meanwhile, and then the mark would watch a file that nobody writes
 * to: so it counts only if the file is still the same once our connection is open, and keeps it from being removed.
 */
import { statSync } from 'node:fs';
import { SharedMemoryMark } from './change-mark.ts';
import { Connection } from './connection.ts';
import { checkOwner } from './schema.ts';

/** Each failure takes another process that opens and closes the file within the same millisecond. */
const MAX_ATTEMPTS = 100;

export interface Watched {
  readonly reader: Connection;
  readonly changes: SharedMemoryMark;
}

/** Closes the first connection, with which the file was made ready. */
export function openWatched(path: string, first: Connection): Watched {
  let last = first;
  for (let attempt = 1; ; attempt++) {
    const file = closeAndKeep(last, `${path}-shm`);
    const changes = file === undefined ? undefined : mapped(path);
    const reader = new Connection(path, { readOnly: true, prepare: checkOwner });
    if (changes !== undefined && identityOf(`${path}-shm`) === file) return { reader, changes };
    if (attempt === MAX_ATTEMPTS) {
      reader.close();
      throw new Error(`other processes keep opening and closing ${path}`);
    }
    last = reader;
  }
}

/** The index that outlasts the connection; undefined where somebody has removed it already. */
function closeAndKeep(connection: Connection, index: string): string | undefined {
  connection.close({ keepLog: true });
  return identityOf(index);
}

/** Undefined where the file is not there, or has just been made and is still empty. */
function mapped(path: string): SharedMemoryMark | undefined {
  try {
    return new SharedMemoryMark(path);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT' || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A number may be given to another file later, but not a time. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}
