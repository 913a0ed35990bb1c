/** The end of a page: the order keys of its last row, after which the next page begins. */
import { fieldOf, type OrderKey, type OutputColumn, type ReadPlan } from '../types.ts';

/** The order keys that `next` can continue by: all are fields, they end with the key, and the page has a limit. */
export function endKeys({ from, groupBy, limit, count, order }: ReadPlan): readonly OrderKey[] | undefined {
  if (from.key.length === 0 || groupBy !== undefined || limit === undefined || count !== undefined) return undefined;
  return order.every(({ expression }) => expression.kind === 'field') ? order : undefined;
}

/** The columns that contain the keys, which are fields, unchanged; undefined unless all of them are selected. */
export function visibleKeys(
  keys: readonly OrderKey[],
  columns: readonly OutputColumn[],
): readonly string[] | undefined {
  const names: string[] = [];
  for (const key of keys) {
    const field = fieldOf(key.expression);
    const column = columns.find(({ expression }) => fieldOf(expression) === field);
    if (column === undefined) return undefined;
    names.push(column.name);
  }
  return names;
}
