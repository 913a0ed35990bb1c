/**
 * The tables and triggers of the change log. The triggers are plain SQL, so that they also record what another program
 * writes, such as the sqlite3 shell.
 */
import type { Database } from 'bun:sqlite';
import type { Catalogue, Collection, Field } from '../../../collection/declaration.ts';
import type { Comparison } from '../../migration/changes.ts';
import { LOG_TABLE, type LogSql, loggedCollections, migrateLog, RETAINED_TABLE } from '../../shared/change-log.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { anyChanged } from '../functions/argument-groups.ts';
import { select } from '../schema/schema.ts';

/** The request that is writing: the writer sets its only row before a job, and clears it before the commit. */
export const REQUEST_TABLE = 'catalogue_request';

const TABLES = [
  `create table ${LOG_TABLE} (seq integer primary key autoincrement, at text not null, actor text, role text, request_id text, collection text not null, key text not null, kind text not null, old text, new text) strict`,
  `create index ${LOG_TABLE}_key on ${LOG_TABLE} (collection, key)`,
  `create table ${REQUEST_TABLE} (id integer primary key check (id = 1), actor text, role text, request_id text, is_silent integer) strict`,
  `insert into ${REQUEST_TABLE} (id) values (1)`,
  `create table ${RETAINED_TABLE} (collection text primary key, seq integer not null, at text not null) strict`,
];

/** The present moment as a stored timestamptz. */
export const NOW = `rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', 'now'), '0'), '.') || '+00:00'`;
export const POSITION = `coalesce((select seq from sqlite_sequence where name = '${LOG_TABLE}'), 0)`;

/** A function takes at most 1,000 arguments, two for each field. */
const FIELDS_PER_OBJECT = 400;

function rowAsJson(fields: readonly Field[], row: 'old' | 'new'): string {
  const objects: string[] = [];
  for (let from = 0; from < fields.length; from += FIELDS_PER_OBJECT) {
    const members = fields.slice(from, from + FIELDS_PER_OBJECT).map(({ name }) => {
      return `${quoteText(name)}, ${row}.${identifier(name)}`;
    });
    objects.push(`json_object(${members.join(', ')})`);
  }
  return objects.reduce((whole, object) => `rtrim(${whole}, '}') || ',' || ltrim(${object}, '{')`);
}

/** The key as the log identifies it: the stored form as text, or a JSON list if the key has several fields. */
export function keySql({ key }: Collection, column: (field: Field) => string): string {
  const [field, ...others] = key as [Field, ...Field[]];
  if (others.length > 0) return `json_array(${key.map(column).join(', ')})`;
  const stored = field.type.sqlite.column;
  if (stored === 'text') return column(field);
  return stored === 'integer' ? `cast(${column(field)} as text)` : `json_quote(${column(field)})`;
}

/** The triggers of a collection by name. Names begin with `_`, unlike those of collections. */
function triggersOf(collection: Collection): ReadonlyMap<string, string> {
  const { name, fields, key } = collection;
  const record = (kind: 'insert' | 'update' | 'delete') => {
    const of = kind === 'delete' ? 'old' : 'new';
    const row = (each: 'old' | 'new', isThere: boolean) => (isThere ? rowAsJson(fields, each) : 'null');
    const values = [
      ...[NOW, 'actor', 'role', 'request_id', quoteText(name)],
      keySql(collection, (field) => `${of}.${identifier(field.name)}`),
      ...[quoteText(kind), row('old', kind !== 'insert'), row('new', kind !== 'delete')],
    ];
    return `insert into ${LOG_TABLE} (at, actor, role, request_id, collection, key, kind, old, new) select ${values.join(', ')} ${SOURCE};`;
  };
  const differ = (some: readonly Field[]) => `(${anyChanged(some.map((field) => identifier(field.name)))})`;
  const triggers: readonly (readonly [event: string, when: string, does: string])[] = [
    ['insert', '', record('insert')],
    ['delete', '', record('delete')],
    ['update', ` when not ${differ(key)} and ${differ(fields)}`, record('update')],
    // As-of reads find rows by key, so a row with another key is another row.
    ['update', ` when ${differ(key)}`, `${record('delete')} ${record('insert')}`],
    // An entry of no collection: positions would otherwise show if a write changed a field that the writer cannot read.
    ['update', ` when not ${differ(fields)}`, SKIP],
  ];
  return new Map(
    triggers.map(([event, when, does], index) => {
      const trigger = `_${name}_log_${index}`;
      const sql = `create trigger ${identifier(trigger)} after ${event} on ${identifier(name)}${when} begin ${does} end`;
      return [trigger, sql];
    }),
  );
}

