/** float4 and float8. SQLite stores NaN as the text NaN, which sorts after all numbers, as in PostgreSQL. */
import { ApiError } from '../../../base/errors.ts';
import { say } from '../../../base/sentence.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, type Type } from '../type.ts';
import { floatOperations } from './arithmetic.ts';
import { specialDecimal } from './decimal-text.ts';
import { FLOAT4, FLOAT8, type FloatWidth, floatText, nearestText } from './float-text.ts';
import { toNumbers, wholeOfFloat } from './numeric.ts';

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function float(name: 'float4' | 'float8', title: string, width: FloatWidth): Type {
  const { round, digits } = width;
  const read = (text: string): Value => {
    const trimmed = text.trim();
    const special = specialDecimal(trimmed);
    if (special !== undefined) return special === 'NaN' ? 'NaN' : Number(special);
    if (!FLOAT.test(trimmed)) return rejectSyntax(title, text);
    const number = round(Number(trimmed));
    const isLost = number === 0 && /^[^e]*[1-9]/i.test(trimmed);
    if (!Number.isFinite(number) || isLost)
      throw new ApiError('22003', say`"${text}" is out of range for type ${title}`);
    return number + 0;
  };
  const print = (value: Value) => (typeof value === 'number' ? floatText(value, width) : String(value));
  const isNumber = (value: Value) => Number.isFinite(Number(value));
  const asDecimal = (value: Value) =>
    isNumber(value) ? String(Number(nearestText(Number(value), digits))) : String(value);
  const hasNaN = (sql: string) => `max(typeof(${sql}) = 'text') or (sum(${sql}) is null and count(${sql}) > 0)`;
  const ofNumbers = (sql: string, aggregate: string) => `case when ${hasNaN(sql)} then 'NaN' else ${aggregate} end`;
  return defineType({
    name,
    title,
    abilities: ['number'],
    read,
    print,
    json: (value) => (isNumber(value) ? print(value) : JSON.stringify(print(value))),
    casts: { ...toNumbers(asDecimal, wholeOfFloat), float4: String, float8: String },
    aggregates: { sum: name, avg: 'float8', max: name, min: name },
    operations: floatOperations(round),
    sqlite: {
      column: 'any',
      aggregate: {
        // Sums use doubles: a float4 would lose digits in a long list.
        sum: (sql) => ofNumbers(sql, name === 'float4' ? `cast_as('float8', 'float4', sum(${sql}))` : `sum(${sql})`),
        avg: (sql) => ofNumbers(sql, `avg(${sql})`),
      },
    },
    postgres: {
      name,
      ...(name === 'float4' ? { aggregate: { sum: (sql) => `sum((${sql})::float8)::float4` } } : {}),
    },
    schema: { type: ['number', 'string'], format: name === 'float4' ? 'float' : 'double' },
    typescript: 'number',
    input: 'number',
  });
}

export const float4 = float('float4', 'real', FLOAT4);
export const float8 = float('float8', 'double precision', FLOAT8);
