/** Replaces the rows of a database in use with those of a backup, in one transaction. */
import type { Catalogue } from '../../../collection/declaration.ts';
import { CREDENTIALS as CREDENTIAL_TABLES, KEYS, OWN_COLLECTIONS, USERS } from '../../../collection/own-collections.ts';
import type { Origin } from '../../../plan/write-plan.ts';
import { ConfigError } from '../../../settings/setting.ts';
import { RECORD_TABLE } from '../../migration/record.ts';
import { LOG_TABLE, NO_WEBHOOKS, RETAINED_TABLE } from '../../shared/change-log.ts';
import type { RestoreReport } from '../../shared/maintenance.ts';
import { identifier } from '../../sql/statement.ts';
import { Connection } from '../connection/connection.ts';
import { isUniqueViolation } from '../errors.ts';
import { setOrigin } from '../history/log.ts';
import { REQUEST_TABLE } from '../history/triggers.ts';
import { prepareSchema, rowChanges } from '../schema/migrate.ts';
import { makeOwnTables } from '../schema/own-tables.ts';
import { literal } from '../schema/schema.ts';
import { columnsOf, danglingReference } from './attached.ts';
import { openExisting, type RestoreRequest } from './backup.ts';

type Differences = Pick<RestoreReport, 'dropped' | 'lacking'>;

export function replaceRows({ path, file, catalogue, dropColumns, withoutWebhooks }: RestoreRequest) {
  const connection = new Connection(path, {
    prepare: (db) => void prepareSchema(db, { catalogue, firstRows: () => [] }),
  });
  try {
    checkDeclaration(file, catalogue);
    // Deletes must not cascade, since the referencing rows are replaced as well.
    connection.execute('pragma foreign_keys = off');
    connection.run({ sql: 'attach ? as copy', params: [file] });
    connection.waitInTurn();
    const credentials = CREDENTIALS.filter((name) => columnsOf(connection, 'copy', name).length > 0);
    if (credentials.length > 0) makeOwnTables(connection, CREDENTIAL_TABLES);
    connection.beginWriting();
    const differences = compare(connection);
    if (differences.dropped.length > 0 && !dropColumns) throw columnsMissing(path, differences.dropped);
    const isLogged = columnsOf(connection, 'main', REQUEST_TABLE).length > 0;
    if (isLogged) setOrigin(connection, newOrigin(withoutWebhooks));
    const tables = tablesOf(connection, 'copy').intersection(tablesOf(connection, 'main'));
    for (const table of tables) copyTable(connection, table);
    const hasNone = () => CREDENTIALS.every((name) => isEmpty(connection, name));
    const takesCredentials = credentials.length > 0 && hasNone();
    if (takesCredentials) for (const name of credentials) copyTable(connection, name);
    const hasBackupCredentials = takesCredentials && !hasNone();
    // Keys assigned after the backup are not assigned again.
    connection.execute(`update main.sqlite_sequence set seq = max(seq, (select coalesce(max(seq), 0) from copy.sqlite_sequence as kept
      where kept.name = main.sqlite_sequence.name))`);
    checkReferences(connection, path);
    if (isLogged) setOrigin(connection, undefined);
    connection.commit();
    return { ...differences, hasBackupCredentials };
  } finally {
    connection.rollback();
    connection.close();
  }
}

/** All changes of one restore have the same request id in the log of changes. */
function newOrigin(withoutWebhooks: boolean): Origin {
  const request = `restore-${Date.now().toString(36)}-${process.pid.toString(36)}`;
  return { actor: 'catalogue restore', request: withoutWebhooks ? `${request}${NO_WEBHOOKS}` : request };
}

/** Rows of a backup made with other types, keys, rules or names would not fit, or would be lost. */
function checkDeclaration(file: string, catalogue: Catalogue): void {
  using copy = openExisting(file);
  const changes = rowChanges(copy, catalogue);
  if (changes.length === 0) return;
  throw new ConfigError(
    `${file} has another declaration (since then: ${changes.join(', ')}). Copy it to another file, run catalogue migrate --database with that file, and restore from it. Nothing was changed`,
  );
}

