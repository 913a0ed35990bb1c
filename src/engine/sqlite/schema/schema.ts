/** The tables of a database file in SQL, and the ownership check of a file. */
import type { Database } from 'bun:sqlite';
import { memoize } from '../../../base/memo.ts';
import { type Catalogue, type Collection, type Field, isKey, writtenFields } from '../../../collection/declaration.ts';
import { derivedName } from '../../../collection/derived-name.ts';
import type { Value } from '../../../collection/value.ts';
import { type Expression, fieldOf, namedField } from '../../../plan/types.ts';
import type { StoredRow } from '../../../plan/write-plan.ts';
import {
  type Index as AnyIndex,
  compositeIndexes,
  translationIndexes,
  translationIndexName,
} from '../../migration/changes.ts';
import { type RuleSql, ruleConditions } from '../../migration/question.ts';
import { orCopied } from '../../sql/assignment.ts';
import { columnList, identifier, quoteText } from '../../sql/statement.ts';
import { sqliteDialect } from '../dialect.ts';
import { computedSql } from '../functions/computed.ts';

/** Marks a file as ours ("PCat"), so that another program's database is never touched. */
export const APPLICATION_ID = 0x50436174;
/** The version of the service's own tables; declared fields are compared one by one. */
export const SCHEMA_VERSION = 1;

export const RETRY_TABLE = 'idempotency_keys';

/** The file is of a newer version of this program, or of another program. */
export class NotOurDatabase extends Error {}
export class OtherProgramsDatabase extends NotOurDatabase {}

/** Returns whether the file is empty. Reads one snapshot, since another process may be creating it. */
export function checkOwner(db: Database): boolean {
  const look = db.transaction(() => ({
    owner: pragma(db, 'application_id'),
    version: pragma(db, 'user_version'),
    tables: count(db, 'select count(*) from sqlite_schema'),
  }));
  const { owner, version, tables } = look.deferred();
  if (owner === 0 && tables === 0) return true;
  if (owner !== APPLICATION_ID) {
    throw new OtherProgramsDatabase(
      'it is an SQLite database of another program; catalogue declare and catalogue copy bring its rows over',
    );
  }
  if (version > SCHEMA_VERSION) throw new NotOurDatabase('it was written by a newer version of this program');
  return false;
}

/** Without indexes. The name differs during a rebuild. */
export function tableSql(
  catalogue: Catalogue,
  collection: Collection,
  { name = collection.name, more = [] as readonly string[] } = {},
): string {
  return `create table ${identifier(name)} (${tableParts(catalogue, collection, more).join(', ')}) strict`;
}

/** The columns, and the key constraint unless a column defines it. `more` are foreign columns. */
export function tableParts(catalogue: Catalogue, collection: Collection, more: readonly string[] = []): string[] {
  const { fields, assigned, key } = collection;
  const columns = fields.map((field) => columnDefinition(catalogue, collection, field));
  const composites = collection.composites.map(({ fields: own, to, onDelete }) => {
    const held = columnList(catalogue.collections.get(to)!.key);
    return `foreign key (${columnList(own)}) references ${identifier(to)} (${held}) on delete ${onDelete}`;
  });
  return [...columns, ...more, ...(assigned === undefined ? [`primary key (${columnList(key)})`] : []), ...composites];
}

export const RETRY_TABLE_SQL = [
  `create table ${RETRY_TABLE} (key text primary key, fingerprint text not null, result text not null, created_at integer not null) strict, without rowid`,
  `create index ${RETRY_TABLE}_created_at on ${RETRY_TABLE} (created_at)`,
];

export interface Index extends AnyIndex {
  readonly isUnique: boolean;
}

/** An index implicitly ends with the row id, so one on a field also serves the order by field and assigned key. */
export function indexesOf(collection: Collection): readonly Index[] {
  return [
    ...collection.fields
      .filter(hasIndex)
      .map((field) => ({ name: indexName(collection, field), fields: [field], isUnique: false })),
    ...[...compositeIndexes(collection), ...translationIndexes(collection)].map((index) => ({
      ...index,
      isUnique: false,
    })),
    ...collection.unique.map(({ name, fields }) => ({ name, fields, isUnique: true })),
  ];
}

/** An index is useless for types that are compared by computed keys. */
export function hasIndex({ indexed, type }: Field): boolean {
  return indexed && type.sqlite.keyed !== true;
}

export function indexSql({ name }: Collection, index: Index): string {
  const kind = index.isUnique ? 'unique index' : 'index';
  const columns = columnList(index.fields);
  const on = index.isFirstValue === true ? `coalesce(${columns})` : columns;
  return `create ${kind} if not exists ${identifier(index.name)} on ${identifier(name)} (${on})`;
}

