/**
 * The table and trigger of the change log. One function serves all tables; its arguments are the names of a key. It
 * runs with the rights of its owner, so that it also records what other roles and programs write.
 */
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Origin } from '../../../plan/write-plan.ts';
import type { Comparison } from '../../migration/changes.ts';
import { beginAgain, isLogged, LOG_TABLE, type LogSql, migrateLog, RETAINED_TABLE } from '../../shared/change-log.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';
import LOG_TRIGGER from '../queries/log-trigger.sql' with { type: 'text' };
import { prefix } from '../schema/prefix-index.ts';

const TRIGGER = 'catalogue_log';
/** One for updates, since only a row trigger sees both rows. The faster others take all rows of a statement. */
const EVENTS = ['', '_insert', '_delete', '_truncate'] as const;
const SEQUENCE = `${LOG_TABLE}_seq_seq`;
/** Transaction-local settings: the request that writes, and the sequence whose lock is taken. */
export const REQUEST_SETTING = 'catalogue.request';
const LOCK_SETTING = 'catalogue.lock';
/** The value of the first for a load that leaves the log alone. */
export const SILENT = 'silent';
/** Rows of several requests in one statement: the first setting has their table and their origins, in their order. */
const ORIGINS = 'shared_origins';
/** An advisory lock has two keys of 31 bits: the sequence, and the low bits of a position. */
const LOW_BITS = 2_147_483_647;

const TEXT = 'text collate "C"';
const TABLES = [
  `create table ${LOG_TABLE} (seq int8 generated always as identity primary key, at timestamptz not null, actor ${TEXT}, role ${TEXT}, request_id ${TEXT}, collection ${TEXT} not null, key ${TEXT} not null, kind ${TEXT} not null, old json, new json)`,
  `create index ${LOG_TABLE}_key on ${LOG_TABLE} (collection, ${prefix('key')})`,
  `create table ${RETAINED_TABLE} (collection ${TEXT} primary key, seq int8 not null, at timestamptz not null)`,
];

/** The last assigned position. It is read outside of any snapshot. */
function lastValue(schema: string): string {
  return `(select last_value - (not is_called)::int from ${identifier(schema)}.${SEQUENCE})`;
}

function sequenceOf(schema: string): string {
  return `${quoteText(`${identifier(schema)}.${SEQUENCE}`)}::regclass`;
}

function sequenceKey(schema: string): string {
  return `(${sequenceOf(schema)}::oid::int8 & ${LOW_BITS})`;
}

/**
 * The last entry up to the horizon. It is visible to this statement already; the horizon alone may include numbers of
 * rolled-back transactions, which a crash takes back. A log without entries begins where its collections do.
 */
export function positionSql(schema: string): string {
  const last = (table: string, order: string) =>
    `(select seq, at from ${table} where seq <= horizon.seq order by ${order} limit 1)`;
  return `with horizon as materialized (${horizonSql(schema)})
    select coalesce(entry.seq, horizon.seq)::text as seq, coalesce(to_json(entry.at) #>> '{}', '') as at from horizon left join lateral (select * from (${last(LOG_TABLE, 'seq desc')} union all ${last(RETAINED_TABLE, 'seq desc, at desc')}) as entry order by seq desc, at desc limit 1) as entry on true`;
}

/**
 * The horizon: every change up to it is visible to a statement that begins after this one, and none can appear later.
 * A transaction holds a lock on the position before its first change until its commit is visible. So a position up to
 * `assigned` is visible, or a lock below it is found.
 */
function horizonSql(schema: string): string {
  const locked = `select min(assigned - ((assigned - objid::int8) & ${LOW_BITS})) from pg_catalog.pg_locks
    where locktype = 'advisory' and objsubid = 2 and classid::int8 = ${sequenceKey(schema)}
      and database = (select oid from pg_catalog.pg_database where datname = current_database())`;
  return `select least(assigned, (${locked})) as seq from (select ${lastValue(schema)} as assigned offset 0) as last`;
}

/** The body of the trigger function. The key is a JSON list if it has several fields. */
function functionBody(schema: string): string {
  const parts: Readonly<Record<string, string>> = {
    log: `${identifier(schema)}.${LOG_TABLE}`,
    sequence: sequenceOf(schema),
    key: sequenceKey(schema),
    bits: String(LOW_BITS),
    request: REQUEST_SETTING,
    lock: LOCK_SETTING,
    silent: SILENT,
    origins: ORIGINS,
  };
  const keyOf = (row: string) => `case tg_nargs when 1 then ${row} ->> tg_argv[0]
    else to_json(array(select ${row} ->> name from unnest(tg_argv) with ordinality as key (name, nth) order by nth))::text end`;
  return LOG_TRIGGER.replaceAll(/\{(key of )?(\w+)\}/g, (_, of, name) =>
    of === undefined ? parts[name]! : keyOf(name),
  );
}

export function sharedOrigins({ name }: Collection, origins: readonly (Origin | undefined)[]): object {
  return { table: name, [ORIGINS]: origins };
}

/**
 * Fails if a table has another insert trigger, which could write rows of unknown origin to other tables, or the trigger
 * of an earlier version, which knows no shared origins.
 */
export function onlyLogTrigger({ name }: Collection): string {
  return `(select ('trigger ' || min(t.tgname))::json from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = ${quoteText(identifier(name))}::regclass and not t.tgisinternal and t.tgtype & 4 = 4
      and (p.proname <> '${TRIGGER}' or position('${ORIGINS}' in p.prosrc) = 0) having count(*) > 0)`;
}

