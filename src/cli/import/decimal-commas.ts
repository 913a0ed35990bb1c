/** Reads decimal commas: 12,50 is a number. In such a column 1.299 is ambiguous and rejected. */

import { ApiError } from '../../base/errors.ts';
import type { Field } from '../../collection/declaration.ts';
import { type DecimalMark, decimalMark, withPoint } from '../../collection/spreadsheet-values.ts';
import { type RowPlanner, RowProblem } from '../../plan/write/row-planner.ts';

export function withDecimalCommas(fields: readonly (Field | undefined)[], plan: RowPlanner): RowPlanner {
  const earlier: Record<DecimalMark, Map<Field, string>> = { comma: new Map(), 'perhaps thousands': new Map() };
  const check = (field: Field | undefined, cell: unknown) => {
    const mark = decimalMark(field, cell);
    if (mark === undefined) return;
    earlier[mark].set(field!, cell as string);
    const other = earlier[mark === 'comma' ? 'perhaps thousands' : 'comma'].get(field!);
    if (other !== undefined) throw new RowProblem(field!, unclear(cell as string, other));
  };
  return (cells) => {
    for (const [at, cell] of cells.entries()) check(fields[at], cell);
    return plan(withPoints(fields, cells));
  };
}

export function withPoints(fields: readonly (Field | undefined)[], cells: readonly unknown[]): unknown[] {
  return cells.map((cell, at) => withPoint(fields[at], cell));
}

function unclear(cell: string, other: string): ApiError {
  return new ApiError(
    '22P02',
    `"${cell}" beside "${other}" of an earlier row: use either decimal commas or decimal points, without thousands separators`,
  );
}
