/** PostgreSQL's text operators, casts and exact arithmetic as SQL functions. Null in, null out. */
import type { Database } from 'bun:sqlite';
import { divided, exactDecimal, printDecimal, printTrimmed, rounded } from '../../collection/types/decimal-text.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Value } from '../../collection/value.ts';
import { Refusal } from '../../errors.ts';
import { compileRegex } from '../../text/regex.ts';
import { compileSearch, type SearchMode } from '../../text/search/index.ts';
import { spend } from './deadline.ts';
import { compileLike } from './like.ts';
import { type Matches, Patterns } from './patterns.ts';

export function defineFunctions(db: Database): void {
  const test = (text: string | null, matches: Matches) => {
    if (text === null) return null;
    spend(text.length);
    return Number(matches(text));
  };
  db.function('text_like', (text, pattern, caseless) => test(text, like.get(pattern, caseless)));
  db.function('text_regex', (text, pattern, caseless) => test(text, regex.get(pattern, caseless)));
  db.function('text_search', (text, mode, config, query) => test(text, search.get(mode, config, query)));
  defineCasts(db);
  defineArithmetic(db);
}

/** For all connections of a thread: what is compiled for one may be used by another. */
const like = new Patterns((pattern: string, caseless: number) => ({
  test: compileLike(pattern, caseless === 1),
  size: pattern.length,
}));
const regex = new Patterns((pattern: string, caseless: number) => {
  const { test, size, steps } = compileRegex(pattern, caseless === 1);
  return {
    size,
    test: (text) => {
      spend(steps(text.length) / STEPS_LIKE_ONE);
      return test(text);
    },
  };
});
const search = new Patterns((mode: SearchMode, config: string, query: string) => ({
  test: compileSearch(mode, config, query, spend),
  size: query.length,
}));

/** An instruction of a regular expression takes that much less than the steps that are counted elsewhere. */
const STEPS_LIKE_ONE = 16;

/** After a statement that may have had many. */
export function forgetPatterns(): void {
  for (const patterns of [like, regex, search]) patterns.forget();
}

type Bits = 16 | 32 | 64;
const TITLES: Readonly<Record<Bits, string>> = { 16: 'smallint', 32: 'integer', 64: 'bigint' };

function defineCasts(db: Database): void {
  db.function('read_as', (type, text) => {
    if (text === null) return null;
    const { read, sqlite } = builtIn(type);
    const value: Value = read(text);
    return (sqlite.bind?.(value) ?? value) as never;
  });
  db.function('whole_of', (bits, value) => (value === null ? null : whole(bits, BigInt(value))));
  db.function('whole_from_decimal', (bits, text) =>
    text === null ? null : whole(bits, rounded(exactDecimal(text)!, 0)),
  );
  // A double that lies halfway goes to the even neighbour, as in PostgreSQL.
  db.function('whole_from_float', (bits, value) => {
    if (value === null) return null;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw outOfRange(bits);
    const floor = Math.floor(value);
    const isHalf = value - floor === 0.5;
    return whole(bits, BigInt(isHalf ? floor + (Math.abs(floor % 2) === 1 ? 1 : 0) : Math.round(value)));
  });
  db.function('float4_of', (value) => (typeof value === 'number' ? Math.fround(value) : value));
  db.function('float8_text', (value) => (typeof value === 'number' ? floatText(value, 15) : value));
  db.function('float4_text', (value) => (typeof value === 'number' ? floatText(shortest(value), 6) : value));
}

/** The shortest digits that are still the same float4. */
function shortest(value: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** As PostgreSQL prints floats: an exponent of two digits, and only where there are more digits than fit. */
function floatText(value: number, digits: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < digits) return plainText(mantissa, power);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function plainText(mantissa: string, power: number): string {
  return printTrimmed(exactDecimal(`${mantissa}e${power}`)!);
}

function defineArithmetic(db: Database): void {
  const combined = (high: string, low: string) => (BigInt(high) << 32n) + BigInt(low);
  db.function('decimal_sum', (high, low, scale) =>
    high === null ? null : printTrimmed({ units: combined(high, low), scale }),
  );
  db.function('decimal_avg', (sum, count) =>
    sum === null ? null : printDecimal(divided(exactDecimal(sum)!, BigInt(count))),
  );
  db.function('decimal_text', (units, scale) =>
    units === null ? null : printTrimmed({ units: BigInt(units), scale }),
  );
}

function whole(bits: Bits, value: bigint): number | bigint {
  const bound = 2n ** BigInt(bits - 1);
  if (value < -bound || value >= bound) throw outOfRange(bits);
  return bits === 64 ? value : Number(value);
}

function outOfRange(bits: Bits): Refusal {
  return new Refusal('22003', `${TITLES[bits]} out of range`);
}
