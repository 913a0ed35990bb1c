/** The tables of a catalogue file, made and brought up to date from the declaration. */
import type { Database } from 'bun:sqlite';
import { type Catalogue, type Collection, type Field, isKey } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { StoredRow } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';
import { sqliteDialect } from './dialect.ts';

/** Marks a file as ours ("PCat"), so that another program's database is never touched. */
const APPLICATION_ID = 0x50436174;
/** Counts changes to the tables beside the collections' own; their fields are compared one by one. */
export const SCHEMA_VERSION = 1;

export const RETRY_TABLE = 'idempotency_keys';

export class NotOurDatabase extends Error {}

/** The rows that a collection begins with. */
export type FirstRows = (collection: Collection) => readonly StoredRow[];

/**
 * Returns what was made, for people. All in one transaction: a kill in between leaves no half catalogue, and rows may refer to
 * rows that come later.
 */
export function prepareSchema(db: Database, catalogue: Catalogue, firstRows: FirstRows): string[] {
  // Where there is nothing to do, whoever is writing is not waited for.
  if (isUpToDate(db, catalogue)) return [];
  return db
    .transaction(() => {
      db.run('pragma defer_foreign_keys = on');
      if (checkOwner(db)) createRetryTable(db);
      const made: string[] = [];
      const fresh = [...catalogue.collections.values()].filter((collection) => columnsOf(db, collection).length === 0);
      for (const collection of fresh) createTable(db, catalogue, collection);
      made.push(...fresh.map(({ name }) => `table ${name}`));
      for (const collection of catalogue.collections.values()) {
        for (const field of missingFields(db, collection)) {
          db.run(
            `alter table ${identifier(collection.name)} add column ${columnDefinition(catalogue, collection, field)}`,
          );
          made.push(`field ${collection.name}.${field.name}`);
        }
        createIndexes(db, collection);
      }
      if (pragma(db, 'application_id') !== APPLICATION_ID) db.run(`pragma application_id = ${APPLICATION_ID}`);
      if (pragma(db, 'user_version') !== SCHEMA_VERSION) db.run(`pragma user_version = ${SCHEMA_VERSION}`);
      for (const collection of fresh) insertRows(db, collection, firstRows(collection));
      return made;
    })
    .immediate();
}

/** Returns whether the file is still empty; reads only, and all of it as of one moment: another process may be making it. */
export function checkOwner(db: Database): boolean {
  const look = db.transaction(() => ({
    owner: pragma(db, 'application_id'),
    version: pragma(db, 'user_version'),
    tables: count(db, 'select count(*) from sqlite_schema'),
  }));
  const { owner, version, tables } = look.deferred();
  if (owner === 0 && tables === 0) return true;
  if (owner !== APPLICATION_ID) throw new NotOurDatabase('it is an SQLite database of another program');
  if (version > SCHEMA_VERSION) throw new NotOurDatabase('it was written by a newer version of this program');
  return false;
}

function createTable(db: Database, catalogue: Catalogue, collection: Collection): void {
  const columns = collection.fields.map((field) => columnDefinition(catalogue, collection, field));
  const key = collection.assigned === undefined ? [`primary key (${columnList(collection.key)})`] : [];
  db.run(`create table ${identifier(collection.name)} (${[...columns, ...key].join(', ')}) strict`);
}

function createRetryTable(db: Database): void {
  db.run(
    `create table ${RETRY_TABLE} (key text primary key, fingerprint text not null, result text not null, created_at integer not null) strict, without rowid`,
  );
  db.run(`create index ${RETRY_TABLE}_created_at on ${RETRY_TABLE} (created_at)`);
}

function isUpToDate(db: Database, catalogue: Catalogue): boolean {
  if (checkOwner(db) || pragma(db, 'user_version') !== SCHEMA_VERSION) return false;
  const present = db.prepare("select name from sqlite_schema where type = 'index'");
  const indexes = present.values().flat();
  present.finalize();
  return [...catalogue.collections.values()].every(
    (collection) =>
      missingFields(db, collection).length === 0 && indexesOf(collection).every(({ name }) => indexes.includes(name)),
  );
}

function missingFields(db: Database, collection: Collection): readonly Field[] {
  const present = columnsOf(db, collection);
  return collection.fields.filter((field) => !present.includes(field.name));
}

