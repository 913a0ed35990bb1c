/** Errors in regular expressions, in PostgreSQL's words, with our own hints. */
import { ApiError } from '../../base/errors.ts';
import { type Sentence, say } from '../../base/sentence.ts';

const REASONS = {
  version: say`invalid regexp (reg version 0.8)`,
  collation: say`invalid collating element`,
  class: say`invalid character class`,
  escape: say`invalid escape \\ sequence`,
  reference: say`invalid backreference number`,
  brackets: say`brackets [] not balanced`,
  parentheses: say`parentheses () not balanced`,
  braces: say`braces {} not balanced`,
  count: say`invalid repetition count(s)`,
  range: say`invalid character range`,
  operand: say`quantifier operand invalid`,
  option: say`invalid embedded option`,
  complex: say`regular expression is too complex`,
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
  return new ApiError('2201B', say`invalid regular expression: ${REASONS[reason]}`, { hint });
}

export function tooComplex(hint = 'Use smaller bounds in {m,n}, and nest fewer groups.'): ApiError {
  return invalid('complex', hint);
}

/** Valid in PostgreSQL, but impossible in linear time or useless here. */
export class Unsupported extends ApiError {
  constructor(feature: Sentence, hint: string) {
    super('2201B', say`invalid regular expression: ${feature} not supported`, { hint });
  }
}
