/** Names and numbers as people write them in a table. */
import type { Field } from './declaration.ts';
import { can } from './types/type.ts';

/** `Product name`, `PRODUCT_NAME` and `productName` are `product_name`. Undefined where no field is meant, or more than one. */
export function fieldAsWritten(fields: readonly Field[], text: string): Field | undefined {
  const exact = fields.find((field) => field.name === text);
  if (exact !== undefined) return exact;
  const letters = lettersOf(text);
  const meant = fields.filter((field) => lettersOf(field.name) === letters);
  return meant.length === 1 ? meant[0] : undefined;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

const WITH_COMMA = /^\s*[+-]?\d+,\d+\s*$/;
const PERHAPS_THOUSANDS = /^\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*$/;

/** A number as most of Europe writes it; a point for thousands beside the comma is not guessed at. */
export function withPoint(field: Field | undefined, cell: unknown): unknown {
  return isNumber(field, cell) && WITH_COMMA.test(cell) ? cell.replace(',', '.') : cell;
}

export type DecimalMark = 'comma' | 'perhaps thousands';

/** What a number says of how others in its column are to be read: 1.299 may be a bit more than one, or than a thousand. */
export function decimalMark(field: Field | undefined, cell: unknown): DecimalMark | undefined {
  if (!isNumber(field, cell)) return undefined;
  if (WITH_COMMA.test(cell)) return 'comma';
  return PERHAPS_THOUSANDS.test(cell) ? 'perhaps thousands' : undefined;
}

function isNumber(field: Field | undefined, cell: unknown): cell is string {
  return field !== undefined && typeof cell === 'string' && can(field.type, 'number');
}

export interface WrittenIn {
  /** Whether 12,500 is twelve and a half: where commas divide the cells, it is twelve thousand to many. */
  readonly hasDecimalCommas: boolean;
}

const THOUSANDS = /,\d{3}\s*$/;
const YES = /^\s*(?:yes|y|true|on)\s*$/i;
const NO = /^\s*(?:no|n|false|off)\s*$/i;

/** Whether it is a number that stands for yes or no. */
export function isFlag(field: Field | undefined): boolean {
  return field?.role === 'flag' && can(field.type, 'number');
}

/** Of a field that is a flag: Yes is 1, No is 0. */
export function flagAsWritten(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  return YES.test(cell) ? '1' : NO.test(cell) ? '0' : cell;
}

/** A cell as its type reads it: a comma that can only be a decimal one is a point, Yes is 1 where a number is a flag. */
export function valueAsWritten(field: Field, cell: unknown, { hasDecimalCommas }: WrittenIn): unknown {
  const ownFlag = isFlag(field);
  if (typeof cell === 'boolean') return ownFlag ? Number(cell) : cell;
  if (typeof cell !== 'string' || can(field.type, 'text')) return cell;
  const text = String(ownFlag ? flagAsWritten(cell) : cell).trim();
  return hasDecimalCommas || !THOUSANDS.test(text) ? withPoint(field, text) : text;
}
