/** Errors in regular expressions, in PostgreSQL's words, with our own hints. */
import { ApiError } from '../../base/errors.ts';

const REASONS = {
  version: 'invalid regexp (reg version 0.8)',
  collation: 'invalid collating element',
  class: 'invalid character class',
  escape: 'invalid escape \\ sequence',
  reference: 'invalid backreference number',
  brackets: 'brackets [] not balanced',
  parentheses: 'parentheses () not balanced',
  braces: 'braces {} not balanced',
  count: 'invalid repetition count(s)',
  range: 'invalid character range',
  operand: 'quantifier operand invalid',
  option: 'invalid embedded option',
  complex: 'regular expression is too complex',
} as const;

/** The characters of pairs, and what to write for one of them alone. */
const PAIRS: Readonly<Record<string, string>> = {
  parentheses: '\\( or \\)',
  brackets: '\\[ or \\]',
  braces: '\\{ or \\}',
};

export function invalid(
  reason: keyof typeof REASONS,
  hint = PAIRS[reason] && `Close each of them. For the character itself, write ${PAIRS[reason]}.`,
): ApiError {
  return new ApiError('2201B', `invalid regular expression: ${REASONS[reason]}`, { hint });
}

export function tooComplex(hint = 'Use smaller bounds in {m,n}, and nest fewer groups.'): ApiError {
  return invalid('complex', hint);
}

/** Valid in PostgreSQL, but impossible in linear time or useless here. */
export class Unsupported extends ApiError {
  constructor(feature: string, hint: string) {
    super('2201B', `invalid regular expression: ${feature} not supported`, { hint });
  }
}
