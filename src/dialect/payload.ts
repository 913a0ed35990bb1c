/**
 * The body of a write as rows of cells. All rows have the same columns: those of `columns=`, or the keys of the
 * objects, which must be equal.
 */

import { mapInSlices, type Task } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import { WrittenNumber } from '../collection/exact-json.ts';
import type { Document } from '../encode/document.ts';

export interface Payload {
  readonly columns: readonly string[];
  /** Cells in column order; undefined if a row lacks one. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether the client sent a list, even of one. */
  readonly isList: boolean;
  /** Whether the body is CSV, in which an empty cell means null. */
  readonly isTable?: boolean;
}

export function* readPayload(document: Document, columns: readonly string[] | undefined): Task<Payload> {
  if (document.kind === 'table') return yield* tablePayload(document.header, document.rows, columns);
  const { value } = document;
  const isList = Array.isArray(value);
  const objects: readonly unknown[] = isList ? value : [value];
  if (!isList && !isObject(value)) {
    throw new ApiError('PGRST102', 'Empty or invalid json', { hint: 'Send a JSON object, or an array of objects.' });
  }
  if (columns === undefined) return { ...(yield* sameKeys(objects)), isList };
  const rows = yield* mapInSlices(objects, (object, index) => {
    if (!isObject(object)) throw noObject(index);
    return columns.map((name) => (Object.hasOwn(object, name) ? object[name] : undefined));
  });
  return { columns, rows, isList };
}

/** The objects of a bulk update keep their own keys: each changes only the fields it contains. */
export function readObjects(document: Document): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (document.kind !== 'json' || !Array.isArray(document.value)) return undefined;
  return document.value.map((object, index) => {
    if (!isObject(object)) throw noObject(index);
    return object;
  });
}

function* sameKeys(objects: readonly unknown[]): Task<Pick<Payload, 'columns' | 'rows'>> {
  if (objects.length === 0) return { columns: [], rows: [] };
  const first = objects[0];
  if (!isObject(first)) throw noObject(0);
  const columns = Object.keys(first);
  const rows = yield* mapInSlices(objects, (object, index) => {
    if (!isObject(object)) throw noObject(index);
    const cells = columns.map((name) => object[name]);
    if (cells.includes(undefined) || Object.keys(object).length !== columns.length) throw keysDiffer(index);
    return cells;
  });
  return { columns, rows };
}

/** The last of two columns with the same name wins, as with keys of an object. */
function* tablePayload(
  header: readonly string[],
  rows: readonly (readonly unknown[])[],
  columns: readonly string[] | undefined,
): Task<Payload> {
  const table = { isList: true, isTable: true };
  const named = columns ?? [...new Set(header)];
  if (columns === undefined && named.length === header.length) return { columns: header, rows, ...table };
  const places = named.map((name) => header.lastIndexOf(name));
  return { columns: named, rows: yield* mapInSlices(rows, (row) => places.map((place) => row[place])), ...table };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
}

function noObject(index: number): ApiError {
  return new ApiError('PGRST102', 'All object keys must match', { details: `row ${index + 1} is not an object` });
}

function keysDiffer(index: number): ApiError {
  return new ApiError('PGRST102', 'All object keys must match', {
    details: `row ${index + 1} has other keys than row 1`,
    hint: 'Give every object the same keys, or name the fields with the columns parameter.',
  });
}
