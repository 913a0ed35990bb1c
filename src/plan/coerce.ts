/** Cells of a body become values of fields, read as PostgreSQL reads the text of a JSON value. */
import type { Field } from '../collection/declaration.ts';
import { readText } from '../collection/types/text.ts';
import { can, isLong, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { WrittenNumber } from '../collection/written-number.ts';
import { Refusal } from '../errors.ts';
import { MAX_JSON_DEPTH, MAX_NUMERIC_DIGITS } from '../limits.ts';

export function coerce(field: Field, cell: unknown): Value {
  if (typeof cell === 'string') checkWritten(field, cell);
  else if (cell instanceof WrittenNumber) checkDigits(cell.text);
  const value = store(field, cell);
  if (typeof value === 'string') checkLength(field, value);
  return value;
}

/** A value to compare with. */
export function readValue(type: Type, text: string): Value {
  if (can(type, 'number')) checkDigits(text);
  return type.read(text);
}

/** Before it is read: that takes its time, too. */
function checkWritten(field: Field, text: string): void {
  if (isLong(field.type)) checkLength(field, text);
  else if (can(field.type, 'number')) checkDigits(text);
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

function checkDigits(text: string): void {
  if (text.length <= MAX_NUMERIC_DIGITS) return;
  throw new Refusal('22003', 'value overflows numeric format', {
    details: `A number may be written with ${MAX_NUMERIC_DIGITS} characters.`,
  });
}

function store({ type }: Field, cell: unknown): Value {
  if (cell === null) return null;
  if (type.storeJson !== undefined) return type.storeJson(cell);
  if (typeof cell === 'string') return type.store(cell);
  if (typeof cell === 'number') return type.storeNumber?.(cell) ?? type.store(String(cell));
  return type.store(readText(jsonText(cell)));
}

/** JSON as PostgreSQL prints it: a space after each comma and colon. */
function jsonText(value: unknown, depth = 1): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof WrittenNumber) return value.text;
  if (depth > MAX_JSON_DEPTH) throw new Refusal('54000', `a value may nest ${MAX_JSON_DEPTH} deep`);
  if (Array.isArray(value)) return `[${value.map((each) => jsonText(each, depth + 1)).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${jsonText(each, depth + 1)}`)
    .join(', ')}}`;
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
