/** A copy of a catalogue in use: of one moment, compact, verified, and on the disk before it has its name. */
import { Database, SQLiteError } from 'bun:sqlite';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Catalogue } from '../../collection/declaration.ts';
import { SQLITE_BUSY_MS } from '../../limits.ts';
import { ConfigError } from '../../settings/setting.ts';
import { identifier } from '../compile/statement.ts';
import type { BackupReport } from '../maintenance.ts';
import { checkOwner, NotOurDatabase } from './schema.ts';

/** What a file is called until it is whole. */
export function partialOf(file: string): string {
  return `${file}.partial`;
}

export function backupDatabase(path: string, file: string, catalogue: Catalogue, replace: boolean): BackupReport {
  if (!replace && existsSync(file)) throw new ConfigError(`${file} is there already; --force replaces it`);
  const partial = partialOf(file);
  rmSync(partial, { force: true });
  const db = openExisting(path);
  try {
    if (checkOwner(db)) throw new ConfigError(`${path} is empty`);
    // It reads one moment of the data, and holds up nobody: https://www.sqlite.org/lang_vacuum.html
    db.query('vacuum into ?').run(partial);
    const report = verifyCopy(partial, catalogue);
    sync(partial);
    renameSync(partial, file);
    sync(dirname(file));
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

/** A file and its name are two things that must reach the disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
