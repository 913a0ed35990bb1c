/**
 * Rows of a file become rows to store, one by one: as in an insert, but each row's mistake is its own, and names the
 * field. What a row does not give takes its default.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { type ErrorCode, Refusal } from '../errors.ts';
import { coerce } from './coerce.ts';
import type { StoredRow } from './types.ts';

/** What is wrong with one row. */
export class RowProblem extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly field: string | undefined,
    reason: string,
  ) {
    super(reason);
  }
}

/** A cell is undefined where nothing is given. */
export type RowPlanner = (cells: readonly unknown[]) => StoredRow;

/** `columns` are the fields that the cells belong to, in the order of the cells; undefined for a cell that is left out. */
export function rowPlanner(collection: Collection, columns: readonly (Field | undefined)[]): RowPlanner {
  const { fields, key } = collection;
  const places = fields.map((field) => columns.lastIndexOf(field));
  const absent = fields.map((field) => (field === key ? undefined : (field.default ?? null)));
  const required = fields.map((field) => field.required === true);
  return (cells) => {
    const row: (Value | undefined)[] = new Array(fields.length);
    for (let at = 0; at < fields.length; at++) {
      const place = places[at]!;
      const cell = place === -1 ? undefined : cells[place];
      const value = cell === undefined ? absent[at] : readCell(fields[at]!, cell);
      if (value === null && required[at]) throw new RowProblem('23502', fields[at]!.name, 'is required');
      row[at] = value;
    }
    return row;
  };
}

function readCell(field: Field, cell: unknown): Value {
  try {
    return coerce(field, cell);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new RowProblem(error.code, field.name, error.message);
  }
}
