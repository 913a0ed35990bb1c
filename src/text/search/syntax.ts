/** The two query syntaxes: to_tsquery's operators, and web search. */
import { ApiError } from '../../base/errors.ts';
import { Scanner } from '../scanner.ts';
import type { Reader } from './lexemes.ts';
import { addText, Builder, type Draft, GAP, NEXT_TO, type OperandFlags, type Operator } from './query.ts';

const MAX_DISTANCE = 16384;
/** White space as in the C library: a no-break space does not separate. */
const SPACES = '\\t-\\r \\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000';
const SPACE = new RegExp(`[${SPACES}]+`, 'y');
const QUOTED = /'((?:[^'\\]|''|\\.)*)'/suy;
const BARE = new RegExp(`(?:[^${SPACES}'\\\\!&|()<:]|\\\\.)(?:[^${SPACES}\\\\!&|()<:]|\\\\.)*`, 'suy');
const MODIFIERS = /:([abcd*]*)/iy;
// PostgreSQL requires a following character, which may be a space.
const PHRASE = /<(-|[0-9]+)>(?=.)/sy;

const PLAIN: OperandFlags = { prefix: false, weights: '' };

/** `fat & (rat | !cat:*) <-> 'two words'`. Null if it is empty. */
export function parseOperators(query: string, read: Reader): Draft | null {
  const scanner = new Scanner(query);
  const builder = new Builder();
  let depth = 0;
  let empty = true;
  for (;;) {
    // An operand, after any number of ! and (
    scanner.match(SPACE);
    if (scanner.atEnd) {
      if (empty) return null;
      throw syntaxError(query, 'no operand in tsquery');
    }
    empty = false;
    if (scanner.take('!')) {
      builder.operator({ kind: 'not' });
      continue;
    }
    if (scanner.take('(')) {
      builder.open();
      depth += 1;
      continue;
    }
    const word = takeOperand(scanner);
    addText(builder, word, read, NEXT_TO, takeFlags(scanner));
    // An operator, after any number of )
    scanner.match(SPACE);
    while (depth > 0 && scanner.take(')')) {
      builder.close();
      depth -= 1;
      scanner.match(SPACE);
    }
    if (scanner.atEnd && depth === 0) return builder.finish();
    builder.operator(takeOperator(scanner));
  }
}

function takeOperand(scanner: Scanner): string {
  const written = scanner.match(QUOTED)?.[1] ?? scanner.match(BARE)?.[0];
  if (!written) throw syntaxError(scanner.text);
  return written.replace(/\\(.)|''/gsu, (pair, escaped) => escaped ?? (pair && "'"));
}

function takeFlags(scanner: Scanner): OperandFlags {
  const modifiers = scanner.match(MODIFIERS)?.[1]?.toLowerCase() ?? '';
  return { prefix: modifiers.includes('*'), weights: modifiers.replaceAll('*', '') };
}

function takeOperator(scanner: Scanner): Operator {
  if (scanner.take('&')) return { kind: 'and' };
  if (scanner.take('|')) return { kind: 'or' };
  const phrase = scanner.match(PHRASE)?.[1];
  if (!phrase) throw syntaxError(scanner.text);
  const distance = phrase === '-' ? 1 : Number(phrase);
  if (distance > MAX_DISTANCE) {
    const reason = `distance in phrase operator must be an integer value between zero and ${MAX_DISTANCE} inclusive`;
    throw new ApiError('42601', reason);
  }
  return { kind: 'phrase', distance };
}

function syntaxError(query: string, reason = 'syntax error in tsquery'): ApiError {
  return new ApiError('42601', `${reason}: "${query}"`, {
    hint: 'Join words with &, | or <->, or use plfts, phfts or wfts for text as people type it.',
  });
}

const WEB_QUOTED = /"([^"]*)"?/y;
const WEB_WORD = new RegExp(`.[^${SPACES}!&|()<:"]*`, 'suy');
const WEB_IGNORED = /[!&|()<]+/y;
/** `or` is an operator if it is a separate word and another word follows. */
const WEB_OR = new RegExp(`or(?![\\p{Alphabetic}\\p{Nd}_\\-])(?=.[${SPACES}]*[^${SPACES}])`, 'isuy');

/** `fat rat -cat "two words" or dog`: never a syntax error. Null if it is empty. */
export function parseWebSearch(query: string, read: Reader): Draft | null {
  const scanner = new Scanner(query);
  const builder = new Builder();
  let expectsOperand = true;
  let empty = true;
  for (;;) {
    while (scanner.match(SPACE) || scanner.match(WEB_IGNORED)) {
      /* neither separates nor joins anything */
    }
    if (scanner.atEnd) break;
    if (!expectsOperand) {
      builder.operator({ kind: scanner.match(WEB_OR) ? 'or' : 'and' });
      expectsOperand = true;
      continue;
    }
    empty = false;
    if (scanner.take('-')) {
      builder.operator({ kind: 'not' });
      continue;
    }
    const quoted = scanner.match(WEB_QUOTED);
    const text = quoted ? quoted[1]! : scanner.match(WEB_WORD)![0];
    addText(builder, text, read, NEXT_TO, PLAIN);
    expectsOperand = false;
  }
  if (empty) return null;
  if (expectsOperand) builder.operand(GAP);
  return builder.finish();
}

/** All words of a text, joined by one operator. */
export function parseText(query: string, read: Reader, operator: Operator): Draft | null {
  const builder = new Builder();
  addText(builder, query, read, operator, PLAIN);
  return builder.finish();
}
