/** Detects whether a process has a database file open. */
import { Database, SQLiteError } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { isDamage } from '../errors.ts';

/**
 * A process with the file open holds a lock on it. If locks cannot be queried, the WAL index decides: its last user
 * removes it.
 */
export function isInUse(path: string): boolean {
  const db = new Database(path, { readwrite: true, create: false });
  try {
    db.run('pragma locking_mode = exclusive');
    db.run('begin exclusive');
    return false;
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    return !isDamage(error) || existsSync(`${path}-shm`);
  } finally {
    db.close();
  }
}
