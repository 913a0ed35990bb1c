/** The changes of a paste, a fill or a deletion of cells: which cells get which values, and which cannot. */
import { isStored } from '../../api/added-rows.ts';
import { type Collection, mayWrite, type Row, titleOf, type Value } from '../../api/catalogue.ts';
import type { RowEdit } from '../../api/rows.ts';
import { isSame } from '../../base/same.ts';
import type { FieldPlace, Parsed } from '../../fields/kind.ts';
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
  for (const [at, row] of rows.slice(0, block.length).entries()) {
    if (!isStored(collection, row)) continue;
    for (const [index, { field }] of columns.slice(0, block[at]!.length).entries()) {
      const place = { collection, field };
      const text = block[at]![index]!;
      const before = row[field.name] ?? null;
      const parsed = parse(place, text);
      if ('value' in parsed && isSame(parsed.value, before)) continue;
      const problem = mayWrite(collection, field, false)
        ? 'problem' in parsed
          ? parsed.problem
          : ''
        : t.grid.readOnly;
      if (problem !== '') problems.push({ title: titleOf(collection, row), place, text, problem });
      else changes.push({ row, place, before, after: (parsed as { value: Value }).value });
    }
  }
  return {
    changes,
    problems,
    omittedRows: Math.max(0, block.length - rows.length),
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