export function indexName(collection: Collection, field: Field): string {
  return derivedName(collection.name, field.name);
}

/** The name of the index on a field or a translation; undefined if there is none. */
export function indexOf(collection: Collection, of: Expression): string | undefined {
  const field = namedField(of);
  if (field === undefined || !hasIndex(field)) return undefined;
  return of.kind === 'translation' ? translationIndexName(collection, fieldOf(of.of)!) : indexName(collection, field);
}

/** Autoincrement: a deleted key is never assigned again, and keys chosen by clients are skipped. */
export const NUMBERED_KEY = 'integer primary key autoincrement';

export function columnDefinition(catalogue: Catalogue, collection: Collection, field: Field): string {
  const name = identifier(field.name);
  if (field === collection.assigned) return `${name} ${NUMBERED_KEY}${check(collection, field)}`;
  const required = field.required || isKey(collection, field) ? ' not null' : '';
  if (field.computed !== undefined) {
    const computed = computedSql(collection, field, identifier);
    return `${name} ${field.type.sqlite.column} generated always as (${computed}) stored${required}${check(collection, field)}`;
  }
  const byDefault = field.default === undefined ? '' : ` default ${ruleSql.literal(field.default, field.type)}`;
  return `${name} ${field.type.sqlite.column}${required}${byDefault}${check(collection, field)}${reference(catalogue, collection, field)}`;
}

function reference({ collections }: Catalogue, { references }: Collection, field: Field): string {
  const found = references.find((each) => each.field === field);
  if (found === undefined) return '';
  const [key] = collections.get(found.to)!.key;
  return ` references ${identifier(found.to)} (${identifier(key!.name)}) on delete ${found.onDelete}`;
}

/** The planner has already validated the value; the constraint protects against other programs. */
function check(collection: Collection, field: Field): string {
  const column = identifier(field.name);
  const ofType = field.type.sqlite.check?.(column);
  const conditions = [...(ofType === undefined ? [] : [ofType]), ...ruleConditions(field, column, ruleSql)];
  if (conditions.length === 0) return '';
  return ` constraint ${identifier(derivedName(collection.name, field.name, 'check'))} check (${conditions.join(' and ')})`;
}

export const ruleSql: RuleSql = {
  literal: (value, type) => literal(sqliteDialect.stored(value, type)),
  length: 'length',
  count: 'json_array_length',
};

export function insertRows(db: Database, collection: Collection, rows: readonly StoredRow[]): void {
  using insert = db.prepare(insertSql(collection));
  for (const row of rows) insert.run(...writtenValues(collection, storedValues(collection.fields, row)));
}

/** The insert of one row, whose values are the first parameters. */
export const insertSql = memoize((collection: Collection): string => {
  const fields = writtenFields(collection);
  const given = (each: string) => {
    const at = fields.findIndex((field) => field.name === each);
    return fields[at]!.type.sqlite.parameter?.(`?${at + 1}`) ?? `?${at + 1}`;
  };
  const values = fields.map((field) => orCopied(collection, field, given));
  return `insert into ${identifier(collection.name)} (${columnList(fields)}) values (${values.join(', ')})`;
});

export function writtenValues(collection: Collection, row: readonly Value[]): readonly Value[] {
  const { fields } = collection;
  return writtenFields(collection) === fields ? row : row.filter((_, at) => fields[at]!.computed === undefined);
}

/** The parameters of a stored row. */
export function parameterList(fields: readonly Field[]): string {
  return fields.map(({ type }) => type.sqlite.parameter?.('?') ?? '?').join(', ');
}

/** The stored form of a row; null for a key to be assigned. */
export function storedValues(fields: readonly Pick<Field, 'type'>[], row: StoredRow): Value[] {
  return row.map((value, index) => {
    if (value === undefined || value === null) return null;
    return sqliteDialect.stored(value, fields[index]!.type);
  });
}

export function literal(value: Value): string {
  if (typeof value === 'string') return quoteText(value);
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

export function pragma(db: Database, name: string): number {
  return count(db, `select * from pragma_${name}`);
}

export function count(db: Database, sql: string): number {
  return Number(select(db, sql)[0]?.[0] ?? 0);
}

/** Uses a temporary statement: an open one would keep an old snapshot. */
export function select(db: Database, sql: string, ...params: string[]): unknown[][] {
  using statement = db.prepare(sql);
  return statement.values(...params);
}

export function rows<T>(db: Database, sql: string, ...params: string[]): T[] {
  using statement = db.prepare(sql);
  return statement.all(...params) as T[];
}
