/**
 * decimal(p,s): exact, at most 18 digits. SQLite stores up to 15 digits as the nearest double, which prints back
 * unchanged. It stores longer ones as twice their number of units of 10^-s, so that values between two of them also
 * have a place.
 */
import { ApiError } from '../../../base/errors.ts';
import { say } from '../../../base/sentence.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, itself, type SqliteForm, type Type } from '../type.ts';
import { exactOperations } from './arithmetic.ts';
import {
  exactDecimal,
  exactUnits,
  floored,
  printTrimmed,
  rounded,
  specialDecimal,
  wholeDigits,
} from './decimal-text.ts';
import { averageOfUnits, sumOfUnits, toNumbers, wholeOfDecimal } from './numeric.ts';

export const MAX_DECIMAL_DIGITS = 18;
/** Any double holds this many digits. */
const DOUBLE_DIGITS = 15;
/** With more decimals, JavaScript and SQLite may print an exponent. */
const PLAIN_DECIMALS = 6;
const SQLITE_DECIMALS = 4;
const PLAIN = /^-?\d{1,8}(?:\.\d{1,4})?$/;

export function decimal(precision: number, scale: number): Type {
  const name = `decimal(${precision},${scale})`;
  const bound = 10n ** BigInt(precision);
  const overflow = () =>
    new ApiError('22003', say`numeric field overflow`, {
      details: say`A field with precision ${precision}, scale ${scale} must round to an absolute value less than 10^${precision - scale}.`,
    });
  const inDouble = precision <= DOUBLE_DIGITS;
  const isPlain = inDouble && scale <= PLAIN_DECIMALS;
  // A common price needs no arithmetic.
  const isSimple = inDouble && precision - scale >= 8 && scale >= 4;

  const units = (text: string): bigint => {
    const exact = exactDecimal(text);
    if (exact === undefined) throw specialDecimal(text) === undefined ? rejectSyntax('numeric', text) : overflow();
    if (exact.digits !== '0' && wholeDigits(exact) > precision - scale) throw overflow();
    const nearest = rounded(exact, scale);
    if (nearest >= bound || nearest <= -bound) throw overflow();
    return nearest;
  };
  const store = (text: string): Value => {
    if (isSimple && PLAIN.test(text)) return Number(text) + 0;
    const stored = printTrimmed(exactUnits(units(text), scale));
    return inDouble ? Number(stored) + 0 : stored;
  };

  return defineType({
    name,
    kind: 'decimal',
    title: 'numeric',
    abilities: ['number'],
    read: inDouble ? (text) => nearestDouble(text, scale) : comparable,
    store,
    storeNumber: (number) => store(String(number)),
    print: inDouble ? (value) => printTrimmed(exactDecimal(String(value))!) : String,
    ...(isPlain ? { json: String } : {}),
    casts: toNumbers(String, wholeOfDecimal),
    aggregates: { sum: 'numeric', avg: 'numeric', max: name, min: name },
    operations: exactOperations(store),
    sqlite: inDouble ? doubleForm(precision, scale) : unitsForm(precision, scale),
    postgres: {
      name: `numeric(${precision},${scale})`,
      unbounded: 'numeric',
      // Adopted tables may contain NaN.
      bind: (value) => (value === NOT_A_NUMBER ? 'NaN' : value),
      ...(isPlain ? { plain: (sql) => `(${sql})::float8`, cell: (sql) => `(${sql})::float8` } : {}),
      json: (sql) => `trim_scale(${sql})`,
      casts: { numeric: (sql) => `trim_scale(${sql})`, text: (sql) => `trim_scale(${sql})::text` },
      aggregate: { sum: (sql) => `trim_scale(sum(${sql}))` },
    },
    schema: { type: 'number', minimum: -limit(precision, scale), maximum: limit(precision, scale) },
    typescript: 'number',
    input: 'number',
  });
}

function doubleForm(precision: number, scale: number): SqliteForm {
  const units = (sql: string) => `cast(round(${sql} * 1e${scale}) as integer)`;
  return {
    column: 'real',
    wrong: (sql) => `abs(${sql}) >= 1e${precision - scale} or ${sql} <> round(${sql}, ${scale})`,
    ...(scale <= PLAIN_DECIMALS ? { plain: itself, cell: itself } : {}),
    // SQLite prints a whole number in a double with `.0`.
    ...(scale <= SQLITE_DECIMALS
      ? { json: (sql) => `iif(${sql} = cast(${sql} as integer), cast(${sql} as integer), ${sql})` }
      : {}),
    aggregate: { sum: (sql) => sumOfUnits(units(sql), scale), avg: (sql) => averageOfUnits(units(sql), scale) },
    parts: { each: units, sum: (sql) => sumOfUnits(sql, scale) },
  };
}

function unitsForm(precision: number, scale: number): SqliteForm {
  const units = (sql: string) => `${sql} >> 1`;
  return {
    column: 'integer',
    bind: (value) => twiceTheUnits(String(value), scale),
    value: (stored) => printTrimmed(exactUnits(BigInt(stored as bigint) >> 1n, scale)),
    check: (sql) => `${sql} & 1 = 0 and abs(${sql}) < ${2n * 10n ** BigInt(precision)}`,
    aggregate: { sum: (sql) => sumOfUnits(units(sql), scale), avg: (sql) => averageOfUnits(units(sql), scale) },
  };
}

/** Larger than every stored value: infinity compares as this. NaN is larger still, as PostgreSQL sorts it. */
const BEYOND = Number.MAX_VALUE / 2;
const NOT_A_NUMBER = Number.MAX_VALUE;

/** The double that a decimal of any length compares as: itself, or a value between its two stored neighbours. */
function nearestDouble(text: string, scale: number): number {
  const exact = exactDecimal(text);
  if (exact === undefined) return beyond(text);
  const nearest = Number(text.trim());
  if (exact.digits === '0') return 0;
  if (Math.abs(nearest) >= 10 ** DOUBLE_DIGITS) return Math.max(-BEYOND, Math.min(BEYOND, nearest));
  if (exact.scale <= scale) return nearest + 0;
  const floor = floored(exact, scale);
  return floor.exact ? Number(floor.units) / 10 ** scale : (Number(floor.units) + 0.5) / 10 ** scale;
}

function beyond(text: string): number {
  const special = specialDecimal(text);
  if (special === undefined) return rejectSyntax('numeric', text);
  if (special === 'NaN') return NOT_A_NUMBER;
  return special === '-Infinity' ? -BEYOND : BEYOND;
}

function comparable(text: string): string {
  const exact = exactDecimal(text);
  return exact === undefined ? (specialDecimal(text) ?? rejectSyntax('numeric', text)) : printTrimmed(exact);
}

/** Even for values that can be stored. */
function twiceTheUnits(text: string, scale: number): Value {
  const exact = exactDecimal(text);
  if (exact === undefined) return beyond(text);
  if (exact.digits !== '0' && wholeDigits(exact) > MAX_DECIMAL_DIGITS - scale) return exact.negative ? -BEYOND : BEYOND;
  const floor = floored(exact, scale);
  return floor.units * 2n + (floor.exact ? 0n : 1n);
}

function limit(precision: number, scale: number): number {
  return Number(`${'9'.repeat(precision - scale) || '0'}.${'9'.repeat(scale) || '0'}`);
}
