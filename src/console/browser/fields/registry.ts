/** Chooses the kind of a field. Nothing else decides by type. */
import { fileKind } from '../../../collection/types/file.ts';
import { can } from '../../../collection/types/type.ts';
import type { ColumnNotation } from '../../../import/notation.ts';
import {
  type Collection,
  type Field,
  isNumeric,
  isYesNo,
  type Row,
  referenceOf,
  type Value,
} from '../api/catalogue.ts';
import { t } from '../i18n/text.ts';
import { array } from './array.tsx';
import { boolean } from './boolean.tsx';
import { choice } from './choice.tsx';
import { date } from './date.tsx';
import { file, isPictureAddress } from './file.tsx';
import { json } from './json.tsx';
import type { FieldKind, FieldPlace, Parsed } from './kind.ts';
import { number } from './number.tsx';
import { reference } from './reference.tsx';
import { text } from './text.tsx';

const kinds = new WeakMap<Field, FieldKind>();

export function kindOf(place: FieldPlace): FieldKind {
  const known = kinds.get(place.field);
  if (known !== undefined) return known;
  const kind = chooseKind(place);
  kinds.set(place.field, kind);
  return kind;
}

function chooseKind(place: FieldPlace): FieldKind {
  const { collection, field } = place;
  const { type } = field;
  if (fileKind(type) !== undefined || isPictureAddress(place)) return file;
  if (referenceOf(collection, field) !== undefined) return reference;
  if (isYesNo(field)) return boolean;
  if (field.rules.oneOf !== undefined) return choice;
  if (type.input === 'list') return type.element !== undefined && can(type.element, 'text') ? array : json;
  if (type.input === 'json') return json;
  if (isNumeric(field)) return number;
  return ['date', 'time', 'datetime'].includes(type.input) ? date : text;
}

/** Parses typed text into a value, in the notation of its column. Empty text is null. */
export function parseText(place: FieldPlace, typed: string, notation?: ColumnNotation): Parsed {
  if (typed.trim() === '') return place.field.required ? { problem: t.errors.required } : { value: null };
  return kindOf(place).parse(place, typed, notation);
}

/** The editable text of a value. */
export function printValue(place: FieldPlace, value: Value | undefined): string {
  return value === undefined || value === null ? '' : kindOf(place).print(place, value);
}

/** The value for people. */
export function formatValue(place: FieldPlace, value: Value | undefined): string {
  return value === undefined || value === null ? '' : kindOf(place).format(place, value);
}

/** The value of a row in words: `empty` without a value. */
export const shownValue = (place: FieldPlace, row: Row | null | undefined): string =>
  formatValue(place, row?.[place.field.name]) || t.app.empty;

/** The editable texts of a row, by field: the start of a form. */
export function printRow(collection: Collection, row: Row): Readonly<Record<string, string>> {
  return Object.fromEntries(
    collection.fields.map((field) => [field.name, printValue({ collection, field }, row[field.name])]),
  );
}
