/** Parses `and=(…)`, `or=(…)`, their negations and nested conditions, and `after=(…)`, which page links use. */
import { ApiError } from '../base/errors.ts';
import { MAX_CONDITIONS, MAX_LOGIC_DEPTH } from '../base/limits/http.ts';
import { say } from '../base/sentence.ts';
import { readCondition } from './filter.ts';
import { FIELD_NAME, readName, Scanner } from './names.ts';
import { operatorNamed } from './operators.ts';
import type { Group, RelationName, RuleCondition } from './tree.ts';

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
  return parseTree(key, value, readCondition);
}

/** The same in a rule, whose conditions may follow references: `or=(status.eq.live,orders.status.eq.open)`. */
export function parseRuleLogic(key: LogicKey, value: string): Group<RuleCondition> {
  return parseTree<RuleCondition>(key, value, readRuleTerm);
}

/** Reads a condition, or a path that leads to another term. */
type ReadTerm<Term> = (scanner: Scanner, readInner: () => Term | Group<Term>) => Term;

function parseTree<Term>(key: LogicKey, value: string, read: ReadTerm<Term>): Group<Term> {
  const scanner = new Scanner(
    'logic tree',
    value,
    () => `Write ${key}=(FIELD.eq.VALUE,FIELD.gt.VALUE), with parentheses.`,
  );
  const negated = key.startsWith('not.');
  const group = readTerms(scanner, negated ? (key.slice(4) as 'and' | 'or') : (key as 'and' | 'or'), negated, 1, read);
  scanner.expectEnd();
  return group;
}

export function tooManyConditions(): ApiError {
  return new ApiError('54000', say`a request may hold ${MAX_CONDITIONS} conditions`);
}

function readTerms<Term>(
  scanner: Scanner,
  joiner: 'and' | 'or',
  negated: boolean,
  depth: number,
  read: ReadTerm<Term>,
): Group<Term> {
  if (depth > MAX_LOGIC_DEPTH) throw new ApiError('54000', say`and(…) and or(…) may nest ${MAX_LOGIC_DEPTH} deep`);
  scanner.skipSpaces();
  scanner.expect('(');
  const readNext = () => {
    scanner.skipSpaces();
    if (scanner.peek() === ')' || scanner.atEnd) {
      scanner.fail(say`${FIELD_NAME}, negation operator (not) or logic operator (and, or)`);
    }
    const term = readTerm(scanner, depth, read);
    scanner.skipSpaces();
    return term;
  };
  const terms = scanner.list(readNext, MAX_CONDITIONS, tooManyConditions);
  scanner.expect(')', '"," or ")"');
  scanner.skipSpaces();
  return { kind: 'group', joiner, negated, terms: terms as readonly Term[] };
}

function readTerm<Term>(scanner: Scanner, depth: number, read: ReadTerm<Term>): Term | Group<Term> {
  const opening = scanner.attempt(() => {
    const negated = scanner.take('not.');
    const joiner = scanner.take('and') ? 'and' : scanner.take('or') ? 'or' : undefined;
    scanner.skipSpaces();
    return joiner !== undefined && scanner.peek() === '(' ? ({ joiner, negated } as const) : undefined;
  });
  if (opening !== undefined) return readTerms(scanner, opening.joiner, opening.negated, depth + 1, read);
  if (scanner.peek(4) === 'not.') scanner.fail(say`logic operator (and, or)`, scanner.position + 4);
  return read(scanner, () => readTerm(scanner, depth + 1, read));
}

/** A name before a point is a step of a path, unless an operator follows. In quotes, a name is never an operator. */
function readRuleTerm(scanner: Scanner, readInner: () => RuleCondition): RuleCondition {
  const relation = scanner.attempt(() => {
    scanner.skipSpaces();
    const name = readRelation(scanner);
    return scanner.take('.') && (name.hint !== undefined || !seesTest(scanner)) ? name : undefined;
  });
  return relation === undefined ? readCondition(scanner) : { kind: 'related', ...relation, terms: [readInner()] };
}

/** `orders`, or `categories!parent_id`. */
export function readRelation(scanner: Scanner): RelationName {
  const name = readName(scanner);
  return scanner.take('!') ? { name, hint: readName(scanner) } : { name };
}

const TEST = /(?:not\.)?([a-z]+)(?:\([^()]*\))?\./y;

function seesTest(scanner: Scanner): boolean {
  TEST.lastIndex = scanner.position;
  const [, operator] = TEST.exec(scanner.text) ?? [];
  return operator !== undefined && operatorNamed(operator) !== undefined;
}
