/** Plans the call of a function of the database: a read whose rows the function returns. */
import { ApiError } from '../../base/errors.ts';
import type { Collection, DatabaseFunction } from '../../collection/declaration.ts';
import { declareCollection } from '../../collection/declaration.ts';
import type { Refinement } from '../../dialect/call-query.ts';
import type { Page } from '../../dialect/page.ts';
import type { Permissions } from '../access/permissions.ts';
import { planRead } from '../read/read.ts';
import { NO_COLUMNS } from '../read/shape.ts';
import type { FunctionCall, ReadPlan } from '../types.ts';

/** The result of a function that returns nothing. */
const NOTHING: Collection = declareCollection({ name: 'nothing', key: [], fields: [] });

/** The rules of the caller's role apply to rows of a collection. */
export function planFunction(
  source: FunctionCall,
  { selects: _, ...query }: Refinement,
  page: Page,
  count: ReadPlan['count'],
  permissions: Permissions | undefined,
): ReadPlan {
  const { returns } = source.function;
  if (returns === undefined) {
    return {
      kind: 'read',
      from: NOTHING,
      columns: NO_COLUMNS,
      order: [],
      where: { kind: 'constant', value: true },
      offset: 0,
      source,
    };
  }
  const { collection, isDeclared } = returns;
  return planRead(collection, query, page, count, isDeclared ? permissions : undefined, { source });
}

/** The row limit of `Prefer: max-affected`, which only a list can have. */
export function maxRowsOf({ returns }: DatabaseFunction, maxAffected: number | undefined): { maxRows?: number } {
  if (maxAffected === undefined) return {};
  if (returns?.many === true) return { maxRows: maxAffected };
  throw new ApiError(
    'PGRST128',
    'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  );
}
