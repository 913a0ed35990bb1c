/** Casts between number types, with PostgreSQL's rounding. */
import { ApiError } from '../../../base/errors.ts';
import type { Value } from '../../value.ts';
import type { Cast, Type } from '../type.ts';
import { exactDecimal, exactUnits, printDecimal, rounded, wholeDigits } from './decimal-text.ts';

/** `whole` is the text for integer targets, if it differs. */
export function toNumbers(text: Cast, whole: Cast = text): Readonly<Record<string, Cast>> {
  return { int2: whole, int4: whole, int8: whole, decimal: text, numeric: text, float4: text, float8: text };
}

/** No integer has more digits. */
const MAX_DIGITS = 19;

/** Decimals round halves away from zero. */
export function wholeOfDecimal(value: Value, to: Type): string {
  const exact = exactDecimal(String(value));
  if (exact === undefined) throw new ApiError('0A000', `cannot convert ${nameOf(String(value))} to ${to.title}`);
  if (wholeDigits(exact) > MAX_DIGITS) throw outOfRange(to);
  return printDecimal(exactUnits(rounded(exact, 0), 0));
}

/** Floats round halves to even. */
export function wholeOfFloat(value: Value, to: Type): string {
  const number = Number(value);
  if (!Number.isFinite(number)) throw outOfRange(to);
  const floor = Math.floor(number);
  const nearest = number - floor === 0.5 ? floor + Math.abs(floor % 2) : Math.round(number);
  return BigInt(nearest).toString();
}

function outOfRange({ title }: Type): ApiError {
  return new ApiError('22003', `${title} out of range`);
}

/** The name in PostgreSQL's message. */
function nameOf(special: string): string {
  return special === 'NaN' ? 'NaN' : 'infinity';
}
