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

/** On rows that may not even be part of the answer. Where it is more than `enough`, no more is looked at. */
export function stepsToFind({ where, order }: Pick<ReadPlan, 'where' | 'order'>, enough = 0): number {
  return stepsOfOrder(order) + stepsOf(where, enough);
}

type RegexTest = Pick<Extract<Predicate, { caseless: boolean }>, 'pattern' | 'caseless'>;

let measured = 0;

/** To measure an expression takes as long as it is: it is done once, however many statements are made of it. */
export const instructionsOf = oncePer(({ pattern, caseless }: RegexTest): number => {
  measured++;
  return sizeOfRegex(pattern, caseless);
});

/** How many expressions were measured so far. */
export function expressionsMeasured(): number {
  return measured;
}

export const stepsOfColumns = oncePer((columns: readonly OutputColumn[]) =>
  sum(columns.map(({ expression }) => stepsOfExpression(expression))),
);

const stepsOfOrder = oncePer((order: readonly OrderKey[]) =>
  sum(order.map(({ expression }) => stepsOfExpression(expression))),
);

function stepsOf(predicate: Predicate, enough: number): number {
  switch (predicate.kind) {
    case 'constant':
      return 0;
    case 'all':
    case 'any':
      return stepsOfTerms(predicate.terms, enough);
    case 'not':
      return stepsOf(predicate.term, enough);
    case 'like':
      return stepsOfLike(predicate.pattern) + stepsOfExpression(predicate.of);
    case 'regex':
      return 1 + (enough === 0 ? 0 : stepsOfRegex(predicate)) + stepsOfExpression(predicate.of);
    case 'search':
      return SEARCH_STEPS + predicate.query.length + stepsOfExpression(predicate.of);
    case 'exists':
      return stepsOf(predicate.where, enough);
    case 'contains':
      return READING_STEPS + stepsOfExpression(predicate.of);
    default:
      return stepsOfExpression(predicate.of);
  }
}

function stepsOfTerms(terms: readonly Predicate[], enough: number): number {
  let steps = 0;
  for (const term of terms) {
    steps += stepsOf(term, enough);
    if (steps > enough) break;
  }
  return steps;
}

/** What is no expression is refused where the statement is compiled: of several mistakes the first is told. */
function stepsOfRegex(predicate: RegexTest): number {
  try {
    return instructionsOf(predicate);
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
