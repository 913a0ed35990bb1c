/** Pages: the order keys of the last row, after which the next page begins, and the maximum number of rows. */
import { memoize } from '../../base/memo.ts';
import { changed, mapped } from '../map-plan.ts';
import { type Expression, isSameField, namedField, type OrderKey, type OutputColumn, type ReadPlan } from '../types.ts';

/**
 * The order keys that `next` can continue by: all have names, they end with the key, and the page has a limit. The key
 * of a view may be in several rows.
 */
export function endKeys({ from, groupBy, limit, count, order }: ReadPlan): readonly OrderKey[] | undefined {
  if (
    from.key.length === 0 ||
    from.draft.writes !== undefined ||
    groupBy !== undefined ||
    limit === undefined ||
    count !== undefined
  )
    return undefined;
  return order.every(({ expression, path }) => (path ?? namedField(expression)) !== undefined) ? order : undefined;
}

/** The columns that contain the keys, if these are fields, unchanged; undefined unless all of them are selected. */
export function visibleKeys(
  keys: readonly OrderKey[],
  columns: readonly OutputColumn[],
): readonly string[] | undefined {
  const names: string[] = [];
  for (const key of keys) {
    const column = columns.find(({ expression }) => isSameField(expression, key.expression));
    if (column === undefined) return undefined;
    names.push(column.name);
  }
  return names;
}

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
  return mapped(columns, (column) => changed(column, { expression: limitExpression(column.expression, most) }));
}

function limitExpression(expression: Expression, most: number): Expression {
  if (expression.kind === 'embed') {
    const plan = withMaxRows(expression.plan, most);
    return { ...expression, plan: expression.many ? plan : { ...expression.plan, columns: plan.columns } };
  }
  return 'of' in expression ? changed(expression, { of: limitExpression(expression.of, most) }) : expression;
}
