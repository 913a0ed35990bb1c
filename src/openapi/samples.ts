/** Example rows: the first stored rows, or values of the fields' types if no rows are stored. */
import { type Collection, type Field, isKey } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row, Value } from '../collection/value.ts';
import { printName } from '../dialect/print.ts';
import { csvHeader, csvLines } from '../encode/csv.ts';
import { isGiven } from './schemas.ts';

/** Whole rows as answers contain them, at least one. */
export type Samples = readonly [Row, ...Row[]];
type Shown = Row[string];

const MOST_SAMPLES = 2;
/** Example values by JSON type, for types whose schema has no example. */
const TYPICAL: Readonly<Record<string, NonNullable<Shown>>> = {
  integer: 1,
  number: 9.5,
  boolean: true,
  string: 'text',
};

export function samplesOf({ fields }: Collection, stored: readonly Row[]): Samples {
  const [first, ...rest] = stored
    .slice(0, MOST_SAMPLES)
    .map((row) => Object.fromEntries(fields.map((field) => [field.name, valueIn(row, field)])));
  return first === undefined
    ? [Object.fromEntries(fields.map((field) => [field.name, typical(field)]))]
    : [first, ...rest];
}

/** The value of a field as answers contain it. A missing value is the default. */
function valueIn(row: Row, field: Field): Shown {
  const value = row[field.name];
  if (value === null) return null;
  if (value !== undefined) return shown(field, storeJson(field.type, value));
  return field.required || field.default !== undefined ? typical(field) : null;
}

/** A value as JSON shows it. */
export function shown({ type }: Field, value: Value): Shown {
  return value === null ? null : (parseJson(type.json(value)) as Shown);
}

/** A value to compare a field with. */
export function sampleText(samples: Samples, field: Field): string {
  const sample = samples.find((row) => row[field.name] != null) ?? { [field.name]: typical(field) };
  return textIn(sample, field);
}

/** The text form of a sample's value, for filters and URLs. */
export function textIn(sample: Row, { name, type }: Field): string {
  return type.print(storeJson(type, sample[name]));
}

function typical(field: Field): NonNullable<Shown> {
  const { type, rules } = field;
  const ruled = field.default ?? rules.oneOf?.[0] ?? rules.minimum ?? rules.maximum;
  if (ruled !== undefined && ruled !== null) return shown(field, ruled)!;
  const example = Array.isArray(type.schema.examples) ? type.schema.examples[0] : undefined;
  if (example !== undefined) return example as NonNullable<Shown>;
  const value = TYPICAL[[type.schema.type].flat()[0] as string] ?? 'text';
  return typeof value === 'string' ? value.slice(0, rules.maxLength) : value;
}

/** The fields of the key in words: `id`, or `product_id, currency`. */
export function keyNames({ key }: Collection): string {
  return key.map(({ name }) => name).join(', ');
}

/** The filter in the URL of PUT: `id=eq.1`; without a key, a filter by the first field. */
export function keyFilter({ key, fields }: Collection, sample: Row): string {
  return (key.length === 0 ? fields.slice(0, 1) : key)
    .map((field) => `${printName(field.name)}=eq.${textIn(sample, field)}`)
    .join('&');
}

/** The fields that an example of a change sets: required ones, or the first. Unique fields are excluded. */
export function changedFields(collection: Collection): readonly Field[] {
  const { fields, unique } = collection;
  const others = fields.filter((field) => !isKey(collection, field));
  const free = others.filter((field) => !unique.some((set) => set.fields.includes(field)));
  const sampleFields = free.filter((field) => isGiven(collection, field));
  return sampleFields.length > 0 ? sampleFields : [...free, ...others, ...fields].slice(0, 1);
}

/** The fields that an example of a new row must have. */
export function givenFields(collection: Collection): readonly Field[] {
  const sampleFields = collection.fields.filter((field) => isGiven(collection, field));
  return sampleFields.length > 0 ? sampleFields : changedFields(collection);
}

export function part(sample: Row, fields: readonly Field[]): Row {
  return Object.fromEntries(fields.map(({ name }) => [name, sample[name] ?? null]));
}

/** Numbers and null as they are, anything else in its text form. */
export function csvOf({ byName }: Collection, rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (row: Row, name: string): Shown =>
    typeof row[name] === 'number' || row[name] == null ? (row[name] ?? null) : textIn(row, byName.get(name)!);
  const texts = rows.map((row) => Object.fromEntries(columns.map((name) => [name, cell(row, name)])));
  return csvHeader(columns) + csvLines(texts, columns);
}
