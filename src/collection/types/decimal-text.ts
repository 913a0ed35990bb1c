/** Decimals as PostgreSQL reads and writes them, exact to the last digit: a sign, digits, and how many are decimals. */
import { Refusal } from '../../errors.ts';
import { refuseSyntax } from './type.ts';

/** units × 10^-scale. */
export interface Exact {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?$/i;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;
/** PostgreSQL's own bounds on a numeric's exponent. */
const MAX_EXPONENT = 131_071;
const MIN_EXPONENT = -16_383;

/** Undefined where the text is no decimal, or a special one such as NaN. */
export function exactDecimal(text: string): Exact | undefined {
  const trimmed = text.trim();
  const match = DECIMAL.exec(trimmed);
  if (match === null) return undefined;
  const exponent = Number(match[1] ?? 0);
  if (exponent > MAX_EXPONENT || exponent < MIN_EXPONENT) {
    throw new Refusal('22003', 'value overflows numeric format', { details: `the exponent ${match[1]} is too large` });
  }
  const [mantissa] = trimmed.toLowerCase().split('e') as [string];
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = BigInt(`${whole}${fraction}`);
  const signed = mantissa.startsWith('-') ? -digits : digits;
  const scale = fraction.length - exponent;
  return scale >= 0 ? { units: signed, scale } : { units: signed * 10n ** BigInt(-scale), scale: 0 };
}

/** `nan`, `infinity` and `-infinity`, which compare as PostgreSQL sorts them; undefined for any other text. */
export function specialDecimal(text: string): 'NaN' | 'Infinity' | '-Infinity' | undefined {
  const match = SPECIAL.exec(text.trim());
  if (match === null) return undefined;
  if (match[2]!.toLowerCase() === 'nan') return match[1] === '' ? 'NaN' : undefined;
  return match[1] === '-' ? '-Infinity' : 'Infinity';
}

/** The nearest with so many decimals, halves away from zero. */
export function rounded({ units, scale }: Exact, decimals: number): bigint {
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const divisor = 10n ** BigInt(scale - decimals);
  const magnitude = units < 0n ? -units : units;
  const nearest = (magnitude * 2n + divisor) / (divisor * 2n);
  return units < 0n ? -nearest : nearest;
}

export function printDecimal({ units, scale }: Exact): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
}

/** Without the zeros at its end. */
export function printTrimmed({ units, scale }: Exact): string {
  let least = units;
  let decimals = scale;
  while (decimals > 0 && least % 10n === 0n) {
    least /= 10n;
    decimals--;
  }
  return printDecimal({ units: least, scale: decimals });
}

/** PostgreSQL's numeric division: at least 16 significant digits, counted in groups of four. */
const MIN_SIGNIFICANT = 16;
const GROUP = 4;

export function divided(sum: Exact, count: bigint): Exact {
  const [weight, first] = leading(sum);
  const [countWeight, countFirst] = leading({ units: count, scale: 0 });
  const quotientWeight = weight - countWeight - (first <= countFirst ? 1 : 0);
  const scale = Math.max(MIN_SIGNIFICANT - quotientWeight * GROUP, sum.scale, 0);
  const dividend = sum.units * 10n ** BigInt(Math.max(0, scale - sum.scale));
  const magnitude = dividend < 0n ? -dividend : dividend;
  const nearest = (magnitude * 2n + count) / (count * 2n);
  return { units: sum.units < 0n ? -nearest : nearest, scale };
}

/** The place of the first group of four digits that is not zero, and that group. */
function leading({ units, scale }: Exact): [weight: number, first: number] {
  if (units === 0n) return [0, 0];
  const digits = (units < 0n ? -units : units).toString();
  // Of the leading digit: 0 for the units, -1 for the first decimal.
  const position = digits.length - 1 - scale;
  const weight = Math.floor(position / GROUP);
  const inGroup = position - weight * GROUP + 1;
  return [weight, Number(digits.slice(0, inGroup).padEnd(inGroup, '0'))];
}

export function refuseDecimal(text: string): never {
  return refuseSyntax('numeric', text);
}
