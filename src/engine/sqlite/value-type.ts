/**
 * Which type the values of a column have, in a file that something else made: SQLite stores anything anywhere, so that what a
 * column is said to be counts only where every value of it can be read so.
 */
import type { Database } from 'bun:sqlite';
import { typeNamed } from '../../collection/types/index.ts';
import type { Type } from '../../collection/types/type.ts';
import { Refusal } from '../../errors.ts';
import { identifier } from '../compile/statement.ts';

/** By what a column's type is called, the first that matches: https://www.sqlite.org/datatype3.html has the names people use. */
const CANDIDATES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/BOOL/, ['boolean']],
  [/UUID|GUID|UNIQUEIDENTIFIER/, ['uuid']],
  [/JSON/, ['json']],
  [/DATETIME|TIMESTAMP/, ['timestamp']],
  [/^DATE/, ['date']],
  [/^TIME/, ['time']],
  [/CHAR|CLOB|TEXT/, ['text']],
  [/INT/, ['int8']],
  [/REAL|FLOA|DOUB/, ['float8']],
];
const DECIMAL = /^(?:DECIMAL|NUMERIC)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/;
/** Whatever it is called. */
const ANY = ['int8', 'float8', 'text'];

/** A time that says its zone is no time of day anywhere. */
const ZONED = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;

/** Undefined where there are values that have no text form. */
export function typeOfValues(db: Database, table: string, column: string, declared: string): Type | undefined {
  const values = distinctValues(db, table, column);
  if (values === undefined) return undefined;
  const texts = values.map(String);
  const names = [...candidates(declared.trim().toUpperCase(), texts), ...ANY];
  return names.flatMap((name) => typeNamed(name) ?? []).find((type) => texts.every((text) => isReadable(type, text)));
}

function candidates(declared: string, texts: readonly string[]): readonly string[] {
  const digits = DECIMAL.exec(declared);
  if (digits !== null) return [`decimal(${digits[1]},${digits[2] ?? 0})`];
  const [, names = []] = CANDIDATES.find(([pattern]) => pattern.test(declared)) ?? [];
  const areZoned = names[0] === 'timestamp' && texts.length > 0 && texts.every((text) => ZONED.test(text));
  return areZoned ? ['timestamptz'] : names;
}

function distinctValues(db: Database, table: string, column: string): (string | number | bigint)[] | undefined {
  const name = identifier(column);
  const statement = db.prepare(`select distinct ${name} from ${identifier(table)} where ${name} is not null`);
  try {
    const values: (string | number | bigint)[] = [];
    for (const [value] of statement.values()) {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
      values.push(value);
    }
    return values;
  } finally {
    statement.finalize();
  }
}

function isReadable(type: Type, text: string): boolean {
  try {
    type.store(text);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
