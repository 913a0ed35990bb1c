/**
 * A catalogue becomes what its copy is. Where the file is in use, its rows are replaced in one transaction, and not the
 * file under the feet of those who have it open: a running service goes on, and sees the restored rows at once.
 */
import type { Database } from 'bun:sqlite';
import { copyFileSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Catalogue } from '../../collection/declaration.ts';
import { ConfigError } from '../../settings/setting.ts';
import { identifier } from '../compile/statement.ts';
import type { BackupReport } from '../maintenance.ts';
import { RECORD_TABLE } from '../migration/record.ts';
import { integrityProblems, openExisting, partialOf, sync, verifyCopy } from './backup.ts';
import { planSchema, prepareSchema } from './migrate.ts';
import { checkOwner, NotOurDatabase } from './schema.ts';

const COMPANIONS = ['', '-wal', '-shm'] as const;

export function restoreDatabase(path: string, file: string, catalogue: Catalogue, replace: boolean): BackupReport {
  if (!existsSync(file)) throw new ConfigError(`there is no backup ${file}`);
  if (existsSync(path) && realpathSync(path) === realpathSync(file)) {
    throw new ConfigError('the backup is the database itself');
  }
  const report = verifyCopy(file, catalogue);
  const isThere = existsSync(path) && statSync(path).size > 0;
  if (isThere && !replace) throw new ConfigError(`${path} is there already; --force replaces all that it holds`);
  if (isThere && isSound(path)) replaceRows(path, file, catalogue);
  else {
    if (isThere) setAside(path);
    copyInto(path, file);
  }
  return report;
}

/** Throws for the database of another program: it is not ours to replace. */
function isSound(path: string): boolean {
  try {
    const db = openExisting(path);
    try {
      checkOwner(db);
      return integrityProblems(db).length === 0;
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof NotOurDatabase) throw error;
    return false;
  }
}

function replaceRows(path: string, file: string, catalogue: Catalogue): void {
  const db = openExisting(path);
  try {
    db.run('pragma synchronous = full');
    prepareSchema(db, { catalogue, firstRows: () => [] });
    checkDeclaration(file, catalogue);
    db.query('attach ? as copy').run(file);
    db.run('begin immediate');
    db.run('pragma defer_foreign_keys = on');
    for (const table of sharedTables(db)) {
      const columns = sharedColumns(db, table).map(identifier).join(', ');
      db.run(`delete from main.${identifier(table)}`);
      db.run(`insert into main.${identifier(table)} (${columns}) select ${columns} from copy.${identifier(table)}`);
    }
    // Keys that were given after the copy was made are not given again.
    db.run(`update main.sqlite_sequence set seq = max(seq, (select coalesce(max(seq), 0) from copy.sqlite_sequence as kept
      where kept.name = main.sqlite_sequence.name))`);
    db.run('commit');
  } finally {
    if (db.inTransaction) db.run('rollback');
    db.close();
  }
}

/** The rows of a copy fit only tables that were declared as its own were. */
function checkDeclaration(file: string, catalogue: Catalogue): void {
  const copy = openExisting(file);
  try {
    const { steps } = planSchema(copy, { catalogue, firstRows: () => [] });
    const others = steps.filter((step) => !step.startsWith('index '));
    if (others.length === 0) return;
    throw new ConfigError(
      `${file} was made with another declaration (${others.join(', ')}); restore it to a file of its own, and run catalogue migrate there`,
    );
  } finally {
    copy.close();
  }
}

function sharedTables(db: Database): string[] {
  const tables = (schema: string) =>
    db
      .query(
        `select name from ${schema}.sqlite_schema where type = 'table' and name not like 'sqlite_%' and sql not like 'create virtual%'`,
      )
      .values()
      .map(([name]) => String(name));
  const kept = tables('copy');
  return tables('main').filter((name) => kept.includes(name) && name !== RECORD_TABLE);
}

function sharedColumns(db: Database, table: string): string[] {
  const columns = (schema: string) =>
    db
      .query('select name from pragma_table_info(?, ?)')
      .values(table, schema)
      .map(([name]) => String(name));
  const kept = columns('copy');
  return columns('main').filter((name) => kept.includes(name));
}

/** A damaged file is kept: someone may still get something out of it. */
function setAside(path: string): void {
  const name = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of COMPANIONS)
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${name}${suffix}`);
}

function copyInto(path: string, file: string): void {
  const partial = partialOf(path);
  copyFileSync(file, partial);
  sync(partial);
  // A log without its file would be replayed into the new one.
  for (const suffix of COMPANIONS.slice(1)) rmSync(`${path}${suffix}`, { force: true });
  renameSync(partial, path);
  sync(dirname(path));
}
