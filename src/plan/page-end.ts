/** Where a page ends: the order keys of its last row, after which the next page begins. */
import { oncePer } from '../once-per.ts';
import type { OrderKey, OutputColumn, ReadPlan } from './types.ts';

/** The order keys of a page whose end can be named: all are fields, and it has a limit. */
export function endKeys({ groupBy, limit, count, order }: ReadPlan): readonly OrderKey[] | undefined {
  if (groupBy !== undefined || limit === undefined || count !== undefined) return undefined;
  return order.every(({ expression }) => expression.kind === 'field') ? order : undefined;
}

/** The columns that show the keys as they are, where all of them are shown. */
export function shownKeys(keys: readonly OrderKey[], columns: readonly OutputColumn[]): readonly string[] | undefined {
  return shownOf(columns)(keys);
}

const shownOf = oncePer((columns: readonly OutputColumn[]) =>
  oncePer((keys: readonly OrderKey[]) => findShown(keys, columns)),
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
