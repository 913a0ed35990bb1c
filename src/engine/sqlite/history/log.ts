/** The log of changes: positions, rows, maintenance. One process writes at a time, so positions are in order. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { changingCollections, fieldsOfPredicate } from '../../../plan/access/named-fields.ts';
import type { LogView, ReadPlan } from '../../../plan/types.ts';
import type { Origin } from '../../../plan/write-plan.ts';
import type { ChangeLog, LogPosition } from '../../engine.ts';
import { beginAgain, LOG_TABLE, positionAtSql, RETAINED_TABLE, UNCHANGED_HOURS } from '../../shared/change-log.ts';
import { columnByCollection, type LogColumns, type LogScopes, logColumns, withSources } from '../../sql/log-source.ts';
import { scopeOf } from '../../sql/read.ts';
import { type Bind, columnList, identifier, quoteText, type SqlDialect } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { inParentheses, joinInGroups } from '../functions/argument-groups.ts';
import { ruleSql } from '../schema/schema.ts';
import { keySql, NOW, POSITION, pathOf, REQUEST_TABLE } from './triggers.ts';

/** The last position that a connection sees. */
export function lastPosition(connection: Connection): number {
  return connection.number(`select ${POSITION}`);
}

export class SqliteLog implements ChangeLog {
  /** `refreshed` is the connection on the newest state. */
  constructor(private readonly refreshed: () => Connection) {}

  position(): LogPosition {
    const last = (table: string) => `select * from (select seq, at from ${table} order by seq desc, at desc limit 1)`;
    const sql = `${last(LOG_TABLE)} union all ${last(RETAINED_TABLE)} order by seq desc, at desc limit 1`;
    const [[seq, at] = [0, '']] = this.refreshed().values(sql) as [number, string][];
    return { seq, at };
  }

  timesAt(seq: number): readonly string[] {
    const sql = `select at from ${LOG_TABLE} where seq = ?1 union all select at from ${RETAINED_TABLE} where seq = ?1`;
    return this.refreshed()
      .values({ sql, params: [seq] })
      .map(([at]) => String(at));
  }

  oldest(collections: readonly Collection[]): LogPosition | undefined {
    const names = [...new Set(collections.map(({ name }) => name))];
    const sql = `select count(*), max(seq), max(at) from ${RETAINED_TABLE} where collection in (select value from json_each(?))`;
    const [found] = this.refreshed().values({ sql, params: [JSON.stringify(names)] });
    const [count, seq, at] = found as [number, number, string];
    return count === names.length ? { seq, at } : undefined;
  }

  positionAt(time: string): number {
    return this.refreshed().number({ sql: positionAtSql('?1', POSITION), params: [time] });
  }
}

/** The dialect of a read of the log, or as of a position; undefined for any other read. */
export function logDialect(plan: ReadPlan, asOf: number | undefined): SqlDialect | undefined {
  const { log, from, where } = plan;
  if (log !== undefined) {
    const isByKey = [...fieldsOfPredicate(from, where)].some(({ name }) => name === 'key');
    return withSources(guardedDialect, (bind) => changesSource(log, { name: from.name, isByKey, upTo: asOf }, bind));
  }
  if (asOf === undefined) return undefined;
  const collections = changingCollections(plan);
  return withSources(guardedDialect, (bind) => collections.map((each) => rowsAsOf(each, asOf, bind)).join(', '));
}

/** A field of a logged row. A row from before the field existed has its default. */
export function valueIn(row: string, { name, default: value, type }: Field): string {
  const path = pathOf(name);
  const found = `json_extract(${row}, ${path})`;
  return value === undefined
    ? found
    : `iif(json_type(${row}, ${path}) is null, ${ruleSql.literal(value, type)}, ${found})`;
}

/** The rows of a collection after the change at this position: the current ones, with all later changes undone. */
function rowsAsOf(collection: Collection, seq: number, bind: Bind): string {
  const { name, fields } = collection;
  const table = identifier(name);
  const since = bind(seq);
  // Not indexed: the later entries are found by their position.
  const later = `from ${LOG_TABLE} not indexed where seq > ${since} and collection = ${quoteText(name)}`;
  const key = keySql(collection, (field) => identifier(field.name));
  const columns = fields.map((field) => `${valueIn('old', field)} as ${identifier(field.name)}`);
  return `${table} as not materialized (select ${columnList(fields)} from main.${table} where ${key} not in (select key ${later})
    union all select ${columns.join(', ')} from ${LOG_TABLE} where seq in (select min(seq) ${later} group by key) and old is not null)`;
}

interface LogRead {
  readonly name: string;
  /** Whether it has a condition on the key, which the index of the log finds. */
  readonly isByKey: boolean;
  readonly upTo: number | undefined;
}

/**
 * One scan of the log, in which each column depends on the collection of the entry. Other reads than those by key go by
 * position: the index would find most entries of a collection, and all of them would be sorted for one page. The
 * sign before the collection keeps a filter on it from being tested in place of the condition, after other filters.
 */
