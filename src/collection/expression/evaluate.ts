/** Computes the value of a computed field from the values of its row, exactly as PostgreSQL does. */
import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import { lowerCase, upperCase } from '../../text/case.ts';
import { compareText, compareValues } from '../types/compare.ts';
import { inFloats, withinInteger } from '../types/number/arithmetic.ts';
import {
  type Exact,
  exactDecimal,
  exactUnits,
  printDecimal,
  printTrimmed,
  rounded,
} from '../types/number/decimal-text.ts';
import { can, type Type } from '../types/type.ts';
import type { Value } from '../value.ts';
import { BOOLEAN, EXACT, type Expression, FLOAT, TEXT } from './expression.ts';
import type { Arithmetic, Comparison } from './parse.ts';

/** The decimals of a quotient. Further digits are dropped, so that later rounding to fewer decimals is exact. */
export const QUOTIENT_DECIMALS = 20;

/** Exact numbers are `Exact`, floats are numbers; values of other types are as everywhere. */
type Operand = Value | Exact;
type Call = Expression & { readonly kind: 'call' };
type ReadField = (name: string) => Value;

export function evaluate(expression: Expression, type: Type, read: ReadField): Value {
  return storedAs(type, operandOf(expression, read));
}

/** Rounds and bounds a result as its field does. */
function storedAs(type: Type, result: Operand): Value {
  if (result === null) return null;
  if (isExact(result)) {
    const text = printDecimal(result);
    return can(type, 'integer') ? withinInteger(type.title, type.store)(text) : type.store(text);
  }
  // Adding zero narrows a float4, and turns -0 into 0.
  return typeof result === 'number' ? type.operations!.apply(result, { operation: 'increment', operand: 0 }) : result;
}

function isExact(operand: Operand): operand is Exact {
  return typeof operand === 'object' && operand !== null;
}

function operandOf(expression: Expression, read: ReadField): Operand {
  switch (expression.kind) {
    case 'value':
      return constant(expression);
    case 'field':
      return operand(expression.type, read(expression.name));
    case 'call':
      return called(expression, (each) => operandOf(each, read));
  }
}

const constant = memoize(
  (expression: Expression & { readonly kind: 'value' }): Operand => operand(expression.type, expression.value),
);

function operand(type: Type, value: Value): Operand {
  if (value === null || type !== EXACT) return type === FLOAT && value !== null ? Number(value) : value;
  const exact = exactDecimal(String(value));
  if (exact === undefined) throw new ApiError('22003', `cannot compute with ${value}`);
  return exact;
}

/** `of` computes an argument, only if it is needed. */
function called({ operation, args, type }: Call, of: (argument: Expression) => Operand): Operand {
  switch (operation) {
    case 'and':
    case 'or':
      return connected(operation === 'or', args, of);
    case 'is null':
      return of(args[0]!) === null;
    case 'coalesce':
      for (const each of args) {
        const value = of(each);
        if (value !== null) return value;
      }
      return null;
    case 'case': {
      const chosen = args.findIndex((each, at) => at % 2 === 0 && at < args.length - 1 && of(each) === true);
      return of(chosen === -1 ? args.at(-1)! : args[chosen + 1]!);
    }
    case 'filled':
      return exactUnits(BigInt(args.filter((each) => isFilled(each.type, of(each))).length), 0);
  }
  const given = args.map(of);
  if (given.includes(null)) return null;
  const [one, other] = given as [Operand, Operand];
  switch (operation) {
    case 'not':
      return one !== true;
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return HOLDS[operation](compared(args[0]!.type, one, other));
    case '+':
    case '-':
    case '*':
    case '/':
      if (type !== FLOAT) return inUnits(operation, one as Exact, other as Exact);
      return operation === '/' && other === 0 ? null : inFloats(operation, one as number, other as number);
    case 'negate':
      return type === FLOAT ? -(one as number) : inUnits('-', ZERO, one as Exact);
    case 'abs':
      return type === FLOAT ? Math.abs(one as number) : { ...(one as Exact), negative: false };
    case 'round':
      return roundedTo(one as Exact | number, Number((other as Exact).digits));
    case 'to float':
      return FLOAT.store(printTrimmed(one as Exact));
    case '||':
      return joined(one, other);
    case 'lower':
      return lowerCase(String(one));
    case 'upper':
      return upperCase(String(one));
    case 'length':
      return exactUnits(BigInt([...String(one)].length), 0);
  }
}

/**
 * SQL's three values: `or` is true if one is true, otherwise null if one is null; `and` is its mirror. Arguments after
 * a decisive one are not computed, as in PostgreSQL.
 */
function connected(decisive: boolean, args: readonly Expression[], of: (argument: Expression) => Operand): Operand {
  let result: Operand = !decisive;
  for (const each of args) {
    const value = of(each);
    if (value === decisive) return decisive;
    if (value === null) result = null;
  }
  return result;
}

/** Whether there is a value: an empty text or list is none. */
function isFilled(type: Type, value: Operand): boolean {
  return value !== null && !(type === TEXT && value === '') && !(type.element !== undefined && value === '[]');
}

const HOLDS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function compared(type: Type, one: Operand, other: Operand): number {
  if (isExact(one) && isExact(other)) {
    const { negative, digits } = inUnits('-', one, other)!;
    return digits === '0' ? 0 : negative ? -1 : 1;
  }
  if (type === FLOAT) return orderOfFloats(one as number, other as number);
  if (type === TEXT) return compareText(String(one), String(other));
  return type === BOOLEAN ? Number(one) - Number(other) : compareValues(type, one as Value, other as Value);
}

/** NaN equals itself and is larger than every other number, as in PostgreSQL. */
function orderOfFloats(one: number, other: number): number {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return one < other ? -1 : Number(one > other);
}

const ZERO = exactUnits(0n, 0);

/** Null for a division by zero. */
function inUnits(operation: Arithmetic, one: Exact, other: Exact): Exact | null {
  if (operation === '*') {
    return exactUnits(rounded(one, one.scale) * rounded(other, other.scale), one.scale + other.scale);
  }
  const scale = Math.max(one.scale, other.scale);
  const [left, right] = [rounded(one, scale), rounded(other, scale)];
  if (operation !== '/') return exactUnits(operation === '+' ? left + right : left - right, scale);
  return right === 0n ? null : exactUnits((left * 10n ** BigInt(QUOTIENT_DECIMALS)) / right, QUOTIENT_DECIMALS);
}

function roundedTo(number: Exact | number, decimals: number): Operand {
  if (typeof number === 'number') {
    return Number(FLOAT.operations!.apply(number, { operation: 'increment', operand: 0, round: decimals }));
  }
  return exactUnits(rounded(number, decimals), decimals);
}

function joined(one: Operand, other: Operand): string {
  return [one, other].map((each) => (isExact(each) ? printTrimmed(each) : String(each))).join('');
}
