/**
 * A page of the rows within a large part of a tree. PostgreSQL does not know how many rows a recursive query finds, and
 * would join all of them before it sorts. With many keys, it is faster to test rows in the order of the page: 12 ms of
 * CPU time instead of 43 for the first page of 100,000 rows, of which a fifth match.
 */
import { conjuncts, fieldOf, mapConjuncts, type Predicate, type ReadPlan } from '../../../plan/types.ts';
import { compileWalk } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, type SqlDialect, type Statement } from '../../sql/statement.ts';

type Within = Extract<Predicate, { kind: 'exists' }>;

/** Fewer keys are likely to match few rows, which an index finds. */
const LARGE = 500;

/** The test of a page in the order of its key; undefined for other reads. */
export function pagedTree({ from, where, order, limit, groupBy }: ReadPlan): Within | undefined {
  const isByKey = order.length === 1 && fieldOf(order[0]!.expression) === from.key[0];
  if (!isByKey || limit === undefined || groupBy !== undefined) return undefined;
  return conjuncts(where).find((term) => term.kind === 'exists' && term.tree?.direction === 'within') as Within;
}

/** Gives a row if the part of the tree is large. */
export function compileIsLarge({ relation, tree, where }: Within, dialect: SqlDialect): Statement {
  return buildStatement(dialect, (bind) => {
    const walk = compileWalk(relation, tree!, where, scopeOf(dialect, bind, ''));
    return `select 1 from (${walk}) as walk offset ${LARGE} limit 1`;
  });
}

export function withLargeTree(plan: ReadPlan, test: Within): ReadPlan {
  const large: Within = { ...test, tree: { ...test.tree!, isLarge: true } };
  return { ...plan, where: mapConjuncts(plan.where, (term) => (term === test ? large : term)) };
}
