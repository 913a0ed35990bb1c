/** What a read takes beside its own rows: the collections it embeds, and how many of their rows come with each of its own. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { isMany, type Relation } from '../../collection/relations.ts';
import type { Expression, Predicate, ReadPlan } from '../../plan/types.ts';

/** How many rows share a value of an indexed field, on average; undefined where nobody has looked yet. */
export type RowsPerValue = (collection: Collection, field: Field) => number | undefined;

/** Rows of another collection that are looked for by a relation, and what is read of them. */
interface Related {
  readonly relation: Relation;
  readonly plan: Pick<ReadPlan, 'columns' | 'order' | 'where' | 'limit'>;
}

/** All collections that a read touches. */
export function collectionsOf(plan: ReadPlan): Set<Collection> {
  const all = new Set([plan.from]);
  const add = (read: Related['plan']) => {
    for (const { relation, plan: inner } of relatedIn(read)) {
      all.add(relation.to);
      if (relation.through !== undefined) all.add(relation.through.collection);
      add(inner);
    }
  };
  add(plan);
  return all;
}

/**
 * Whether no row of another collection is read more than a few times, however the rows are spread: lists inside of rows, but no
 * lists inside of what is embedded, since these multiply.
 */
export function isLinear(plan: ReadPlan): boolean {
  return relatedIn(plan).every(({ plan: inner }) => !hasLists(inner));
}

function hasLists(plan: Related['plan']): boolean {
  return relatedIn(plan).some(({ relation, plan: inner }) => isMany(relation) || hasLists(inner));
}

/** About how many rows are read for each row: itself, and those that belong to it. */
export function rowsPerRow(plan: Related['plan'], rowsPerValue: RowsPerValue): number {
  return relatedIn(plan).reduce((sum, { relation, plan: inner }) => {
    const found = isMany(relation) ? Math.min(manyOf(relation, rowsPerValue), inner.limit ?? Infinity) : 1;
    return sum + found * rowsPerRow(inner, rowsPerValue);
  }, 1);
}

function manyOf({ to, inner, through }: Relation, rowsPerValue: RowsPerValue): number {
  const field = through?.near.field ?? inner;
  return rowsPerValue(through?.collection ?? to, field) ?? Number.POSITIVE_INFINITY;
}

function relatedIn({ columns, order, where }: Related['plan']): readonly Related[] {
  return [
    ...columns.flatMap(({ expression }) => ofExpression(expression)),
    ...order.flatMap(({ expression }) => ofExpression(expression)),
    ...ofPredicate(where),
  ];
}

function ofExpression(expression: Expression): readonly Related[] {
  if (expression.kind === 'embed') return [expression];
  return 'of' in expression ? ofExpression(expression.of) : [];
}

function ofPredicate(predicate: Predicate): readonly Related[] {
  if (predicate.kind === 'exists') {
    // One row is enough, and none of its columns.
    const plan = { columns: [], order: [], where: predicate.where, limit: 1 };
    return [{ relation: predicate.relation, plan }];
  }
  if ('terms' in predicate) return predicate.terms.flatMap(ofPredicate);
  if (predicate.kind === 'not') return ofPredicate(predicate.term);
  return 'of' in predicate ? ofExpression(predicate.of) : [];
}
