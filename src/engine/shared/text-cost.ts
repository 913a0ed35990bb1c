/**
 * Estimates text processing of a read, in steps per byte: patterns and searches scan a text, JSON paths and casts parse
 * it.
 */
import { unlessRejected } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import { isLong } from '../../collection/types/type.ts';
import type { Expression, Predicate, ReadPlan } from '../../plan/types.ts';
import { sizeOfRegex } from '../../text/regex.ts';

/** Tokenizing uses a long regular expression, and each word is looked up. */
const SEARCH_STEPS = 64;
/** JSON is parsed and printed. */
const READING_STEPS = 8;

/** Steps on rows that may not be part of the result. Stops counting beyond `enough`. */
export function filterSteps({ where, order }: Pick<ReadPlan, 'where' | 'order'>, enough = 0): number {
  return columnSteps(order) + stepsOf(where, enough);
}

type RegexTest = Pick<Extract<Predicate, { caseless: boolean }>, 'pattern' | 'caseless'>;

/** Cached, since measuring takes time proportional to the expression. */
export const regexInstructions = memoize(({ pattern, caseless }: RegexTest) => sizeOfRegex(pattern, caseless));

export function columnSteps(columns: readonly { readonly expression: Expression }[]): number {
  return columns.reduce((steps, { expression }) => steps + stepsOfExpression(expression), 0);
}

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
      // An invalid expression is rejected at compilation, so that the first of several errors is reported.
      return (
        1 + (enough && (unlessRejected(() => regexInstructions(predicate)) ?? 0)) + stepsOfExpression(predicate.of)
      );
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

/** A literal is found in one pass; each wildcard may need several. */
function stepsOfLike(pattern: string): number {
  const isPart = !pattern.slice(1, -1).includes('%') && !pattern.includes('_');
  return isPart ? 1 : pattern.length;
}

function stepsOfExpression(expression: Expression): number {
  if (!('of' in expression)) return 0;
  const reads = (expression.kind === 'path' || expression.kind === 'cast') && isLong(expression.of.type);
  return (reads ? READING_STEPS : 0) + stepsOfExpression(expression.of);
}
