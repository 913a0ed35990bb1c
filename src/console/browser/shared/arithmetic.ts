/** New numbers from old ones, exact to the last digit: so much more or less, or so many percent. */
import type { Field } from '../../../collection/declaration.ts';
import {
  type Exact,
  exactDecimal,
  exactUnits,
  printTrimmed,
  rounded,
} from '../../../collection/types/number/decimal-text.ts';
import type { Value } from '../../../collection/value.ts';
import { isDecimal, isNumeric, key } from './collection.ts';
import { type Entered, isReference, isYesNo, readPlain } from './values.ts';

export type Operation = 'add' | 'percent';

/** Digits behind the point of money. */
const CENTS = 2;

/** Of a number that counts or measures. */
export const isCalculable = (field: Field): boolean =>
  isNumeric(field) && field !== key && !isReference(field) && !isYesNo(field) && field.rules.oneOf === undefined;

/** `amount` as the service would read it. Undefined where there is no number to begin with. */
export function calculated(field: Field, value: Value, operation: Operation, amount: string): Entered | undefined {
  const before = value === null ? undefined : exactDecimal(String(value));
  const by = exactDecimal(amount);
  if (before === undefined || by === undefined) return undefined;
  const result = operation === 'add' ? sum(before, by) : percent(before, by);
  return readPlain(field, printTrimmed(fitted(field, operation, result)));
}

function sum(one: Exact, other: Exact): Exact {
  const scale = Math.max(one.scale, other.scale, 0);
  return exactUnits(rounded(one, scale) + rounded(other, scale), scale);
}

/** 8 percent more is times 1.08. */
function percent(before: Exact, by: Exact): Exact {
  const scale = Math.max(before.scale, 0);
  const byScale = Math.max(by.scale, 0);
  const factor = 100n * 10n ** BigInt(byScale) + rounded(by, byScale);
  return exactUnits(rounded(before, scale) * factor, scale + byScale + 2);
}

/** Percents of whole numbers are whole, and those of money end with cents. */
function fitted(field: Field, operation: Operation, result: Exact): Exact {
  if (operation === 'add') return result;
  if (!isDecimal(field)) return exactUnits(rounded(result, 0), 0);
  return field.role === 'price' && result.scale > CENTS ? exactUnits(rounded(result, CENTS), CENTS) : result;
}
