/**
 * The changes of a paste, a fill or a deletion of cells: which cells get which values, and which cannot. People paste
 * the title of a referenced row, not its key.
 */
import type { Notations } from '../../../../import/cells.ts';
import { isStored } from '../../api/added-rows.ts';
import {
  type Collection,
  type Field,
  isNeeded,
  may,
  mayWrite,
  type Row,
  referenceOf,
  titleOf,
  type Value,
} from '../../api/catalogue.ts';
import type { RowEdit } from '../../api/rows.ts';
import { isSame } from '../../base/same.ts';
import type { FieldPlace, Parsed } from '../../fields/kind.ts';
import { findNames, type Meaning, type Names } from '../../fields/names.ts';
import { parseText } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import type { Column } from '../../views/columns.ts';
import type { Block } from './clipboard.ts';

export interface CellChange {
  readonly row: Row;
  readonly place: FieldPlace;
  readonly before: Value;
  readonly after: Value;
}

export interface CellProblem {
  readonly title: string;
  readonly place: FieldPlace;
  readonly text: string;
  readonly problem: string;
}

export interface Plan {
  readonly changes: readonly CellChange[];
  readonly problems: readonly CellProblem[];
  /** Rows of the block beyond the end of the list, as new rows. */
  readonly added: readonly Row[];
  /** Rows and columns of the block that have no place in the list. */
  readonly omittedRows: number;
  readonly omittedColumns: number;
}

export type Parse = (place: FieldPlace, text: string) => Parsed;

/** Plans a block over rows and columns. The first cell of the block is in the first row and column. */
export function planBlock(
  collection: Collection,
  rows: readonly Row[],
  columns: readonly Column[],
  block: Block,
  parse: Parse,
): Plan {
  const changes: CellChange[] = [];
  const problems: CellProblem[] = [];
  const added: Row[] = [];
  const mayAdd = may('create', collection);
  for (const [at, cells] of block.slice(0, mayAdd ? undefined : rows.length).entries()) {
    // A new line of the list is a new row as well.
    const row = [rows[at]].find((each) => each !== undefined && isStored(collection, each));
    const title = row === undefined ? t.grid.newRow : titleOf(collection, row);
    const values: Record<string, Value> = {};
    const before = problems.length;
    for (const [index, { field }] of columns.slice(0, cells.length).entries()) {
      const [place, text] = [{ collection, field }, cells[index]];
      // The service fills in what a new row does not name.
      if (text === undefined || (row === undefined && text.trim() === '')) continue;
      const parsed = parse(place, text);
      if (row !== undefined && 'value' in parsed && isSame(parsed.value, row[field.name] ?? null)) continue;
      if (!mayWrite(collection, field, row === undefined))
        problems.push({ title, place, text, problem: t.grid.readOnly });
      else if ('problem' in parsed) problems.push({ title, place, text, problem: parsed.problem });
      else if (row === undefined) values[field.name] = parsed.value;
      else changes.push({ row, place, before: row[field.name] ?? null, after: parsed.value });
    }
    if (row !== undefined || Object.keys(values).length === 0) continue;
    const missing = collection.fields.filter((field) => isNeeded(collection, field) && !(field.name in values));
    if (problems.length > before) continue;
    for (const field of missing)
      problems.push({ title, place: { collection, field }, text: '', problem: t.errors.required });
    if (missing.length === 0) added.push(values);
  }
  return {
    changes,
    problems,
    added,
    omittedRows: mayAdd ? 0 : Math.max(0, block.length - rows.length),
    omittedColumns: Math.max(0, (block[0]?.length ?? 0) - columns.length),
  };
}

/** The changes by row, for one request. */
export function editsOf(changes: readonly CellChange[]): readonly RowEdit[] {
  const byRow = new Map<Row, Record<string, Value>>();
  for (const { row, place, after } of changes) {
    const values = byRow.get(row) ?? {};
    values[place.field.name] = after;
    byRow.set(row, values);
  }
  return [...byRow].map(([row, values]) => ({ row, changes: values }));
}

/** The keys of all titles in a block. */
export async function findBlockNames(columns: readonly Column[], collection: Collection, block: Block): Promise<Names> {
  const names = new Map<Field, ReadonlyMap<string, Meaning>>();
  for (const [index, { field }] of columns.entries()) {
    if (referenceOf(collection, field) === undefined) continue;
    const texts = block.map((row) => row[index] ?? '');
    names.set(field, await findNames({ collection, field }, texts));
  }
  return names;
}

/** Parses texts: numbers and dates by column, and ambiguous and unknown titles. */
export const parserFor =
  (names: Names, notations: Notations): Parse =>
  (place, text) => {
    const meaning = names.get(place.field)?.get(text.trim()) ?? { count: 0 };
    if ('value' in meaning) return { value: meaning.value };
    return meaning.count > 1
      ? { problem: t.grid.ambiguous(text.trim()) }
      : parseText(place, text, notations.of(place.field));
  };
