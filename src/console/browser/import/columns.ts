/** Maps the columns of a file to fields, and chooses the field that identifies stored rows. */

import type { Field } from '../../../collection/declaration.ts';
import { fieldFromHeader } from '../../../collection/spreadsheet-values.ts';
import {
  collectionName,
  collections,
  fieldNamed,
  fields,
  isJson,
  isText,
  key,
  labelOf,
  titleField,
} from '../shared/api/collection.ts';
import { maySend } from '../shared/api/rights.ts';
import type { Sheet } from './sheet.ts';

/** The field of each column of the sheet; undefined for an ignored column. */
export type Mapping = readonly (Field | undefined)[];

const collection = collections.find(({ name }) => name === collectionName);
/** Fields that the role may store, and fields that identify rows. */
const writable = fields.filter(
  (field) => !field.readOnly && (maySend(field, true) || maySend(field, false) || isUnique(field)),
);
const labelled = writable.map((field) => ({ ...field, name: labelOf(field) }));

/** Suggests a mapping by field names, or by their labels in the console: "Category" is category_id. */
export function suggestedMapping({ columns }: Sheet): Mapping {
  const taken = new Set<string>();
  return columns.map((column) => {
    const field = fieldFromHeader(writable, column) ?? labelledField(column);
    if (field === undefined || taken.has(field.name)) return undefined;
    taken.add(field.name);
    return field;
  });
}

function labelledField(column: string): Field | undefined {
  const found = fieldFromHeader(labelled, column);
  return found === undefined ? undefined : writable[labelled.indexOf(found)];
}

/** Maps a column to a field. Another column with this field becomes ignored. */
export function withField(mapping: Mapping, column: number, name: string): Mapping {
  return mapping.map((field, at) => (at === column ? fieldNamed(name) : field?.name === name ? undefined : field));
}

export const choices: readonly Field[] = writable;

export function isUnique(field: Field): boolean {
  return field === key || collection?.unique.some(({ fields: own }) => own.length === 1 && own[0] === field) === true;
}

/** Whether the service assigns keys, so that a row can be stored without one. */
export const assignsKeys: boolean = collection?.assigned === key || key.generated !== undefined || key.filled !== false;

/**
 * Fields that can identify stored rows, the most reliable first: the key, unique fields, the title, then any other. A
 * file without a key is matched by title, so that a second import does not store every row again.
 */
export function matchFields(sheet: Sheet, mapping: Mapping): readonly Field[] {
  const filled = mapping.flatMap((field, column) =>
    field !== undefined && canIdentify(field) && sheet.rows.some(({ cells }) => isGiven(cells[column])) ? [field] : [],
  );
  const title = titleField ?? fields.find(isText);
  const rank = (field: Field) =>
    field === key ? 0 : isUnique(field) ? 1 : field === title ? 2 : isText(field) ? 3 : 4;
  return filled.sort((one, other) => rank(one) - rank(other));
}

/** Lists, json and switches do not identify a row. */
function canIdentify(field: Field): boolean {
  return !isJson(field) && field.type.input !== 'switch' && field.role !== 'flag';
}

function isGiven(cell: unknown): boolean {
  return cell !== undefined && cell !== null && cell !== '';
}
