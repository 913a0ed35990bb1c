/** Maps the columns of a file to fields, and lists the fields that can identify stored rows. */
import { uniqueSets } from '../../../collection/declaration.ts';
import { fieldFromHeader } from '../../../collection/spreadsheet-values.ts';
import { type Collection, type Field, isText, labelOf, mayWrite, titleFieldOf } from '../api/catalogue.ts';
import { kindOf } from '../fields/registry.ts';
import {
  type ColumnFormat,
  type DateFormat,
  guessDateFormat,
  guessNumberFormat,
  hasDateFormat,
  hasNumberFormat,
  type NumberFormat,
} from './formats.ts';
import { cellText, type Sheet } from './sheet.ts';

/** The field of each column of the sheet; undefined for an ignored column. */
export type Mapping = readonly (Field | undefined)[];

/** Fields that identify a stored row. */
export interface Match {
  readonly fields: readonly Field[];
  readonly isUnique: boolean;
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

/** Suggests a mapping by field names, or by their labels in the console: "Category" is category_id. */
export function suggestMapping(collection: Collection, columns: readonly string[]): Mapping {
  const fields = importableFields(collection);
  const labelled = fields.map((field) => ({ ...field, name: labelOf(field) }));
  const taken = new Set<Field>();
  return columns.map((column) => {
    const byLabel = fieldFromHeader(labelled, column);
    const field = fieldFromHeader(fields, column) ?? (byLabel && fields[labelled.indexOf(byLabel)]);
    if (field === undefined || taken.has(field)) return undefined;
    taken.add(field);
    return field;
  });
}

/** Maps a column to a field. Another column with this field becomes ignored. */
export function withField(mapping: Mapping, column: number, field: Field | undefined): Mapping {
  return mapping.map((each, at) => (at === column ? field : each === field ? undefined : each));
}

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

export const matchName = ({ fields }: Match): string => fields.map(({ name }) => name).join(',');
export const matchLabel = ({ fields }: Match): string => fields.map(labelOf).join(' + ');

/** The formats that a person can choose for a column; none if all cells are unambiguous. */
export function formatsOf(
  collection: Collection,
  { rows, areTexts }: Sheet,
  field: Field | undefined,
  column: number,
): readonly ColumnFormat[] {
  if (field === undefined || !areTexts) return [];
  const { name } = kindOf({ collection, field });
  const cells = rows.map((row) => cellText(row.cells[column]));
  if (name === 'number' && hasNumberFormat(cells)) return ['point', 'comma'] satisfies NumberFormat[];
  if (name === 'date' && hasDateFormat(cells)) return ['dayFirst', 'monthFirst'] satisfies DateFormat[];
  return [];
}

/** The format of a column, guessed from its cells; undefined if the field has none. */
export function guessFormat(
  collection: Collection,
  { rows, separator }: Sheet,
  field: Field | undefined,
  column: number,
): ColumnFormat | undefined {
  if (field === undefined) return undefined;
  const { name } = kindOf({ collection, field });
  if (name !== 'number' && name !== 'date') return undefined;
  const cells = rows.map((row) => cellText(row.cells[column]));
  return name === 'number' ? guessNumberFormat(cells, separator) : guessDateFormat(cells);
}
