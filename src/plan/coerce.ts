/** Cells of a body become values of fields, read as PostgreSQL reads the text of a JSON value. */
import type { Field } from '../collection/declaration.ts';
import { isLong, storeJson } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { Refusal } from '../errors.ts';

export function coerce(field: Field, cell: unknown): Value {
  return bounded(field, cell, storeJson);
}

/** The cell of a file whose cells are text forms, of json too. */
export function readCell(field: Field, cell: unknown): Value {
  return bounded(field, cell, (type) => (typeof cell === 'string' ? type.store(cell) : storeJson(type, cell)));
}

function bounded(field: Field, cell: unknown, read: (type: Field['type'], cell: unknown) => Value): Value {
  // Before it is read, which takes its time, too.
  if (typeof cell === 'string' && isLong(field.type)) checkLength(field, cell);
  const value = read(field.type, cell);
  if (typeof value === 'string') checkLength(field, value);
  return value;
}

function checkLength({ name, maxBytes }: Field, text: string): void {
  // Each of its units takes one byte to three.
  if (text.length * 3 <= maxBytes) return;
  const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
  if (bytes <= maxBytes) return;
  throw new Refusal('54000', `a value of ${name} may have ${maxBytes} bytes`, {
    hint: 'Store a shorter one, or raise --max-value-kb.',
  });
}

/** The same refusal, saying which row and field of the body it is about. */
export function locate(error: unknown, row: number | undefined, field: Field | undefined): unknown {
  if (!(error instanceof Refusal) || field === undefined) return error;
  const place = row === undefined ? `field ${field.name}` : `row ${row + 1}, field ${field.name}`;
  return new Refusal(error.code, error.message, {
    details: `${place}: ${error.details ?? error.message}`,
    hint: error.hint ?? undefined,
  });
}
