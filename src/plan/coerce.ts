/** Cells of a body become values of fields, read as PostgreSQL reads the text of a JSON value. */
import type { Field } from '../collection/declaration.ts';
import { FIELD_TYPES, readText } from '../collection/field-types.ts';
import type { Value } from '../collection/value.ts';
import { WrittenNumber } from '../collection/written-number.ts';
import { Refusal } from '../errors.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';

export function coerce(field: Field, cell: unknown): Value {
  if (cell === null) return null;
  const type = FIELD_TYPES[field.type];
  if (typeof cell === 'number') return type.storeNumber(cell);
  if (typeof cell === 'string') return type.readStorable(cell);
  return type.readStorable(readText(jsonText(cell)));
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

/** The same refusal, saying which row and field of the body it is about. */
export function locate(error: unknown, row: number | undefined, field: Field | undefined): unknown {
  if (!(error instanceof Refusal) || field === undefined) return error;
  const place = row === undefined ? `field ${field.name}` : `row ${row + 1}, field ${field.name}`;
  return new Refusal(error.code, error.message, {
    details: `${place}: ${error.details ?? error.message}`,
    hint: error.hint ?? undefined,
  });
}
