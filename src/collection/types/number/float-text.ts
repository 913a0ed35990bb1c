/** Prints floats as PostgreSQL does: the fewest digits that read back as the same number, or an exponent. */
import { exactUnits, printTrimmed } from './decimal-text.ts';

export interface FloatWidth {
  /** Rounds to the nearest representable number. */
  readonly round: (number: number) => number;
  /** This many digits always survive a round trip; longer numbers get an exponent. */
  readonly digits: number;
  /** A lower bound for the number of digits of a positive number. */
  readonly fewest: (value: number) => number;
  /** The bits of the significand. */
  readonly bits: number;
  /** The smallest distance between two numbers, as a power of two. */
  readonly least: number;
}

export const FLOAT4: FloatWidth = {
  round: Math.fround,
  digits: 6,
  // If six digits are enough, trailing zeros show that fewer are. Subnormal numbers are further apart.
  fewest: (value) => (value < 2 ** -126 ? 1 : 6),
  bits: 24,
  least: -149,
};

export const FLOAT8: FloatWidth = {
  round: (number) => number,
  digits: 15,
  // JavaScript already prints the fewest digits.
  fewest: (value) => value.toExponential().replace(/\.|e.*/g, '').length,
  bits: 53,
  least: -1074,
};

export function floatText(value: number, width: FloatWidth): string {
  if (!Number.isFinite(value)) return String(value);
  if (value < 0) return `-${floatText(-value, width)}`;
  if (value === 0) return '0';
  // With so few digits, JavaScript prints the same text, ten times as fast.
  const text = String(value);
  if (value >= 1e-4 && value < 10 ** width.digits && text.length <= width.digits + 1) return text;
  const { units, exponent } = shortest(value, width);
  const digits = String(units).replace(/0+$/, '');
  const power = exponent + String(units).length - 1;
  if (power >= -4 && power < width.digits) return printTrimmed(exactUnits(units, -exponent));
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** A finite number with at most this many digits, as PostgreSQL converts floats to decimals. */
export function nearestText(value: number, digits: number): string {
  if (value === 0) return '0';
  const exponent = exponentOf(value) - digits + 1;
  return `${value < 0 ? '-' : ''}${around(Math.abs(value), exponent, FLOAT8)[0]!.units}e${exponent}`;
}

/** PostgreSQL does not print a halfway point to a neighbour, since some parsers round it away. */
function shortest(value: number, width: FloatWidth): { readonly units: bigint; readonly exponent: number } {
  const first = exponentOf(value);
  for (let exponent = first - width.fewest(value) + 1; ; exponent--) {
    const decimal = around(value, exponent, width).find(({ isBetweenHalves }) => isBetweenHalves);
    if (decimal !== undefined) return { units: decimal.units, exponent };
  }
}

/** The position of the first digit. */
function exponentOf(value: number): number {
  return Number(value.toExponential().split('e')[1]);
}

/** A multiple of a power of ten. */
interface Decimal {
  readonly units: bigint;
  /** Whether it is closer to the float than the halfway points to the next and previous float. */
  readonly isBetweenHalves: boolean;
}

const bytes = new DataView(new ArrayBuffer(8));

/** The multiples of 10^exponent below and above a positive float: first the nearer or, of equals, the even one. */
function around(value: number, exponent: number, { bits, least }: FloatWidth): Decimal[] {
  bytes.setFloat64(0, value);
  const gap = Math.max((bytes.getUint16(0) >> 4) - 1022 - bits, least);
  const steps = value / 2 ** gap;
  // A quarter of the distance to the next float, and a unit of the decimal, without their common factors.
  const quarter = power(2n, gap - 2) * power(10n, -exponent);
  const unit = power(2n, 2 - gap) * power(10n, exponent);
  const exact = 4n * BigInt(steps) * quarter;
  // The previous float of a power of two is half as far as the next one.
  const below = steps === 2 ** (bits - 1) && gap > least ? quarter : 2n * quarter;
  const decimal = (units: bigint): Decimal => {
    const distance = units * unit - exact;
    return { units, isBetweenHalves: -below < distance && distance < 2n * quarter };
  };
  const down = exact / unit;
  const more = 2n * (exact % unit) - unit;
  const isUpNearer = more > 0n || (more === 0n && down % 2n === 1n);
  return isUpNearer ? [decimal(down + 1n), decimal(down)] : [decimal(down), decimal(down + 1n)];
}

function power(base: bigint, exponent: number): bigint {
  return exponent > 0 ? base ** BigInt(exponent) : 1n;
}
