/**
 * Exact decimals as PostgreSQL reads and prints them. They stay digit strings, since a client may send megabytes of
 * digits: parsing and comparing take linear time. Only addition and division convert them to numbers.
 */
import { ApiError } from '../../../base/errors.ts';

/** ±digits × 10^-scale, without leading zeros except for zero itself. */
export interface Exact {
  readonly negative: boolean;
  readonly digits: string;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;
/** PostgreSQL's limits of a numeric. */
const MAX_WHOLE_DIGITS = 131_072;
const MAX_DECIMALS = 16_383;

/** Parses a decimal. Returns undefined for other texts and special values such as NaN. */
export function exactDecimal(text: string): Exact | undefined {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = '', decimals = '', onlyDecimals = '', exponent = '0'] = match;
  const fraction = decimals + onlyDecimals;
  const digits = withoutLeadingZeros(whole + fraction);
  const scale = fraction.length - Number(exponent);
  const isZero = digits === '0';
  if (scale > MAX_DECIMALS || (!isZero && digits.length - scale > MAX_WHOLE_DIGITS)) {
    throw new ApiError('22003', 'value overflows numeric format', {
      details: `A number has at most ${MAX_WHOLE_DIGITS} digits before the point and ${MAX_DECIMALS} behind it.`,
    });
  }
  return { negative: sign === '-' && !isZero, digits, scale: isZero ? Math.max(0, scale) : scale };
}

/** A number of units of 10^-scale. */
export function exactUnits(units: bigint, scale: number): Exact {
  return { negative: units < 0n, digits: (units < 0n ? -units : units).toString(), scale };
}

/** The number of digits before the point; negative by the number of zeros after it. */
export function wholeDigits({ digits, scale }: Exact): number {
  return digits.length - scale;
}

/** `nan`, `infinity` and `-infinity`, which compare as PostgreSQL sorts them; undefined for any other text. */
export function specialDecimal(text: string): 'NaN' | 'Infinity' | '-Infinity' | undefined {
  const match = SPECIAL.exec(text.trim());
  if (match === null) return undefined;
  if (match[2]!.toLowerCase() === 'nan') return match[1] === '' ? 'NaN' : undefined;
  return match[1] === '-' ? '-Infinity' : 'Infinity';
}

/** Rounds to units of 10^-decimals, halves away from zero. */
export function rounded({ negative, digits, scale }: Exact, decimals: number): bigint {
  const cut = digits.length - (scale - decimals);
  const head = cut >= digits.length ? digits + '0'.repeat(cut - digits.length) : digits.slice(0, Math.max(0, cut));
  const next = cut >= 0 && cut < digits.length ? digits[cut]! : '0';
  const nearest = BigInt(head) + (next >= '5' ? 1n : 0n);
  return negative ? -nearest : nearest;
}

/** Rounds down to units of 10^-decimals, and reports whether the result is exact. */
export function floored({ negative, digits, scale }: Exact, decimals: number): { units: bigint; exact: boolean } {
  const cut = digits.length - (scale - decimals);
  const head = cut >= digits.length ? digits + '0'.repeat(cut - digits.length) : digits.slice(0, Math.max(0, cut));
  const exact = cut >= digits.length || /^0*$/.test(digits.slice(Math.max(0, cut)));
  const units = BigInt(head);
  return { units: negative ? -units - (exact ? 0n : 1n) : units, exact };
}

export function printDecimal({ negative, digits, scale }: Exact): string {
  const sign = negative ? '-' : '';
  if (scale <= 0) return `${sign}${digits}${'0'.repeat(-scale)}`;
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Prints without trailing zeros. */
export function printTrimmed(exact: Exact): string {
  const text = printDecimal(exact);
  if (exact.scale <= 0 || !text.endsWith('0')) return text;
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** A text that sorts like the number: sign, position of the first digit, digits. */
export function decimalKey(text: string): string {
  const exact = exactDecimal(text);
  if (exact === undefined) return SPECIAL_KEYS[specialDecimal(text) ?? 'NaN'];
  if (exact.digits === '0') return '2';
  const place = String(wholeDigits(exact) + MAX_WHOLE_DIGITS).padStart(6, '0');
  const key = place + withoutTrailingZeros(exact.digits);
  // A shorter number sorts before its continuation; for negative numbers, after it.
  return exact.negative ? `1${complement(key)}~` : `3${key} `;
}

const SPECIAL_KEYS = { '-Infinity': '0', Infinity: '4', NaN: '5' } as const;

function complement(digits: string): string {
  let result = '';
  for (const digit of digits) result += 9 - Number(digit);
  return result;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits[start] === '0') start++;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
