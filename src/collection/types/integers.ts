/** int2, int4, int8. An int8 is a bigint, since a double ends at 2^53. */
import { Refusal } from '../../errors.ts';
import type { Value } from '../value.ts';
import { averageOfUnits, sumOfUnits } from './numeric.ts';
import { defineType, itself, refuseSyntax, type Type } from './type.ts';

const INTEGER = /^[ \t\n\v\f\r]*([+-]?\d+)[ \t\n\v\f\r]*$/;
const NUMBERS = ['int2', 'int4', 'int8', 'decimal', 'numeric', 'float4', 'float8'];

interface Width {
  readonly name: 'int2' | 'int4' | 'int8';
  readonly title: string;
  readonly bits: 16 | 32 | 64;
  /** What a sum of many is. */
  readonly sum: string;
}

function integer({ name, title, bits, sum }: Width): Type {
  const least = -(2n ** BigInt(bits - 1));
  const most = -least - 1n;
  const small = bits < 64;
  const read = (text: string): Value => {
    const match = INTEGER.exec(text);
    if (match === null) return refuseSyntax(title, text);
    const digits = match[1]!;
    const number = Number(digits);
    if (Number.isSafeInteger(number) && small && number >= Number(least) && number <= Number(most)) return number + 0;
    const whole = BigInt(digits);
    if (whole < least || whole > most) throw new Refusal('22003', `value "${text}" is out of range for type ${title}`);
    return small ? Number(whole) : whole;
  };
  const storeNumber = (number: number): Value =>
    small && Number.isInteger(number) && number >= Number(least) && number <= Number(most)
      ? number + 0
      : read(String(number));
  return defineType({
    name,
    kind: name,
    title,
    abilities: ['number'],
    read,
    store: read,
    storeNumber,
    casts: bits === 32 ? [...NUMBERS, 'boolean'] : NUMBERS,
    aggregates: { sum, avg: 'numeric', max: name, min: name },
    sqlite: {
      column: 'integer',
      ...(small ? { plain: itself } : {}),
      json: itself,
      text: (sql) => `cast(${sql} as text)`,
      casts: {
        int2: (sql) => `whole_of(16, ${sql})`,
        int4: bits === 64 ? (sql) => `whole_of(32, ${sql})` : itself,
        int8: itself,
        float4: (sql) => `cast(${sql} as real)`,
        float8: (sql) => `cast(${sql} as real)`,
        boolean: (sql) => `(${sql} <> 0)`,
      },
      aggregate: {
        sum: small ? (sql) => `sum(${sql})` : (sql) => sumOfUnits(sql, 0),
        avg: (sql) => averageOfUnits(sql, 0),
      },
      ...(small ? { check: (sql: string) => `${sql} between ${least} and ${most}` } : {}),
    },
    postgres: {
      name,
      ...(small ? { plain: itself } : {}),
      json: itself,
      text: (sql) => `(${sql})::text`,
    },
    schema: small
      ? { type: 'integer', format: bits === 32 ? 'int32' : 'int16', minimum: Number(least), maximum: Number(most) }
      : { type: 'integer', format: 'int64' },
    typescript: 'number',
    input: 'number',
  });
}

export const int2 = integer({ name: 'int2', title: 'smallint', bits: 16, sum: 'int8' });
export const int4 = integer({ name: 'int4', title: 'integer', bits: 32, sum: 'int8' });
export const int8 = integer({ name: 'int8', title: 'bigint', bits: 64, sum: 'numeric' });
