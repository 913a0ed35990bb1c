/** Derives from a plan how many rows it can touch, and whether it reads other collections. */
import { INLINE_PAGE_ROWS, MAX_RETURNED_BYTES } from '../../base/limits/engine.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { isUnique } from '../../collection/relations.ts';
import { can } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { fieldsOfPredicate, readsOwnCollection } from '../../plan/access/named-fields.ts';
import { NO_ORDER } from '../../plan/read/order.ts';
import { NO_COLUMNS } from '../../plan/read/shape.ts';
import {
  conjuncts,
  fieldOf,
  mapConjuncts,
  type OutputColumn,
  type Predicate,
  type ReadPlan,
  testsIn,
} from '../../plan/types.ts';
import type { InsertPlan, Restriction, WritePlan } from '../../plan/write-plan.ts';
import type { Output } from '../sql/output.ts';
import { anyEmbedded, isEmbedding, maxRowBytes } from '../sql/row-size.ts';

/** An upper bound from the key values in the filter; undefined without one. */
export function maxKeys({ key }: Pick<Collection, 'key'>, terms: readonly Predicate[]): number | undefined {
  if (key.length === 0) return undefined;
  // A composite key must be given completely.
  const most = key.length === 1 ? INLINE_PAGE_ROWS : 1;
  let rows = 0;
  for (const field of key) {
    let count = Number.POSITIVE_INFINITY;
    let hasList = false;
    for (const term of terms) {
      const values = valuesNamed(term, field);
      // PostgreSQL follows an index by the first list of a field, and filters by the others.
      if (values === 1 || !hasList) count = Math.min(count, values);
      hasList ||=
        term.kind !== 'compare' && testsIn(term).some((test) => test.kind === 'in' && fieldOf(test.of) === field);
    }
    if (count > most) return undefined;
    rows = Math.max(rows, count);
  }
  return rows;
}

/** The key, if the filter is exactly `key = value`. */
export function singleKey(plan: ReadPlan, where = plan.where): Value | undefined {
  const { from, limit, offset, count, groupBy } = plan;
  if (where.kind !== 'compare' || where.operator !== '=' || from.key.length !== 1) return undefined;
  if (fieldOf(where.of) !== from.key[0] || offset > 0) return undefined;
  return limit === undefined && count === undefined && groupBy === undefined ? where.value : undefined;
}

function valuesNamed(term: Predicate, field: Field): number {
  if ((term.kind !== 'compare' && term.kind !== 'in') || fieldOf(term.of) !== field) return Number.POSITIVE_INFINITY;
  if (term.kind === 'in') return term.values.length;
  return term.operator === '=' ? 1 : Number.POSITIVE_INFINITY;
}

/** An upper bound for the rows that a write changes. */
export function maxRowsWritten(plan: WritePlan): number {
  switch (plan.kind) {
    case 'insert':
      return plan.rows.length;
    case 'update-each':
      return plan.changes.length;
    case 'update':
    case 'delete':
      return maxKeys(plan.into, conjuncts(plan.where)) ?? Number.POSITIVE_INFINITY;
  }
}

/** Whether the rows that a write returns may have too many bytes, so that they are counted. */
export function mayReturnTooMuch(plan: WritePlan, columns: readonly OutputColumn[], output: Output): boolean {
  return maxRowsWritten(plan) * maxRowBytes(columns, output) > MAX_RETURNED_BYTES;
}

/**
 * The rule for new rows that can be tested before storing them. Testing early hides from the caller whether conflicting
 * rows exist. Values filled in by the database are unknown by then, and so are conflicts.
 */
export function checkBeforeInsert({ into, rows, conflict, restriction }: InsertPlan): Predicate | undefined {
  const { created } = restriction ?? {};
  if (created === undefined || (conflict !== 'refuse' && conflict.overwrite.length > 0)) return undefined;
  if (rows.length > 1 && testsOwnCollection(into, created)) return undefined;
  const isGiven = (field: Field) => field !== into.assigned && !field.filled && !field.readOnly;
  return [...fieldsOfPredicate(into, created)].every(isGiven) ? created : undefined;
}

