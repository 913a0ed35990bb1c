/**
 * Determines the type of a column in a foreign file. SQLite stores any value in any column, so the declared type
 * applies only if every value can be parsed as such.
 */
import type { Database } from 'bun:sqlite';
import { typeNamed } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import { isReadable } from '../../shared/sql-expressions.ts';
import { identifier } from '../../sql/statement.ts';
import { select } from './schema.ts';

/** Candidates by declared type name, first match: see https://www.sqlite.org/datatype3.html. */
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
/** For any other name. */
const ANY = ['int8', 'float8', 'text'];

/** A time with a zone is not a time of day. */
const ZONED = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;

/** Undefined if values have no text form. */
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
  const values = select(db, `select distinct ${name} from ${identifier(table)} where ${name} is not null`).flat();
  const hasText = (value: unknown): value is string | number | bigint =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return values.every(hasText) ? values : undefined;
}
