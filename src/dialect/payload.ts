/**
 * The body of a write as rows of cells. All rows have the same columns: those of `columns=`, or the keys of the
 * objects, which must be equal.
 */

import { mapInSlices, type Task } from '../base/cooperative.ts';
import { attempt, FAIL, type Report } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import { isObject } from '../collection/exact-json.ts';
import type { Document } from '../encode/document.ts';

export interface Payload {
  readonly columns: readonly string[];
  /** Cells in column order; undefined if a row lacks one. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether the body is CSV, in which an empty cell means null. */
  readonly isTable?: boolean;
  /** The rows whose form was reported as an error. */
  readonly invalid?: ReadonlySet<number>;
}

type JsonObject = Readonly<Record<string, unknown>>;

export function* readPayload(
  document: Document,
  columns: readonly string[] | undefined,
  report: Report = FAIL,
): Task<Payload> {
  if (document.kind === 'table') return yield* tablePayload(document.header, document.rows, columns);
  const { value } = document;
  if (!Array.isArray(value) && !isObject(value)) {
    throw new ApiError('PGRST102', 'Empty or invalid json', { hint: 'Send a JSON object, or an array of objects.' });
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = columns ?? Object.keys(items.find(isObject) ?? {});
  const invalid = new Set<number>();
  const rows = yield* mapInSlices(items, (item, index) => {
    const object = attempt(report, () => objectAt(item, index));
    if (object === undefined) {
      invalid.add(index);
      return [];
    }
    const cells = names.map((name) => (Object.hasOwn(object, name) ? object[name] : undefined));
    if (columns !== undefined) return cells;
    if (cells.includes(undefined) || Object.keys(object).length !== names.length) {
      report(keysDiffer(index, object, names));
      invalid.add(index);
    }
    return cells;
  });
  return { columns: names, rows, invalid };
}

/** An object of a bulk update: it changes only the fields it contains. */
export interface NamedCells {
  readonly names: readonly string[];
  readonly cells: readonly unknown[];
}

/** The objects of a bulk update keep their own keys, unless `columns` or the header of a table names the fields. */
export function* readObjects(
  document: Document,
  columns: readonly string[] | undefined,
  report: Report = FAIL,
): Task<readonly (NamedCells | undefined)[]> {
  if (document.kind === 'table' || columns !== undefined) {
    const { rows, columns: names, invalid } = yield* readPayload(document, columns, report);
    return rows.map((cells, index) => (invalid?.has(index) === true ? undefined : { names, cells }));
  }
  const { value } = document;
  return yield* mapInSlices(Array.isArray(value) ? value : [value], (item, index) => {
    const object = attempt(report, () => objectAt(item, index));
    return object && { names: Object.keys(object), cells: Object.values(object) };
  });
}

/** Adds the value of the body that an error is about. */
export function withSentValue(error: unknown, document: Document | undefined, columns?: readonly string[]): unknown {
  if (!(error instanceof ApiError) || document === undefined) return error;
  if (error.errors !== undefined) {
    return error.with({ errors: error.errors.map((each) => withSentValue(each, document, columns) as ApiError) });
  }
  if (error.field === undefined) return error;
  const row = sentRow(document, error.index ?? 0) ?? {};
  const names = Object.hasOwn(row, error.field) ? [error.field] : error.field.split(',');
  const isSent = (name: string) => Object.hasOwn(row, name) && columns?.includes(name) !== false;
  if (!names.every(isSent)) return error;
  return error.with({ value: names.length === 1 ? row[names[0]!] : names.map((name) => row[name]) });
}

function sentRow(document: Document, index: number): JsonObject | undefined {
  if (document.kind === 'table') {
    const cells = document.rows[index];
    return cells && Object.fromEntries(document.header.map((name, place) => [name, cells[place]]));
  }
  const row = Array.isArray(document.value) ? document.value[index] : document.value;
  return isObject(row) ? row : undefined;
}

/** The last of two columns with the same name wins, as with keys of an object. */
function* tablePayload(
  header: readonly string[],
  rows: readonly (readonly unknown[])[],
  columns: readonly string[] = [...new Set(header)],
): Task<Payload> {
  const places = columns.map((name) => header.lastIndexOf(name));
  return { columns, rows: yield* mapInSlices(rows, (row) => places.map((place) => row[place])), isTable: true };
}

function objectAt(item: unknown, index: number): JsonObject {
  if (isObject(item)) return item;
  throw new ApiError('PGRST102', 'All object keys must match', {
    details: `row ${index + 1} is not an object`,
    index,
  });
}

function keysDiffer(index: number, object: JsonObject, names: readonly string[]): ApiError {
  const missing = names.find((name) => !Object.hasOwn(object, name));
  return new ApiError('PGRST102', 'All object keys must match', {
    index,
    field: missing ?? Object.keys(object).find((name) => !names.includes(name)),
    details: `row ${index + 1} has other keys than row 1`,
    hint: 'Give every object the same keys, or name the fields with the columns parameter.',
  });
}
