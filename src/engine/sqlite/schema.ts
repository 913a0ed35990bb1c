/** The tables of a catalogue file, made and brought up to date from the collection's declaration. */
import type { Database } from 'bun:sqlite';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { FieldType } from '../../collection/field-types.ts';
import type { Row, Value } from '../../collection/value.ts';
import { INT4_MAX, INT4_MIN } from '../../limits.ts';
import { identifier } from '../compile/statement.ts';

/** Marks a file as ours ("PCat"), so that another program's database is never touched. */
const APPLICATION_ID = 0x50436174;
/** Counts changes to the tables beside the collection's own; its fields are compared one by one. */
export const SCHEMA_VERSION = 1;

export const RETRY_TABLE = 'idempotency_keys';

export class NotOurDatabase extends Error {}

const COLUMN_TYPES: Readonly<Record<FieldType, string>> = { int4: 'integer', decimal: 'real', text: 'text' };

/** Returns whether the catalogue is new. All in one transaction: a kill in between leaves no half catalogue. */
export function prepareSchema(db: Database, collection: Collection, firstRows: readonly Row[]): boolean {
  // Where there is nothing to do, whoever is writing is not waited for.
  if (isUpToDate(db, collection)) return false;
  return db
    .transaction(() => {
      const isNew = checkOwner(db);
      if (isNew) createTables(db, collection);
      else addMissingFields(db, collection);
      createIndexes(db, collection);
      if (pragma(db, 'application_id') !== APPLICATION_ID) db.run(`pragma application_id = ${APPLICATION_ID}`);
      if (pragma(db, 'user_version') !== SCHEMA_VERSION) db.run(`pragma user_version = ${SCHEMA_VERSION}`);
      if (isNew) insertRows(db, collection, firstRows);
      return isNew;
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

/** Autoincrement: an id that was deleted is never given to another product, and ids chosen by clients are passed. */
function createTables(db: Database, collection: Collection): void {
  const columns = collection.fields.map((field) =>
    field === collection.key
      ? `${identifier(field.name)} integer primary key autoincrement${check(field)}`
      : columnDefinition(field),
  );
  db.run(`create table ${identifier(collection.name)} (${columns.join(', ')}) strict`);
  db.run(
    `create table ${RETRY_TABLE} (key text primary key, fingerprint text not null, result text not null, created_at integer not null) strict, without rowid`,
  );
  db.run(`create index ${RETRY_TABLE}_created_at on ${RETRY_TABLE} (created_at)`);
}

function isUpToDate(db: Database, collection: Collection): boolean {
  if (checkOwner(db) || pragma(db, 'user_version') !== SCHEMA_VERSION) return false;
  const indexes = db.query("select name from sqlite_schema where type = 'index'").values().flat();
  return (
    missingFields(db, collection).length === 0 &&
    indexedFields(collection).every((field) => indexes.includes(indexName(collection, field)))
  );
}

function addMissingFields(db: Database, collection: Collection): void {
  for (const field of missingFields(db, collection)) {
    db.run(`alter table ${identifier(collection.name)} add column ${columnDefinition(field)}`);
  }
}

function missingFields(db: Database, collection: Collection): readonly Field[] {
  const present = db.query('select name from pragma_table_info(?)').values(collection.name).flat();
  return collection.fields.filter((field) => !present.includes(field.name));
}

function indexedFields(collection: Collection): readonly Field[] {
  return collection.fields.filter((field) => field.indexed === true);
}

/** An index ends with the key by itself, so that it also serves the order by field and key. */
function createIndexes(db: Database, collection: Collection): void {
  for (const field of indexedFields(collection)) {
    const index = identifier(indexName(collection, field));
    db.run(`create index if not exists ${index} on ${identifier(collection.name)} (${identifier(field.name)})`);
  }
}

export function indexName(collection: Collection, field: Field): string {
  return `${collection.name}_${field.name}`;
}

function columnDefinition(field: Field): string {
  const required = field.required ? ' not null' : '';
  const byDefault = field.default === undefined ? '' : ` default ${literal(field.default)}`;
  return `${identifier(field.name)} ${COLUMN_TYPES[field.type]}${required}${byDefault}${check(field)}`;
}

/** The planner has checked the value already; the file keeps its word even to other programs. */
function check(field: Field): string {
  return field.type === 'int4' ? ` check (${identifier(field.name)} between ${INT4_MIN} and ${INT4_MAX})` : '';
}

function insertRows(db: Database, { name, fields }: Collection, rows: readonly Row[]): void {
  const insert = db.prepare(
    `insert into ${identifier(name)} (${fields.map((field) => identifier(field.name)).join(', ')}) values (${fields.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(...fields.map((field) => (row[field.name] ?? null) as Value));
  insert.finalize();
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function pragma(db: Database, name: string): number {
  return count(db, `select * from pragma_${name}`);
}

function count(db: Database, sql: string): number {
  const [row] = db.query(sql).values();
  return Number(row?.[0] ?? 0);
}
