/** Reads the names of columns as people write them in a spreadsheet. */
import type { Field } from '../collection/declaration.ts';

/**
 * The field that a column heading means: `Product name`, `PRODUCT_NAME` and `productName` are `product_name`. Undefined
 * if no field, or more than one, matches.
 */
export function fieldFromHeader(fields: readonly Field[], text: string): Field | undefined {
  const exact = fields.find((field) => field.name === text);
  if (exact !== undefined) return exact;
  const letters = lettersOf(text);
  const matches = fields.filter((field) => lettersOf(field.name) === letters);
  return matches.length === 1 ? matches[0] : undefined;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
