/**
 * decimal(12,4) held in a double: every storable value has at most 12 digits, so it is the double nearest to its
 * decimal text and prints back exactly. Two questions remain: which storable value a text rounds to, and how any other
 * decimal, however long, compares with the storable ones.
 */
import { Refusal } from '../errors.ts';

/** Digits after the point. */
export const SCALE = 4;
const UNIT = 10 ** SCALE;
const BOUND = 10 ** 8;
/** Larger than every storable value: what NaN and infinity compare as, since PostgreSQL sorts them last. */
const BEYOND = Number.MAX_VALUE;
/** Between zero and every other storable value: what compares as a decimal that a double cannot tell from zero. */
const NEXT_TO_ZERO = Number.MIN_VALUE;

/** What needs no rounding: the double nearest to it is the storable value. */
const PLAIN = /^-?\d{1,8}(?:\.\d{1,4})?$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?$/i;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;
/** PostgreSQL's own bounds on a numeric's exponent. */
const MAX_EXPONENT = 131_071;
const MIN_EXPONENT = -16_383;

/** The number a decimal text compares as, against any storable value; undefined when it is no decimal. */
export function comparableDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  const match = DECIMAL.exec(trimmed);
  if (match === null) return specialDecimal(trimmed);
  checkExponent(trimmed, match[1]);
  const double = Number(trimmed);
  const digits = significantDigits(trimmed);
  if (double === 0 && digits > 0) return trimmed.startsWith('-') ? -NEXT_TO_ZERO : NEXT_TO_ZERO;
  if (digits <= 15) return clamp(double);
  if (Math.abs(double) >= BOUND * 2) return clamp(double);
  const { units, exact } = inUnits(trimmed);
  return (exact ? Number(units) : Number(units) + 0.5) / UNIT;
}

/** The storable value nearest to a decimal text, halves away from zero; undefined when it is no decimal. */
export function storableDecimal(text: string): number | undefined {
  if (PLAIN.test(text)) return Number(text) + 0;
  const trimmed = text.trim();
  const match = DECIMAL.exec(trimmed);
  if (match === null) {
    if (specialDecimal(trimmed) === undefined) return undefined;
    throw overflow();
  }
  checkExponent(trimmed, match[1]);
  if (Math.abs(Number(trimmed)) >= BOUND * 2) throw overflow();
  const { units, half } = inUnits(trimmed);
  const rounded = Number(half ? units + 1n : units) / UNIT;
  if (Math.abs(rounded) >= BOUND) throw overflow();
  return rounded;
}

/** The same for a number that JSON has parsed already; most need no rounding. */
export function storableNumber(number: number): number | undefined {
  if (Math.abs(number) < BOUND && Math.round(number * UNIT) / UNIT === number) return number === 0 ? 0 : number;
  return storableDecimal(String(number));
}

function specialDecimal(text: string): number | undefined {
  const match = SPECIAL.exec(text);
  if (match === null) return undefined;
  const isSigned = match[1] !== '';
  if (isSigned && match[2]!.toLowerCase() === 'nan') return undefined;
  return match[1] === '-' ? -BEYOND : BEYOND;
}

/** A decimal as whole units of 10^-4, rounded down; whether that is exact, and whether half a unit or more was cut. */
function inUnits(text: string): { units: bigint; exact: boolean; half: boolean } {
  const [mantissa, exponentText] = text.toLowerCase().split('e') as [string, string | undefined];
  const negative = mantissa.startsWith('-');
  const [whole, fraction = ''] = mantissa.replace(/^[+-]/, '').split('.') as [string, string | undefined];
  // Digits this far below a unit cannot change anything but exactness.
  const shift = Math.max(Number(exponentText ?? 0) + SCALE - fraction.length, -400 - fraction.length - whole.length);
  const digits = BigInt(`${whole}${fraction}` || '0');
  if (shift >= 0) {
    const units = digits * 10n ** BigInt(shift);
    return { units: negative ? -units : units, exact: true, half: false };
  }
  const divisor = 10n ** BigInt(-shift);
  const cut = digits % divisor;
  const magnitude = digits / divisor;
  if (cut === 0n) return { units: negative ? -magnitude : magnitude, exact: true, half: false };
  // Below zero, rounding down moves away from it: a half then rounds to the lower unit.
  if (negative) return { units: -magnitude - 1n, exact: false, half: cut * 2n < divisor };
  return { units: magnitude, exact: false, half: cut * 2n >= divisor };
}

function significantDigits(text: string): number {
  return text.replace(/e.*$/i, '').replace(/[^\d]/g, '').replace(/^0+/, '').length;
}

function clamp(double: number): number {
  if (double === 0) return 0;
  return Math.max(-BEYOND, Math.min(BEYOND, double));
}

function checkExponent(text: string, exponent: string | undefined): void {
  if (exponent === undefined) return;
  const value = Number(exponent);
  if (value > MAX_EXPONENT || value < MIN_EXPONENT) {
    throw new Refusal('22003', 'value overflows numeric format', { details: `the exponent of ${text} is too large` });
  }
}

function overflow(): Refusal {
  return new Refusal('22003', 'numeric field overflow', {
    details: `A field with precision 12, scale ${SCALE} must round to an absolute value less than 10^8.`,
  });
}
