/** The rows of an SQLite file that something else made, as a catalogue of ours would store them. */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { ConfigError } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import type { StoredRow } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';
import type { FirstRows } from '../migration/question.ts';
import { checkOwner, columnList, NotOurDatabase } from './schema.ts';

/** Undefined where the file is ours, or is none. */
export function foreignRows(path: string): FirstRows | undefined {
  if (!existsSync(path) || !isForeign(path)) return undefined;
  return (collection) => reading(path, (db) => rowsOf(db, collection));
}

function isForeign(path: string): boolean {
  try {
    reading(path, checkOwner);
    return false;
  } catch (error) {
    return error instanceof NotOurDatabase && error.isOfAnother;
  }
}

function rowsOf(db: Database, collection: Collection): StoredRow[] {
  const { name, fields, key } = collection;
  const statement = db.prepare(`select ${columnList(fields)} from ${identifier(name)} order by ${columnList(key)}`);
  try {
    return statement.values().map((row, index) => fields.map((field, at) => stored(collection, field, row[at], index)));
  } finally {
    statement.finalize();
  }
}

/** Values are read from their text forms, as `catalogue declare` has looked at them. */
function stored({ name }: Collection, field: Field, value: unknown, index: number): Value {
  if (value === null) return null;
  try {
    return field.type.store(String(value));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ConfigError(`${name}, row ${index + 1}: ${field.name} cannot be stored: ${error.message}`);
  }
}

function reading<T>(path: string, work: (db: Database) => T): T {
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
