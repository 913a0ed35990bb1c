/** The cells of a body as rows to store: every field of them, in the order of the collection. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { Refusal } from '../errors.ts';
import { coerce, locate } from './coerce.ts';
import { nearestHint } from './resolve.ts';
import type { StoredRow } from './types.ts';

export function resolveColumns(collection: Collection, names: readonly string[]): readonly Field[] {
  return names.map((name) => {
    const field = collection.fields.find((each) => each.name === name);
    if (field !== undefined) return field;
    throw new Refusal('PGRST204', `Could not find the '${name}' column of '${collection.name}' in the schema cache`, {
      hint: nearestHint(collection, name),
    });
  });
}

/** Full rows, in the order of the collection's fields: what is not given takes its default. */
export function planRows(
  collection: Collection,
  fields: readonly Field[],
  rows: readonly (readonly unknown[])[],
  defaultMissing: boolean,
): readonly StoredRow[] {
  const places = collection.fields.map((field) => fields.lastIndexOf(field));
  const { key } = collection;
  let row = 0;
  let field: Field | undefined;
  try {
    return rows.map((cells, index) => {
      row = index;
      const stored = collection.fields.map((each, at) => {
        field = each;
        const place = places[at]!;
        const cell = place === -1 ? undefined : cells[place];
        if (cell !== undefined) return coerce(each, cell);
        // A column that was named but not given is null, unless missing=default was asked for.
        if (each === key && (place === -1 || defaultMissing)) return undefined;
        return place === -1 || defaultMissing ? (each.default ?? null) : null;
      });
      const absent = stored.findIndex((value, at) => value === null && collection.fields[at]!.required);
      if (absent !== -1) {
        field = collection.fields[absent]!;
        throw nullViolation(collection, field);
      }
      return stored;
    });
  } catch (error) {
    throw locate(error, rows.length > 1 ? row : undefined, field);
  }
}

export function nullViolation(collection: Collection, field: Pick<Field, 'name'>): Refusal {
  const message = `null value in column "${field.name}" of relation "${collection.name}" violates not-null constraint`;
  return new Refusal('23502', message, { details: `${field.name} is required` });
}

/** A write that names a product twice cannot tell which of the two is meant. */
export function checkKeysDiffer({ key }: Collection, keys: readonly (Value | undefined)[]): void {
  const seen = new Map<Value, number>();
  for (const [index, value] of keys.entries()) {
    if (value === undefined) continue;
    const earlier = seen.get(value);
    if (earlier !== undefined) {
      throw new Refusal('21000', 'a write cannot affect a row a second time', {
        details: `rows ${earlier + 1} and ${index + 1} both have ${key.name} ${value}`,
      });
    }
    seen.set(value, index);
  }
}
