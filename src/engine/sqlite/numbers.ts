/**
 * Casts between numbers and texts, and the aggregates of numbers, as PostgreSQL makes them. Null in, null out.
 *
 * A decimal that was computed is its text here, with all its digits, and a double that SQLite has none for is the text NaN.
 */
import type { Database } from 'bun:sqlite';
import {
  averageOf,
  compareNumeric,
  type Decimal,
  isSpecial,
  type Numeric,
  orderingOf,
  printNumeric,
  readNumeric,
  roundNumeric,
  type Special,
  trimmedDecimal,
  unitsAt,
} from '../../collection/numeric.ts';
import { Refusal } from '../../errors.ts';

export function defineNumbers(db: Database): void {
  define(db, 'text_to_int', (bits: Bits, text: string) => inRange(bits, readWhole(bits, text), `value "${text}"`));
  define(db, 'text_to_decimal', (text: string) => printNumeric(readDecimal(text)));
  define(db, 'text_to_float', readFloat);
  define(db, 'int_to_int', (bits: Bits, value: number) => inRange(bits, BigInt(value)));
  define(db, 'decimal_to_int', (bits: Bits, text: string) => inRange(bits, rounded(bits, readDecimal(text))));
  define(db, 'decimal_to_float', (text: string) => floatOf(Number(text)));
  define(db, 'decimal_ordering', (text: string) => orderingOf(readDecimal(text)));
  define(db, 'float_to_int', (bits: Bits, value: Float) => inRange(bits, toEven(bits, Number(value))));
  define(db, 'float_to_decimal', (value: Float) => printNumeric(readDecimal(Number(value).toPrecision(15))));
  define(db, 'float_to_text', (value: Float) => printFloat(Number(value)));
  const sums = {
    start: () => new Sum(),
    step: (sum: Sum, value: number | string, scale: number) => sum.add(value, scale),
  };
  db.aggregate('decimal_sum', { ...sums, result: (sum: Sum) => sum.total() });
  db.aggregate('decimal_avg', { ...sums, result: (sum: Sum) => sum.average() });
  db.aggregate(
    'decimal_max',
    furthest((one, other) => compareNumeric(one, other) > 0),
  );
  db.aggregate(
    'decimal_min',
    furthest((one, other) => compareNumeric(one, other) < 0),
  );
  // Doubles are added one by one, as PostgreSQL does it: SQLite's own sum() corrects its errors, and differs by them.
  const floats = { start: () => ({ sum: 0, count: 0 }), step: addFloat };
  db.aggregate('float_sum', { ...floats, result: ({ sum, count }) => (count === 0 ? null : floatOf(sum)) });
  db.aggregate('float_avg', { ...floats, result: ({ sum, count }) => (count === 0 ? null : floatOf(sum / count)) });
}

type Bits = 16 | 32 | 64;
type Float = number | 'NaN';

function define<Args extends readonly unknown[]>(
  db: Database,
  name: string,
  compute: (...args: Args) => string | number | bigint,
): void {
  const varargs = { varargs: true, deterministic: true };
  db.function(name, varargs, (...args) => (args.at(-1) === null ? null : compute(...(args as unknown as Args))));
}

const TITLES: Readonly<Record<Bits, string>> = { 16: 'smallint', 32: 'integer', 64: 'bigint' };
const WHOLE = /^[ \t\n\v\f\r]*([+-]?\d+)[ \t\n\v\f\r]*$/;

function readWhole(bits: Bits, text: string): bigint {
  const digits = WHOLE.exec(text)?.[1];
  if (digits === undefined) throw noNumber(TITLES[bits], text);
  // More digits than any integer has need not be read.
  return BigInt(digits.replace(/^\+|(?<=^[+-]?)0+(?=\d)/g, '').slice(0, 100));
}

/** `value` is how the message calls it, where it knows what was written. */
function inRange(bits: Bits, value: bigint, named?: string): bigint {
  if (BigInt.asIntN(bits, value) === value) return value;
  const title = TITLES[bits];
  throw new Refusal(
    '22003',
    named === undefined ? `${title} out of range` : `${named} is out of range for type ${title}`,
  );
}

