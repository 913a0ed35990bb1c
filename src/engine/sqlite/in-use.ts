/** Whether a process has a file open. */
import { Database, SQLiteError } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { isDamage } from './refusals.ts';

/** Whoever has the file open has a lock on it. Where not even that can be asked, the index tells: it goes with its last user. */
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
