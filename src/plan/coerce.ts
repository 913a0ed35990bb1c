/** Converts the cells of a body to field values, parsed as PostgreSQL parses the text of a JSON value. */

import { ApiError } from '../base/errors.ts';
import type { Field } from '../collection/declaration.ts';
import { isLong, storeJson } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { EarlierValue } from './write/earlier-value.ts';

export function coerce(field: Field, cell: unknown): Value {
  return bounded(field, cell, storeJson);
}

/** A cell of a body. A value of an earlier request of a batch keeps its place until the engine resolves the plan. */
export function planCell(field: Field, cell: unknown): Value {
  if (cell instanceof EarlierValue) return new EarlierValue(cell.request, cell.column, field.name) as unknown as Value;
  return coerce(field, cell);
}

/** A cell of a file, in which every cell, including json, is a text form. */
export function readCell(field: Field, cell: unknown): Value {
  return bounded(field, cell, (type) => (typeof cell === 'string' ? type.store(cell) : storeJson(type, cell)));
}

function bounded(field: Field, cell: unknown, read: (type: Field['type'], cell: unknown) => Value): Value {
  const isBounded = isLong(field.type);
  // Checked before parsing, which takes time for a long text.
  if (isBounded && typeof cell === 'string') checkLength(field, cell);
  const value = read(field.type, cell);
  if (isBounded && typeof value === 'string') checkLength(field, value);
  return value;
}

export function checkLength({ name, maxBytes }: Pick<Field, 'name' | 'maxBytes'>, text: string): void {
  // A UTF-16 unit takes one to three bytes.
  if (text.length * 3 <= maxBytes) return;
  const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
  if (bytes <= maxBytes) return;
  throw valueTooLong({ name, maxBytes });
}

export function valueTooLong({ name, maxBytes }: Pick<Field, 'name' | 'maxBytes'>): ApiError {
  return new ApiError('54000', `a value of ${name} may have ${maxBytes} bytes`, {
    hint: 'Store a shorter one, or raise --max-value-kb.',
  });
}

/** Adds the row and field to an error about a body. The details of a body with one row do not number it. */
export function withLocation<E>(
  error: E,
  index: number | undefined,
  { name: field }: Pick<Field, 'name'>,
  isList = index !== undefined,
): E | ApiError {
  if (!(error instanceof ApiError)) return error;
  const place = isList ? `row ${index! + 1}, field ${field}` : `field ${field}`;
  return error.with({ details: `${place}: ${error.details ?? error.message}`, index, field });
}
