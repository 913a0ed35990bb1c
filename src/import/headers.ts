/** Reads the names of columns as people write them in a spreadsheet. */
import type { Field } from '../collection/declaration.ts';

/** The label of a field: `unit_cost` is Unit cost, `group_id` is Group. */
export function labelOf({ name, title }: Pick<Field, 'name' | 'title'>): string {
  if (title !== undefined) return title;
  return name === 'id' ? 'ID' : capitalized(name.replace(/_id$/, '').replaceAll('_', ' '));
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The field that a column heading means: `Product name`, `PRODUCT_NAME` and `productName` are `product_name`. Undefined
 * if no field, or more than one, matches.
 */
export function fieldFromHeader(fields: readonly Field[], text: string): Field | undefined {
  return fields.find((field) => field.name === text) ?? fieldWith(fields, text, ({ name }) => name);
}

/** The field of each column, by its name. A field that no column names is also found by its label. */
export function matchColumns(fields: readonly Field[], columns: readonly string[]): readonly (Field | undefined)[] {
  const named = columns.map((column) => fieldFromHeader(fields, column));
  const others = fields.filter((field) => !named.includes(field));
  return columns.map((column, at) => named[at] ?? fieldWith(others, column, labelOf));
}

function fieldWith(fields: readonly Field[], text: string, nameOf: (field: Field) => string): Field | undefined {
  const letters = lettersOf(text);
  const matches = fields.filter((field) => lettersOf(nameOf(field)) === letters);
  return matches.length === 1 && letters !== '' ? matches[0] : undefined;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
