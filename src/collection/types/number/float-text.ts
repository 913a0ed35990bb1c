/** Prints floats as PostgreSQL does: the fewest digits that read back as the same number, or an exponent. */
import { exactDecimal, printTrimmed } from './decimal-text.ts';

/** Digits × 10^exponent, without trailing zeros in the digits. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

export interface FloatWidth {
  /** Rounds to the nearest representable number. */
  readonly round: (number: number) => number;
  /** This many digits always survive a round trip; longer numbers get an exponent. */
  readonly digits: number;
  /** This many digits identify any number. */
  readonly most: number;
  /** The nearest decimal with this many digits, for a positive number. */
  readonly nearest: (value: number, digits: number) => Decimal;
  /** A lower bound for the number of digits. */
  readonly fewest: (value: number) => number;
  /** Whether a decimal is halfway to a neighbour. Some parsers round it away, so PostgreSQL does not print it. */
  readonly isEdge: (decimal: Decimal, value: number) => boolean;
}

export function floatText(value: number, width: FloatWidth): string {
  if (!Number.isFinite(value)) return String(value);
  if (value < 0) return `-${floatText(-value, width)}`;
  if (value === 0) return '0';
  // With so few digits, JavaScript prints the same text, ten times as fast.
  const text = String(value);
  if (value >= 1e-4 && value < 10 ** width.digits && text.length <= width.digits + 1) return text;
  const { digits, exponent } = shortest(value, width);
  const power = exponent + digits.length - 1;
  if (power >= -4 && power < width.digits) return printTrimmed(exactDecimal(`${digits}e${exponent}`)!);
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function shortest(value: number, { round, most, nearest, fewest, isEdge }: FloatWidth): Decimal {
  for (let digits = fewest(value); digits < most; digits++) {
    const decimal = nearest(value, digits);
    if (round(numberOf(decimal)) === value && !isEdge(decimal, value)) return decimal;
  }
  return nearest(value, most);
}

/** A finite number with at most this many digits, as PostgreSQL converts floats to decimals. */
export function nearestText(value: number, digits: number): string {
  if (value === 0) return '0';
  const { digits: text, exponent } = nearestDecimal(Math.abs(value), digits);
  return `${value < 0 ? '-' : ''}${text}e${exponent}`;
}

/** Breaks ties to even; JavaScript rounds them up. */
function nearestDecimal(value: number, digits: number): Decimal {
  const [longer = '', power = ''] = value.toExponential(digits).split('e');
  const down = longer.slice(0, -1).replace(/\.$/, '');
  if (/[02468]$/.test(down) && longer.endsWith('5') && isExactly(value, longer)) return decimalOf(`${down}e${power}`);
  return decimalOf(value.toExponential(digits - 1));
}

/** Whether the number has no further digits. */
function isExactly(value: number, mantissa: string): boolean {
  return /^0*e/.test(value.toExponential(Math.min(100, mantissa.length + FURTHER_DIGITS)).slice(mantissa.length));
}

/** No number has this many zeros followed by another digit. */
const FURTHER_DIGITS = 30;

function decimalOf(exponential: string): Decimal {
  const [mantissa = '', power = '0'] = exponential.split('e');
  const digits = mantissa.replace('.', '');
  const significant = digits.replace(/0+$/, '');
  return { digits: significant, exponent: Number(power) - digits.length + 1 + (digits.length - significant.length) };
}

function numberOf({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

/** Below this, float4 values are subnormal and further apart. */
const LEAST_NORMAL_FLOAT4 = 2 ** -126;

export const FLOAT4: FloatWidth = {
  round: Math.fround,
  digits: 6,
  most: 9,
  nearest: nearestDecimal,
  // If six digits are enough, trailing zeros show that fewer are.
  fewest: (value) => (value < LEAST_NORMAL_FLOAT4 ? 1 : 6),
  // A double holds the halfway point exactly.
  isEdge: (decimal, value) => {
    const number = numberOf(decimal);
    return number === (value + neighbour(value, 1)) / 2 || number === (value + neighbour(value, -1)) / 2;
  },
};

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

function neighbour(value: number, step: 1 | -1): number {
  float[0] = value;
  bits[0] = bits[0]! + step;
  return float[0];
}

export const FLOAT8: FloatWidth = {
  round: (number) => number,
  digits: 15,
  most: 17,
  // JavaScript already prints the fewest digits.
  nearest: (value, digits) =>
    digits === leastDigits(value) ? decimalOf(value.toExponential()) : nearestDecimal(value, digits),
  fewest: leastDigits,
  isEdge: isEdgeOfDouble,
};

function leastDigits(value: number): number {
  const text = value.toExponential();
  return text.indexOf('e') - (text.includes('.') ? 1 : 0);
}

/** The position of a digit that matters only at a halfway point. */
const NUDGE = 25;

function isEdgeOfDouble({ digits, exponent }: Decimal, value: number): boolean {
  // A halfway point between two doubles is an integer multiple of a power of two. So each decimal place needs a factor
  // five.
  if (exponent < 0 && (exponent < -DOUBLE_FIVES || BigInt(digits) % 5n ** BigInt(-exponent) !== 0n)) return false;
  const more = `${digits}${'0'.repeat(NUDGE - 1)}1e${exponent - NUDGE}`;
  const less = `${BigInt(digits) - 1n}${'9'.repeat(NUDGE)}e${exponent - NUDGE}`;
  return Number(more) !== value || Number(less) !== value;
}

/** No number of 17 digits has more factors of five. */
const DOUBLE_FIVES = 24;
