/** Parses operations of a PATCH: an object for a number or array field, such as `{"decrement": 2}`. */
import { ApiError } from '../../base/errors.ts';
import { fieldDenied } from '../../collection/access/permission-errors.ts';
import { type Collection, type Field, isKey, stored } from '../../collection/declaration.ts';
import { isObject, jsonText, WrittenNumber } from '../../collection/exact-json.ts';
import type { OperationName } from '../../collection/types/operations.ts';
import { can } from '../../collection/types/type.ts';
import { isHidden } from '../resolve.ts';
import type { SetResult } from '../write-plan.ts';
import { EarlierValue } from './earlier-value.ts';

/** PostgreSQL rounds to more decimals, but no stored number has more digits. */
export const MAX_ROUND = 18;

/** Undefined if the cell is a value. `collection` is the caller's view. */
export function readOperation(collection: Collection, field: Field, cell: unknown): SetResult | undefined {
  const { operations } = field.type;
  if (operations === undefined || !isOperationCell(cell)) return undefined;
  if (!takesOperations(collection, field)) {
    throw invalid(field, cell, 'a key or a reference takes a value, not an operation');
  }
  const { round: digits, ...rest } = cell;
  const round = digits instanceof WrittenNumber ? Number(String(digits)) : digits;
  const [[name, json] = [undefined, undefined], ...more] = Object.entries(rest);
  if (name === undefined || more.length > 0) throw invalid(field, cell, 'it must have exactly one operation');
  if (!operations.names.includes(name as OperationName)) throw invalid(field, cell, `${name} is not an operation`);
  const operation = name as OperationName;
  if (round !== undefined && !(canRound(field) && Number.isInteger(round) && Math.abs(round as number) <= MAX_ROUND)) {
    throw invalid(field, cell, `round is a whole number from -${MAX_ROUND} to ${MAX_ROUND}, for numbers only`);
  }
  const operand = operations.read(json);
  if (operand === undefined) throw invalid(field, cell, `${operation} takes ${operations.operandWords}`);
  if (operation === 'divide' && Number(operand) === 0) {
    throw new ApiError('22012', 'division by zero', { details: `${jsonText(cell)} divides by zero` });
  }
  // The result reveals the stored value.
  if (isHidden(collection, field.name)) throw fieldDenied(collection.name, field.name, 'read');
  return { field, operation, operand, ...(round === undefined ? {} : { round: round as number }) };
}

/** Whether a PATCH may contain an operation on the field. */
export function takesOperations(collection: Collection, field: Field): boolean {
  const into = stored(collection);
  const isReference = into.references.some((reference) => reference.field === field);
  return field.type.operations !== undefined && !isKey(into, field) && !isReference;
}

export function hasOperation(
  { byName }: Collection,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): boolean {
  const places = [...columns.keys()].filter((at) => byName.get(columns[at]!)?.type.operations !== undefined);
  return rows.some((cells) => places.some((at) => isOperationCell(cells[at])));
}

function canRound({ type }: Field): boolean {
  return can(type, 'number');
}

/** A value of an earlier request is no operation. */
function isOperationCell(cell: unknown): cell is Record<string, unknown> {
  return isObject(cell) && !(cell instanceof EarlierValue);
}

function invalid(field: Field, cell: unknown, reason: string): ApiError {
  const { names, operandWords } = field.type.operations!;
  const rounding = canRound(field) ? '; "round" sets the decimals of the result' : '';
  return new ApiError('22P02', `${field.name}: ${jsonText(cell)} is not an operation`, {
    details: reason,
    hint: `Send a value, or an object with one of ${names.join(', ')} and ${operandWords}${rounding}.`,
  });
}