/** A load may leave the log alone. The row is there, unless another program deleted it. */
const SOURCE = `from (select 1) left join ${REQUEST_TABLE} where is_silent is null`;
const SKIP = `insert into ${LOG_TABLE} (at, collection, key, kind) select ${NOW}, '', '', '' ${SOURCE};`;

export function isOfLog(trigger: string): boolean {
  return /^_.*_log_\d$/.test(trigger);
}

function expectedTriggers(catalogue: Catalogue, isOn: boolean): ReadonlyMap<string, string> {
  return new Map(isOn ? loggedCollections(catalogue).flatMap((collection) => [...triggersOf(collection)]) : []);
}

function storedTriggers(db: Database): ReadonlyMap<string, string> {
  const found = select(db, "select name, sql from sqlite_schema where type = 'trigger'") as [string, string][];
  return new Map(found.filter(([name]) => isOfLog(name)));
}

function hasTable(db: Database): boolean {
  return select(db, "select 1 from sqlite_schema where type = 'table' and name = ?", LOG_TABLE).length > 0;
}

/** Whether the log is kept; undefined `days` mean as before. A new database has a log. */
export function isLogOn(db: Database, days: number | undefined, isNew = false): boolean {
  if (days !== undefined) return days > 0;
  if (isNew) return true;
  return hasTable(db) && select(db, `select 1 from ${RETAINED_TABLE} limit 1`).length > 0;
}

/** SQLite keeps the text of a trigger except for the case of its first words. */
export function hasLog(db: Database, catalogue: Catalogue, isOn: boolean): boolean {
  const [expected, stored] = [expectedTriggers(catalogue, isOn), storedTriggers(db)];
  if (isOn && !hasTable(db)) return false;
  return expected.size === stored.size && [...expected].every(([name, sql]) => isSame(stored.get(name), sql));
}

function isSame(stored: string | undefined, sql: string): boolean {
  return stored?.toLowerCase() === sql.toLowerCase();
}

/** Creates, replaces and drops triggers. The log of a collection that begins now is complete from here on. */
export function applyLog(db: Database, catalogue: Catalogue, comparison: Comparison, isOn: boolean): void {
  if (isOn && !hasTable(db)) for (const sql of TABLES) db.run(sql);
  if (!hasTable(db)) return;
  const [expected, stored] = [expectedTriggers(catalogue, isOn), storedTriggers(db)];
  for (const [name, sql] of stored) {
    if (!isSame(expected.get(name), sql)) db.run(`drop trigger ${identifier(name)}`);
  }
  for (const [name, sql] of expected) if (!isSame(stored.get(name), sql)) db.run(sql);
  // Positions continue, so that a client with an earlier one does not take new entries for those that it has seen.
  if (!isOn) db.run(`delete from ${LOG_TABLE}`);
  const logged = isOn ? loggedCollections(catalogue).map(({ name }) => name) : [];
  for (const sql of migrateLog(comparison, logged, LOG_SQL)) db.run(sql);
}

export function pathOf(field: string): string {
  return quoteText(`$.${JSON.stringify(field)}`);
}

const LOG_SQL: LogSql = {
  position: POSITION,
  now: NOW,
  has: (row, field) => `json_type(${row}, ${pathOf(field)}) is not null`,
  // An entry may have values of a dropped field that had the new name.
  renamed: (
    row,
    before,
    now,
  ) => `case when json_type(${row}, ${pathOf(before)}) is null then json_remove(${row}, ${pathOf(now)})
    else json_set(json_remove(${row}, ${pathOf(before)}), ${pathOf(now)}, json(${row} -> ${pathOf(before)})) end`,
};