function changesSource(views: readonly LogView[], { name, isByKey, upTo }: LogRead, bind: Bind): string {
  const scopes = (view: LogView): LogScopes => ({
    old: rowScope(view, 'log.old', bind),
    now: rowScope(view, 'log.new', bind),
    listOfTexts: (texts) => `json_array(${texts.join(', ')})`,
    concat: (texts) => inParentheses(joinInGroups(texts, ' || ')),
  });
  const columns = new Map(views.map((view) => [view.collection.name, logColumns(view, scopes(view))]));
  const shown = (['key', 'kind', 'before', 'after'] as const).map(
    (part) => `${columnByCollection(columns, part)} as ${part}`,
  );
  const bounded = upTo === undefined ? '' : ` and log.seq <= ${bind(upTo)}`;
  return `${identifier(name)} as not materialized (select log.seq, log.at, log.actor, log.role, log.request_id, +log.collection as collection, ${shown.join(', ')}
    from ${LOG_TABLE} as log${isByKey ? '' : ' not indexed'} where ${conditionOf(columns)}${bounded})`;
}

function conditionOf(columns: ReadonlyMap<string, LogColumns>): string {
  const names = [...columns.keys()].map(quoteText);
  return `log.collection in (${names.join(', ')}) and ${columnByCollection(columns, 'condition')}`;
}

/** Compiles fields to values of a logged row. */
function rowScope({ collection }: LogView, row: string, bind: Bind) {
  return { ...scopeOf(sqliteDialect, bind, collection.name), column: (field: Field) => valueIn(row, field) };
}

const SET = `update ${REQUEST_TABLE} set actor = ?, role = ?, request_id = ?, is_silent = ? where id = 1`;
const LAST_REQUEST = `select request_id from ${LOG_TABLE} order by seq desc limit 1`;
/** An entry of no collection between two requests to which a client gave the same id. */
const SEPARATE = `insert into ${LOG_TABLE} (at, collection, key, kind) select ${NOW}, '', '', 'begin' from (${LAST_REQUEST}) where request_id = ?`;

/** The id of the request that wrote the last entry. */
export function lastRequest(connection: Connection): unknown {
  return connection.values(LAST_REQUEST)[0]?.[0];
}

/**
 * Undefined clears it: rows that another program writes have no origin. `silent` leaves the log alone. `isNewId`: the
 * last entry is not of a request with this id.
 */
export function setOrigin(connection: Connection, origin: Origin | 'silent' | undefined, isNewId = false): void {
  const { actor = null, role = null, request = null } = typeof origin === 'object' ? origin : {};
  connection.run({ sql: SET, params: [actor, role, request, origin === 'silent' ? 1 : null] });
  if (request !== null && !isNewId) connection.run({ sql: SEPARATE, params: [request] });
}

/** Rows changed without entries. The position advances, so that no copy of the log continues across this change. */
export function skipChanges(connection: Connection, collections: readonly Collection[]): void {
  if (connection.execute(beginAgain(collections, { position: `${POSITION} + 1`, now: NOW })) === 0) return;
  connection.execute(`insert into ${LOG_TABLE} (at, collection, key, kind) values (${NOW}, '', '', '')`);
  connection.execute(`delete from ${LOG_TABLE} where seq = ${POSITION}`);
}

const ENTRIES_PER_STEP = 500;

/** The last entry stays: backups continue after it. */
const EXPIRED = `select max(seq), max(at) from (select seq, at from ${LOG_TABLE} order by seq limit ${ENTRIES_PER_STEP})
  where at < strftime('%Y-%m-%dT%H:%M:%f', 'now', ?) and seq < ${POSITION}`;
/** Updates that changed nothing, oldest first. The last position stays. */
const UNCHANGED = (
  limit: number,
) => `select seq from (select seq, at from ${LOG_TABLE} where collection = '' and key = '' order by seq limit ${limit})
  where at < strftime('%Y-%m-%dT%H:%M:%f', 'now', '-${UNCHANGED_HOURS} hours') and seq < ${POSITION}`;
const RETAIN = `update ${RETAINED_TABLE} set seq = max(seq, ?1), at = max(at, ?2)`;

/** Returns whether it did something, so that there may be more. Fails while another process writes. */
export function maintainLog(connection: Connection, days: number): boolean {
  const [seq, at] = connection.values({ sql: EXPIRED, params: [`-${days} days`] })[0] as [number | null, string];
  const isUnchanged = connection.values(UNCHANGED(1)).length > 0;
  if (seq === null && !isUnchanged) return false;
  connection.writing(() => {
    if (isUnchanged) connection.execute(`delete from ${LOG_TABLE} where seq in (${UNCHANGED(ENTRIES_PER_STEP)})`);
    if (seq !== null) {
      connection.run({ sql: `delete from ${LOG_TABLE} where seq <= ?`, params: [seq] });
      connection.run({ sql: RETAIN, params: [seq, at] });
    }
  }, 0);
  return true;
}
