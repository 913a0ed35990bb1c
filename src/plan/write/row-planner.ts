/**
 * Plans a row to store from the cells of a body or a file: every field in the order of the collection, parsed by its
 * type. An error concerns one row and names the field.
 */

import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { evaluate } from '../../collection/expression/evaluate.ts';
import type { Value } from '../../collection/value.ts';
import { isNullIfEmpty } from '../../import/cells.ts';
import { checkRules, planCell, readCell } from '../coerce.ts';
import type { StoredRow } from '../write-plan.ts';
import { EarlierValue } from './earlier-value.ts';

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

/** Receives the problems of a row. By default, the first one is thrown. */
type ReportProblem = (problem: RowProblem) => void;

/** An empty cell is undefined. If `report` does not throw, values with problems are null; a field has one at most. */
type RowPlanner = (cells: readonly unknown[], report?: ReportProblem) => StoredRow;

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
  /** The caller, as the author of new rows. */
  readonly author?: string | undefined;
  /** Whether an empty cell leaves the field of a stored row as it is. An update then needs no value for it. */
  readonly keepsEmpty?: boolean;
}

const hasRules = memoize(({ rules }: Field) => Object.keys(rules).length > 0);

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
  const absentValue = missingValues(collection, options);
  const written = [...fields.keys()].filter((at) => options.isUpdate !== true || places[at] !== -1);
  const required = written.filter((at) => fields[at]!.required || needed.includes(fields[at]!));
  const ruled = written.filter((at) => hasRules(fields[at]!));
  const compute = computation(collection, options);
  return (cells, report = fail) => {
    const row: (Value | undefined)[] = new Array(fields.length);
    let problems: Map<number, RowProblem> | undefined;
    const reject = (at: number, error: unknown, words?: string) => {
      if (!(error instanceof ApiError)) throw error;
      problems ??= new Map();
      problems.set(at, new RowProblem(fields[at]!, error, words));
    };
    for (let at = 0; at < fields.length; at++) {
      try {
        for (; at < fields.length; at++) {
          const place = places[at]!;
          const field = fields[at]!;
          if (place === -1) row[at] = absentValue(field, 'default');
          else row[at] = cells[place] === undefined ? absentValue(field, absence) : read(field, cells[place]);
        }
      } catch (error) {
        reject(at, error);
      }
    }
    if (problems === undefined) compute(row, reject);
    // PostgreSQL also parses all values before it checks for nulls.
    for (const at of required) {
      const field = fields[at]!;
      if (problems?.has(at) || !isMissing(field, row[at], needed) || isKept(options, field, cells[places[at]!]))
        continue;
      reject(at, nullViolation(collection, field), 'is required');
    }
    for (const at of ruled) {
      if (problems?.has(at)) continue;
      try {
        checkRules(collection, fields[at]!, row[at]);
      } catch (error) {
        reject(at, error, (error as ApiError).details ?? undefined);
      }
    }
    if (problems !== undefined) reportAll(problems, row, report);
    return row;
  };
}

function fail(problem: RowProblem): never {
  throw problem;
}

/** The first problem comes first. The others follow in the order of the fields. */
function reportAll(problems: ReadonlyMap<number, RowProblem>, row: (Value | undefined)[], report: ReportProblem): void {
  const [first, ...others] = problems.keys();
  for (const at of problems.keys()) row[at] = null;
  for (const at of [first!, ...others.sort((one, other) => one - other)]) report(problems.get(at)!);
}

/**
 * Sets the computed fields of a new row, so that checks see them. Fields that depend on other rows, or on an earlier
 * request, stay undefined.
 */
export function computation(
  { fields }: Collection,
  { isUpdate, keepsEmpty }: Pick<RowOptions, 'isUpdate' | 'keepsEmpty'> = {},
): (row: (Value | undefined)[], reject: (at: number, error: unknown) => void) => void {
  if (isUpdate === true || keepsEmpty === true || !fields.some(({ computed }) => computed)) return () => {};
  const places = new Map(fields.map(({ name }, at) => [name, at]));
  return (row, reject) => {
    for (const [at, field] of fields.entries()) {
      if (field.computed === undefined) continue;
      const { expression, uses } = field.computed;
      const stored = (name: string) => row[places.get(name)!];
      if (uses.some((name) => isUnknown(stored(name)))) continue;
      try {
        row[at] = evaluate(expression, field.type, (name) => stored(name)!);
      } catch (error) {
        reject(at, error);
      }
    }
  };
}

function isUnknown(value: unknown): boolean {
  return value === undefined || value instanceof EarlierValue;
}

/** A key that is to be assigned is undefined. It is missing if it is needed. */
function isMissing(field: Field, value: Value | undefined, needed: readonly Field[] = []): boolean {
  return needed.includes(field) ? (value ?? null) === null : value === null && field.required;
}

/** The values of fields without a cell; undefined for a key that the database assigns. */
export function missingValues(
  collection: Collection,
  options: Pick<RowOptions, 'hasUpdates' | 'author'> = {},
): (field: Field, absence: MissingValue) => Value | undefined {
  const byDefault = defaults(collection, options);
  return (field, absence) => {
    const isNull = absence === 'null' || (absence === 'no value' && isNullIfEmpty(collection, field));
    return isNull && field.copies === undefined ? null : byDefault(field);
  };
}

/** All rows of a request get the same time. */
function defaults(
  { assigned }: Collection,
  { hasUpdates = false, author }: Pick<RowOptions, 'hasUpdates' | 'author'>,
): (field: Field) => Value | undefined {
  const times = new Map<Field, Value>();
  return (field) => {
    if (field.isAuthor === true) return author ?? null;
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
