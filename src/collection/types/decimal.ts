/**
 * decimal(p,s): exact, at most 18 digits. On SQLite one of up to 15 digits is the double nearest to it, which prints back as
 * it was; a longer one is a whole number of units of 10^-s.
 */
import { Refusal } from '../../errors.ts';
import type { Value } from '../value.ts';
import { exactDecimal, printTrimmed, refuseDecimal, rounded, specialDecimal } from './decimal-text.ts';
import { averageOfUnits, sumOfUnits } from './numeric.ts';
import { defineType, itself, type SqliteForm, type Type } from './type.ts';

export const MAX_DECIMAL_DIGITS = 18;
/** So many digits any double holds. */
const DOUBLE_DIGITS = 15;
const PLAIN = /^-?\d{1,8}(?:\.\d{1,4})?$/;

export function decimal(precision: number, scale: number): Type {
  const name = `decimal(${precision},${scale})`;
  const bound = 10n ** BigInt(precision);
  const overflow = () =>
    new Refusal('22003', 'numeric field overflow', {
      details: `A field with precision ${precision}, scale ${scale} must round to an absolute value less than 10^${precision - scale}.`,
    });
  const inDouble = precision <= DOUBLE_DIGITS;
  // The common case of a price needs no arithmetic.
  const isPlain = inDouble && precision - scale >= 8 && scale >= 4;

  const units = (text: string): bigint => {
    const exact = exactDecimal(text);
    if (exact === undefined) throw specialDecimal(text) === undefined ? refuseDecimal(text) : overflow();
    const nearest = rounded(exact, scale);
    if (nearest >= bound || nearest <= -bound) throw overflow();
    return nearest;
  };
  const store = (text: string): Value => {
    if (isPlain && PLAIN.test(text)) return Number(text) + 0;
    const stored = printTrimmed({ units: units(text), scale });
    return inDouble ? Number(stored) + 0 : stored;
  };

  return defineType({
    name,
    kind: 'decimal',
    title: 'numeric',
    abilities: ['number'],
    read: inDouble ? (text) => nearestDouble(text, scale) : (text) => comparableUnits(text),
    store,
    storeNumber: (number) => store(String(number)),
    casts: ['int2', 'int4', 'int8', 'decimal', 'numeric', 'float4', 'float8'],
    aggregates: { sum: 'numeric', avg: 'numeric', max: name, min: name },
    sqlite: inDouble ? doubleForm(precision, scale) : unitsForm(scale),
    postgres: {
      name: `numeric(${precision},${scale})`,
      ...(inDouble ? { plain: (sql: string) => `(${sql})::float8` } : {}),
      json: (sql) => `trim_scale(${sql})`,
      text: (sql) => `trim_scale(${sql})::text`,
      casts: { numeric: (sql) => `trim_scale(${sql})` },
      aggregate: { sum: (sql) => `trim_scale(sum(${sql}))` },
    },
    schema: { type: 'number', minimum: -limit(precision, scale), maximum: limit(precision, scale) },
    typescript: 'number',
    input: 'number',
  });
}

function doubleForm(precision: number, scale: number): SqliteForm {
  const units = (sql: string) => `cast(round(${sql} * 1e${scale}) as integer)`;
  const text = (sql: string) => `decimal_text(cast(${units(sql)} as text), ${scale})`;
  return {
    column: 'real',
    wrong: (sql) => `abs(${sql}) >= 1e${precision - scale} or ${sql} <> round(${sql}, ${scale})`,
    plain: itself,
    // A whole number in a double is printed with .0 by SQLite.
    json: (sql) => `iif(${sql} = cast(${sql} as integer), cast(${sql} as integer), ${sql})`,
    text,
    casts: { ...wholeCasts(text), numeric: text, float4: itself, float8: itself },
    aggregate: { sum: (sql) => sumOfUnits(units(sql), scale), avg: (sql) => averageOfUnits(units(sql), scale) },
  };
}

function unitsForm(scale: number): SqliteForm {
  const text = (sql: string) => `decimal_text(cast(${sql} as text), ${scale})`;
  const float = (sql: string) => `cast(${text(sql)} as real)`;
  return {
    column: 'integer',
    bind: (value) => (typeof value === 'string' ? inUnits(value, scale) : value),
    json: (sql) => `json(${text(sql)})`,
    text,
    casts: { ...wholeCasts(text), numeric: text, float4: float, float8: float },
    aggregate: { sum: (sql) => sumOfUnits(sql, scale), avg: (sql) => averageOfUnits(sql, scale) },
  };
}

const wholeCasts = (text: (sql: string) => string) => ({
  int2: (sql: string) => `whole_from_decimal(16, ${text(sql)})`,
  int4: (sql: string) => `whole_from_decimal(32, ${text(sql)})`,
  int8: (sql: string) => `whole_from_decimal(64, ${text(sql)})`,
});

/** Larger than every stored value: what NaN and infinity compare as, since PostgreSQL sorts them last. */
const BEYOND = Number.MAX_VALUE;

/** What any decimal, however long, compares as with stored ones: itself, or between the two that it lies between. */
function nearestDouble(text: string, scale: number): number {
  const exact = exactDecimal(text);
  if (exact === undefined) return beyond(text);
  const nearest = Number(text.trim());
  if (exact.units === 0n) return 0;
  if (exact.scale <= scale && Math.abs(nearest) < 10 ** DOUBLE_DIGITS) return nearest + 0;
  if (Math.abs(nearest) >= 10 ** DOUBLE_DIGITS) return Math.max(-BEYOND, Math.min(BEYOND, nearest));
  const floor = floorUnits(exact, scale);
  return floor.exact ? Number(floor.units) / 10 ** scale : (Number(floor.units) + 0.5) / 10 ** scale;
}

function beyond(text: string): number {
  const special = specialDecimal(text);
  if (special === undefined) return refuseDecimal(text);
  return special === '-Infinity' ? -BEYOND : BEYOND;
}

function floorUnits({ units, scale }: { units: bigint; scale: number }, decimals: number) {
  if (scale <= decimals) return { units: units * 10n ** BigInt(decimals - scale), exact: true };
  const divisor = 10n ** BigInt(scale - decimals);
  const cut = units % divisor;
  return { units: (units - cut) / divisor - (cut < 0n ? 1n : 0n), exact: cut === 0n };
}

const comparableUnits = (text: string): string => {
  const exact = exactDecimal(text);
  return exact === undefined ? (specialDecimal(text) ?? refuseDecimal(text)) : printTrimmed(exact);
};

/** SQLite compares whole numbers with doubles exactly: what lies between two units is their middle. */
function inUnits(text: string, scale: number): Value {
  const exact = exactDecimal(text);
  if (exact === undefined) return beyond(text);
  const floor = floorUnits(exact, scale);
  if (!floor.exact) return Number(floor.units) + 0.5;
  return floor.units >= -(2n ** 63n) && floor.units < 2n ** 63n ? floor.units : Number(floor.units);
}

function limit(precision: number, scale: number): number {
  return Number(`${'9'.repeat(precision - scale) || '0'}.${'9'.repeat(scale) || '0'}`);
}
