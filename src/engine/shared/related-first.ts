/**
 * Reads that find few related rows first. An engine may test an `exists` for each row of the table; with a list of keys
 * it follows the index of the reference. Without this, one customer's lines among 20,000 take six times the CPU time of
 * the same list by a field of its own on SQLite, and three times on PostgreSQL (bench/rules.ts).
 */
import { isUnique } from '../../collection/relations.ts';
import { can } from '../../collection/types/type.ts';
import { fieldOf, type Predicate, type ReadPlan } from '../../plan/types.ts';
import { conjuncts, maxKeys } from './plan-keys.ts';

type Exists = Extract<Predicate, { kind: 'exists' }>;

/** A read by key finds its row without them. */
export function withRelatedFirst(plan: ReadPlan): ReadPlan {
  const terms = conjuncts(plan.where);
  if (!terms.some(isFew) || maxKeys(plan.from, terms) !== undefined) return plan;
  return { ...plan, where: { kind: 'all', terms: terms.map(relatedFirst) } };
}

function relatedFirst(term: Predicate): Predicate {
  if (!isFew(term)) return term;
  return { ...term, isFirst: true, where: { kind: 'all', terms: conjuncts(term.where).map(relatedFirst) } };
}

/** A key, a unique value or a reference of the related row is given, or few rows are related to it themselves. */
function isFew(predicate: Predicate): predicate is Exists {
  if (predicate.kind !== 'exists') return false;
  const { relation, where, offset, groupBy } = predicate;
  const { to, outer, inner, also = [], through, list, computedBy } = relation;
  // A type of PostgreSQL that the service does not know may have no arrays.
  if (can(outer.type, 'foreign') || can(inner.type, 'foreign')) return false;
  const isPlain = [through, list, computedBy, offset, groupBy].every((each) => each === undefined) && also.length === 0;
  return isPlain && conjuncts(where).some((term) => isFew(term) || isLookup(to, term));
}

function isLookup(to: Exists['relation']['to'], term: Predicate): boolean {
  if (term.kind !== 'compare' || term.operator !== '=') return false;
  const field = fieldOf(term.of);
  return field !== undefined && (isUnique(to, field) || to.references.some((reference) => reference.field === field));
}
