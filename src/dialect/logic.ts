/** Parses `and=(…)`, `or=(…)`, their negations and nested conditions, and `after=(…)`, which page links use. */
import { ApiError } from '../base/errors.ts';
import { MAX_CONDITIONS, MAX_LOGIC_DEPTH } from '../base/limits/http.ts';
import { readCondition } from './filter.ts';
import { FIELD_NAME } from './names.ts';
import { Scanner } from './scanner.ts';
import type { Condition, Group } from './tree.ts';

export const LOGIC_KEYS = ['and', 'or', 'not.and', 'not.or'] as const;
type LogicKey = (typeof LOGIC_KEYS)[number];

export function isLogicKey(key: string): key is LogicKey {
  return (LOGIC_KEYS as readonly string[]).includes(key);
}

/**
 * The parameter by which a link continues after a row: a condition as in `and`, distinguished from the client's by its
 * name.
 */
export const AFTER = 'after';

/** A field may also have that name, but a filter value never begins with a parenthesis. */
export function isAfter(key: string, value: string): boolean {
  return key === AFTER && value.startsWith('(');
}

export function parseAfter(value: string): Group {
  return { ...parseLogic('and', value), after: true };
}

export function parseLogic(key: LogicKey, value: string): Group {
  const scanner = new Scanner(
    'logic tree',
    value,
    () => `Write ${key}=(FIELD.eq.VALUE,FIELD.gt.VALUE), with parentheses.`,
  );
  const negated = key.startsWith('not.');
  const group = readTerms(scanner, negated ? (key.slice(4) as 'and' | 'or') : (key as 'and' | 'or'), negated, 1);
  scanner.expectEnd();
  return group;
}

export function tooManyConditions(): ApiError {
  return new ApiError('54000', `a request may hold ${MAX_CONDITIONS} conditions`);
}

function readTerms(scanner: Scanner, joiner: 'and' | 'or', negated: boolean, depth: number): Group {
  if (depth > MAX_LOGIC_DEPTH) throw new ApiError('54000', `and(…) and or(…) may nest ${MAX_LOGIC_DEPTH} deep`);
  scanner.skipSpaces();
  scanner.expect('(');
  const terms: Condition[] = [];
  do {
    scanner.skipSpaces();
    if (scanner.peek() === ')' || scanner.atEnd) {
      scanner.fail(`${FIELD_NAME}, negation operator (not) or logic operator (and, or)`);
    }
    terms.push(readTerm(scanner, depth));
    if (terms.length > MAX_CONDITIONS) throw tooManyConditions();
    scanner.skipSpaces();
  } while (scanner.take(','));
  scanner.expect(')', '"," or ")"');
  scanner.skipSpaces();
  return { kind: 'group', joiner, negated, terms };
}

function readTerm(scanner: Scanner, depth: number): Condition {
  const opening = scanner.attempt(() => {
    const negated = scanner.take('not.');
    const joiner = scanner.take('and') ? 'and' : scanner.take('or') ? 'or' : undefined;
    scanner.skipSpaces();
    return joiner !== undefined && scanner.peek() === '(' ? ({ joiner, negated } as const) : undefined;
  });
  if (opening !== undefined) return readTerms(scanner, opening.joiner, opening.negated, depth + 1);
  if (scanner.peek(4) === 'not.') scanner.fail('logic operator (and, or)', scanner.position + 4);
  return readCondition(scanner);
}
