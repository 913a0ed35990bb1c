/** Maps the columns of a file to fields, and lists the fields that can identify stored rows. */
import { uniqueSets } from '../../../collection/declaration.ts';
import { matchColumns } from '../../../import/headers.ts';
import { type Collection, type Field, isText, labelOf, may, mayWrite, titleFieldOf } from '../api/catalogue.ts';
import { browserStorage } from '../base/storage.ts';
import type { Formats } from '../fields/parse.ts';
import { kindOf } from '../fields/registry.ts';
import { cellText, type Sheet } from './sheet.ts';

/** The field of each column of the sheet; undefined for an ignored column. */
export type Mapping = readonly (Field | undefined)[];

/** Fields that identify a stored row. */
export interface Match {
  readonly fields: readonly Field[];
  readonly isUnique: boolean;
}

/** The decision about rows that already exist. */
export type Decision = 'leave' | 'change' | 'add';

export interface ImportOptions {
  readonly collection: Collection;
  readonly sheet: Sheet;
  readonly mapping: Mapping;
  readonly formats: Formats;
  /** The fields that identify stored rows; undefined if every row is new. */
  readonly match: Match | undefined;
  /** Undefined until the person decides. */
  readonly decision: Decision | undefined;
  /** Whether an empty cell clears the field of an existing row. */
  readonly clearsEmpty: boolean;
  /** Whether the import creates the rows that references name and that do not exist. */
  readonly createsReferences: boolean;
}

/** Fields that the role may store, and fields that identify rows. */
export function importableFields(collection: Collection): readonly Field[] {
  const unique = uniqueSets(collection).flat();
  return collection.fields.filter(
    (field) =>
      !field.readOnly &&
      (mayWrite(collection, field, true) || mayWrite(collection, field, false) || unique.includes(field)),
  );
}

const storageKey = ({ name }: Collection): string => `catalogue.import.${name}`;

/** The fields of columns that the person chose for earlier files, by the name of the column; empty to leave it out. */
function storedChoices(collection: Collection): Readonly<Record<string, unknown>> {
  return Object(browserStorage.getJson(storageKey(collection)));
}

/** Stores the choices of the person for the next file with such columns. */
export function rememberMapping({ collection, sheet, mapping }: ImportOptions): void {
  const choices = sheet.columns.map((column, at) => [column, mapping[at]?.name ?? ''] as const);
  const all = { ...storedChoices(collection), ...Object.fromEntries(choices) };
  browserStorage.setJson(storageKey(collection), all);
}

/** Suggests a mapping: as for an earlier file, or else by the names of columns. The second of a field is ignored. */
export function suggestMapping(collection: Collection, columns: readonly string[]): Mapping {
  const importable = importableFields(collection);
  const byName = matchColumns(importable, columns);
  const stored = storedChoices(collection);
  const fields = columns.map((column, at) => {
    const choice = Object.hasOwn(stored, column) ? stored[column] : undefined;
    return choice === '' ? undefined : (importable.find(({ name }) => name === choice) ?? byName[at]);
  });
  return fields.map((field, at) => (fields.indexOf(field) === at ? field : undefined));
}

/** Maps a column to a field. Another column with this field becomes ignored. */
export function withField(mapping: Mapping, column: number, field: Field | undefined): Mapping {
  return mapping.map((each, at) => (at === column ? field : each === field ? undefined : each));
}

/** Options with another mapping. The suggested match follows it, and one that the person chose stays if it can. */
export function withMapping(options: ImportOptions, mapping: Mapping): ImportOptions {
  const { collection, sheet, match } = options;
  const [suggested] = matchesOf(collection, sheet, options.mapping);
  const matches = matchesOf(collection, sheet, mapping);
  const isChosen = (each: Match | undefined) => matchName(each) === matchName(match);
  const next = isChosen(suggested) ? matches[0] : match && (matches.find(isChosen) ?? matches[0]);
  const decision = isChosen(next) ? options.decision : firstDecision(collection);
  return { ...options, mapping, match: next, decision };
}

/** The initial decision. A role that may not change rows leaves them. */
export const firstDecision = (collection: Collection): Decision | undefined =>
  may('update', collection) ? undefined : 'leave';

/** Whether the service assigns keys, so that a row can be stored without one. */
export function assignsKeys({ key, assigned }: Collection): boolean {
  return key.every((field) => field === assigned || field.generated !== undefined || field.filled !== false);
}

/**
 * The possible matches, the most reliable first: the key, unique fields, the title, then any other. A file without a
 * key is matched by title, so that a second import does not store every row again.
 */
export function matchesOf(collection: Collection, sheet: Sheet, mapping: Mapping): readonly Match[] {
  const given = mapping.flatMap((field, column) =>
    field !== undefined && sheet.rows.some(({ cells }) => cellText(cells[column]) !== '') ? [field] : [],
  );
  const unique = uniqueSets(collection).filter((fields) => fields.every((field) => given.includes(field)));
  const single = unique.filter(({ length }) => length === 1).flat();
  const title = titleFieldOf(collection);
  const rank = (field: Field) => (field === title ? 0 : isText(field) ? 1 : 2);
  const others = given
    .filter((field) => !single.includes(field) && canIdentify(collection, field))
    .sort((one, other) => rank(one) - rank(other));
  return [
    ...unique.map((fields) => ({ fields, isUnique: true })),
    ...others.map((field) => ({ fields: [field], isUnique: false })),
  ];
}

/** Lists, json and booleans do not identify a row. */
function canIdentify(collection: Collection, field: Field): boolean {
  return !['array', 'json', 'boolean'].includes(kindOf({ collection, field }).name);
}

export const matchName = (match: Match | undefined): string => match?.fields.map(({ name }) => name).join(',') ?? '';
export const matchLabel = ({ fields }: Match): string => fields.map(labelOf).join(' + ');
