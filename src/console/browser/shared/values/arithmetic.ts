/** Exact arithmetic on stored numbers: adds an amount or a percentage. */
import type { Field } from '../../../../collection/declaration.ts';
import {
  type Exact,
  exactDecimal,
  exactUnits,
  printTrimmed,
  rounded,
} from '../../../../collection/types/number/decimal-text.ts';
import type { Value } from '../../../../collection/value.ts';
import { isDecimal, isNumeric, key } from '../api/collection.ts';
import { type Entered, isReference, isYesNo, readPlain } from './values.ts';

export type Operation = 'add' | 'percent';

/** Decimal places of money. */
const CENTS = 2;

/** Whether a field is a quantity: not a key, a reference, a flag or a choice. */
export const isCalculable = (field: Field): boolean =>
  isNumeric(field) && field !== key && !isReference(field) && !isYesNo(field) && field.rules.oneOf === undefined;

/** Calculates a new value. `amount` is in the service's notation. Returns undefined if the row has no number. */
export function applyOperation(field: Field, value: Value, operation: Operation, amount: string): Entered | undefined {
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

/** 8 percent more is a factor of 1.08. */
function percent(before: Exact, by: Exact): Exact {
  const scale = Math.max(before.scale, 0);
  const byScale = Math.max(by.scale, 0);
  const factor = 100n * 10n ** BigInt(byScale) + rounded(by, byScale);
  return exactUnits(rounded(before, scale) * factor, scale + byScale + 2);
}

/** Decimal places of a percentage result: none for whole numbers, two for money. */
function fitted(field: Field, operation: Operation, result: Exact): Exact {
  if (operation === 'add') return result;
  if (!isDecimal(field)) return exactUnits(rounded(result, 0), 0);
  return field.role === 'price' && result.scale > CENTS ? exactUnits(rounded(result, CENTS), CENTS) : result;
}
