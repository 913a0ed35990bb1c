/** Reads the rows of a foreign SQLite file as rows to store. */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { ApiError } from '../../../base/errors.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import type { StoredRow } from '../../../plan/write-plan.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { columnList, identifier } from '../../sql/statement.ts';
import { checkOwner, count, OtherProgramsDatabase } from '../schema/schema.ts';

const ROWS_PER_LOOK = 10_000;

export interface ForeignRows {
  rows(collection: Collection): AsyncIterable<StoredRow>;
  count(collection: Collection): Promise<number>;
}

/** Opens the rows of a foreign file. Returns undefined if the file is a catalogue, or does not exist. */
export function foreignRows(path: string): ForeignRows | undefined {
  if (!existsSync(path) || !isForeign(path)) return undefined;
  return {
    rows: (collection) => rowsOf(path, collection),
    count: async ({ name }) => reading(path, (db) => count(db, `select count(*) from ${identifier(name)}`)),
  };
}

function isForeign(path: string): boolean {
  try {
    reading(path, checkOwner);
    return false;
  } catch (error) {
    return error instanceof OtherProgramsDatabase;
  }
}

/** Reads in chunks from one snapshot: the file may be large and in use. */
async function* rowsOf(path: string, collection: Collection): AsyncGenerator<StoredRow> {
  const { name, fields, key } = collection;
  using db = open(path);
  const sql = `select ${columnList(fields)} from ${identifier(name)} order by ${columnList(key)} limit ${ROWS_PER_LOOK} offset ?`;
  using statement = db.prepare(sql);
  db.run('begin');
  for (let done = 0, rows = statement.values(done); rows.length > 0; rows = statement.values(done)) {
    for (const row of rows) yield fields.map((field, at) => stored(collection, field, row[at], done++));
  }
}

/** Parses values from their text forms, as `catalogue declare` inspected them. */
function stored({ name }: Collection, field: Field, value: unknown, index: number): Value {
  if (value === null) return null;
  try {
    return field.type.store(String(value));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ConfigError(`${name}, row ${index + 1}: ${field.name} cannot be stored: ${error.message}`);
  }
}

function reading<T>(path: string, work: (db: Database) => T): T {
  using db = open(path);
  return work(db);
}

function open(path: string): Database {
  return new Database(path, { readonly: true, safeIntegers: true });
}
