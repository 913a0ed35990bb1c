/**
 * How values are shown and entered, in one place for the grid, forms, filters and dialogs. Input is validated by the
 * type's parser and the rules of the field before it is sent.
 */
import type { Field } from '../../../../collection/declaration.ts';
import { parseJson } from '../../../../collection/exact-json.ts';
import { isImageField } from '../../../../collection/image-field.ts';
import { can } from '../../../../collection/types/type.ts';
import type { Value } from '../../../../collection/value.ts';
import {
  type Cells,
  isDecimal,
  isJson,
  isNumeric,
  isText,
  key,
  labelOf,
  titleField,
  titleOfCollection,
} from '../api/collection.ts';
import { messageOf } from '../api/http.ts';
import { editableTime, formatDate, readTime } from './dates.ts';
import { editableNumber, formatDigits, formatNumber, readNumber } from './numbers.ts';
import { cachedTitle, referencedTitle, referenceOf } from './references.ts';
import { describeError } from './words.ts';

export function formatValue(field: Field, value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  if (isYesNo(field)) return isYes(value) ? 'Yes' : 'No';
  if (isReference(field)) return cachedTitle(field, value) ?? String(value);
  if (isTags(field) && Array.isArray(value)) return value.map((each) => each ?? '–').join(', ');
  if (typeof value === 'object') return valueText(value);
  if (!isNumeric(field)) return formatDate(field, String(value));
  // Identifiers have no thousands separators.
  if (field === key || IDENTIFIERS.test(field.name)) return String(value);
  return formatDigits(String(value), isDecimal(field) ? 2 : 0);
}

const IDENTIFIERS = /(^|_)(id|code|barcode|ean|gtin|isbn|zip|year|number)$/;

/** Formats a cell. A reference is shown as the title of the other row. */
export function formatCell(field: Field, row: Cells): string {
  return referencedTitle(field, row) ?? formatValue(field, row[field.name]);
}

/** The text of a value: JSON for lists and json. */
export function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** The text of a value in an input. Typed text stays as it is. */
export function editableText(field: Field, value: unknown): string {
  if (isNumeric(field) && typeof value === 'number') return editableNumber(String(value));
  if (isJson(field) && typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2);
  return (typeof value === 'string' ? editableTime(field, value) : undefined) ?? valueText(value);
}

/** Whether the field is a boolean, or a number that is used as a flag. */
export const isYesNo = (field: Field): boolean => field.role === 'flag' || field.type.input === 'switch';
export const isYes = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== 0 && value !== false;
/** The stored form of yes or no. */
export const yesOrNo = (field: Field, isOn: boolean): Value => (field.type.input === 'switch' ? isOn : Number(isOn));

/** The kind of input for a field. */
export type Entry =
  | 'switch'
  | 'choice'
  | 'reference'
  | 'tags'
  | 'json'
  | 'number'
  | 'time'
  | 'image'
  | 'long text'
  | 'text';

export function entryOf(field: Field, value?: unknown): Entry {
  if (isYesNo(field)) return 'switch';
  if (field.rules.oneOf !== undefined) return 'choice';
  if (isReference(field)) return 'reference';
  if (isTags(field, value)) return 'tags';
  if (isJson(field)) return 'json';
  if (isNumeric(field)) return 'number';
  if (['date', 'time', 'datetime'].includes(field.type.input)) return 'time';
  if (isImage(field)) return 'image';
  return isLongText(field, value) ? 'long text' : 'text';
}

/** Whether the value is a plain list of texts. Other lists (nested, with nulls) are entered as JSON. */
export const isTags = ({ type }: Field, value?: unknown): boolean =>
  type.input === 'list' &&
  type.element !== undefined &&
  can(type.element, 'text') &&
  (!Array.isArray(value) || value.every((each) => typeof each === 'string'));

/** Whether the text is the address of a picture. */
export const isImage = ({ name, type }: Field): boolean => isImageField({ name, type: type.name });

/** Whether the text may be longer than a line, by its name, its rules or its value. */
const LONG_NAMES = /(^|_)(description|notes?|comments?|summary|details|text|body|remarks?)$/;
const LINE = 80;
const isLongText = (field: Field, value: unknown): boolean =>
  isText(field) &&
  field !== titleField &&
  (LONG_NAMES.test(field.name) ||
    (field.rules.maxLength ?? 0) > 2 * LINE ||
    (typeof value === 'string' && (value.length > LINE || value.includes('\n'))));

/** Whether the value is chosen among rows of another collection. */
export const isReference = (field: Field): boolean => referenceOf(field) !== undefined;

export type Entered = { readonly value: Value } | { readonly problem: string };

/** Parses typed text into a value, or returns the problem. Empty text is null. */
export function readEntered(field: Field, text: string): Entered {
  const label = labelOf(field);
  if (text.trim() === '') return field.required ? { problem: `${label} is required.` } : { value: null };
  if (isJson(field)) return readJson(label, text);
  const plain = isNumeric(field) ? readNumber(text) : readTime(field, text);
  if (plain === undefined) {
    const other = referenceOf(field);
    if (other !== undefined) return { problem: `${label}: choose one of ${titleOfCollection(other)}.` };
    return { problem: `${label}: “${text}” is not a number.` };
  }
  return readPlain(field, plain);
}

/** Converts typed text into the service's notation. */
export function readPlain(field: Field, plain: string): Entered {
  const label = labelOf(field);
  if (isNumeric(field) && !isDecimal(field) && /\.\d*[1-9]/.test(plain))
    return { problem: `${label}: whole numbers only.` };
  try {
    const value = stored(field, isNumeric(field) && !isDecimal(field) ? plain.replace(/\.0*$/, '') : plain);
    const broken = brokenRule(field, value);
    return broken === undefined ? { value } : { problem: `${label} ${broken}.` };
  } catch (error) {
    return { problem: `${label}: ${describeError(error)}` };
  }
}

/** The value as the service will return it: rounded, and as text if JavaScript would lose digits. */
function stored(field: Field, text: string): Value {
  const value = field.type.store(text);
  if (typeof value === 'boolean' || isText(field)) return value;
  const printed = field.type.print(value);
  return isNumeric(field) && String(Number(printed)) === printed ? Number(printed) : printed;
}

function readJson(label: string, text: string): Entered {
  try {
    return { value: parseJson(text) as Value };
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(messageOf(error)) ?? [];
    const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
    return { problem: `${label}: this is not JSON${place}.` };
  }
}

/** Checks the rules of a field before the request. Patterns are left to the service. */
function brokenRule(field: Field, value: Value): string | undefined {
  const { minimum, maximum, maxLength, oneOf } = field.rules;
  if (typeof value === 'number' && typeof minimum === 'number' && value < minimum)
    return `must be at least ${formatValue(field, minimum)}`;
  if (typeof value === 'number' && typeof maximum === 'number' && value > maximum)
    return `must be at most ${formatValue(field, maximum)}`;
  if (maxLength !== undefined && [...String(value)].length > maxLength)
    return `must have at most ${formatNumber(maxLength)} characters`;
  if (oneOf !== undefined && !oneOf.some((each) => String(each) === String(value)))
    return `must be one of ${oneOf.join(', ')}`;
  return undefined;
}
