/**
 * numeric: what exact arithmetic yields, of any number of digits. No field is one; sums, averages and casts are. On SQLite it
 * is text, and made from whole units, so that no digit is lost on the way.
 */
import { Refusal } from '../../errors.ts';
import { MAX_NUMERIC_DIGITS } from '../../limits.ts';
import { exactDecimal, printTrimmed, refuseDecimal, specialDecimal } from './decimal-text.ts';
import { defineType, itself } from './type.ts';

/** Sums of 64 bits may overflow: the two halves of each unit are summed apart, and put together exactly. */
export function sumOfUnits(units: string, scale: number): string {
  return `decimal_sum(${halves(units)}, ${scale})`;
}

export function averageOfUnits(units: string, scale: number): string {
  return `decimal_avg(${halves(units)}, ${scale}, count(${units}))`;
}

function halves(units: string): string {
  return `cast(sum((${units}) >> 32) as text), cast(sum((${units}) & 4294967295) as text)`;
}

/** The digits of a text as a JSON number; NaN and infinity are texts in JSON, which has no number for them. */
export function jsonOfNumber(text: string): string {
  return `json(json_number(${text}))`;
}

const EXPONENT = /e([+-]?\d+)\s*$/i;

/** Of a bounded length: a few characters may stand for a number of a hundred thousand digits, row after row. */
function read(text: string): string {
  if (text.length + Math.abs(Number(EXPONENT.exec(text)?.[1] ?? 0)) > MAX_NUMERIC_DIGITS) {
    throw new Refusal('22003', 'value overflows numeric format', {
      details: `A number may have ${MAX_NUMERIC_DIGITS} digits.`,
    });
  }
  const exact = exactDecimal(text);
  // Without zeros at its end, so that equal numbers are the same text.
  return exact === undefined ? (specialDecimal(text) ?? refuseDecimal(text)) : printTrimmed(exact);
}

export const numeric = defineType({
  name: 'numeric',
  kind: 'numeric',
  title: 'numeric',
  abilities: ['number'],
  read,
  store: read,
  casts: ['int2', 'int4', 'int8', 'decimal', 'float4', 'float8'],
  aggregates: { sum: 'numeric', avg: 'numeric', max: 'numeric', min: 'numeric' },
  sqlite: {
    column: 'text',
    json: jsonOfNumber,
    text: itself,
    sorted: (sql) => `numeric_order(${sql})`,
    casts: {
      int2: (sql) => `whole_from_decimal(16, ${sql})`,
      int4: (sql) => `whole_from_decimal(32, ${sql})`,
      int8: (sql) => `whole_from_decimal(64, ${sql})`,
      float4: (sql) => `float4_of(numeric_to_float(${sql}))`,
      float8: (sql) => `numeric_to_float(${sql})`,
    },
    aggregate: {
      sum: (sql) => `numeric_sum(${sql})`,
      avg: (sql) => `numeric_avg(${sql})`,
      max: (sql) => `numeric_max(${sql})`,
      min: (sql) => `numeric_min(${sql})`,
    },
  },
  postgres: {
    name: 'numeric',
    json: itself,
    text: (sql) => `(${sql})::text`,
  },
  schema: { type: 'number' },
  typescript: 'number',
  input: 'number',
});