/** Empty where there is no such table. */
function columnsOf(db: Database, { name }: Collection): unknown[] {
  const statement = db.prepare('select name from pragma_table_info(?)');
  const columns = statement.values(name).flat();
  statement.finalize();
  return columns;
}

export interface Index {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly isUnique: boolean;
}

/** An index ends with the row's number by itself, so that one on a field also serves the order by field and assigned key. */
export function indexesOf(collection: Collection): readonly Index[] {
  return [
    ...collection.fields
      .filter(hasIndex)
      .map((field) => ({ name: indexName(collection, field), fields: [field], isUnique: false })),
    ...collection.unique.map(({ name, fields }) => ({ name, fields, isUnique: true })),
  ];
}

/** An index on what is compared by its keys would serve nothing. */
export function hasIndex({ indexed, type }: Field): boolean {
  return indexed && type.sqlite.keyed !== true;
}

function createIndexes(db: Database, collection: Collection): void {
  for (const { name, fields, isUnique } of indexesOf(collection)) {
    const kind = isUnique ? 'unique index' : 'index';
    db.run(
      `create ${kind} if not exists ${identifier(name)} on ${identifier(collection.name)} (${columnList(fields)})`,
    );
  }
}

export function indexName(collection: Collection, field: Field): string {
  return `${collection.name}_${field.name}`;
}

/** Autoincrement: a key that was deleted is never given to another row, and keys chosen by clients are passed. */
function columnDefinition(catalogue: Catalogue, collection: Collection, field: Field): string {
  const name = identifier(field.name);
  if (field === collection.assigned) return `${name} integer primary key autoincrement${check(collection, field)}`;
  const required = field.required || isKey(collection, field) ? ' not null' : '';
  const byDefault =
    field.default === undefined ? '' : ` default ${literal(sqliteDialect.stored(field.default, field.type))}`;
  return `${name} ${field.type.sqlite.column}${required}${byDefault}${check(collection, field)}${reference(catalogue, collection, field)}`;
}

function reference({ collections }: Catalogue, { references }: Collection, field: Field): string {
  const found = references.find((each) => each.field === field);
  if (found === undefined) return '';
  const [key] = collections.get(found.to)!.key;
  return ` references ${identifier(found.to)} (${identifier(key!.name)}) on delete ${found.onDelete}`;
}

/** The planner has checked the value already; the file keeps its word even to other programs. */
function check(collection: Collection, field: Field): string {
  const { type, rules } = field;
  const column = identifier(field.name);
  const stored = (value: Value) => literal(sqliteDialect.stored(value, type));
  const conditions = [
    ...(type.sqlite.check === undefined ? [] : [type.sqlite.check(column)]),
    ...(rules.minimum === undefined ? [] : [`${column} >= ${stored(rules.minimum)}`]),
    ...(rules.maximum === undefined ? [] : [`${column} <= ${stored(rules.maximum)}`]),
    ...(rules.maxLength === undefined ? [] : [`length(${column}) <= ${rules.maxLength}`]),
    ...(rules.oneOf === undefined ? [] : [`${column} in (${rules.oneOf.map(stored).join(', ')})`]),
  ];
  if (conditions.length === 0) return '';
  return ` constraint ${identifier(`${collection.name}_${field.name}_check`)} check (${conditions.join(' and ')})`;
}

function insertRows(db: Database, { name, fields }: Collection, rows: readonly StoredRow[]): void {
  const insert = db.prepare(
    `insert into ${identifier(name)} (${columnList(fields)}) values (${fields.map(() => '?').join(', ')})`,
  );
  try {
    for (const row of rows) insert.run(...storedValues(fields, row));
  } finally {
    insert.finalize();
  }
}

/** A row as it is stored; null where the key is to be assigned. */
export function storedValues(fields: readonly Field[], row: StoredRow): Value[] {
  return row.map((value, index) => {
    if (value === undefined || value === null) return null;
    return sqliteDialect.stored(value, fields[index]!.type);
  });
}

export function columnList(fields: readonly Field[]): string {
  return fields.map((field) => identifier(field.name)).join(', ');
}

function literal(value: Value): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

function pragma(db: Database, name: string): number {
  return count(db, `select * from pragma_${name}`);
}

function count(db: Database, sql: string): number {
  const statement = db.prepare(sql);
  const [row] = statement.values();
  statement.finalize();
  return Number(row?.[0] ?? 0);
}
