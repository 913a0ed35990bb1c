/** Cells of a body become values of fields, read as PostgreSQL reads the text of a JSON value. */
import type { Field } from '../collection/declaration.ts';
import { isLong, storeJson } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { Refusal } from '../errors.ts';

export function coerce(field: Field, cell: unknown): Value {
  // Before it is read, which takes its time, too.
  if (typeof cell === 'string' && isLong(field.type)) checkLength(field, cell);
  const value = storeJson(field.type, cell);
  if (typeof value === 'string') checkLength(field, value);
  return value;
}

function checkLength({ name, maxBytes }: Field, text: string): void {
  // Each of its units takes one byte to three.
  if (text.length * 3 <= maxBytes) return;
  const bytes = text.length > maxBytes ? text.length : Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new Refusal('54000', `a value of ${name} may have ${maxBytes} bytes`, {
    hint: 'Store a shorter one, or raise --max-value-kb.',
  });
}

/** The same refusal, saying which row and field of the body it is about; `hint` where it has none of its own. */
export function locate(error: unknown, row: number | undefined, field: Field | undefined, hint?: string): unknown {
  if (!(error instanceof Refusal) || field === undefined) return error;
  const place = row === undefined ? `field ${field.name}` : `row ${row + 1}, field ${field.name}`;
  return new Refusal(error.code, error.message, {
    details: `${place}: ${error.details ?? error.message}`,
    hint: error.hint ?? hint,
  });
}