/**
 * Makes the rows of a table equal to those of the backup. Only rows that differ are written, so the log, the webhooks
 * and the search index see only these.
 */
function copyTable(connection: Connection, table: string): void {
  const theirs = namesOf(connection, 'copy', table);
  const columns = columnsOf(connection, 'main', table);
  const name = identifier(table);
  const list = (each: (column: string) => string) => columns.map((column) => each(identifier(column.name))).join(', ');
  // A column that the backup lacks gets its default.
  const values = columns.map(({ name: column, initial }) => {
    return theirs.has(column) ? identifier(column) : `(${initial}) as ${identifier(column)}`;
  });
  const source = `(select ${values.join(', ')} from copy.${name})`;
  const key = columns.filter(({ isKey }) => isKey).map((column) => identifier(column.name));
  const isSameKey = key.map((column) => `stored.${column} = wanted.${column}`).join(' and ') || 'false';
  const differs = `(${list((each) => `stored.${each}`)}) is not (${list((each) => `wanted.${each}`)})`;
  const found = (other: string) => `exists (select 1 from ${other} where ${isSameKey})`;
  connection.execute(`delete from main.${name} as stored where not ${found(`copy.${name} as wanted`)}`);
  connection.execute('savepoint changed_rows');
  try {
    const changes = list((each) => `${each} = wanted.${each}`);
    connection.execute(
      `update main.${name} as stored set ${changes} from ${source} as wanted where ${isSameKey} and ${differs}`,
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Rows that exchange unique values cannot be updated one after the other.
    connection.execute('rollback to changed_rows');
    const differing = `exists (select 1 from ${source} as wanted where ${isSameKey} and ${differs})`;
    connection.execute(`delete from main.${name} as stored where ${differing}`);
  }
  connection.execute('release changed_rows');
  connection.execute(
    `insert into main.${name} (${list((each) => each)}) select ${list((each) => each)} from ${source} as wanted where not ${found(`main.${name} as stored`)}`,
  );
}

/** A table that the backup lacks keeps its rows, which may now refer to missing rows. */
function checkReferences(connection: Connection, path: string): void {
  const broken = danglingReference(connection);
  if (broken === undefined) return;
  throw new ConfigError(
    `rows of ${broken.from} in ${path} refer to rows of ${broken.to} that the backup does not have; remove them first. Nothing was changed`,
  );
}

function compare(connection: Connection): Differences {
  const [copiedTables, present] = [tablesOf(connection, 'copy'), tablesOf(connection, 'main')];
  const dropped = [...copiedTables.difference(present)];
  const lacking: string[] = [];
  for (const table of copiedTables.intersection(present)) {
    const [theirs, ours] = [namesOf(connection, 'copy', table), namesOf(connection, 'main', table)];
    for (const column of theirs.difference(ours)) dropped.push(`${table}.${column}`);
    for (const column of ours.difference(theirs)) lacking.push(`${table}.${column}`);
  }
  return { dropped, lacking };
}

/** A restore must not bring back revoked keys, so the backup's credentials are used only if the file has none. */
const CREDENTIALS = [KEYS.name, USERS.name];

function isEmpty(connection: Connection, table: string): boolean {
  return connection.number(`select count(*) from main.${identifier(table)}`) === 0;
}

const OURS = [RECORD_TABLE, LOG_TABLE, RETAINED_TABLE, REQUEST_TABLE, ...OWN_COLLECTIONS.keys()];

/** Tables with clients' rows, without those of SQLite, the search index and the service. */
function tablesOf(connection: Connection, schema: string): Set<string> {
  const sql = `select name from pragma_table_list where schema = ? and type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not glob '_*_search_*' and name not in (${OURS.map(literal).join(', ')})`;
  return new Set(connection.values({ sql, params: [schema] }).map(String));
}

function namesOf(connection: Connection, schema: string, table: string): Set<string> {
  return new Set(columnsOf(connection, schema, table).map(({ name }) => name));
}

function columnsMissing(path: string, dropped: readonly string[]): ConfigError {
  return new ConfigError(
    `the backup has tables or columns that ${path} does not have: ${dropped.join(', ')}. To keep them, stop the service, move ${path} away and restore; --drop-columns restores the rest. Nothing was changed`,
  );
}
