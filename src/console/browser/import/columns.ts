/** Which field each column of a file holds, and by which field its rows are told from those that are stored. */

import type { Field } from '../../../collection/declaration.ts';
import { fieldAsWritten } from '../../../collection/spreadsheet-values.ts';
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
} from '../shared/collection.ts';
import { maySend } from '../shared/rights.ts';
import type { Sheet } from './sheet.ts';

/** A field for each column of the sheet; undefined where the column is left out. */
export type Mapping = readonly (Field | undefined)[];

const collection = collections.find(({ name }) => name === collectionName);
/** Fields that may be stored, and those by which rows are found. */
const writable = fields.filter(
  (field) => !field.readOnly && (maySend(field, true) || maySend(field, false) || isUnique(field)),
);
const labelled = writable.map((field) => ({ ...field, name: labelOf(field) }));

/** By the names of the fields, or by what the console calls them: "Category" is category_id. */
export function suggestedMapping({ columns }: Sheet): Mapping {
  const taken = new Set<string>();
  return columns.map((column) => {
    const field = fieldAsWritten(writable, column) ?? labelledField(column);
    if (field === undefined || taken.has(field.name)) return undefined;
    taken.add(field.name);
    return field;
  });
}

function labelledField(column: string): Field | undefined {
  const found = fieldAsWritten(labelled, column);
  return found === undefined ? undefined : writable[labelled.indexOf(found)];
}

/** A field has one column: the one that was chosen last. */
export function withField(mapping: Mapping, column: number, name: string): Mapping {
  return mapping.map((field, at) => (at === column ? fieldNamed(name) : field?.name === name ? undefined : field));
}

export const choices: readonly Field[] = writable;

export function isUnique(field: Field): boolean {
  return field === key || collection?.unique.some(({ fields: own }) => own.length === 1 && own[0] === field) === true;
}

/** Whether a row can be stored without its key: the service makes one. */
export const makesKeys: boolean = collection?.assigned === key || key.generated !== undefined || key.filled;

/**
 * Fields that rows can be matched by, the surest first: the key, what is unique, what rows are called, and then any other. A file
 * without a key is held against the names, so that importing it twice does not store everything twice.
 */
export function matchFields(sheet: Sheet, mapping: Mapping): readonly Field[] {
  const filled = mapping.flatMap((field, column) =>
    field !== undefined && isTelling(field) && sheet.rows.some(({ cells }) => isGiven(cells[column])) ? [field] : [],
  );
  const title = titleField ?? fields.find(isText);
  const rank = (field: Field) =>
    field === key ? 0 : isUnique(field) ? 1 : field === title ? 2 : isText(field) ? 3 : 4;
  return filled.sort((one, other) => rank(one) - rank(other));
}

/** A list, json or a switch says nothing about which row it is. */
function isTelling(field: Field): boolean {
  return !isJson(field) && field.type.input !== 'switch' && field.role !== 'flag';
}

function isGiven(cell: unknown): boolean {
  return cell !== undefined && cell !== null && cell !== '';
}
