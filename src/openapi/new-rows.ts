/** Rows as one would create them: like those that are stored, but with nothing in them that only one row can have. */
import type { Collection, Field } from '../collection/declaration.ts';
import { can } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { part, type Samples } from './samples.ts';

/** Whole numbers above those that a catalogue begins with. */
const FIRST_NEW = 9001;

export function newRows(collection: Collection, samples: Samples): Samples {
  return samples.map((sample, index) =>
    newRow(collection, part(sample, collection.fields), index),
  ) as unknown as Samples;
}

/** Whether such rows meet no stored one: each unique set has a field that can be left out, or made up. */
export function areNew(collection: Collection): boolean {
  return setsOf(collection).every((set) => set.some((field) => canDiffer(collection, field)));
}

function newRow(collection: Collection, sample: Row, index: number): Row {
  const differing = new Map<string, Row[string] | undefined>();
  for (const set of setsOf(collection)) {
    const field = set.find((each) => isLeftOut(collection, each)) ?? set.find((each) => canDiffer(collection, each));
    if (field !== undefined) {
      differing.set(field.name, isLeftOut(collection, field) ? undefined : madeUp(collection, field, index));
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

/** The service makes its value, or null will do. */
function isLeftOut({ assigned }: Collection, field: Field): boolean {
  const isNull = !field.required && field.default === undefined;
  return field === assigned || field.generated === 'uuid' || isNull;
}

function canDiffer(collection: Collection, field: Field): boolean {
  return isLeftOut(collection, field) || madeUp(collection, field, 0) !== undefined;
}

/** Undefined where a rule, a reference or the type leaves no free choice. */
function madeUp({ references }: Collection, field: Field, index: number): Row[string] | undefined {
  const { minimum, maximum, pattern, oneOf, maxLength } = field.rules;
  const isBound = [minimum, maximum, pattern, oneOf].some((rule) => rule !== undefined);
  if (isBound || references.some((reference) => reference.field === field)) return undefined;
  if (can(field.type, 'integer')) return FIRST_NEW + index;
  return can(field.type, 'text') ? `${index + 1} new ${field.name}`.slice(0, maxLength) : undefined;
}
