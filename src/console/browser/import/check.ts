/**
 * What is wrong with a table, cell by cell, before anything is stored. The field types' own rules find every bad cell
 * at once; then the service has the last word in a dry run, which stores nothing (`Prefer: tx=rollback`).
 */
import { coerce } from '../../../plan/coerce.ts';
import { parts, quoted } from '../shared/api.ts';
import { fieldNamed, fields, type Id, key, listPath } from '../shared/collection.ts';
import { ask, messageOf, problemOf } from '../shared/http.ts';
import type { Table } from './read-file.ts';
import { type Mode, sendRows } from './send.ts';

export interface Fault {
  /** From 0; the row in the file, without its header. */
  readonly row: number;
  /** Absent where the row as a whole is refused. */
  readonly column?: string;
  readonly message: string;
}

export interface Checked {
  readonly unknownColumns: readonly string[];
  readonly faults: readonly Fault[];
}

export const ROWS_PER_REQUEST = 1_000;
/** How often a part is tried again without the row that was refused; what is left then is reported as one. */
const MAX_TRIES = 40;

export async function checkTable(table: Table, mode: Mode, progress: (done: number) => void): Promise<Checked> {
  const unknownColumns = table.columns.filter((name) => fieldNamed(name) === undefined);
  const faults = [...table.rows.flatMap(faultsOfRow), ...repeatedKeys(table)];
  const bad = new Set(faults.map(({ row }) => row));
  for (let start = 0; start < table.rows.length; start += ROWS_PER_REQUEST) {
    const places = range(start, Math.min(start + ROWS_PER_REQUEST, table.rows.length)).filter((row) => !bad.has(row));
    if (mode === 'refuse') {
      const present = await presentKeys(table, places);
      for (const fault of present) bad.add(fault.row);
      faults.push(...present);
    }
    faults.push(
      ...(await dryRun(
        table,
        places.filter((row) => !bad.has(row)),
        mode,
      )),
    );
    progress(Math.min(start + ROWS_PER_REQUEST, table.rows.length));
  }
  return { unknownColumns, faults: faults.sort((one, other) => one.row - other.row) };
}

function faultsOfRow(cells: Table['rows'][number], row: number): Fault[] {
  return fields.flatMap((field): Fault[] => {
    const cell = cells[field.name];
    if (cell === undefined || cell === null) {
      const isMissing = field.required && (cell === null || (field.default === undefined && field !== key));
      return isMissing ? [{ row, column: field.name, message: `${field.name} is required` }] : [];
    }
    try {
      coerce(field, cell);
      return [];
    } catch (error) {
      return [{ row, column: field.name, message: messageOf(error) }];
    }
  });
}

function repeatedKeys({ rows }: Table): Fault[] {
  const seen = new Map<string, number>();
  return rows.flatMap((cells, row): Fault[] => {
    const value = cells[key.name];
    if (value === undefined || value === null) return [];
    const earlier = seen.get(String(value));
    if (earlier === undefined) seen.set(String(value), row);
    else return [{ row, column: key.name, message: `row ${earlier + 1} has the ${key.name} ${value} too` }];
    return [];
  });
}

async function presentKeys({ rows }: Table, places: readonly number[]): Promise<Fault[]> {
  const keyed = places.filter((row) => rows[row]![key.name] !== undefined);
  const present = new Set<string>();
  for (const some of parts(keyed)) {
    const list = some.map((row) => quoted(rows[row]![key.name] as Id)).join(',');
    const found = await ask(`${listPath}?select=${key.name}&${key.name}=in.(${list})`);
    for (const row of found.json as Record<string, unknown>[]) present.add(String(row[key.name]));
  }
  return keyed
    .filter((row) => present.has(String(rows[row]![key.name])))
    .map((row) => ({ row, column: key.name, message: `a row with the ${key.name} ${rows[row]![key.name]} exists` }));
}

/** The service names the first thing it refuses: that row is left out, and the others are tried again. */
async function dryRun(table: Table, places: readonly number[], mode: Mode): Promise<Fault[]> {
  const faults: Fault[] = [];
  let left = places;
  for (let tries = 0; left.length > 0; tries++) {
    try {
      await sendRows(
        left.map((row) => table.rows[row]!),
        mode,
        { dryRun: true },
      );
      return faults;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      const place = placeIn(problem.details ?? '', left);
      if (place === undefined || tries === MAX_TRIES) {
        return [...faults, ...left.map((row) => ({ row, message: messageOf(error) }))];
      }
      faults.push({ ...place, message: problem.message });
      left = left.filter((row) => row !== place.row);
    }
  }
  return faults;
}

const PLACE = /^(?:row (\d+), )?field (\w+):/;

/** `row 3, field unit_price: …`; a body of a single row needs no number. */
function placeIn(details: string, sent: readonly number[]): { row: number; column: string } | undefined {
  const match = PLACE.exec(details);
  if (match === null) return undefined;
  const row = sent[Number(match[1] ?? 1) - 1];
  return row === undefined ? undefined : { row, column: match[2]! };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
