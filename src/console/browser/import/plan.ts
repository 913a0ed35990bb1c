/** What an import would do with each row of a file, and what is wrong with it, before anything is sent. */
import type { Field } from '../../../collection/declaration.ts';
import { fields, key, labelOf } from '../shared/collection.ts';
import { BadCell, type Entered, enter, stored } from './cells.ts';
import { isUnique, type Mapping, makesKeys, matchFields } from './columns.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import type { StoredRow, StoredRows } from './stored-rows.ts';

/** What is to become of rows that exist already. */
export type Decision = 'leave' | 'change' | 'add';

export interface Terms {
  readonly sheet: Sheet;
  readonly mapping: Mapping;
  /** The field by which rows are told from those that are stored; undefined where all of them are new. */
  readonly match: Field | undefined;
  /** Undefined as long as nobody has said so. */
  readonly decision: Decision | undefined;
  /** Whether an empty cell empties the field of a row that exists. */
  readonly emptying: boolean;
}

export interface Fault {
  /** Absent where the row as a whole is refused. */
  readonly field?: string;
  readonly message: string;
}

export interface Change {
  readonly field: Field;
  readonly before: Entered;
  readonly after: Entered;
}

/** `exists` is what nobody has decided about yet. */
export type Fate =
  | { readonly kind: 'bad'; readonly faults: readonly Fault[] }
  | { readonly kind: 'new'; readonly row: Readonly<Record<string, unknown>> }
  | { readonly kind: 'change' | 'exists'; readonly id: Entered; readonly changes: readonly Change[] }
  | { readonly kind: 'same' | 'left' };

export interface Plan {
  readonly fates: readonly Fate[];
  /** Rows of the file that are stored already, by the field that told so. */
  readonly existing: number;
  /** Of those, the ones that differ from what is stored. */
  readonly differing: number;
  /** Empty cells where something is stored. */
  readonly emptied: number;
}

type Values = ReadonlyMap<Field, Entered>;

interface Read {
  readonly values: Values;
  /** Columns whose cell is empty. */
  readonly empty: ReadonlySet<Field>;
  readonly faults: Fault[];
}

export async function planImport(terms: Terms, storedRows: StoredRows): Promise<Plan> {
  const reads = terms.sheet.rows.map((row) => readRow(row, terms));
  markRepeated(reads, terms);
  const found = await findStored(reads, terms, storedRows);
  /** The stored rows that were met, with the line that speaks of each. */
  const spokenOf = new Map<string, number>();
  let existing = 0;
  let differing = 0;
  let emptied = 0;
  const fates = reads.map((read, at): Fate => {
    if (terms.sheet.rows[at]!.broken !== undefined) return bad(read);
    const rows = found[at]!;
    if (rows.length === 0) return newRow(read, terms, read.values);
    existing++;
    // A row with the key of another gets one of its own.
    if (terms.decision === 'add') return newRow(read, terms, makesKeys ? without(read.values, key) : read.values);
    if (terms.decision === 'leave') {
      differing++;
      return { kind: 'left' };
    }
    if (rows.length > 1) return bad(read, { message: ambiguous(rows.length, terms) });
    const id = stored(key, rows[0]![key.name]);
    const earlier = spokenOf.get(id.same);
    if (earlier !== undefined) return bad(read, { message: `Row ${earlier} is about the same stored row.` });
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
      // In JSON a field that is not named is not spoken of; in a table every cell is.
      else if (sheet.areTexts) empty.add(field);
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      faults.push({ field: field.name, message: error.message });
    }
  }
  return { values, empty, faults };
}

/** What must be there once is there twice. */
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

/** A row is looked for by the field that was chosen, and where it has no value in that, by the next that tells rows apart. */
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

function newRow(read: Read, { match }: Terms, values: Values): Fate {
  const given = [...values];
  const isGiven = new Set(given.map(([field]) => field));
  const missing = fields.filter(
    (field) =>
      field.required &&
      !isGiven.has(field) &&
      field.default === undefined &&
      field.generated === undefined &&
      !field.filled &&
      !(field === key && makesKeys),
  );
  const nulls = given.filter(([field, value]) => value.json === null && field.required).map(([field]) => field);
  const faults = [...read.faults];
  const known = new Set(faults.map(({ field }) => field));
  const told = missing.filter((field) => !known.has(field.name));
  const spoken = match && read.values.get(match);
  const unspoken = told.filter((field) => !read.empty.has(field));
  if (unspoken.length > 0 && spoken !== undefined && faults.length === 0) {
    // The file changes rows, and names one that is not there.
    const needs = unspoken.map(labelOf).join(', ');
    faults.push({
      field: match!.name,
      message: `There is no row with the ${labelOf(match!)} ${String(spoken.json)}, and a new one needs ${needs}.`,
    });
  } else faults.push(...told.map((field) => ({ field: field.name, message: `${labelOf(field)} is missing.` })));
  faults.push(...nulls.map((field) => ({ field: field.name, message: `${labelOf(field)} cannot be empty.` })));
  if (faults.length > 0) return { kind: 'bad', faults };
  const empty = [...read.empty].filter((field) => !field.required && field.default === undefined);
  return {
    kind: 'new',
    row: Object.fromEntries([
      ...given.map(([field, { json }]) => [field.name, json]),
      ...empty.map((field) => [field.name, null]),
    ]),
  };
}

function without(values: Values, field: Field): Values {
  return new Map([...values].filter(([each]) => each !== field));
}

function changesOf(read: Read, row: StoredRow, { emptying }: Terms): readonly Change[] {
  const changes: Change[] = [];
  const compare = (field: Field, after: Entered) => {
    const before = stored(field, row[field.name]);
    if (field !== key && before.same !== after.same) changes.push({ field, before, after });
  };
  for (const [field, value] of read.values) {
    if (value.json === null && field.required) {
      read.faults.push({ field: field.name, message: `${labelOf(field)} cannot be empty.` });
    } else compare(field, value);
  }
  if (emptying) for (const field of read.empty) if (!field.required) compare(field, { json: null, same: 'null' });
  return changes;
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
