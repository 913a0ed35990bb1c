/**
 * numeric: a number with any number of digits. Sums, averages and casts have this type, and read-only adopted columns.
 * SQLite holds it as text, computed from integer units without loss.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_NUMERIC_DIGITS } from '../../../base/limits/declaration.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, itself } from '../type.ts';
import { exactDecimal, printDecimal, specialDecimal } from './decimal-text.ts';
import { toNumbers, wholeOfDecimal } from './number-casts.ts';

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
    throw new ApiError('22003', 'value overflows numeric format', {
      details: `A number may have ${MAX_NUMERIC_DIGITS} digits.`,
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
