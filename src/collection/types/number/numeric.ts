/**
 * numeric: a number with any number of digits. Sums, averages and casts have this type, and read-only adopted columns.
 * SQLite holds it as text, computed from integer units without loss.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_NUMERIC_DIGITS } from '../../../base/limits/declaration.ts';
import { say } from '../../../base/sentence.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { type Cast, defineType, itself, type Type } from '../type.ts';
import { exactDecimal, exactUnits, printDecimal, rounded, specialDecimal, wholeDigits } from './decimal-text.ts';

/** A 64-bit sum may overflow: the high and low halves of the units are summed separately and combined exactly. */
export function sumOfUnits(units: string, scale: number): string {
  return `decimal_sum(${halves(units)}, ${scale})`;
}

export function averageOfUnits(units: string, scale: number): string {
  return `decimal_avg(${halves(units)}, ${scale}, count(${units}))`;
}

function halves(units: string): string {
  return `cast(sum((${units}) >> 32) as text), cast(sum((${units}) & 4294967295) as text)`;
}

const EXPONENT = /e([+-]?\d+)\s*$/i;

/** Bounded, since a few characters may mean a number of a hundred thousand digits. */
function read(text: string): string {
  if (text.length + Math.abs(Number(EXPONENT.exec(text)?.[1] ?? 0)) > MAX_NUMERIC_DIGITS) {
    throw new ApiError('22003', say`value overflows numeric format`, {
      details: say`A number may have ${MAX_NUMERIC_DIGITS} digits.`,
    });
  }
  const exact = exactDecimal(text);
  return exact === undefined ? (specialDecimal(text) ?? rejectSyntax('numeric', text)) : printDecimal(exact);
}

const isSpecial = (value: Value) => /[a-z]/i.test(String(value));

export const numeric = defineType({
  name: 'numeric',
  abilities: ['number'],
  read,
  json: (value) => (isSpecial(value) ? JSON.stringify(value) : String(value)),
  casts: toNumbers(String, wholeOfDecimal),
  aggregates: { sum: 'numeric', avg: 'numeric', max: 'numeric', min: 'numeric' },
  sqlite: {
    column: 'text',
    keyed: true,
    json: (sql) => `iif(${sql} glob '*[NI]*', json_quote(${sql}), ${sql})`,
    text: itself,
    aggregate: { sum: (sql) => `numeric_sum(${sql})`, avg: (sql) => `numeric_avg(${sql})` },
  },
  postgres: { name: 'numeric' },
  schema: { type: 'number' },
  typescript: 'number',
  input: 'number',
});

/** `whole` is the text for integer targets, if it differs. */
export function toNumbers(text: Cast, whole: Cast = text): Readonly<Record<string, Cast>> {
  return { int2: whole, int4: whole, int8: whole, decimal: text, numeric: text, float4: text, float8: text };
}

/** No integer has more digits. */
const MAX_DIGITS = 19;

/** Decimals round halves away from zero. */
export function wholeOfDecimal(value: Value, to: Type): string {
  const exact = exactDecimal(String(value));
  if (exact === undefined) throw new ApiError('0A000', say`cannot convert ${nameOf(String(value))} to ${to.title}`);
  if (wholeDigits(exact) > MAX_DIGITS) throw outOfRange(to);
  return printDecimal(exactUnits(rounded(exact, 0), 0));
}

/** Floats round halves to even. */
export function wholeOfFloat(value: Value, to: Type): string {
  const number = Number(value);
  if (!Number.isFinite(number)) throw outOfRange(to);
  const floor = Math.floor(number);
  const nearest = number - floor === 0.5 ? floor + Math.abs(floor % 2) : Math.round(number);
  return BigInt(nearest).toString();
}

function outOfRange({ title }: Type): ApiError {
  return new ApiError('22003', say`${title} out of range`);
}

/** The name in PostgreSQL's message. */
function nameOf(special: string): string {
  return special === 'NaN' ? 'NaN' : 'infinity';
}
