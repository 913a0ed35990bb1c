/** What a read can meet: how many rows, told by what it says of the key, and whether others beside them. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { QUICK_PAGE_ROWS } from '../limits.ts';
import { fieldsIn } from '../plan/named-fields.ts';
import { fieldOf, type InsertPlan, isAlways, type Predicate, type ReadPlan, type WritePlan } from '../plan/types.ts';
import { holdEmbedded, isEmbedded } from './compile/row-size.ts';

/** At most so many: by the values of a key of one field, or by one of each field of a longer one. Undefined where it may be more. */
export function keysNamed({ key }: Collection, terms: readonly Predicate[]): number | undefined {
  // Of a longer key each field is named once.
  const most = key.length === 1 ? QUICK_PAGE_ROWS : 1;
  let rows = 0;
  for (const field of key) {
    let count = Number.POSITIVE_INFINITY;
    for (const term of terms) count = Math.min(count, valuesNamed(term, field));
    if (count > most) return undefined;
    rows = Math.max(rows, count);
  }
  return rows;
}

/** The key that is all that a read says of its rows, of which there is one at most; undefined where it says anything else. */
export function keyAlone(plan: ReadPlan, where = plan.where): Value | undefined {
  const { from, limit, offset, count, groupBy } = plan;
  if (where.kind !== 'compare' || where.operator !== '=' || from.key.length > 1) return undefined;
  if (fieldOf(where.of) !== from.key[0] || offset > 0) return undefined;
  return limit === undefined && count === undefined && groupBy === undefined ? where.value : undefined;
}

function valuesNamed(term: Predicate, field: Field): number {
  if ((term.kind !== 'compare' && term.kind !== 'in') || fieldOf(term.of) !== field) return Number.POSITIVE_INFINITY;
  if (term.kind === 'in') return term.values.length;
  return term.operator === '=' ? 1 : Number.POSITIVE_INFINITY;
}

/** The conditions that all hold. */
export function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'all') return predicate.terms.flatMap(conjuncts);
  return isAlways(predicate) ? [] : [predicate];
}

/** How many rows a write can change at most, as far as it tells. */
export function rowsWritten(plan: WritePlan): number {
  switch (plan.kind) {
    case 'insert':
      return plan.rows.length;
    case 'update-each':
      return plan.changes.length;
    case 'update':
    case 'delete':
      return keysNamed(plan.into, conjuncts(plan.where)) ?? Number.POSITIVE_INFINITY;
  }
}

/**
 * What new rows must pass, where that can be told before any is stored: it is, so that whoever may not make a row does not learn
 * from it which others there are. What the database fills in is not known by then, nor which rows will meet one that is there.
 */
export function askedBefore({ into, conflict, restriction }: InsertPlan): Predicate | undefined {
  const { created } = restriction ?? {};
  if (created === undefined || (conflict !== 'refuse' && conflict.overwrite.length > 0)) return undefined;
  const isGiven = (field: Field) => field !== into.assigned && !field.filled && !field.readOnly;
  return [...fieldsIn(into, created)].every(isGiven) ? created : undefined;
}

/** Whether rows of other collections are looked at for each row. */
export function reachesOthers(plan: Pick<ReadPlan, 'where' | 'columns' | 'order'>): boolean {
  return holdEmbedded(plan.columns) || isFoundByOthers(plan);
}

/** Whether they decide which rows are read, or in which order. */
export function isFoundByOthers({ where, order }: Pick<ReadPlan, 'where' | 'order'>): boolean {
  return asksOthers(where) || order.some(({ expression }) => isEmbedded(expression));
}

/** Whether it is true by what rows of other collections are. */
export function asksOthers(predicate: Predicate): boolean {
  if ('terms' in predicate) return predicate.terms.some(asksOthers);
  if (predicate.kind === 'not') return asksOthers(predicate.term);
  return predicate.kind === 'exists';
}
