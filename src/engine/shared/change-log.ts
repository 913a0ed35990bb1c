/**
 * The change log, as far as both engines share it. Triggers append a row to it for every change of a logged collection,
 * in the writing transaction. It holds the whole row before and after as JSON.
 */
import { ApiError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { isFiles } from '../../collection/files.ts';
import { type Comparison, ofKind } from '../migration/changes.ts';
import { quoteText } from '../sql/statement.ts';

export const LOG_TABLE = 'catalogue_changes';
/** For each logged collection, the position and time after which its log is complete. */
export const RETAINED_TABLE = 'catalogue_history';

/** How long the log keeps entries of updates that changed nothing. They have no collection. */
export const UNCHANGED_HOURS = 1;

/** The end of the request id of changes that webhooks leave out. A client cannot send such an id. */
export const NO_WEBHOOKS = '!without-webhooks';

/** Whether the declaration asks for a log. An adopted table needs `history: true`, since a log adds triggers to it. */
export function isLogged({ draft: { history } }: Collection, isAdopted = false): boolean {
  return history ?? !isAdopted;
}

export function loggedCollections({ collections }: Catalogue): readonly Collection[] {
  return [...collections.values()].filter((collection) => isLogged(collection));
}

/** The SQL that differs between engines. */
export interface LogSql {
  /** The last position, and the present moment. */
  readonly position: string;
  readonly now: string;
  /** Whether a logged row has a field, and the row with another name of it. */
  has(row: string, field: string): string;
  renamed(row: string, before: string, now: string): string;
}

/** Makes the entries of the log fit the changed collections. `logged` are the names of those that are logged. */
export function migrateLog({ changes }: Comparison, logged: readonly string[], sql: LogSql): readonly string[] {
  const tables = [RETAINED_TABLE, LOG_TABLE];
  const is = ({ name }: { readonly name: string }) => `collection = ${quoteText(name)}`;
  const remove = (collection: Collection, condition = '') =>
    tables.map((table) => `delete from ${table} where ${is(collection)}${condition}`);
  return [
    ...ofKind(changes, 'rename-collection').flatMap(({ collection, before }) => [
      ...remove(collection),
      ...tables.map((table) => `update ${table} set ${is(collection)} where ${is(before)}`),
    ]),
    ...ofKind(changes, 'rename-field').map(({ collection, before, field }) => {
      const renamed = (row: string) => `${row} = ${sql.renamed(row, before.name, field.name)}`;
      return `update ${LOG_TABLE} set ${renamed('old')}, ${renamed('new')} where ${is(collection)}`;
    }),
    // Logged rows of another type or key cannot be read any more.
    ...ofKind(changes, 'create-collection', 'change-key', 'change-type').flatMap(({ collection }) =>
      remove(collection),
    ),
    // If the log has the field from an earlier time, its values may have another type.
    ...ofKind(changes, 'add-field').flatMap(({ collection, field }) => {
      const has = `(${sql.has('log.old', field.name)} or ${sql.has('log.new', field.name)})`;
      return remove(
        collection,
        ` and exists (select 1 from ${LOG_TABLE} as log where log.${is(collection)} and ${has})`,
      );
    }),
    `delete from ${RETAINED_TABLE} where collection not in (${['', ...logged].map(quoteText).join(', ')})`,
    ...logged.map((name) => {
      const values = `${quoteText(name)}, ${sql.position}, ${sql.now}`;
      return `insert into ${RETAINED_TABLE} (collection, seq, at) values (${values}) on conflict do nothing`;
    }),
  ];
}

/** The log of these collections is complete from here on: their rows changed without entries. */
export function beginAgain(collections: readonly Collection[], { position, now }: Pick<LogSql, 'position' | 'now'>) {
  const names = collections.map(({ name }) => quoteText(name)).join(', ');
  return `update ${RETAINED_TABLE} set seq = ${position}, at = ${now} where collection in (${names})`;
}

/** How far entries that are written at the same time may be out of order. */
const DISORDER = 100;

/**
 * Finds the position of the last change until a time by bisection of the key: times rise with positions, so the log
 * needs no index on them. A log of millions of entries takes about 20 lookups.
 */
export function positionAtSql(time: string, upTo: string): string {
  const middle = '(low + high + 1) / 2';
  const entry = (sql: string) =>
    `(select ${sql} from ${LOG_TABLE} where seq between ${middle} and high order by seq limit 1)`;
  return `with recursive bisection (low, high) as (
      select coalesce((select min(seq) from ${LOG_TABLE}), 1) - 1, ${upTo}
      union all select coalesce(${entry(`case when at <= ${time} then seq end`)}, low),
        case when ${entry(`at <= ${time}`)} then high else ${middle} - 1 end from bisection where low < high),
    found as (select max(low) as seq from bisection)
    select coalesce(max(near.seq), (select seq from found)) as seq from (select log.seq, log.at from ${LOG_TABLE} as log
      where log.seq > (select seq from found) and log.seq <= ${upTo} order by log.seq limit ${DISORDER}) as near where near.at <= ${time}`;
}

/** The declaration asks for no log, `--history-days` is 0, or the role of the connection may not create triggers. */
export function notLogged(
  collection?: Collection,
  hasDatabaseRoles = collection?.draft.schema !== undefined,
): ApiError {
  if (collection !== undefined && isFiles(collection)) {
    return new ApiError('CAT501', say`changes of files are not logged`, {
      hint: say`A file never changes. Use the collections whose rows refer to files.`,
    });
  }
  const words =
    collection === undefined ? say`changes are not logged` : say`changes of ${collection.name} are not logged`;
  return new ApiError('CAT501', words, {
    hint: !hasDatabaseRoles
      ? say`Declare the collection with history: true, the default except for adopted tables. Start the service with --history-days, or run catalogue migrate --history-days 30 with a role that may create triggers.`
      : say`With --database-roles nothing is logged: policies of the database would not apply to the log.`,
  });
}
