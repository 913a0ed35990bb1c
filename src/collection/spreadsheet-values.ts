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

/** 12,50 and 1.299,00, and 1.234.567 with several thousands points. */
const WITH_COMMA = /^\s*[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+\s*$|^\s*[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}\s*$/;
const WITH_POINT = /^\s*[+-]?\d*\.\d+\s*$/;
const PERHAPS_THOUSANDS = /^\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*$/;

/** Writes a number with a decimal comma with a decimal point, and without thousands points. */
export function withPoint(cell: string): string {
  return cell.replaceAll('.', '').replace(',', '.');
}

export type DecimalMark = 'comma' | 'point' | 'unclear';

/** Which decimal mark a cell shows for its column: 1.299 may mean 1.299 or 1299, so it is unclear. */
export function decimalMark(field: Field | undefined, cell: unknown): DecimalMark | undefined {
  if (!isNumber(field, cell)) return undefined;
  if (WITH_COMMA.test(cell)) return 'comma';
  if (PERHAPS_THOUSANDS.test(cell)) return 'unclear';
  return WITH_POINT.test(cell) ? 'point' : undefined;
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