function readDecimal(text: string): Numeric {
  const number = readNumeric(text);
  if (number === undefined) throw noNumber('numeric', text);
  return number;
}

function rounded(bits: Bits, number: Numeric): bigint {
  if (isSpecial(number))
    throw new Refusal('0A000', `cannot convert ${number === 'NaN' ? number : 'infinity'} to ${TITLES[bits]}`);
  return roundNumeric(number);
}

function readFloat(text: string): Float {
  const number = readNumeric(text);
  if (number === undefined) throw noNumber('double precision', text);
  if (isSpecial(number)) return floatOf(Number(number));
  const float = Number(text);
  const isLost = !Number.isFinite(float) || (float === 0 && number.units !== 0n);
  if (isLost) throw new Refusal('22003', `"${text}" is out of range for type double precision`);
  return float;
}

/** SQLite makes null of it. */
function floatOf(value: number): Float {
  return Number.isNaN(value) ? 'NaN' : value;
}

/** Of two neighbours that are as near the even one, as doubles are rounded. */
function toEven(bits: Bits, value: number): bigint {
  if (!Number.isFinite(value)) throw new Refusal('22003', `${TITLES[bits]} out of range`);
  const below = Math.floor(value);
  const isUp = value - below > 0.5 || (value - below === 0.5 && below % 2 !== 0);
  return BigInt(isUp ? below + 1 : below);
}

/** The shortest text that is this double alone; in PostgreSQL's form from 15 digits on. */
function printFloat(value: number): string {
  const [digits, exponentText] = value.toExponential().split('e') as [string, string | undefined];
  const exponent = Number(exponentText);
  if (exponentText === undefined || (exponent >= -4 && exponent < 15)) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function noNumber(title: string, text: string): Refusal {
  return new Refusal('22P02', `invalid input syntax for type ${title}: "${text}"`);
}

/** Up to here whole numbers are added as doubles, exactly. */
const SURELY_EXACT = 2 ** 52;

/** The sum of values that are whole numbers of units, or texts of any number of digits. */
class Sum {
  private count = 0;
  private units = 0n;
  private scale = 0;
  /** Units that are not added to the others yet, and their scale: to reckon with doubles is many times as quick. */
  private loose = 0;
  private looseScale = 0;
  private special: Special | undefined;

  add(value: number | string | null, scale: number): void {
    if (value === null) return;
    this.count++;
    if (typeof value === 'number') {
      this.loose += value;
      this.looseScale = scale;
      if (Math.abs(this.loose) > SURELY_EXACT) this.settle();
      return;
    }
    const number = readDecimal(value);
    if (isSpecial(number)) this.special = this.special === undefined || this.special === number ? number : 'NaN';
    else this.addDecimal({ units: number.units, scale: number.scale + scale });
  }

  total(): string | null {
    if (this.count === 0) return null;
    const { units, scale } = this.settle();
    return this.special ?? printNumeric(trimmedDecimal(units, scale));
  }

  average(): string | null {
    if (this.count === 0) return null;
    return this.special ?? printNumeric(averageOf(this.settle(), this.count));
  }

  private settle(): Decimal {
    this.addDecimal({ units: BigInt(this.loose), scale: this.looseScale });
    this.loose = 0;
    return { units: this.units, scale: this.scale };
  }

  private addDecimal(decimal: Decimal): void {
    const scale = Math.max(this.scale, decimal.scale);
    this.units = unitsAt({ units: this.units, scale: this.scale }, scale) + unitsAt(decimal, scale);
    this.scale = scale;
  }
}

/** The decimal that is further than all others. */
function furthest(isFurther: (one: Numeric, other: Numeric) => boolean) {
  return {
    start: (): { found?: Numeric } => ({}),
    step: (state: { found?: Numeric }, text: string | null) => {
      if (text === null) return;
      const number = readDecimal(text);
      if (state.found === undefined || isFurther(number, state.found)) state.found = number;
    },
    result: ({ found }: { found?: Numeric }) => (found === undefined ? null : printNumeric(found)),
  };
}

function addFloat(state: { sum: number; count: number }, value: Float | null): void {
  if (value === null) return;
  state.sum += Number(value);
  state.count++;
}
