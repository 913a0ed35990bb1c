/** Cells of a body become values of fields, read as PostgreSQL reads the text of a JSON value. */
import type { Field } from '../collection/declaration.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { Refusal } from '../errors.ts';

export function coerce({ type }: Field, cell: unknown): Value {
  return storeJson(type, cell);
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
