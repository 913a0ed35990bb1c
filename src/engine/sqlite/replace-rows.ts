/** The rows of a database in use are replaced by those of a copy, in one transaction. */
import type { Database } from 'bun:sqlite';
import { ConfigError } from '../../settings/setting.ts';
import { identifier } from '../compile/statement.ts';
import type { RestoreReport } from '../maintenance.ts';
import { Connection } from './connection.ts';
import type { Restoring } from './restore.ts';
import { prepareSchema } from './schema.ts';

type Differences = Pick<RestoreReport, 'dropped' | 'lacking'>;

export function replaceRows({ path, file, collection, dropColumns }: Restoring): Differences {
  const connection = new Connection(path);
  const { db } = connection;
  try {
    prepareSchema(db, collection, []);
    db.query('attach ? as copy').run(file);
    connection.waitInTurn();
    connection.beginWriting();
    const differences = compare(db);
    if (differences.dropped.length > 0 && !dropColumns) throw noPlace(path, differences.dropped);
    for (const table of shared(tablesOf(db, 'copy'), tablesOf(db, 'main'))) copyTable(db, table);
    // Keys that were given after the copy was made are not given again.
    db.run(`update main.sqlite_sequence set seq = max(seq, (select coalesce(max(seq), 0) from copy.sqlite_sequence as kept
      where kept.name = main.sqlite_sequence.name))`);
    db.run('commit');
    return differences;
  } finally {
    if (db.inTransaction) db.run('rollback');
    connection.close();
  }
}

function copyTable(db: Database, table: string): void {
  const columns = shared(columnsOf(db, 'copy', table), columnsOf(db, 'main', table))
    .map(identifier)
    .join(', ');
  db.run(`delete from main.${identifier(table)}`);
  db.run(`insert into main.${identifier(table)} (${columns}) select ${columns} from copy.${identifier(table)}`);
}

function compare(db: Database): Differences {
  const [kept, present] = [tablesOf(db, 'copy'), tablesOf(db, 'main')];
  const dropped = without(kept, present);
  const lacking: string[] = [];
  for (const table of shared(kept, present)) {
    const [theirs, ours] = [columnsOf(db, 'copy', table), columnsOf(db, 'main', table)];
    dropped.push(...without(theirs, ours).map((column) => `${table}.${column}`));
    lacking.push(...without(ours, theirs).map((column) => `${table}.${column}`));
  }
  return { dropped, lacking };
}

/** Those that hold rows of their own: what SQLite keeps for an index over them follows by itself. */
function tablesOf(db: Database, schema: string): string[] {
  return db
    .query(
      `select name from pragma_table_list where schema = ? and type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .values(schema)
    .map(([name]) => String(name));
}

function columnsOf(db: Database, schema: string, table: string): string[] {
  return db
    .query('select name from pragma_table_info(?, ?)')
    .values(table, schema)
    .map(([name]) => String(name));
}

function shared(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => others.includes(name));
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

function noPlace(path: string, dropped: readonly string[]): ConfigError {
  return new ConfigError(
    `the backup holds what ${path} has no place for: ${dropped.join(', ')}. To keep all of it, stop the service, move ${path} away and restore; --drop-columns restores the rest. Nothing was changed`,
  );
}