/**
 * The rules for written rows that are tested after all of them are stored, since they may refer to each other, and a
 * changed row to itself.
 */
export function lateRules(plan: WritePlan): LateRules | undefined {
  const { created, changed } = plan.restriction ?? {};
  const isLate = [created, changed].some((rule) => rule !== undefined && testsOwnCollection(plan.into, rule));
  const isOneNew = plan.kind === 'insert' && plan.rows.length === 1 && plan.conflict === 'refuse';
  return isLate && !isOneNew ? { ...(created && { created }), ...(changed && { changed }) } : undefined;
}

export type LateRules = Omit<Restriction, 'met'>;

/** The same write without these rules. */
export function withoutLateRules<Plan extends WritePlan>(plan: Plan): Plan {
  const { restriction: _, ...rest } = plan;
  const { met } = plan.restriction ?? {};
  return (met === undefined ? rest : { ...rest, restriction: { met } }) as Plan;
}

/** Whether a rule depends on other rows of its collection. */
function testsOwnCollection(collection: Collection, where: Predicate): boolean {
  return (
    testsOtherCollections(where) && readsOwnCollection(collection, { columns: NO_COLUMNS, order: NO_ORDER, where })
  );
}

/** Whether rows of other collections are read for each row. */
export function readsOtherCollections(plan: Pick<ReadPlan, 'where' | 'columns' | 'order'>): boolean {
  return anyEmbedded(plan.columns) || dependsOnOtherCollections(plan);
}

/** Whether other collections determine the rows or their order. */
export function dependsOnOtherCollections({ where, order }: Pick<ReadPlan, 'where' | 'order'>): boolean {
  return testsOtherCollections(where) || order.some(({ expression }) => isEmbedding(expression));
}

export function testsOtherCollections(predicate: Predicate): boolean {
  if ('terms' in predicate) return predicate.terms.some(testsOtherCollections);
  if (predicate.kind === 'not') return testsOtherCollections(predicate.term);
  return predicate.kind === 'exists' || ('of' in predicate && isEmbedding(predicate.of));
}

type Exists = Extract<Predicate, { kind: 'exists' }>;

/** A read by key finds its row without them. */
export function withRelatedFirst(plan: ReadPlan): ReadPlan {
  const terms = conjuncts(plan.where);
  if (!terms.some(isFew) || maxKeys(plan.from, terms) !== undefined) return plan;
  return { ...plan, where: mapConjuncts(plan.where, relatedFirst) };
}

function relatedFirst(term: Predicate): Predicate {
  return isFew(term) ? { ...term, isFirst: true, where: mapConjuncts(term.where, relatedFirst) } : term;
}

/** A key, a unique value or a reference of the related row is given, or few rows are related to it themselves. */
function isFew(predicate: Predicate): predicate is Exists {
  if (predicate.kind !== 'exists') return false;
  const { relation, where, offset, groupBy, tree } = predicate;
  const { to, outer, inner, also = [], through, list, computedBy } = relation;
  // A type of PostgreSQL that the service does not know may have no arrays.
  if (can(outer.type, 'foreign') || can(inner.type, 'foreign')) return false;
  const isPlain =
    [through, list, computedBy, offset, groupBy, tree].every((each) => each === undefined) && also.length === 0;
  return isPlain && conjuncts(where).some((term) => isFew(term) || isLookup(to, term));
}

function isLookup(to: Exists['relation']['to'], term: Predicate): boolean {
  if (term.kind !== 'compare' || term.operator !== '=') return false;
  const field = fieldOf(term.of);
  return field !== undefined && (isUnique(to, field) || to.references.some((reference) => reference.field === field));
}
