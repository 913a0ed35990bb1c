/** Plans one row of a file: a new row, or changes to a stored row. */
import type { Field } from '../../../collection/declaration.ts';
import { fields, key, labelOf } from '../shared/api/collection.ts';
import { mayCreate, maySend } from '../shared/api/rights.ts';
import { type ParsedCell, stored } from './cells.ts';
import { assignsKeys } from './columns.ts';
import type { Change, Fault, ImportOptions, RowPlan, Values } from './row-outcome.ts';
import type { StoredRow } from './stored-rows.ts';

/** The cells of a row, parsed. */
export interface ParsedRow {
  readonly values: Values;
  /** Fields whose cell is empty. */
  readonly empty: ReadonlySet<Field>;
  readonly faults: Fault[];
}

export function newRow(read: ParsedRow, { match }: ImportOptions, values: Values): RowPlan {
  const given = [...values];
  const isGiven = new Set(given.map(([field]) => field));
  const missing = fields.filter(
    (field) =>
      field.required &&
      !isGiven.has(field) &&
      field.default === undefined &&
      field.generated === undefined &&
      !field.filled &&
      !(field === key && assignsKeys),
  );
  const nulls = given.filter(([field, value]) => value.json === null && field.required).map(([field]) => field);
  if (!mayCreate) return { kind: 'bad', faults: [...read.faults, missingRowFault(read, match)] };
  const faults = [...read.faults];
  const denied = given.filter(([field]) => !maySend(field, true)).map(([field]) => field);
  faults.push(
    ...denied.map((field) => ({ field: field.name, message: `You may not set ${labelOf(field)} of a new row.` })),
  );
  const known = new Set(faults.map(({ field }) => field));
  const told = missing.filter((field) => !known.has(field.name));
  const matchValue = match && read.values.get(match);
  const absent = told.filter((field) => !read.empty.has(field));
  if (absent.length > 0 && matchValue !== undefined && faults.length === 0) {
    // The file changes rows and names one that does not exist.
    const needs = absent.map(labelOf).join(', ');
    faults.push({
      field: match!.name,
      message: `No row has the ${labelOf(match!)} ${String(matchValue.json)}, and a new row needs ${needs}.`,
    });
  } else faults.push(...told.map((field) => ({ field: field.name, message: `${labelOf(field)} is missing.` })));
  faults.push(...nulls.map((field) => ({ field: field.name, message: `${labelOf(field)} cannot be empty.` })));
  if (faults.length > 0) return { kind: 'bad', faults };
  const empty = [...read.empty].filter(
    (field) => !field.required && field.default === undefined && maySend(field, true),
  );
  return {
    kind: 'new',
    row: Object.fromEntries([
      ...given.map(([field, { json }]) => [field.name, json]),
      ...empty.map((field) => [field.name, null]),
    ]),
  };
}

/** The fault of a new row in a role that may only change rows. */
function missingRowFault({ values }: ParsedRow, match: Field | undefined): Fault {
  const matchValue = match && values.get(match);
  if (matchValue === undefined) return { message: 'You may not create rows.' };
  const message = `No row has the ${labelOf(match!)} ${String(matchValue.json)}, and you may not create rows.`;
  return { field: match!.name, message };
}

export function changesOf(read: ParsedRow, row: StoredRow, { emptying }: ImportOptions): readonly Change[] {
  const changes: Change[] = [];
  const compare = (field: Field, after: ParsedCell) => {
    const before = stored(field, row[field.name]);
    if (field === key || before.same === after.same) return;
    if (maySend(field, false)) changes.push({ field, before, after });
    else read.faults.push({ field: field.name, message: `You may not change ${labelOf(field)}.` });
  };
  for (const [field, value] of read.values) {
    if (value.json === null && field.required) {
      read.faults.push({ field: field.name, message: `${labelOf(field)} cannot be empty.` });
    } else compare(field, value);
  }
  if (emptying) for (const field of read.empty) if (!field.required) compare(field, { json: null, same: 'null' });
  return changes;
}
