/** What examples are made of: the first rows that are stored, or values of the fields' types where there are none. */
import { type Collection, type Field, isKey } from '../collection/declaration.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { csvHeader, csvLines } from '../encode/csv.ts';
import { isGiven } from './schemas.ts';

/** Whole rows, at least one. */
export type Samples = readonly [Row, ...Row[]];

const MOST_SAMPLES = 2;
/** A value of a type, by the type of its JSON, where its schema has no example. */
const TYPICAL: Readonly<Record<string, NonNullable<Row[string]>>> = {
  integer: 1,
  number: 9.5,
  boolean: true,
  string: 'text',
};

export function samplesOf({ fields }: Collection, stored: readonly Row[]): Samples {
  const [first, ...rest] = stored.slice(0, MOST_SAMPLES);
  return first === undefined
    ? [Object.fromEntries(fields.map((field) => [field.name, typical(field)]))]
    : [first, ...rest];
}

/** A value to compare a field with. */
export function sampleValue(samples: Samples, field: Field): NonNullable<Row[string]> {
  return samples.map((row) => row[field.name]).find((value) => value != null) ?? typical(field);
}

/** The same as a filter writes it. */
export function sampleText(samples: Samples, field: Field): string {
  return field.type.print(storeJson(field.type, sampleValue(samples, field)));
}

function typical({ type: { schema } }: Field): NonNullable<Row[string]> {
  const example = Array.isArray(schema.examples) ? schema.examples[0] : undefined;
  return (example as string | undefined) ?? TYPICAL[[schema.type].flat()[0] as string] ?? 'text';
}

/** A row as one would create it: without the key, which the service assigns. */
export function newRow({ assigned: key }: Collection, sample: Row): Row {
  return Object.fromEntries(Object.entries(sample).filter(([name]) => name !== key?.name));
}

/** The fields that an example of a change sets: those that no row can do without, or the first that may change. */
export function changedFields(collection: Collection): readonly Field[] {
  const given = collection.fields.filter((field) => isGiven(collection, field));
  return given.length > 0
    ? given
    : [collection.fields.find((field) => !isKey(collection, field)) ?? collection.key[0]!];
}

export function part(sample: Row, fields: readonly Field[]): Row {
  return Object.fromEntries(fields.map(({ name }) => [name, sample[name] ?? null]));
}

export function csvOf(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  return csvHeader(columns) + csvLines(rows, columns);
}
