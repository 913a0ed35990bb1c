/**
 * Plans a row to store from the cells of a body or a file: every field in the order of the collection, parsed by its
 * type. An error concerns one row and names the field.
 */

import { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { evaluate } from '../../collection/expression/evaluate.ts';
import type { Value } from '../../collection/value.ts';
import { isNullIfEmpty } from '../../import/cells.ts';
import { planCell, readCell } from '../coerce.ts';
import { checkRules } from '../field-rules.ts';
import type { StoredRow } from '../types.ts';
import { EarlierValue } from './earlier-value.ts';

/** An error in a row, with its field. */
export class RowProblem extends Error {
  constructor(
    readonly field: Field,
    readonly apiError: ApiError,
    /** A short form that follows the name of the field. */
    reason = apiError.message,
  ) {
    super(reason);
  }
}

/** An empty cell is undefined. */
export type RowPlanner = (cells: readonly unknown[]) => StoredRow;

/** The meaning of an empty cell: null, as in PostgREST; the default; or null unless the field is required. */
export type MissingValue = 'null' | 'default' | 'no value';

export interface RowOptions {
  readonly absence?: MissingValue;
  /** Whether cells are text forms, including json. */
  readonly areTexts?: boolean;
  /** Whether all rows change stored ones: then fields without a column need no value. */
  readonly isUpdate?: boolean;
  /** Whether rows may change stored ones: then fields that every update sets get the current time. */
  readonly hasUpdates?: boolean;
  /** Fields that need a value although they are not required. */
  readonly needed?: readonly Field[];
  /** Whether an empty cell leaves the field of a stored row as it is. An update then needs no value for it. */
  readonly keepsEmpty?: boolean;
}

/** Whether a row only changes a stored row, and leaves this field as it is. */
function isKept({ isUpdate, keepsEmpty, needed = [] }: RowOptions, field: Field, cell: unknown): boolean {
  return isUpdate === true && keepsEmpty === true && cell === undefined && !needed.includes(field);
}

/**
 * `columns` are the fields of the cells, in order; undefined for a cell to ignore. A field without a column takes its
 * default.
 */
export function rowPlanner(
  collection: Collection,
  columns: readonly (Field | undefined)[],
  options: RowOptions = {},
): RowPlanner {
  const { absence = 'default', areTexts = false, needed = [] } = options;
  const { fields } = collection;
  const read = areTexts ? readCell : planCell;
  const places = fields.map((field) => columns.lastIndexOf(field));
  const absentValue = missingValues(collection, options.hasUpdates);
  const written = [...fields.keys()].filter((at) => options.isUpdate !== true || places[at] !== -1);
  const required = written.filter((at) => fields[at]!.required || needed.includes(fields[at]!));
  const ruled = written.filter((at) => Object.keys(fields[at]!.rules).length > 0);
  const compute = computation(collection, options);
  return (cells) => {
    const row: (Value | undefined)[] = new Array(fields.length);
    let at = 0;
    try {
      for (; at < fields.length; at++) {
        const place = places[at]!;
        const field = fields[at]!;
        if (place === -1) row[at] = absentValue(field, 'default');
        else row[at] = cells[place] === undefined ? absentValue(field, absence) : read(field, cells[place]);
      }
    } catch (error) {
      throw error instanceof ApiError ? new RowProblem(fields[at]!, error) : error;
    }
    compute(row);
    // PostgreSQL also parses all values before it checks for nulls.
    for (const place of required) {
      const field = fields[place]!;
      if (!isMissing(field, row[place], needed) || isKept(options, field, cells[places[place]!])) continue;
      throw new RowProblem(field, nullViolation(collection, field), 'is required');
    }
    for (const place of ruled) checkRule(collection, fields[place]!, row[place]);
    return row;
  };
}

/**
 * Sets the computed fields of a new row, so that checks see them. Fields that depend on other rows, or on an earlier
 * request, stay undefined.
 */
function computation(
  { fields }: Collection,
  { isUpdate, keepsEmpty }: RowOptions,
): (row: (Value | undefined)[]) => void {
  if (isUpdate === true || keepsEmpty === true || !fields.some(({ computed }) => computed)) return () => {};
  const places = new Map(fields.map(({ name }, at) => [name, at]));
  return (row) => {
    for (const [at, field] of fields.entries()) {
      if (field.computed === undefined) continue;
      const { expression, uses } = field.computed;
      const stored = (name: string) => row[places.get(name)!];
      if (uses.some((name) => isUnknown(stored(name)))) continue;
      try {
        row[at] = evaluate(expression, field.type, (name) => stored(name)!);
      } catch (error) {
        throw error instanceof ApiError ? new RowProblem(field, error) : error;
      }
    }
  };
}

function isUnknown(value: unknown): boolean {
  return value === undefined || value instanceof EarlierValue;
}

/** A row with all its problems, at most one per field. Invalid values are null. */
export interface CheckedRow {
  readonly row: StoredRow;
  readonly problems: readonly RowProblem[];
}

export function rowProblems(...terms: Parameters<typeof rowPlanner>) {
  const check = rowChecker(...terms);
  return (cells: readonly unknown[]): readonly RowProblem[] => check(cells).problems;
}

export function rowChecker(...[collection, columns, options]: Parameters<typeof rowPlanner>) {
  const { fields } = collection;
  const read = options?.areTexts ? readCell : planCell;
  const absentValue = missingValues(collection, options?.hasUpdates);
  const valueIn = (field: Field, cells: readonly unknown[]) => {
    const place = columns.lastIndexOf(field);
    if (place === -1) return absentValue(field, 'default');
    return cells[place] === undefined ? absentValue(field, options?.absence ?? 'default') : read(field, cells[place]);
  };
  const checked = (field: Field, cells: readonly unknown[]): Value | undefined | RowProblem => {
    try {
      const value = valueIn(field, cells);
      if (options?.isUpdate && !columns.includes(field)) return undefined;
      const isKeptField = isKept(options ?? {}, field, cells[columns.lastIndexOf(field)]);
      if (isMissing(field, value, options?.needed) && !isKeptField)
        return new RowProblem(field, nullViolation(collection, field), 'is required');
      checkRule(collection, field, value);
      return value;
    } catch (error) {
      if (error instanceof RowProblem) return error;
      if (error instanceof ApiError) return new RowProblem(field, error);
      throw error;
    }
  };
  return (cells: readonly unknown[]): CheckedRow => {
    const values = fields.map((field) => checked(field, cells));
    const isProblem = (value: unknown): value is RowProblem => value instanceof RowProblem;
    return { row: values.map((value) => (isProblem(value) ? null : value)), problems: values.filter(isProblem) };
  };
}

/** A key that is to be assigned is undefined. It is missing if it is needed. */
function isMissing(field: Field, value: Value | undefined, needed: readonly Field[] = []): boolean {
  return needed.includes(field) ? (value ?? null) === null : value === null && field.required;
}

function checkRule(collection: Collection, field: Field, value: Value | undefined): void {
  try {
    checkRules(collection, field, value);
  } catch (error) {
    throw error instanceof ApiError ? new RowProblem(field, error, error.details ?? error.message) : error;
  }
}

/** The values of fields without a cell; undefined for a key that the database assigns. */
export function missingValues(
  collection: Collection,
  hasUpdates = false,
): (field: Field, absence: MissingValue) => Value | undefined {
  const byDefault = defaults(collection, hasUpdates);
  return (field, absence) => {
    const isNull = absence === 'null' || (absence === 'no value' && isNullIfEmpty(collection, field));
    return isNull && field.copies === undefined ? null : byDefault(field);
  };
}

/** All rows of a request get the same time. */
function defaults({ assigned }: Collection, hasUpdates: boolean): (field: Field) => Value | undefined {
  const times = new Map<Field, Value>();
  return (field) => {
    const isStamp = hasUpdates && field.onUpdate !== undefined;
    if (field === assigned || (field.filled && !isStamp)) return undefined;
    if (field.generated === 'now' || isStamp) {
      const time = times.get(field) ?? generate(field, 'now');
      times.set(field, time);
      return time;
    }
    return field.generated === undefined ? (field.default ?? null) : generate(field, field.generated);
  };
}

export function generate({ type }: Field, what: 'now' | 'uuid'): Value {
  return type.generated?.[what]?.() ?? null;
}

export function nullViolation(collection: Collection, field: Pick<Field, 'name'>): ApiError {
  const message = `null value in column "${field.name}" of relation "${collection.name}" violates not-null constraint`;
  return new ApiError('23502', message, { details: `${field.name} is required`, field: field.name });
}
