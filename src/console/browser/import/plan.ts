/** Plans the import of each row, and finds faults, before anything is sent. */
import type { Field } from '../../../collection/declaration.ts';
import { key, labelOf } from '../shared/api/collection.ts';
import { BadCell, enter, type ParsedCell, stored } from './cells.ts';
import { assignsKeys, isUnique, matchFields } from './columns.ts';
import type { Fault, ImportOptions, Plan, RowPlan, Values } from './row-outcome.ts';
import { changesOf, newRow, type ParsedRow } from './row-outcomes.ts';
import type { SheetRow } from './sheet.ts';
import type { StoredRow, StoredRows } from './stored-rows.ts';

export async function planImport(options: ImportOptions, storedRows: StoredRows): Promise<Plan> {
  const parsedRows = options.sheet.rows.map((row) => readRow(row, options));
  markRepeated(parsedRows, options);
  const found = await findStored(parsedRows, options, storedRows);
  /** The line of the file that matched each stored row. */
  const matchedLines = new Map<string, number>();
  let existing = 0;
  let differing = 0;
  let emptied = 0;
  const rowPlans = parsedRows.map((read, at): RowPlan => {
    if (options.sheet.rows[at]!.broken !== undefined) return bad(read);
    const rows = found[at]!;
    if (rows.length === 0) return newRow(read, options, read.values);
    existing++;
    // An added row does not keep the key of the row that it duplicates.
    if (options.decision === 'add') return newRow(read, options, assignsKeys ? without(read.values, key) : read.values);
    if (options.decision === 'leave') {
      differing++;
      return { kind: 'left' };
    }
    if (rows.length > 1) return bad(read, { message: ambiguousMessage(rows.length, options) });
    const id = stored(key, rows[0]![key.name]);
    const earlier = matchedLines.get(id.same);
    if (earlier !== undefined) return bad(read, { message: `Row ${earlier} changes the same stored row.` });
    matchedLines.set(id.same, options.sheet.rows[at]!.line);
    const changes = changesOf(read, rows[0]!, options);
    emptied += [...read.empty].filter((field) => !field.required && isSomething(rows[0]![field.name])).length;
    if (changes.length > 0) differing++;
    if (read.faults.length > 0) return bad(read);
    if (changes.length === 0) return { kind: 'same' };
    return { kind: options.decision === undefined ? 'exists' : 'change', id, changes };
  });
  return { rowPlans, existing, differing, emptied };
}

function readRow({ cells, broken }: SheetRow, { sheet, mapping }: ImportOptions): ParsedRow {
  const values = new Map<Field, ParsedCell>();
  const empty = new Set<Field>();
  const faults: Fault[] = [];
  if (broken !== undefined) faults.push({ message: `The line ${broken.problem}.` });
  for (const [column, field] of mapping.entries()) {
    if (field === undefined || broken !== undefined) continue;
    try {
      const value = enter(field, cells[column], sheet);
      if (value !== undefined) values.set(field, value);
      // In JSON an absent field has no meaning; in a table every cell has one.
      else if (sheet.areTexts) empty.add(field);
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      faults.push({ field: field.name, message: error.message });
    }
  }
  return { values, empty, faults };
}

/** Marks rows that repeat a unique value of an earlier row. */
function markRepeated(parsedRows: readonly ParsedRow[], { sheet, mapping, decision }: ImportOptions): void {
  for (const field of mapping) {
    if (field === undefined || !isUnique(field) || (decision === 'add' && field === key)) continue;
    const seen = new Map<string, number>();
    for (const [at, { values, faults }] of parsedRows.entries()) {
      const value = values.get(field);
      if (value === undefined || value.json === null) continue;
      const earlier = seen.get(value.same);
      if (earlier === undefined) seen.set(value.same, at);
      else {
        const { line } = sheet.rows[earlier]!;
        faults.push({ field: field.name, message: `Row ${line} has the same ${labelOf(field)}.` });
      }
    }
  }
}

/**
 * Finds the stored row of each file row by the chosen field. A row without a value there is found by the next field
 * that identifies rows.
 */
async function findStored(
  parsedRows: readonly ParsedRow[],
  { sheet, mapping, match }: ImportOptions,
  storedRows: StoredRows,
): Promise<readonly (readonly StoredRow[])[]> {
  if (match === undefined) return parsedRows.map(() => []);
  const others = matchFields(sheet, mapping).filter((field) => field !== match);
  const ways = [match, ...others.filter(isUnique), ...others.filter((field) => !isUnique(field)).slice(0, 1)];
  const fieldFor = ({ values }: ParsedRow) => ways.find((field) => (values.get(field)?.json ?? null) !== null);
  const found = new Map<Field, ReadonlyMap<string, readonly StoredRow[]>>();
  for (const way of ways) {
    const values = parsedRows.filter((read) => fieldFor(read) === way).map((read) => read.values.get(way)!);
    if (values.length > 0) found.set(way, await storedRows.find(way, values));
  }
  return parsedRows.map((read) => {
    const way = fieldFor(read);
    return (way && found.get(way)?.get(read.values.get(way)!.same)) ?? [];
  });
}

function isSomething(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function ambiguousMessage(count: number, { match }: ImportOptions): string {
  return `${count} stored rows have this ${match === undefined ? 'value' : labelOf(match)}: match by another column.`;
}

function bad(read: ParsedRow, ...more: readonly Fault[]): RowPlan {
  return { kind: 'bad', faults: [...read.faults, ...more] };
}

function without(values: Values, field: Field): Values {
  return new Map([...values].filter(([each]) => each !== field));
}
