/**
 * Rebuilds a table whose definition changes: SQLite alters little in place, so a new table is created, filled and
 * renamed (https://www.sqlite.org/lang_altertable.html#otheralter). A new column that does not depend on the rows is
 * added directly.
 */
import type { Database } from 'bun:sqlite';
import { type Catalogue, type Field, writtenFields } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/setting.ts';
import type { CollectionPair } from '../../migration/changes.ts';
import { permission, rulesSql } from '../../migration/question.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { isOfLog } from '../history/triggers.ts';
import { isOfSearchIndex } from '../search/search-index.ts';
import { defaultSql, sqliteValues } from './conversion.ts';
import { columnDefinition, count, indexesOf, rows, tableParts, tableSql } from './schema.ts';

/** Declared names do not begin with a space. */
export const NEW_TABLE = ' table to be';

export function isRebuilt(
  found: Catalogue,
  declared: Catalogue,
  { now, before, origin }: CollectionPair,
  allowed: readonly string[],
): boolean {
  if (before === undefined) return false;
  // Types may share a column type but not their stored form; the table does not know patterns.
  const isConverted = ({ type }: Field, was: Field | undefined) => was !== undefined && was.type !== type;
  const isCleared = ({ name }: Field) => allowed.includes(permission('clear', now.name, name));
  if (now.fields.some((field) => isConverted(field, origin(field)) || isCleared(field))) return true;
  const kept = new Set(tableParts(found, before));
  const added = now.fields.filter((field) => origin(field) === undefined);
  const additions = new Set(added.map((field) => columnDefinition(declared, now, field)));
  const parts = tableParts(declared, now).filter((part) => !additions.has(part));
  return parts.length !== kept.size || !parts.every((part) => kept.has(part)) || !added.every(hasSameValueInAllRows);
}

function hasSameValueInAllRows({ required, default: value, generated, computed }: Field): boolean {
  return generated === undefined && computed === undefined && (!required || value !== undefined);
}

export function addFields(db: Database, declared: Catalogue, { now, origin }: CollectionPair): void {
  for (const field of now.fields.filter((each) => origin(each) === undefined)) {
    db.run(`alter table ${identifier(now.name)} add column ${columnDefinition(declared, now, field)}`);
  }
}

/**
 * Names are already the new ones, and references are not enforced. Foreign columns, indexes and triggers are preserved.
 */
export function rebuild(db: Database, declared: Catalogue, pair: CollectionPair, allowed: readonly string[]): void {
  const { now, before } = pair;
  const table = identifier(now.name);
  const known = [...now.fields, ...(before?.fields ?? []), ...indexesOf(now)].map(({ name }) => name);
  const foreign = foreignObjectsIn(db, now.name, new Set(known));
  const foreignColumns = foreign.columns.map(({ name }) => identifier(name));
  const written = writtenFields(now);
  const columns = [...written.map(({ name }) => identifier(name)), ...foreignColumns];
  const values = [...written.map((field) => valueSql(pair, field, allowed)), ...foreignColumns];
  // Keys are never assigned twice.
  const isAssigned = before?.assigned !== undefined && now.assigned !== undefined;
  const lastKey = `select max(seq) from sqlite_sequence where name = ${quoteText(now.name)}`;
  const position = isAssigned ? count(db, lastKey) : undefined;
  const more = foreign.columns.map(({ definition }) => definition);
  db.run(tableSql(declared, now, { name: NEW_TABLE, more }));
  db.run(
    `insert into ${identifier(NEW_TABLE)} (${columns.join(', ')}) select ${values.join(', ')} from ${table} order by rowid`,
  );
  // Foreign views and triggers refer to the table, which briefly does not exist.
  db.run('pragma legacy_alter_table = on');
  db.run(`drop table ${table}`);
  db.run(`alter table ${identifier(NEW_TABLE)} rename to ${table}`);
  db.run('pragma legacy_alter_table = off');
  for (const sql of foreign.objects) db.run(sql);
  if (position === undefined) return;
  db.run('delete from sqlite_sequence where name = ?', [now.name]);
  db.run('insert into sqlite_sequence (name, seq) values (?, ?)', [now.name, position]);
}

/** The expression for a new column over the old table. */
function valueSql({ now, origin }: CollectionPair, field: Field, allowed: readonly string[]): string {
  const before = origin(field);
  if (before === undefined) return defaultSql(field);
  const value = sqliteValues.value({ field, column: { name: field.name, type: before.type } })!;
  const rules = rulesSql(field, value, sqliteValues);
  const isCleared = rules !== undefined && allowed.includes(permission('clear', now.name, field.name));
  const kept = isCleared ? `case when not (${rules}) then null else ${value} end` : value;
  const isFilled = field.required && !before.required && allowed.includes(permission('fill', now.name, field.name));
  return isFilled ? `coalesce(${kept}, ${defaultSql(field)})` : kept;
}

/** Columns, indexes and triggers that another program added to our tables. A migration preserves them. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** 2 or 3 for a computed column. */
  readonly hidden: number;
}

/** `known` contains the declared columns and indexes, current and previous. An object is its `create` statement. */
function foreignObjectsIn(db: Database, table: string, known: ReadonlySet<string>) {
  const columns = rows<Column>(db, 'select * from pragma_table_xinfo(?)', table).filter(({ name }) => !known.has(name));
  const computed = columns.find(({ hidden }) => hidden > 1);
  if (computed !== undefined) {
    throw new ConfigError(
      `${table}.${computed.name} is a computed column and not declared, so the table cannot be rebuilt. Nothing was changed. Drop the column`,
    );
  }
  const ofTable = "tbl_name = ? and type in ('index', 'trigger') and sql is not null";
  const objects = rows<{ name: string; sql: string }>(db, `select * from sqlite_schema where ${ofTable}`, table);
  return {
    columns: columns.map((column) => ({ name: column.name, definition: definitionOf(db, table, column) })),
    objects: objects
      .filter(({ name }) => !known.has(name) && !isOfSearchIndex(name) && !isOfLog(name))
      .map(({ sql }) => sql),
  };
}

function definitionOf(db: Database, table: string, { name, type, notnull, dflt_value }: Column): string {
  const keys = 'select * from pragma_foreign_key_list(?) where seq = 0';
  const references = rows<Record<'table' | 'from' | 'to' | 'on_delete', string>>(db, keys, table);
  const own = references.filter(({ from, to }) => from === name && to !== null);
  return [
    `${identifier(name)} ${type}`,
    ...(notnull === 1 ? ['not null'] : []),
    ...(dflt_value === null ? [] : [`default (${dflt_value})`]),
    ...own.map((to) => `references ${identifier(to.table)} (${identifier(to.to)}) on delete ${to.on_delete}`),
  ].join(' ');
}
