/**
 * The one place that says how a value is shown and how it is entered: the grid, the forms, the filters and the dialogs ask
 * here. What is entered is checked by the type's own reader and by the rules of the field, before anything is sent.
 */
import type { Field } from '../../../collection/declaration.ts';
import { parseJson } from '../../../collection/exact-json.ts';
import { isImageField } from '../../../collection/image-field.ts';
import { can } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
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
} from './collection.ts';
import { editableTime, formatDate, readTime } from './dates.ts';
import { messageOf } from './http.ts';
import { editableNumber, formatDigits, formatNumber, readNumber } from './numbers.ts';
import { knownTitle, referenceOf, titleReferred } from './references.ts';
import { wordsOf } from './words.ts';

export function formatValue(field: Field, value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  if (isYesNo(field)) return isYes(value) ? 'Yes' : 'No';
  if (isReference(field)) return knownTitle(field, value) ?? String(value);
  if (isTags(field) && Array.isArray(value)) return value.map((each) => each ?? '–').join(', ');
  if (typeof value === 'object') return valueText(value);
  if (!isNumeric(field)) return formatDate(field, String(value));
  // An identifier is a name made of digits, and is not grouped into thousands.
  if (field === key || IDENTIFIERS.test(field.name)) return String(value);
  return formatDigits(String(value), isDecimal(field) ? 2 : 0);
}

const IDENTIFIERS = /(^|_)(id|code|barcode|ean|gtin|isbn|zip|year|number)$/;

/** A cell of a row: of a reference, what the other row is called. */
export function formatCell(field: Field, row: Cells): string {
  return titleReferred(field, row) ?? formatValue(field, row[field.name]);
}

/** Lists and json as JSON, anything else as it is. */
export function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** A value to edit, in an input that takes text; what is being typed stays as it is. */
export function editableText(field: Field, value: unknown): string {
  if (isNumeric(field) && typeof value === 'number') return editableNumber(String(value));
  if (isJson(field) && typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2);
  return (typeof value === 'string' ? editableTime(field, value) : undefined) ?? valueText(value);
}

/** Answered by yes or no: a boolean, or a number that counts as one. */
export const isYesNo = (field: Field): boolean => field.role === 'flag' || field.type.input === 'switch';
export const isYes = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== 0 && value !== false;
/** As it is stored. */
export const yesOrNo = (field: Field, isOn: boolean): Value => (field.type.input === 'switch' ? isOn : Number(isOn));

/** How a value is entered. */
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

/** A list of texts; one that is not plain (of several dimensions, with nulls) is entered as JSON. */
export const isTags = ({ type }: Field, value?: unknown): boolean =>
  type.input === 'list' &&
  type.element !== undefined &&
  can(type.element, 'text') &&
  (!Array.isArray(value) || value.every((each) => typeof each === 'string'));

/** A text that is the address of a picture. */
export const isImage = ({ name, type }: Field): boolean => isImageField({ name, type: type.name });

/** Longer than a line, by its name, by what it may hold, or by what it holds. */
const LONG_NAMES = /(^|_)(description|notes?|comments?|summary|details|text|body|remarks?)$/;
const LINE = 80;
const isLongText = (field: Field, value: unknown): boolean =>
  isText(field) &&
  field !== titleField &&
  (LONG_NAMES.test(field.name) ||
    (field.rules.maxLength ?? 0) > 2 * LINE ||
    (typeof value === 'string' && (value.length > LINE || value.includes('\n'))));

/** Chosen among the rows of another collection. */
export const isReference = (field: Field): boolean => referenceOf(field) !== undefined;

export type Entered = { readonly value: Value } | { readonly problem: string };

/** What was typed, as a value to store; or what is wrong with it. An empty input is no value. */
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

/** What the service would read: numbers with a point, and nothing between the thousands. */
export function readPlain(field: Field, plain: string): Entered {
  const label = labelOf(field);
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
    return { value: parseJson(text) as Value };
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(messageOf(error)) ?? [];
    const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
    return { problem: `${label}: this is not JSON${place}.` };
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
  if (oneOf !== undefined && !oneOf.some((each) => String(each) === String(value)))
    return `must be one of ${oneOf.join(', ')}`;
  return undefined;
}
