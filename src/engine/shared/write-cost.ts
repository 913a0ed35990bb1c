/** Decides which writes are certainly cheap. */
import { INLINE_PAGE_ROWS } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import { allReferences, type Collection } from '../../collection/declaration.ts';
import { NO_ORDER } from '../../plan/read/shape.ts';
import type { WritePlan } from '../../plan/types.ts';
import type { Write } from '../engine.ts';
import { conjuncts, maxKeys, readsOtherCollections, testsOtherCollections } from './plan-keys.ts';
import { filterSteps } from './text-cost.ts';

/** `isSmall` is called only if needed: whether the collection of the write has few rows. */
export function areCheapWrites(writes: readonly Write[], isSmall: (plan: WritePlan) => boolean): boolean {
  let rows = 0;
  return writes.every(({ plan }) => {
    rows += rowsInBody(plan);
    return rows <= INLINE_PAGE_ROWS && isCheapWrite(plan, () => isSmall(plan));
  });
}

/** The number of rows that a write names; a change by a filter counts as one. */
export function rowsInBody(plan: WritePlan): number {
  if (plan.kind === 'insert') return plan.rows.length;
  return plan.kind === 'update-each' ? plan.changes.length : 1;
}

function isCheapWrite(plan: WritePlan, isSmall: () => boolean): boolean {
  if (plan.returning !== undefined && readsOtherCollections(plan.returning)) return false;
  switch (plan.kind) {
    case 'insert':
      return true;
    case 'update-each':
      return (
        plan.among === undefined ||
        (!testsOtherCollections(plan.among) && filterSteps({ where: plan.among, order: NO_ORDER }) === 0)
      );
    case 'delete':
    case 'update': {
      if (plan.kind === 'delete' && takesOthersAlong(plan.into)) return false;
      if (
        testsOtherCollections(plan.where) ||
        filterSteps({ where: plan.where, order: plan.bound?.order ?? NO_ORDER }) > 0
      )
        return false;
      return maxKeys(plan.into, conjuncts(plan.where)) !== undefined || isSmall();
    }
  }
}

/** Whether deleting or changing a row affects an unknown number of rows in other collections. */
const takesOthersAlong = memoize(({ name, among }: Collection): boolean =>
  [...among.values()].some((each) =>
    allReferences(each).some(({ to, onDelete }) => to === name && onDelete !== 'restrict'),
  ),
);
