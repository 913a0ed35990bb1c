/**
 * LIKE and ILIKE as in PostgreSQL: `%` matches any characters, `_` matches one code point, `\` escapes the next
 * character, and the whole text must match. Only the last `%` is retried, so the worst case is text length times
 * pattern length.
 */
import { foldCase } from '../../../text/case.ts';
import { checkLike } from '../../../text/like.ts';
import { spend } from '../connection/deadline.ts';

/** A token is a code point or one of these two values. */
const ANY_ONE = -1;
const ANY_RUN = -2;

export function compileLike(pattern: string, caseless: boolean): (text: string) => boolean {
  checkLike(pattern);
  const tokens = tokenize(caseless ? foldCase(pattern) : pattern);
  const matches = quickMatcher(tokens) ?? ((text: string) => matchTokens(tokens, text));
  return caseless ? (text) => matches(foldCase(text)) : matches;
}

/** The texts that every match contains. */
export function literalsOf(pattern: string): readonly string[] {
  const literals = [''];
  for (const token of tokenize(pattern)) {
    if (token < 0) literals.push('');
    else literals.push(literals.pop() + String.fromCodePoint(token));
  }
  return literals;
}

function tokenize(pattern: string): readonly number[] {
  const tokens: number[] = [];
  let escaped = false;
  for (const character of pattern) {
    if (escaped) {
      tokens.push(character.codePointAt(0)!);
      escaped = false;
    } else if (character === '\\') escaped = true;
    else if (character === '_') tokens.push(ANY_ONE);
    else if (character !== '%') tokens.push(character.codePointAt(0)!);
    else if (tokens.at(-1) !== ANY_RUN) tokens.push(ANY_RUN);
  }
  return tokens;
}

/** Fast paths for `x`, `x%`, `%x` and `%x%`; null otherwise. */
function quickMatcher(tokens: readonly number[]): ((text: string) => boolean) | null {
  const openStart = tokens[0] === ANY_RUN;
  const openEnd = tokens.length > 1 && tokens.at(-1) === ANY_RUN;
  const inner = tokens.slice(openStart ? 1 : 0, openEnd ? -1 : undefined);
  if (inner.some((token) => token < 0)) return null;
  const literal = inner.map((token) => String.fromCodePoint(token)).join('');
  if (openStart) return openEnd ? (text) => text.includes(literal) : (text) => text.endsWith(literal);
  return openEnd ? (text) => text.startsWith(literal) : (text) => text === literal;
}

/** Matching takes text length times pattern length steps, counted in batches. */
const STEPS_AT_ONCE = 4_096;

function matchTokens(tokens: readonly number[], text: string): boolean {
  let at = 0;
  let token = 0;
  /** The token after the last `%`, and the position at which that `%` ends for now. */
  let resumeToken = -1;
  let resumeAt = 0;
  let steps = 0;
  while (at < text.length) {
    if (++steps % STEPS_AT_ONCE === 0) spend(STEPS_AT_ONCE);
    const expectedToken = tokens[token];
    const codePoint = text.codePointAt(at)!;
    if (expectedToken === ANY_RUN) {
      token += 1;
      if (token === tokens.length) return true;
      resumeToken = token;
      resumeAt = at;
    } else if (expectedToken === codePoint || expectedToken === ANY_ONE) {
      token += 1;
      at += width(codePoint);
    } else if (resumeToken >= 0) {
      resumeAt += width(text.codePointAt(resumeAt)!);
      at = resumeAt;
      token = resumeToken;
    } else return false;
  }
  while (tokens[token] === ANY_RUN) token += 1;
  return token === tokens.length;
}

function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
