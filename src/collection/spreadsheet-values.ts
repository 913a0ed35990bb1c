/** Reads names and numbers as people write them in a spreadsheet. */
import type { Field } from './declaration.ts';
import { can } from './types/type.ts';

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

const WITH_COMMA = /^\s*[+-]?\d+,\d+\s*$/;
const PERHAPS_THOUSANDS = /^\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*$/;

/** Replaces a decimal comma by a point. A cell that also has a point is left alone: it may be a thousands separator. */
export function withPoint(field: Field | undefined, cell: unknown): unknown {
  return isNumber(field, cell) && WITH_COMMA.test(cell) ? cell.replace(',', '.') : cell;
}

export type DecimalMark = 'comma' | 'perhaps thousands';

/** Which decimal mark a cell proves for its column: 1.299 may mean 1.299 or 1299, so it proves nothing. */
export function decimalMark(field: Field | undefined, cell: unknown): DecimalMark | undefined {
  if (!isNumber(field, cell)) return undefined;
  if (WITH_COMMA.test(cell)) return 'comma';
  return PERHAPS_THOUSANDS.test(cell) ? 'perhaps thousands' : undefined;
}

function isNumber(field: Field | undefined, cell: unknown): cell is string {
  return field !== undefined && typeof cell === 'string' && can(field.type, 'number');
}

const YES = /^\s*(?:yes|y|true|on)\s*$/i;
const NO = /^\s*(?:no|n|false|off)\s*$/i;

/** Whether a number field means yes or no. */
export function isFlag(field: Field | undefined): boolean {
  return field?.role === 'flag' && can(field.type, 'number');
}

/** For flag fields: Yes is 1, No is 0. */
export function readFlag(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  return YES.test(cell) ? '1' : NO.test(cell) ? '0' : cell;
}
