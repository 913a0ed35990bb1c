/** Explains rejected cells and rows in everyday words. */

import { ApiError } from '../../../base/errors.ts';
import type { Field } from '../../../collection/declaration.ts';
import type { Input } from '../../../collection/types/type.ts';
import {
  collectionName,
  collections,
  fieldNamed,
  isDecimal,
  isNumeric,
  labelOf,
  titleOfCollection,
} from '../shared/api/collection.ts';
import type { Problem } from '../shared/api/http.ts';
import { cellText } from './sheet.ts';

/** Completes "… is not". */
const FORMS: Readonly<Record<Input, string>> = {
  text: 'a valid text',
  number: 'a number',
  switch: 'Yes or No',
  date: 'a date. Write it with the year first: 2024-12-31',
  time: 'a time. Write it like 08:30',
  datetime: 'a date with a time. Write it with the year first: 2024-12-31 08:30',
  json: 'JSON',
  list: 'a list. Write it like ["one", "two"] or {one,two}',
};

const LONGEST_QUOTE = 40;

export function explainCell(field: Field, cell: unknown, error: unknown): string {
  const code = error instanceof ApiError ? error.code : '';
  const shown = quoted(cellText(cell));
  if (code === '22003') return `${shown} is too large a number for ${labelOf(field)}.`;
  if (code === '54000') return `The text is too long for ${labelOf(field)}.`;
  if (field.type.kind === 'uuid') return `${shown} is not a UUID.`;
  if (isNumeric(field)) return `${shown} is not ${isDecimal(field) ? 'a number' : 'a whole number'}.`;
  return `${shown} is not ${FORMS[field.type.input]}.`;
}

function quoted(text: string): string {
  return `“${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}”`;
}

/** Explains an error of the service about a row, without its position in the request. */
export function refused({ code, message, details }: Problem, name: string | undefined): string {
  const field = name === undefined ? undefined : fieldNamed(name);
  const label = field === undefined ? name : labelOf(field);
  const words = (details ?? '').replace(/^(?:row \d+)?(?:, )?(?:field \w+)?: /, '');
  switch (code) {
    case '23505':
      return `Another row already has this ${label}.`;
    case '23503':
      return field === undefined ? message : `This row does not exist in ${referredBy(field)}.`;
    case '23502':
      return `${label} cannot be empty.`;
    case '23514':
      return name !== undefined && words.startsWith(`${name} `) ? `${label}${words.slice(name.length)}.` : message;
    case 'CAT404':
      return 'Someone else deleted it.';
    default:
      return words === '' ? message : words;
  }
}

function referredBy({ name }: Field): string {
  const collection = collections.find((each) => each.name === collectionName);
  const reference = collection?.references.find(({ field }) => field.name === name);
  const other = reference && collection?.among.get(reference.to);
  return other === undefined ? 'the other collection' : titleOfCollection(other);
}
