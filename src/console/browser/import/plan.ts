/** Plans the import of each row, and finds faults, before anything is sent. */
import type { Field } from '../../../collection/declaration.ts';
import { key, labelOf } from '../shared/collection.ts';
import { BadCell, type Entered, enter, stored } from './cells.ts';
import { isUnique, makesKeys, matchFields } from './columns.ts';
import type { Fate, Fault, Plan, Terms, Values } from './fate.ts';
import { changesOf, newRow, type Read } from './row-fates.ts';
import type { SheetRow } from './sheet.ts';
import type { StoredRow, StoredRows } from './stored-rows.ts';

export async function planImport(terms: Terms, storedRows: StoredRows): Promise<Plan> {
  const reads = terms.sheet.rows.map((row) => readRow(row, terms));
  markRepeated(reads, terms);
  const found = await findStored(reads, terms, storedRows);
  /** The line of the file that matched each stored row. */
  const spokenOf = new Map<string, number>();
  let existing = 0;
  let differing = 0;
  let emptied = 0;
  const fates = reads.map((read, at): Fate => {
    if (terms.sheet.rows[at]!.broken !== undefined) return bad(read);
    const rows = found[at]!;
    if (rows.length === 0) return newRow(read, terms, read.values);
    existing++;
    // An added row does not keep the key of the row that it duplicates.
    if (terms.decision === 'add') return newRow(read, terms, makesKeys ? without(read.values, key) : read.values);
    if (terms.decision === 'leave') {
      differing++;
      return { kind: 'left' };
    }
    if (rows.length > 1) return bad(read, { message: ambiguous(rows.length, terms) });
    const id = stored(key, rows[0]![key.name]);
    const earlier = spokenOf.get(id.same);
    if (earlier !== undefined) return bad(read, { message: `Row ${earlier} changes the same stored row.` });
    spokenOf.set(id.same, terms.sheet.rows[at]!.line);
    const changes = changesOf(read, rows[0]!, terms);
    emptied += [...read.empty].filter((field) => !field.required && isSomething(rows[0]![field.name])).length;
    if (changes.length > 0) differing++;
    if (read.faults.length > 0) return bad(read);
    if (changes.length === 0) return { kind: 'same' };
    return { kind: terms.decision === undefined ? 'exists' : 'change', id, changes };
  });
  return { fates, existing, differing, emptied };
}

function readRow({ cells, broken }: SheetRow, { sheet, mapping }: Terms): Read {
  const values = new Map<Field, Entered>();
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
function markRepeated(reads: readonly Read[], { sheet, mapping, decision }: Terms): void {
  for (const field of mapping) {
    if (field === undefined || !isUnique(field) || (decision === 'add' && field === key)) continue;
    const seen = new Map<string, number>();
    for (const [at, { values, faults }] of reads.entries()) {
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
  reads: readonly Read[],
  { sheet, mapping, match }: Terms,
  storedRows: StoredRows,
): Promise<readonly (readonly StoredRow[])[]> {
  if (match === undefined) return reads.map(() => []);
  const others = matchFields(sheet, mapping).filter((field) => field !== match);
  const ways = [match, ...others.filter(isUnique), ...others.filter((field) => !isUnique(field)).slice(0, 1)];
  const wayOf = ({ values }: Read) => ways.find((field) => (values.get(field)?.json ?? null) !== null);
  const found = new Map<Field, ReadonlyMap<string, readonly StoredRow[]>>();
  for (const way of ways) {
    const values = reads.filter((read) => wayOf(read) === way).map((read) => read.values.get(way)!);
    if (values.length > 0) found.set(way, await storedRows.find(way, values));
  }
  return reads.map((read) => {
    const way = wayOf(read);
    return (way && found.get(way)?.get(read.values.get(way)!.same)) ?? [];
  });
}

function isSomething(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function ambiguous(count: number, { match }: Terms): string {
  return `${count} stored rows have this ${match === undefined ? 'value' : labelOf(match)}: match by another column.`;
}

function bad(read: Read, ...more: readonly Fault[]): Fate {
  return { kind: 'bad', faults: [...read.faults, ...more] };
}

function without(values: Values, field: Field): Values {
  return new Map([...values].filter(([each]) => each !== field));
}
