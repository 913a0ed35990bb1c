/**
 * The one place that says how a value is shown and how it is entered: the grid, the forms, the filters and the dialogs ask
 * here. What is entered is checked by the type's own reader and by the rules of the field, before anything is sent.
 */
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { isDecimal, isJson, isNumeric, isText, key, labelOf } from './collection.ts';
import { formatDate } from './dates.ts';
import { editableNumber, formatDecimal, formatNumber, readNumber } from './numbers.ts';
import { wordsOf } from './words.ts';

export function formatValue(field: Field, value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  if (isYesNo(field)) return isYes(value) ? 'Yes' : 'No';
  if (typeof value === 'string') return formatDate(field, value);
  if (typeof value !== 'number') return valueText(value);
  // An identifier is a name made of digits, and is not grouped into thousands.
  if (field === key || field.name.endsWith('_id')) return String(value);
  return isDecimal(field) ? formatDecimal(value, 2, 4) : formatNumber(value);
}

/** Lists and json as JSON, anything else as it is. */
export function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** A value to edit, in an input that takes text; what is being typed stays as it is. */
export function editableText(field: Field, value: unknown): string {
  return isNumeric(field) && typeof value === 'number' ? editableNumber(String(value)) : valueText(value);
}

/** Answered by yes or no: a boolean, or a number that counts as one. */
export const isYesNo = (field: Field): boolean => field.role === 'flag' || field.type.input === 'switch';
export const isYes = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== 0 && value !== false;
/** As it is stored. */
export const yesOrNo = (field: Field, isOn: boolean): Value => (field.type.input === 'switch' ? isOn : Number(isOn));

export type Entered = { readonly value: Value } | { readonly problem: string };

/** What was typed, as a value to store; or what is wrong with it. An empty input is no value. */
export function readEntered(field: Field, text: string): Entered {
  const label = labelOf(field);
  if (text.trim() === '') return field.required ? { problem: `${label} is required.` } : { value: null };
  if (isJson(field)) return readJson(label, text);
  const plain = isNumeric(field) ? readNumber(text) : text;
  if (plain === undefined) return { problem: `${label}: “${text}” is not a number.` };
  if (isNumeric(field) && !isDecimal(field) && /\.\d*[1-9]/.test(plain))
    return { problem: `${label}: whole numbers only.` };
  try {
    const value = stored(field, isNumeric(field) && !isDecimal(field) ? plain.replace(/\.0*$/, '') : plain);
    const broken = brokenRule(field, value);
    return broken === undefined ? { value } : { problem: `${label} ${broken}.` };
  } catch (error) {
    return { problem: `${label}: ${wordsOf(error)}` };
  }
}

/** As the service will show it: rounded, and as text where a number of JavaScript has too few digits. */
function stored(field: Field, text: string): Value {
  const value = field.type.store(text);
  if (typeof value === 'boolean' || isText(field)) return value;
  const printed = field.type.print(value);
  return isNumeric(field) && String(Number(printed)) === printed ? Number(printed) : printed;
}

function readJson(label: string, text: string): Entered {
  try {
    return { value: JSON.parse(text) as Value };
  } catch {
    return { problem: `${label}: Must be JSON` };
  }
}

/** Rules that can be said before it is sent; a pattern is left to the service. */
function brokenRule(field: Field, value: Value): string | undefined {
  const { minimum, maximum, maxLength, oneOf } = field.rules;
  if (typeof value === 'number' && typeof minimum === 'number' && value < minimum)
    return `must be at least ${formatValue(field, minimum)}`;
  if (typeof value === 'number' && typeof maximum === 'number' && value > maximum)
    return `must be at most ${formatValue(field, maximum)}`;
  if (maxLength !== undefined && [...String(value)].length > maxLength)
    return `may have ${formatNumber(maxLength)} letters at most`;
  if (oneOf !== undefined && !oneOf.includes(value)) return `must be one of ${oneOf.join(', ')}`;
  return undefined;
}
