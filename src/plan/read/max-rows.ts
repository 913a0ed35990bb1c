/** Limits the rows of a read, and of each embedded list, as PostgREST's `db-max-rows` does. */
import { memoize } from '../../base/memo.ts';
import type { Expression, OutputColumn, ReadPlan } from '../types.ts';

/** `most` is 0 for no limit. Counts still count all rows. */
export function withMaxRows(plan: ReadPlan, most: number): ReadPlan {
  if (most === 0) return plan;
  const limit = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, most);
  // Groups refer to the expressions of their columns by identity.
  const columns = plan.groupBy === undefined ? limited(most)(plan.columns) : plan.columns;
  return { ...plan, columns, limit };
}

/** Memoized, since engines cache statements by the identity of the column list. */
const limits = new Map<number, (columns: readonly OutputColumn[]) => readonly OutputColumn[]>();

function limited(most: number): (columns: readonly OutputColumn[]) => readonly OutputColumn[] {
  const known = limits.get(most) ?? memoize((columns: readonly OutputColumn[]) => limitColumns(columns, most));
  limits.set(most, known);
  return known;
}

function limitColumns(columns: readonly OutputColumn[], most: number): readonly OutputColumn[] {
  const changed = columns.map((column) => {
    const expression = limitExpression(column.expression, most);
    return expression === column.expression ? column : { ...column, expression };
  });
  return changed.every((column, index) => column === columns[index]) ? columns : changed;
}

function limitExpression(expression: Expression, most: number): Expression {
  if (expression.kind === 'embed') {
    const plan = withMaxRows(expression.plan, most);
    return { ...expression, plan: expression.many ? plan : { ...expression.plan, columns: plan.columns } };
  }
  if (!('of' in expression)) return expression;
  const of = limitExpression(expression.of, most);
  return of === expression.of ? expression : { ...expression, of };
}
