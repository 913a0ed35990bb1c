/** Where a page ends: the values of the order keys in its last row, after which the next page goes on. */
import type { Row, Value } from '../collection/value.ts';
import type { OutputColumn, ReadPlan } from './types.ts';

/** The columns that show the order keys, in their order; undefined where one of these is computed, or not shown. */
export function keyColumns({ columns, order, groupBy }: ReadPlan): readonly OutputColumn[] | undefined {
  if (groupBy !== undefined) return undefined;
  const found: OutputColumn[] = [];
  for (const { expression: key } of order) {
    const shown = columns.find(
      ({ expression }) => key.kind === 'field' && expression.kind === 'field' && expression.field === key.field,
    );
    if (shown === undefined) return undefined;
    found.push(shown);
  }
  return found;
}

export function keyValues(columns: readonly OutputColumn[], row: Row): readonly Value[] {
  return columns.map(({ name }) => row[name] as Value);
}

/** The last row of a page that is not at hand; undefined where the page has no end, or not one that can be told by keys. */
export function planPageEnd(plan: ReadPlan): ReadPlan | undefined {
  const columns = keyColumns(plan);
  if (columns === undefined || plan.limit === undefined || plan.limit === 0) return undefined;
  const { kind, order, where, offset, limit } = plan;
  return { kind, columns, order, where, offset: offset + limit - 1, limit: 1 };
}
