/** int2, int4, int8. An int8 is a bigint, since a double is exact only up to 2^53. */
import { ApiError } from '../../../base/errors.ts';
import { say } from '../../../base/sentence.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, itself, type Type } from '../type.ts';
import { exactOperations, withinInteger } from './arithmetic.ts';
import { averageOfUnits, sumOfUnits, toNumbers } from './numeric.ts';

const INTEGER = /^[ \t\n\v\f\r]*([+-]?\d+)[ \t\n\v\f\r]*$/;
const LEADING = /^[ \t\n\v\f\r]*([+-]?\d+)/;
/** A double holds all digits of a text up to this length. A longer text than 20 digits is not an int8. */
const SAFE_LENGTH = 15;
const MAX_LENGTH = 20;

interface Width {
  readonly name: 'int2' | 'int4' | 'int8';
  readonly title: string;
  readonly bits: 16 | 32 | 64;
  /** The type of a sum. */
  readonly sum: string;
}

function integer({ name, title, bits, sum }: Width): Type {
  const least = -(2n ** BigInt(bits - 1));
  const most = -least - 1n;
  const small = bits < 64;
  const outOfRange = (text: string) => new ApiError('22003', say`value "${text}" is out of range for type ${title}`);
  const read = (text: string): Value => {
    // As PostgreSQL does, reports an out-of-range number before a syntax error behind it.
    const match = INTEGER.exec(text) ?? LEADING.exec(text);
    if (match === null) return rejectSyntax(title, text);
    const value = inRange(match[1]!, text);
    return match[0].length === text.length ? value : rejectSyntax(title, text);
  };
  const inRange = (digits: string, text: string): Value => {
    if (small && digits.length <= SAFE_LENGTH) {
      const number = Number(digits) + 0;
      if (number < Number(least) || number > Number(most)) throw outOfRange(text);
      return number;
    }
    const significant = digits.length > MAX_LENGTH ? digits.replace(/^([+-]?)0+(?=\d)/, '$1') : digits;
    const whole = significant.length > MAX_LENGTH ? undefined : BigInt(significant);
    if (whole === undefined || whole < least || whole > most) throw outOfRange(text);
    return small ? Number(whole) : whole;
  };
  const storeNumber = (number: number): Value =>
    small && Number.isInteger(number) && number >= Number(least) && number <= Number(most)
      ? number + 0
      : read(String(number));
  return defineType({
    name,
    title,
    abilities: ['number', 'integer'],
    read,
    storeNumber,
    casts: { ...toNumbers(String), ...(bits === 32 ? { boolean: (value) => String(value !== 0) } : {}) },
    aggregates: { sum, avg: 'numeric', max: name, min: name },
    operations: exactOperations(withinInteger(title, read)),
    sqlite: {
      column: 'integer',
      ...(small ? { plain: itself, cell: itself } : { value: (stored) => stored }),
      json: itself,
      text: (sql) => `cast(${sql} as text)`,
      aggregate: {
        sum: small ? (sql) => `sum(${sql})` : (sql) => sumOfUnits(sql, 0),
        avg: (sql) => averageOfUnits(sql, 0),
      },
      ...(small ? { check: (sql: string) => `${sql} between ${least} and ${most}`, isSame: true } : {}),
      ...(small ? { parts: { each: itself, sum: (sql: string) => `sum(${sql})` } } : {}),
    },
    postgres: { name, ...(small ? { plain: itself, cell: itself } : {}) },
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