/** The key of a stored row, as the trigger prints it. */
export function keySql({ key }: Collection, column: (field: Field) => string): string {
  const texts = key.map((field) => `(to_json(${column(field)}) #>> '{}')`);
  return texts.length === 1 ? texts[0]! : `to_json(array[${texts.join(', ')}])::text`;
}

export interface FoundLog {
  readonly hasTable: boolean;
  readonly body: string | null;
  /** The key that the trigger of each table has as arguments, in hexadecimal digits. */
  readonly triggers: ReadonlyMap<string, string>;
}

export async function inspectLog(runner: Runner, schema: string): Promise<FoundLog> {
  const [found] = await query<{ table: boolean; body: string | null; triggers: Record<string, string> }>(runner, {
    sql: `select exists (select from pg_catalog.pg_class where relname = $2::text and relnamespace = to_regnamespace(quote_ident($1::text))) as table,
      (select prosrc from pg_catalog.pg_proc where proname = '${TRIGGER}' and pronamespace = to_regnamespace(quote_ident($1::text))) as body,
      coalesce((select json_object_agg(c.relname, encode(t.tgargs, 'hex')) from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
        where t.tgname = '${TRIGGER}' and c.relnamespace = to_regnamespace(quote_ident($1::text))), '{}') as triggers`,
    params: [schema, LOG_TABLE],
  });
  return { hasTable: found!.table, body: found!.body, triggers: new Map(Object.entries(found!.triggers)) };
}

/** The collections to log. Undefined `days` mean as before. A new database has a log. */
export function collectionsToLog(
  own: readonly Collection[],
  adopted: readonly { readonly collection: Collection }[],
  { triggers }: FoundLog,
  days: number | undefined,
  isNew: boolean,
): readonly Collection[] {
  if (days === 0 || (days === undefined && triggers.size === 0 && !isNew)) return [];
  const foreign = adopted.map(({ collection }) => collection).filter((collection) => isLogged(collection, true));
  return [...own.filter((collection) => isLogged(collection)), ...foreign];
}

function argumentsOf({ key }: Collection): string {
  return Buffer.from(key.map(({ name }) => `${name}\0`).join('')).toString('hex');
}

export function hasLog(log: FoundLog, schema: string, logged: readonly Collection[]): boolean {
  const isCurrent = logged.length === 0 || (log.hasTable && log.body === functionBody(schema));
  const isSame = (collection: Collection) => log.triggers.get(collection.name) === argumentsOf(collection);
  return isCurrent && log.triggers.size === logged.length && logged.every(isSame);
}

/** Creates, replaces and drops triggers. The log of a collection that begins now is complete from here on. */
export async function applyLog(
  runner: Runner,
  schema: string,
  logged: readonly Collection[],
  comparison: Comparison,
  days: number | undefined,
): Promise<void> {
  const run = (sql: string) => query(runner, sql);
  const { hasTable, triggers, body } = await inspectLog(runner, schema);
  if (!hasTable && logged.length === 0) return;
  if (!hasTable) for (const sql of TABLES) await run(sql);
  const isSame = (each: Collection) => body === functionBody(schema) && triggers.get(each.name) === argumentsOf(each);
  if (body !== functionBody(schema)) {
    // A fixed search path, since the function has the rights of its owner. Keys are printed in UTC.
    await run(`create or replace function ${TRIGGER}() returns trigger language plpgsql security definer
      set search_path = pg_catalog, pg_temp set timezone = 'UTC' as ${quoteText(functionBody(schema))}`);
  }
  for (const name of triggers.keys()) {
    if (logged.some((each) => each.name === name && isSame(each))) continue;
    for (const event of EVENTS) await run(`drop trigger if exists ${TRIGGER}${event} on ${identifier(name)}`);
  }
  for (const collection of logged) {
    if (isSame(collection)) continue;
    const table = identifier(collection.name);
    const call = `execute function ${TRIGGER}(${collection.key.map(({ name }) => quoteText(name)).join(', ')})`;
    const once = `for each statement ${call}`;
    await run(`create trigger ${TRIGGER} after update on ${table} for each row ${call}`);
    await run(`create trigger ${TRIGGER}_insert after insert on ${table} referencing new table as new_rows ${once}`);
    await run(`create trigger ${TRIGGER}_delete after delete on ${table} referencing old table as old_rows ${once}`);
    await run(`create trigger ${TRIGGER}_truncate before truncate on ${table} ${once}`);
  }
  // Positions continue, so that a client with an earlier one does not take new entries for those that it has seen.
  if (days === 0) await run(`truncate ${LOG_TABLE}`);
  const names = logged.map(({ name }) => name);
  const sql = { ...LOG_SQL, position: lastValue(schema) };
  for (const statement of migrateLog(comparison, names, sql)) await run(statement);
}

/** Rows changed without entries. This takes a position as an entry does, so that no feed continues across it. */
export async function skipChanges(runner: Runner, schema: string, collections: readonly Collection[]): Promise<void> {
  const sequence = sequenceOf(schema);
  const last = `(coalesce(pg_sequence_last_value(${sequence}), 0) & ${LOW_BITS})::int4`;
  await query(runner, `select pg_advisory_xact_lock_shared(${sequenceKey(schema)}::int4, ${last})::text`);
  await query(runner, beginAgain(collections, { ...LOG_SQL, position: `(select nextval(${sequence}))` }));
}

const LOG_SQL: Omit<LogSql, 'position'> = {
  now: 'clock_timestamp()',
  has: (row, field) => `${row} -> ${quoteText(field)} is not null`,
  // An entry may have values of a dropped field that had the new name.
  renamed: (
    row,
    before,
    now,
  ) => `(select json_object_agg(case key when ${quoteText(before)} then ${quoteText(now)} else key end, value)
    from json_each(${row}) where key <> ${quoteText(now)})`,
};
