/** Examples of new rows: like stored rows, but with other values in unique fields. */
import type { Collection, Field } from '../collection/declaration.ts';
import { can } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { part, type Samples } from './samples.ts';

/** Generated numbers begin above the keys of a new catalogue. */
const FIRST_NEW = 9001;

export function newRows(collection: Collection, samples: Samples): Samples {
  return samples.map((sample, index) =>
    newRow(collection, part(sample, collection.fields), index),
  ) as unknown as Samples;
}

/** Whether no stored row conflicts: each unique set has a field that an example can omit or generate. */
export function areNew(collection: Collection): boolean {
  return setsOf(collection).every((set) => set.some((field) => canDiffer(collection, field)));
}

function newRow(collection: Collection, sample: Row, index: number): Row {
  const differing = new Map<string, Row[string] | undefined>();
  for (const set of setsOf(collection)) {
    const field = set.find((each) => mayOmit(collection, each)) ?? set.find((each) => canDiffer(collection, each));
    if (field !== undefined) {
      differing.set(field.name, mayOmit(collection, field) ? undefined : generatedValue(collection, field, index));
    }
  }
  const cells = Object.entries(sample).map(([name, value]) => [
    name,
    differing.has(name) ? differing.get(name) : value,
  ]);
  return Object.fromEntries(cells.filter(([, value]) => value !== undefined)) as Row;
}

function setsOf({ key, unique }: Collection): readonly (readonly Field[])[] {
  return [key, ...unique.map(({ fields }) => fields)];
}

/** Whether a row may omit the field: the service fills it in, or it may be null. */
function mayOmit({ assigned }: Collection, field: Field): boolean {
  const isNull = !field.required && field.default === undefined;
  return field === assigned || field.generated === 'uuid' || isNull;
}

function canDiffer(collection: Collection, field: Field): boolean {
  return mayOmit(collection, field) || generatedValue(collection, field, 0) !== undefined;
}

/** Generates a sample value. Returns undefined if a rule, a reference or the type restricts the value. */
function generatedValue({ references }: Collection, field: Field, index: number): Row[string] | undefined {
  const { minimum, maximum, pattern, oneOf, maxLength } = field.rules;
  const isBound = [minimum, maximum, pattern, oneOf].some((rule) => rule !== undefined);
  if (isBound || references.some((reference) => reference.field === field)) return undefined;
  if (can(field.type, 'integer')) return FIRST_NEW + index;
  return can(field.type, 'text') ? `${index + 1} new ${field.name}`.slice(0, maxLength) : undefined;
}
