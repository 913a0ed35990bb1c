/**
 * What a read makes of texts, in steps for each byte of them: patterns and searches look through a text, steps into JSON and casts
 * read it. Everything else takes a text as it is.
 */
import { isLong } from '../collection/types/type.ts';
import { Refusal } from '../errors.ts';
import { oncePer } from '../once-per.ts';
import type { Expression, OrderKey, OutputColumn, Predicate, ReadPlan } from '../plan/types.ts';
import { sizeOfRegex } from '../text/regex.ts';

/** Words are found by a long expression, and each is looked up. */
const SEARCH_STEPS = 64;
/** JSON is read, and written again. */
const READING_STEPS = 8;

/** On rows that may not even be part of the answer. */
export function stepsToFind({ where, order }: Pick<ReadPlan, 'where' | 'order'>): number {
  return stepsOf(where) + stepsOfOrder(order);
}

export const stepsOfColumns = oncePer((columns: readonly OutputColumn[]) =>
  sum(columns.map(({ expression }) => stepsOfExpression(expression))),
);

const stepsOfOrder = oncePer((order: readonly OrderKey[]) =>
  sum(order.map(({ expression }) => stepsOfExpression(expression))),
);

function stepsOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case 'constant':
      return 0;
    case 'all':
    case 'any':
      return sum(predicate.terms.map(stepsOf));
    case 'not':
      return stepsOf(predicate.term);
    case 'like':
      return stepsOfLike(predicate.pattern) + stepsOfExpression(predicate.of);
    case 'regex':
      return 1 + instructionsOf(predicate.pattern, predicate.caseless) + stepsOfExpression(predicate.of);
    case 'search':
      return SEARCH_STEPS + predicate.query.length + stepsOfExpression(predicate.of);
    case 'exists':
      return stepsOf(predicate.where);
    case 'contains':
      return READING_STEPS + stepsOfExpression(predicate.of);
    default:
      return stepsOfExpression(predicate.of);
  }
}

/** What is no expression is refused where the statement is compiled: of several mistakes the first is told. */
function instructionsOf(pattern: string, caseless: boolean): number {
  try {
    return sizeOfRegex(pattern, caseless);
  } catch (error) {
    if (error instanceof Refusal) return 0;
    throw error;
  }
}

/** A part that is looked for is found at once; what may stand in several places is tried in each. */
function stepsOfLike(pattern: string): number {
  const isPart = !pattern.slice(1, -1).includes('%') && !pattern.includes('_');
  return isPart ? 1 : pattern.length;
}

function stepsOfExpression(expression: Expression): number {
  if (!('of' in expression)) return 0;
  const reads = (expression.kind === 'path' || expression.kind === 'cast') && isLong(expression.of.type);
  return (reads ? READING_STEPS : 0) + stepsOfExpression(expression.of);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
