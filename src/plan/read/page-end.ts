/** The end of a page: the order keys of its last row, after which the next page begins. */
import { memoize } from '../../base/memo.ts';
import type { OrderKey, OutputColumn, ReadPlan } from '../types.ts';

/** The order keys of a page that `next` can continue by: all are fields, and the page has a limit. */
export function endKeys({ groupBy, limit, count, order }: ReadPlan): readonly OrderKey[] | undefined {
  if (groupBy !== undefined || limit === undefined || count !== undefined) return undefined;
  return order.every(({ expression }) => expression.kind === 'field') ? order : undefined;
}

/** The columns that contain the keys unchanged; undefined unless all of them are selected. */
export function visibleKeys(
  keys: readonly OrderKey[],
  columns: readonly OutputColumn[],
): readonly string[] | undefined {
  return shownOf(columns)(keys);
}

const shownOf = memoize((columns: readonly OutputColumn[]) =>
  memoize((keys: readonly OrderKey[]) => findShown(keys, columns)),
);

function findShown(keys: readonly OrderKey[], columns: readonly OutputColumn[]): readonly string[] | undefined {
  const shown = keys.flatMap(({ expression }) => {
    const column = columns.find((each) => {
      return (
        each.expression.kind === 'field' && expression.kind === 'field' && each.expression.field === expression.field
      );
    });
    return column?.name ?? [];
  });
  return shown.length === keys.length ? shown : undefined;
}
