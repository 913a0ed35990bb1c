/** The rows of a database in use are replaced by those of a copy, in one transaction. */
import { ConfigError } from '../../settings/setting.ts';
import { identifier } from '../compile/statement.ts';
import type { RestoreReport } from '../maintenance.ts';
import type { Restoring } from './backup.ts';
import { Connection } from './connection.ts';
import { prepareSchema } from './schema.ts';

type Differences = Pick<RestoreReport, 'dropped' | 'lacking'>;

export function replaceRows({ path, file, catalogue, dropColumns }: Restoring): Differences {
  const connection = new Connection(path, { prepare: (db) => prepareSchema(db, catalogue, () => []) });
  try {
    // A row that is removed here comes back: it takes no others with it, and none keep it.
    connection.execute('pragma foreign_keys = off');
    connection.run({ sql: 'attach ? as copy', params: [file] });
    connection.waitInTurn();
    connection.beginWriting();
    const differences = compare(connection);
    if (differences.dropped.length > 0 && !dropColumns) throw noPlace(path, differences.dropped);
    for (const table of shared(tablesOf(connection, 'copy'), tablesOf(connection, 'main')))
      copyTable(connection, table);
    // Keys that were given after the copy was made are not given again.
    connection.execute(`update main.sqlite_sequence set seq = max(seq, (select coalesce(max(seq), 0) from copy.sqlite_sequence as kept
      where kept.name = main.sqlite_sequence.name))`);
    connection.commit();
    return differences;
  } finally {
    connection.rollback();
    connection.close();
  }
}

function copyTable(connection: Connection, table: string): void {
  const columns = shared(columnsOf(connection, 'copy', table), columnsOf(connection, 'main', table))
    .map(identifier)
    .join(', ');
  connection.execute(`delete from main.${identifier(table)}`);
  connection.execute(
    `insert into main.${identifier(table)} (${columns}) select ${columns} from copy.${identifier(table)}`,
  );
}

function compare(connection: Connection): Differences {
  const [kept, present] = [tablesOf(connection, 'copy'), tablesOf(connection, 'main')];
  const dropped = without(kept, present);
  const lacking: string[] = [];
  for (const table of shared(kept, present)) {
    const [theirs, ours] = [columnsOf(connection, 'copy', table), columnsOf(connection, 'main', table)];
    dropped.push(...without(theirs, ours).map((column) => `${table}.${column}`));
    lacking.push(...without(ours, theirs).map((column) => `${table}.${column}`));
  }
  return { dropped, lacking };
}

/** Those that hold rows of their own: what SQLite keeps for an index over them follows by itself. */
function tablesOf(connection: Connection, schema: string): string[] {
  const sql = `select name from pragma_table_list where schema = ? and type = 'table' and name not like 'sqlite\\_%' escape '\\'`;
  return connection.values({ sql, params: [schema] }).map(([name]) => String(name));
}

function columnsOf(connection: Connection, schema: string, table: string): string[] {
  return connection
    .values({ sql: 'select name from pragma_table_info(?, ?)', params: [table, schema] })
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
