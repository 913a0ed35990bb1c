/**
 * Arithmetic on stored numbers. Whole numbers and decimals are computed exactly and rounded once, halves away from
 * zero, when the result is stored. Floats are computed as doubles.
 */
import { ApiError } from '../../../base/errors.ts';
import { WrittenNumber } from '../../exact-json.ts';
import type { Value } from '../../value.ts';
import { NUMBER_OPERATIONS, type OperationName, type Operations } from '../operations.ts';
import { type Exact, exactDecimal, exactUnits, printDecimal, rounded, wholeDigits } from './decimal-text.ts';
import { nearestText } from './float-text.ts';

type Sign = '+' | '-' | '*' | '/';
const SIGNS: Readonly<Partial<Record<OperationName, Sign>>> = {
  increment: '+',
  decrement: '-',
  multiply: '*',
  divide: '/',
};
/** The digits of an operand before and after the point. */
const MAX_DIGITS = 38;
/** A quotient of a stored number and an operand never differs from a halfway point by less than 10^-113. */
const QUOTIENT_DECIMALS = 120;

/** `store` parses and bounds the text of a result. */
export function exactOperations(store: (text: string) => Value): Operations {
  return {
    names: NUMBER_OPERATIONS,
    operandType: 'numeric',
    operandWords: `a number with at most ${MAX_DIGITS} digits before and after the point`,
    read: (json) => {
      const exact = readExact(json);
      const isBounded = exact !== undefined && exact.scale <= MAX_DIGITS && wholeDigits(exact) <= MAX_DIGITS;
      return isBounded ? printDecimal(exact) : undefined;
    },
    apply: (value, { operation, operand, round }) => {
      const result = computed(operation, exactDecimal(String(value))!, exactDecimal(String(operand))!);
      return store(printDecimal(round === undefined ? result : exactUnits(rounded(result, round), round)));
    },
    postgres: (column, { operation, round }, operand) => {
      const result =
        operation === 'divide'
          ? `${column}::numeric(${2 * QUOTIENT_DECIMALS},${QUOTIENT_DECIMALS}) / ${operand}`
          : `${column} ${SIGNS[operation]} ${operand}`;
      return round === undefined ? result : `round(${result}, ${round})`;
    },
  };
}

function readExact(json: unknown): Exact | undefined {
  const isNumber = typeof json === 'number' || typeof json === 'string' || json instanceof WrittenNumber;
  return isNumber ? exactDecimal(String(json)) : undefined;
}

function computed(operation: OperationName, one: Exact, other: Exact): Exact {
  if (operation === 'divide') return quotient(one, other);
  if (operation === 'multiply') return exactUnits(unitsOf(one) * unitsOf(other), one.scale + other.scale);
  const scale = Math.max(one.scale, other.scale);
  const [left, right] = [rounded(one, scale), rounded(other, scale)];
  return exactUnits(operation === 'increment' ? left + right : left - right, scale);
}

function unitsOf({ negative, digits }: Exact): bigint {
  return negative ? -BigInt(digits) : BigInt(digits);
}

/** Truncated; a final 1 stands for the digits left out, so that later rounding is exact. */
function quotient(one: Exact, other: Exact): Exact {
  const shift = QUOTIENT_DECIMALS + other.scale - one.scale;
  const dividend = unitsOf(one) * 10n ** BigInt(shift);
  const divisor = unitsOf(other);
  const units = (dividend / divisor) * 10n;
  const isExact = dividend % divisor === 0n;
  const sign = one.negative === other.negative ? 1n : -1n;
  return exactUnits(isExact ? units : units + sign, QUOTIENT_DECIMALS + 1);
}

/** `narrow` rounds a double to the stored width. */
export function floatOperations(narrow: (number: number) => number): Operations {
  return {
    names: NUMBER_OPERATIONS,
    operandType: 'float8',
    operandWords: 'a number',
    read: (json) => {
      const number = readExact(json) === undefined ? Number.NaN : Number(String(json));
      return Number.isFinite(number) ? number + 0 : undefined;
    },
    apply: (value, { operation, operand, round }) => {
      const one = Number(value);
      const result = inFloats(SIGNS[operation]!, one, Number(operand));
      const stored = round === undefined || !Number.isFinite(result) ? result : roundFloat(result, round);
      const narrowed = checked(narrow(stored), Number.isFinite(one), stored !== 0);
      return Number.isNaN(narrowed) ? 'NaN' : narrowed + 0;
    },
    postgres: (column, { operation, round }, operand) => {
      // Adding zero turns -0 into 0.
      const result = `(${column}::float8 ${SIGNS[operation]} ${operand} + 0)`;
      return round === undefined ? result : `round(${result}::numeric, ${round})::float8`;
    },
  };
}

const FLOATS: Readonly<Record<Sign, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
};

/** Rejects a result that is too large, or too small, for a double. */
export function inFloats(sign: Sign, one: number, other: number): number {
  const areFinite = Number.isFinite(one) && Number.isFinite(other);
  const isScaled = (sign === '*' || sign === '/') && one !== 0 && other !== 0;
  return checked(FLOATS[sign](one, other), areFinite, areFinite && isScaled);
}

function checked(result: number, areFinite: boolean, isNotZero: boolean): number {
  if (areFinite && !Number.isFinite(result)) throw new ApiError('22003', 'value out of range: overflow');
  if (isNotZero && result === 0) throw new ApiError('22003', 'value out of range: underflow');
  return result;
}

/** PostgreSQL converts a float to a decimal of 15 digits. */
function roundFloat(number: number, round: number): number {
  return Number(printDecimal(exactUnits(rounded(exactDecimal(nearestText(number, 15))!, round), round)));
}

/** The result of an operation that an integer type cannot hold has PostgreSQL's message. */
export function withinInteger(title: string, store: (text: string) => Value): (text: string) => Value {
  return (text) => {
    const whole = printDecimal(exactUnits(rounded(exactDecimal(text)!, 0), 0));
    try {
      return store(whole);
    } catch (error) {
      throw error instanceof ApiError ? new ApiError('22003', `${title} out of range`) : error;
    }
  };
}
