/** float4 and float8. SQLite's numbers know no NaN: it is the text NaN there, which sorts after all numbers, as it should. */
import { Refusal } from '../../errors.ts';
import type { Value } from '../value.ts';
import { specialDecimal } from './decimal-text.ts';
import { jsonOfNumber } from './numeric.ts';
import { defineType, refuseSyntax, type Type } from './type.ts';

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function float(name: 'float4' | 'float8', title: string, round: (number: number) => number): Type {
  const read = (text: string): Value => {
    const trimmed = text.trim();
    const special = specialDecimal(trimmed);
    if (special !== undefined) return special === 'NaN' ? 'NaN' : Number(special);
    if (!FLOAT.test(trimmed)) return refuseSyntax(title, text);
    const number = round(Number(trimmed));
    const isLost = number === 0 && /[1-9]/.test(trimmed.split(/e/i)[0]!);
    if (!Number.isFinite(number) || isLost) throw new Refusal('22003', `"${text}" is out of range for type ${title}`);
    return number + 0;
  };
  const printed = (sql: string) => (name === 'float4' ? `float4_text(${sql})` : `float8_text(${sql})`);
  return defineType({
    name,
    kind: name,
    title,
    abilities: ['number'],
    read,
    store: read,
    casts: ['int2', 'int4', 'int8', 'decimal', 'numeric', 'float4', 'float8'],
    aggregates: { sum: name, avg: 'float8', max: name, min: name },
    sqlite: {
      column: 'any',
      json: (sql) => jsonOfNumber(printed(sql)),
      text: printed,
      casts: {
        int2: (sql) => `whole_from_float(16, ${sql})`,
        int4: (sql) => `whole_from_float(32, ${sql})`,
        int8: (sql) => `whole_from_float(64, ${sql})`,
        // With the digits that surely are right (FLT_DIG, DBL_DIG), as PostgreSQL does it.
        numeric: (sql) => `float_to_numeric(${sql}, ${name === 'float4' ? 6 : 15})`,
        float4: (sql) => `float4_of(${sql})`,
        float8: (sql) => sql,
      },
      aggregate: { sum: (sql) => `sum(${sql})`, avg: (sql) => `avg(${sql})` },
    },
    postgres: { name, json: (sql) => sql, text: (sql) => `(${sql})::text` },
    schema: { type: ['number', 'string'], format: name === 'float4' ? 'float' : 'double' },
    typescript: 'number',
    input: 'number',
  });
}

export const float4 = float('float4', 'real', Math.fround);
export const float8 = float('float8', 'double precision', (number) => number);
