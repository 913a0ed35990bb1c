/** The request bodies of an import: a new row, or the key of a stored row with its changes. */
import { fields, key } from '../shared/api/collection.ts';
import type { RowPlan } from './row-outcome.ts';

export type Body = Readonly<Record<string, unknown>>;

export function bodyOf(rowPlan: Extract<RowPlan, { kind: 'new' | 'change' | 'exists' }>): Body {
  if (rowPlan.kind === 'new') return rowPlan.row;
  return Object.fromEntries([
    [key.name, rowPlan.id.json],
    ...rowPlan.changes.map(({ field, after }) => [field.name, after.json]),
  ]);
}

/** Lists every field that any row names, so that rows can name different fields. */
export function columnsOf(rows: readonly Body[]): string {
  return fields
    .map(({ name }) => name)
    .filter((name) => rows.some((row) => Object.hasOwn(row, name)))
    .join(',');
}
