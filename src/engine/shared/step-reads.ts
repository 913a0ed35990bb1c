/** Recognizes the reads of one step of a feed, which are cheap: a few rows by key, or a few entries of the log. */
import { INLINE_PAGE_ROWS } from '../../base/limits/engine.ts';
import type { Collection } from '../../collection/declaration.ts';
import { can } from '../../collection/types/type.ts';
import { fieldOf, type Predicate, type ReadPlan } from '../../plan/types.ts';
import { conjuncts, maxKeys, readsOtherCollections } from './plan-keys.ts';
import { filterSteps } from './text-cost.ts';

/** The entries of the log after a position that a read as of it may have to undo. */
const RECENT_CHANGES = 1_000;

/** `newest` is the last known position: later changes cost time. */
export function isStepRead(plan: ReadPlan, asOf: number | undefined, newest: number): boolean {
  if (asOf === undefined || newest - asOf > RECENT_CHANGES || plan.groupBy !== undefined) return false;
  if (filterSteps(plan) > 0 || readsOtherCollections(plan)) return false;
  const terms = conjuncts(plan.where);
  return plan.log === undefined ? namesKeys(plan.from, terms) : isRecentPart(plan, terms, asOf);
}

function namesKeys(collection: Collection, terms: readonly Predicate[]): boolean {
  if (maxKeys(collection, terms) !== undefined) return true;
  // Keys of several fields are a list of conditions.
  const isKey = (term: Predicate) => maxKeys(collection, conjuncts(term)) !== undefined;
  return terms.some((term) => term.kind === 'any' && term.terms.length <= INLINE_PAGE_ROWS && term.terms.every(isKey));
}

/** The position, collection and key of the entries after a recent position. */
function isRecentPart({ log, from, columns }: ReadPlan, terms: readonly Predicate[], asOf: number): boolean {
  const isShort = columns.every(({ expression }) => fieldOf(expression) !== undefined && !can(expression.type, 'json'));
  const isAfter = (term: Predicate) =>
    term.kind === 'compare' &&
    term.operator === '>' &&
    fieldOf(term.of) === from.key[0] &&
    asOf - Number(term.value) <= RECENT_CHANGES;
  return isShort && terms.some(isAfter) && log!.every(({ where }) => filterSteps({ where, order: [] }) === 0);
}
