/** A copy of a catalogue in use: of one moment, compact, verified, and on the disk before it has its name. */
import { Database, SQLiteError } from 'bun:sqlite';
import { rmSync, statSync } from 'node:fs';
import type { Catalogue } from '../../collection/declaration.ts';
import { SQLITE_BUSY_MS } from '../../limits.ts';
import { ConfigError } from '../../settings/setting.ts';
import { checkMayWrite, makePrivate, putInPlace } from '../../written-file.ts';
import { identifier } from '../compile/statement.ts';
import type { BackupReport } from '../maintenance.ts';
import { filesOf } from './files.ts';
import { checkOwner, NotOurDatabase } from './schema.ts';

/** A copy on its way to a file, and what the file is called until it is whole. */
export interface Copying {
  readonly path: string;
  readonly file: string;
  readonly partial: string;
  readonly catalogue: Catalogue;
  readonly replace: boolean;
}

export interface Restoring extends Copying {
  /** Whether columns and tables of the copy that the database does not have may be left out. */
  readonly dropColumns: boolean;
}

export function backupDatabase({ path, file, partial, catalogue, replace }: Copying): BackupReport {
  if (checkMayWrite(file, { replace, never: filesOf(path) }) === 'device') {
    throw new ConfigError(`${file} is no file`);
  }
  const db = openExisting(path);
  try {
    if (checkOwner(db)) throw new ConfigError(`${path} is empty`);
    // Made by us, and by nobody else meanwhile.
    makePrivate(partial);
    // It reads one moment of the data, and holds up nobody: https://www.sqlite.org/lang_vacuum.html
    db.query('vacuum into ?').run(partial);
    const report = verifyCopy(partial, catalogue);
    putInPlace(partial, file, replace);
    return report;
  } finally {
    db.close();
    rmSync(partial, { force: true });
  }
}

/** Throws where the copy is not whole, or not ours. */
export function verifyCopy(file: string, catalogue: Catalogue): BackupReport {
  try {
    return lookAt(file, catalogue);
  } catch (error) {
    if (error instanceof SQLiteError || error instanceof NotOurDatabase) {
      throw new ConfigError(`${file} is no backup of a catalogue: ${error.message}`);
    }
    throw error;
  }
}

function lookAt(file: string, catalogue: Catalogue): BackupReport {
  const db = openExisting(file);
  try {
    if (checkOwner(db)) throw new ConfigError(`${file} is empty`);
    const problems = integrityProblems(db);
    if (problems.length > 0) throw new ConfigError(`${file} is damaged: ${problems.slice(0, 3).join('; ')}`);
    return { rows: countRows(db, catalogue), bytes: statSync(file).size };
  } finally {
    db.close();
  }
}

/** Of all collections that the file has. */
function countRows(db: Database, { collections }: Catalogue): number {
  const tables = db.query("select name from sqlite_schema where type = 'table'").values().flat();
  return [...collections.keys()]
    .filter((name) => tables.includes(name))
    .map((name) => Number(db.query(`select count(*) from ${identifier(name)}`).values()[0]?.[0] ?? 0))
    .reduce((sum, rows) => sum + rows, 0);
}

export function integrityProblems(db: Database): string[] {
  const lines = db.query('pragma integrity_check').values().flat().map(String);
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

export function openExisting(path: string): Database {
  const db = new Database(path, { readwrite: true, create: false });
  db.run(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
  return db;
}
