/** Copies a database in use: one snapshot, compact, verified, and synced before it gets its name. */
import { Database, SQLiteError } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import { checkMayWrite, createPrivateFile, moveIntoPlace } from '../../../base/files/output-file.ts';
import { SQLITE_BUSY_MS } from '../../../base/limits/engine.ts';
import type { Catalogue } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/setting.ts';
import type { BackupReport } from '../../shared/maintenance.ts';
import { identifier } from '../../sql/statement.ts';
import { filesOf } from '../connection/database-files.ts';
import { isDamage } from '../errors.ts';
import { defineComputed } from '../functions/computed.ts';
import { checkOwner, count, NotOurDatabase, RETRY_TABLE } from '../schema/schema.ts';
import { lastMark } from './log-mark.ts';

/** A copy in progress, with its temporary name. */
export interface CopyRequest {
  readonly path: string;
  readonly file: string;
  readonly partial: string;
  readonly catalogue: Catalogue;
  readonly replace: boolean;
}

export interface RestoreRequest extends CopyRequest {
  /** Whether columns and tables of the copy that the database lacks may be dropped. */
  readonly dropColumns: boolean;
  readonly withoutWebhooks: boolean;
}

export function backupDatabase({ path, file, partial, catalogue, replace }: CopyRequest): BackupReport {
  if (checkMayWrite(file, { replace, protectedFiles: filesOf(path) }) === 'device') {
    throw new ConfigError(`${file} is not a file`);
  }
  using db = openExisting(path);
  if (checkOwner(db)) throw new ConfigError(`${path} is empty`);
  return copyDatabase(db, partial, () => {
    const report = verifyCopy(partial, catalogue);
    moveIntoPlace(partial, file, replace);
    return report;
  });
}

/** Reads one snapshot, with the rows in the log, and blocks nobody: https://www.sqlite.org/lang_vacuum.html */
export function copyDatabase<T>(db: Database, partial: string, use: () => T): T {
  try {
    // Creates the file exclusively.
    createPrivateFile(partial);
    db.query('vacuum into ?').run(partial);
    return use();
  } finally {
    rmSync(partial, { force: true });
  }
}

export function verifyCopy(file: string, catalogue: Catalogue): BackupReport {
  try {
    using db = openExisting(file);
    if (checkOwner(db)) throw new ConfigError(`${file} is empty`);
    const problems = integrityProblems(db);
    if (problems.length > 0) throw new ConfigError(`${file} is damaged: ${problems.slice(0, 3).join('; ')}`);
    return { ...countRows(db, catalogue), bytes: statSync(file).size, last: lastMark(db) };
  } catch (error) {
    if (error instanceof SQLiteError || error instanceof NotOurDatabase) {
      throw new ConfigError(`${file} is not a backup of a catalogue: ${error.message}`);
    }
    throw error;
  }
}

function countRows(db: Database, { collections }: Catalogue): Pick<BackupReport, 'rows' | 'undeclared'> {
  const tables = db.query("select name from sqlite_schema where type = 'table'").values().flat().map(String);
  const rows = tables
    .filter((name) => collections.has(name))
    .reduce((sum, name) => sum + count(db, `select count(*) from ${identifier(name)}`), 0);
  return { rows, undeclared: tables.filter((name) => !collections.has(name) && !isOwn(name)) };
}

/** Tables of SQLite, the service and its search index. */
function isOwn(table: string): boolean {
  return table === RETRY_TABLE || /^(sqlite_|catalogue_|_.*_search(_|$))/.test(table);
}

export function integrityProblems(db: Database): string[] {
  const lines = db.query('pragma integrity_check').values().flat().map(String);
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

export function openExisting(path: string): Database {
  const db = new Database(path, { readwrite: true, create: false });
  db.run(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
  // A copy of a table needs the functions of its columns.
  defineComputed(db);
  return db;
}

/**
 * A process with the file open holds a lock on it. If locks cannot be queried, the WAL index decides: its last user
 * removes it.
 */
export function isInUse(path: string): boolean {
  using db = new Database(path, { readwrite: true, create: false });
  try {
    db.run('pragma locking_mode = exclusive');
    db.run('begin exclusive');
    return false;
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    return !isDamage(error) || existsSync(`${path}-shm`);
  }
}
