/**
 * Turns the cells of a body into rows to store, with every field in collection order. A cell of a PATCH may be an
 * operation on a number or an array, such as `{"decrement": 2}`.
 */
import { mapInSlices, type Task } from '../../base/cooperative.ts';
import { attempt, FAIL, type Report } from '../../base/error-list.ts';
import { ApiError, onError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import { fieldDenied } from '../../collection/access/permission-errors.ts';
import { type Collection, type Field, isKey, stored } from '../../collection/declaration.ts';
import { isObject, jsonText, WrittenNumber } from '../../collection/exact-json.ts';
import type { OperationName } from '../../collection/types/operations.ts';
import { can } from '../../collection/types/type.ts';
import type { Payload } from '../../dialect/payload.ts';
import { withLocation } from '../coerce.ts';
import { isHidden, nearestHint } from '../resolve.ts';
import type { SetResult, StoredRow } from '../write-plan.ts';
import { EarlierValue } from './earlier-value.ts';
import { type MissingValue, type RowOptions, rowPlanner } from './row-planner.ts';

/**
 * The fields of these names, which `right` uses; `seen` is the caller's view. If `report` does not throw, the fields
 * that cannot be written are undefined.
 */
export function checkColumns(
  seen: Collection,
  right: 'create' | 'update',
  names: readonly string[],
  report: Report,
): (Field | undefined)[] {
  const collection = writable(seen, right);
  return names.map((name) => attempt(report, () => resolveColumn(collection, right, name)));
}

/** The same. Throws for a field that cannot be written. */
export function resolveColumns(seen: Collection, right: 'create' | 'update', names: readonly string[]): Field[] {
  return checkColumns(seen, right, names, FAIL) as Field[];
}

function resolveColumn(collection: Collection, right: 'create' | 'update', name: string): Field {
  const field = collection.byName.get(name);
  if (field?.readOnly === true) throw unwritable(field, right);
  if (field !== undefined) return field;
  if (isHidden(collection, name)) throw fieldDenied(collection.name, name, right);
  throw new ApiError('PGRST204', say`Could not find the '${name}' column of '${collection.name}' in the schema cache`, {
    hint: separatorHint(collection, name) ?? nearestHint(collection, name),
    field: name,
  });
}

/** Adds the row of the body to the errors of some work. */
export function atRow<T>(index: number, work: () => T): T {
  return onError(ApiError, work, (error) => {
    throw error.with({ index });
  });
}

/** Recognizes a CSV header with another separator, which arrives as one long name. */
function separatorHint({ byName }: Collection, name: string): string | undefined {
  const isLine = [';', '\t', '|'].some((sign) => name.includes(sign) && byName.has(name.split(sign, 1)[0]!.trim()));
  return isLine ? 'In a body of CSV, commas stand between the names and between the values.' : undefined;
}

/** The view with the fields that the caller may insert or update. */
function writable(collection: Collection, right: 'create' | 'update'): Collection {
  const { view } = collection;
  return (right === 'create' ? view?.creates : view?.updates) ?? collection;
}

/** PostgreSQL's error for a computed column. */
function unwritable({ name, computed }: Field, right: 'create' | 'update'): ApiError {
  const message =
    right === 'create'
      ? say`cannot insert a non-DEFAULT value into column "${name}"`
      : say`column "${name}" can only be updated to DEFAULT`;
  return new ApiError('428C9', message, {
    details:
      computed === undefined
        ? say`${name} can be read, and not written; nothing was changed.`
        : say`${name} is computed, so leave it out; nothing was changed.`,
    field: name,
  });
}

/** The meaning of a missing cell. In CSV, an empty cell is always meant as written. */
export function absenceIn({ isTable }: Pick<Payload, 'isTable'>, defaultMissing: boolean): MissingValue {
  if (isTable === true) return 'no value';
  return defaultMissing ? 'default' : 'null';
}

/** Complete rows in field order. If `report` does not throw, invalid values are null. */
export function* planRows(
  collection: Collection,
  columns: readonly (Field | undefined)[],
  payload: Pick<Payload, 'rows' | 'isTable' | 'invalid'>,
  { defaultMissing, ...options }: { readonly defaultMissing: boolean } & Pick<RowOptions, 'hasUpdates' | 'author'>,
  report: Report,
): Task<readonly StoredRow[]> {
  const { rows, invalid } = payload;
  const plan = rowPlanner(collection, columns, { absence: absenceIn(payload, defaultMissing), ...options });
  return yield* mapInSlices(rows, (cells, index) =>
    plan(cells, ({ apiError, field }) => {
      if (invalid?.has(index) !== true) report(withLocation(apiError, index, field, rows.length > 1));
    }),
  );
}

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
