/**
 * Numbers as PostgreSQL's numeric has them: exact, with as many digits as they need. A decimal is a whole number of units, each
 * of them a power of ten: sums are sums of whole numbers, and an average is divided once, to PostgreSQL's number of digits.
 */
import { Refusal } from '../errors.ts';
import { MAX_NUMERIC_DIGITS } from '../limits.ts';

/** `units` times 10 to the power of `-scale`; `scale` is also how many digits are shown after the point. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export type Special = 'NaN' | 'Infinity' | '-Infinity';
export type Numeric = Decimal | Special;

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const SPECIALS: Readonly<Record<string, Special>> = {
  nan: 'NaN',
  inf: 'Infinity',
  infinity: 'Infinity',
  '+inf': 'Infinity',
  '+infinity': 'Infinity',
  '-inf': '-Infinity',
  '-infinity': '-Infinity',
};

export function isSpecial(number: Numeric): number is Special {
  return typeof number === 'string';
}

/** Without zeros at its end; undefined where the text is no number. */
export function readNumeric(text: string): Numeric | undefined {
  const trimmed = text.trim();
  const match = DECIMAL.exec(trimmed);
  const [, sign, whole = '', fraction = '', exponentText] = match ?? [];
  if (match === null || whole + fraction === '') {
    const name = trimmed.toLowerCase();
    return Object.hasOwn(SPECIALS, name) ? SPECIALS[name] : undefined;
  }
  const exponent = Number(exponentText ?? 0);
  if (trimmed.length + Math.abs(exponent) > MAX_NUMERIC_DIGITS) {
    throw new Refusal('22003', 'value overflows numeric format', {
      details: `A number may have ${MAX_NUMERIC_DIGITS} digits.`,
    });
  }
  const scale = fraction.length - exponent;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale >= 0 ? trimmedDecimal(digits, scale) : { units: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function printNumeric(number: Numeric): string {
  if (isSpecial(number)) return number;
  const { units, scale } = number;
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
}

/** Without zeros at its end. */
export function trimmedDecimal(units: bigint, scale: number): Decimal {
  const zeros = /0*$/.exec(String(units))![0].length;
  const cut = units === 0n ? scale : Math.min(scale, zeros);
  return cut === 0 ? { units, scale } : { units: units / 10n ** BigInt(cut), scale: scale - cut };
}

/** In units of a scale that is not smaller than its own. */
export function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? units : units * 10n ** BigInt(wanted - scale);
}

/** As numbers are ordered; NaN comes last, as in PostgreSQL. */
export function compareNumeric(one: Numeric, other: Numeric): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (isSpecial(one) || isSpecial(other)) return rank - otherRank;
  const scale = Math.max(one.scale, other.scale);
  const difference = unitsAt(one, scale) - unitsAt(other, scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function rankOf(number: Numeric): number {
  return isSpecial(number) ? { '-Infinity': -1, Infinity: 1, NaN: 2 }[number] : 0;
}

/** The nearest whole number, halves away from zero. */
export function roundNumeric({ units, scale }: Decimal): bigint {
  return dividedRounded(units, 10n ** BigInt(scale));
}

/** The digits of a quotient, PostgreSQL's NUMERIC_MIN_SIG_DIGITS, and how many it counts as one, DEC_DIGITS. */
const QUOTIENT_DIGITS = 16;
const GROUP = 4;
/** Its NUMERIC_MAX_DISPLAY_SCALE. */
const MAX_SCALE = 1_000;

/** A sum divided by a count, to the number of digits that PostgreSQL gives a quotient (select_div_scale in its numeric.c). */
export function averageOf(sum: Decimal, count: number): Decimal {
  const [weight, first] = firstGroup(sum);
  const [countWeight, countFirst] = firstGroup({ units: BigInt(count), scale: 0 });
  const quotientWeight = weight - countWeight - (first <= countFirst ? 1 : 0);
  const scale = Math.min(Math.max(QUOTIENT_DIGITS - quotientWeight * GROUP, sum.scale, 0), MAX_SCALE);
  return { units: dividedRounded(sum.units * 10n ** BigInt(scale - sum.scale), BigInt(count)), scale };
}

/** The first group of digits that is not zero, and how many groups it stands before the point, the last one there being 0. */
function firstGroup({ units, scale }: Decimal): readonly [weight: number, group: number] {
  if (units === 0n) return [0, 0];
  const digits = String(units < 0n ? -units : units);
  const exponent = digits.length - 1 - scale;
  const weight = Math.floor(exponent / GROUP);
  const length = exponent - weight * GROUP + 1;
  return [weight, Number(digits.slice(0, length).padEnd(length, '0'))];
}

function dividedRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const isHalf = 2n * (rest < 0n ? -rest : rest) >= divisor;
  return isHalf ? quotient + (dividend < 0n ? -1n : 1n) : quotient;
}

/** A text by which decimals are ordered as texts are, code by code. */
export function orderingOf(number: Numeric): string {
  if (isSpecial(number)) return { '-Infinity': '0', Infinity: '4', NaN: '5' }[number];
  const { units, scale } = number;
  if (units === 0n) return '2';
  const digits = String(units < 0n ? -units : units);
  const exponent = String(digits.length - scale + 2 * MAX_NUMERIC_DIGITS).padStart(6, '0');
  const text = `${exponent}${digits.replace(/0+$/, '')}`;
  // Below zero the larger comes first, digit by digit, and what has further digits comes before what has none.
  return units > 0n ? `3${text}` : `1${text.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}
