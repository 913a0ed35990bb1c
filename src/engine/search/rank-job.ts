/** A search without the declaration and its predicates: plain data for the thread that ranks. */
import { SCORE } from '../../collection/search-fields.ts';
import { fieldOf, isAlways, type Ranking, type ReadableText, type ReadPlan } from '../../plan/types.ts';
import type { Language } from '../../text/words/languages.ts';
import type { WordQuery } from '../../text/words/query.ts';
import { describeIndex, type WordIndex } from './index-tables.ts';

export interface RankJob {
  readonly definition: string;
  /** All searched texts. */
  readonly texts: readonly { readonly name: string; readonly language: Language }[];
  readonly query: WordQuery;
  /** The texts that the caller may read, and the number of predicates of their rows. */
  readonly fields: readonly ReadableText[];
  readonly predicates: number;
  readonly isHighlighted: boolean;
  readonly isCompleted: boolean;
  /** The best rows that are wanted, if nothing else selects or orders them. */
  readonly best?: number | undefined;
  /** Whether counts or the offset need all rows, or only those of the page are shown. */
  readonly needsAll: boolean;
}

export function rankJobOf(index: WordIndex, plan: ReadPlan): RankJob {
  const { visible, ...search } = plan.search!;
  const { where, order, limit, offset, count, groupBy, facets } = plan;
  const isByScore = order[0]?.descending === true && fieldOf(order[0].expression) === SCORE;
  const isCounted = count !== undefined || facets !== undefined;
  const isList = !isCounted && groupBy === undefined && isAlways(where);
  return {
    ...search,
    definition: describeIndex(index),
    texts: index.fields.map(({ name, language }) => ({ name, language })),
    predicates: visible.length,
    best: limit === undefined || !isList || !isByScore ? undefined : offset + limit,
    needsAll: isCounted || offset > 0,
  };
}

/** The plan with the rows of its search. */
export function rankedPlan({ search: _, ...plan }: ReadPlan, ranking: Ranking): ReadPlan {
  return { ...plan, ranking };
}
