/**
 * numeric: what exact arithmetic yields, of any number of digits. No field is one; sums, averages and casts are. On SQLite it
 * is text, and made from whole units, so that no digit is lost on the way.
 */
import { comparable, refuseDecimal } from './decimal-text.ts';
import { defineType, itself } from './type.ts';

/** Sums of 64 bits may overflow: the two halves of each unit are summed apart, and put together exactly. */
export function sumOfUnits(units: string, scale: number): string {
  return `decimal_sum(cast(sum((${units}) >> 32) as text), cast(sum((${units}) & 4294967295) as text), ${scale})`;
}

export function averageOfUnits(units: string, scale: number): string {
  return `decimal_avg(${sumOfUnits(units, scale)}, count(${units}))`;
}

const read = (text: string): string => comparable(text) ?? refuseDecimal(text);

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
    json: (sql) => `json(${sql})`,
    text: itself,
    sorted: (sql) => `cast(${sql} as real)`,
    casts: {
      int2: (sql) => `whole_from_decimal(16, ${sql})`,
      int4: (sql) => `whole_from_decimal(32, ${sql})`,
      int8: (sql) => `whole_from_decimal(64, ${sql})`,
      float4: (sql) => `cast(${sql} as real)`,
      float8: (sql) => `cast(${sql} as real)`,
    },
    aggregate: { max: (sql) => `max(cast(${sql} as real))`, min: (sql) => `min(cast(${sql} as real))` },
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
