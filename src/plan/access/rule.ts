/**
 * The `where` of a rule: conditions in the query language, planned once and bound to each caller's claims. A path of
 * references is the `exists` of an inner embedding, without the rules of the related rows. A comparison with a missing
 * or ill-typed claim is unknown: neither it nor its negation holds.
 */

import { attempt, type Report } from '../../base/error-list.ts';
import { ApiError, onError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import type { Collection } from '../../collection/declaration.ts';
import { movingWord } from '../../collection/types/time/moving-moment.ts';
import { can, type Type } from '../../collection/types/type.ts';
import { parseRule } from '../../dialect/rule.ts';
import type { Comparison, Related, RuleCondition, Test } from '../../dialect/tree.ts';
import { compileRegex } from '../../text/regex.ts';
import { checkSearch } from '../../text/search/index.ts';
import { planConditions } from '../predicate.ts';
import { relate } from '../read/relate.ts';
import { resolvePath } from '../resolve.ts';
import { type Predicate, testsIn } from '../types.ts';
import { type ClaimPath, type Claims, claimAt, claimIn, claimText } from './claims.ts';

export interface PlannedRule {
  /** The claims that the rule refers to. */
  readonly claims: readonly ClaimPath[];
  readonly predicate: (claims: Claims) => Predicate;
}

const UNKNOWN: Predicate = { kind: 'constant', value: null };

/** Throws for a condition that this collection does not support. */
export function planRule(collection: Collection, where: string): PlannedRule {
  return planTerms('all', collection, parseRule(where));
}

/** All mistakes of a rule. References are checked if the collection knows the others. */
export function problemsIn(collection: Collection, where: string): readonly ApiError[] {
  const problems: ApiError[] = [];
  const report: Report = (error) => problems.push(error);
  const isChecked = (term: RuleCondition): boolean => {
    if (term.kind === 'group') return term.terms.every(isChecked);
    return (term.kind === 'comparison' && !isOfTree(term)) || collection.among.size > 0;
  };
  const conditions = attempt(report, () => parseRule(where, report)) ?? [];
  for (const condition of conditions.filter(isChecked)) attempt(report, () => planTerm(collection, condition));
  return problems;
}

function isOfTree({ test }: Comparison): boolean {
  return test.kind === 'value' && (test.operator === 'within' || test.operator === 'above');
}

/** A rule without claims is the same for every caller. */
function settled(rule: PlannedRule): PlannedRule {
  if (rule.claims.length > 0) return rule;
  const predicate = rule.predicate({});
  return { claims: [], predicate: () => predicate };
}

function planTerm(collection: Collection, condition: RuleCondition): PlannedRule {
  if (condition.kind === 'comparison') return settled(planComparison(collection, condition));
  if (condition.kind === 'related') return planRelated(collection, condition);
  const { joiner, terms, negated } = condition;
  const planned = planTerms(joiner === 'and' ? 'all' : 'any', collection, terms);
  return negated ? mapped(planned, (term) => ({ kind: 'not', term })) : planned;
}

function planTerms(kind: 'all' | 'any', collection: Collection, conditions: readonly RuleCondition[]): PlannedRule {
  const all = kind === 'all' ? byRelatedRow(conditions) : conditions;
  const terms = all.map((condition) => planTerm(collection, condition));
  return settled({
    claims: terms.flatMap((term) => term.claims),
    predicate: (claims) =>
      joined(
        kind,
        terms.map((term) => term.predicate(claims)),
      ),
  });
}

function joined(kind: 'all' | 'any', terms: readonly Predicate[]): Predicate {
  return terms.length === 1 ? terms[0]! : { kind, terms };
}

/** Conditions on the same relation are about one related row: `lines.a=eq.1&lines.b=eq.2` needs a line with both. */
function byRelatedRow(conditions: readonly RuleCondition[]): readonly RuleCondition[] {
  const isSame = (one: Related) => (other: RuleCondition) =>
    other.kind === 'related' && other.name === one.name && other.hint === one.hint;
  return conditions.flatMap((condition, at): readonly RuleCondition[] => {
    if (condition.kind !== 'related') return [condition];
    const same = conditions.filter(isSame(condition)) as readonly Related[];
    return conditions.findIndex(isSame(condition)) < at
      ? []
      : [{ ...condition, terms: same.flatMap(({ terms }) => terms) }];
  });
}

function planRelated(collection: Collection, { name, hint, terms }: Related): PlannedRule {
  const relation = relate(collection, name, hint);
  return mapped(planTerms('all', relation.to, terms), (where) => {
    const exists: Predicate = { kind: 'exists', relation, where };
    // `exists` alone would be false, and its negation would hold.
    return testsIn(where).some((test) => test === UNKNOWN) ? { kind: 'any', terms: [exists, UNKNOWN] } : exists;
  });
}

function mapped({ claims, predicate }: PlannedRule, change: (predicate: Predicate) => Predicate): PlannedRule {
  return settled({ claims, predicate: (given) => change(predicate(given)) });
}

function planComparison(collection: Collection, comparison: Comparison): PlannedRule {
  const { type } = resolvePath(collection, comparison.field);
  checkWords(type, comparison.test);
  const test = mapValues(comparison.test, (text) => wordIn(type, text) ?? text);
  const paths = valuesOf(test).map(claimIn);
  const claims = paths.filter((path) => path !== undefined);
  if (claims.length === 0) {
    checkPattern(test);
    const planned = planConditions(collection, [{ ...comparison, test }]);
    return { claims, predicate: () => planned };
  }
  checkTakesClaims(test);
  // Whether the operator supports the field does not depend on the claim.
  if (test.kind === 'value') tryPlan(collection, { ...comparison, test: { ...test, value: '' } });
  return {
    claims,
    predicate: (given) => {
      const bound = withClaims(test, paths, type, given);
      if (bound === undefined) return UNKNOWN;
      return tryPlan(collection, { ...comparison, test: bound }) ?? UNKNOWN;
    },
  };
}

/** Plans a comparison. Returns undefined if a value does not have the type of the field. */
function tryPlan(collection: Collection, comparison: Comparison): Predicate | undefined {
  const plan = () => planConditions(collection, [comparison]);
  return onError(ApiError, plan, (error) => {
    if (/^22/.test(error.code)) return undefined;
    throw error;
  });
}

export function valuesOf(test: Test): readonly string[] {
  const values: string[] = [];
  mapValues(test, (text) => {
    values.push(text);
    return text;
  });
  return values;
}

/** The same test with other values. */
export function mapValues(test: Test, change: (text: string) => string): Test {
  switch (test.kind) {
    case 'in':
      return { ...test, values: test.values.map(change) };
    case 'is':
    case 'unknown':
      return test;
    case 'search':
      return { ...test, query: change(test.query) };
    case 'value':
      return { ...test, value: change(test.value) };
  }
}

/** A claim may only be compared: a value that a caller chooses must not become a pattern. */
export const COMPARING = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct', 'within', 'above', 'cs', 'cd', 'ov'];

function checkTakesClaims(test: Test): void {
  if (test.kind === 'in') return;
  const isCompared = test.kind === 'value' && test.quantifier === undefined && COMPARING.includes(test.operator);
  if (isCompared) return;
  throw new ApiError(
    'PGRST100',
    say`a claim is compared by ${COMPARING.join(', ')} or in, and is not a pattern or list`,
  );
}

const MOMENT = /^\{(now|today|tomorrow|yesterday)\}$/;

/** The word of a placeholder such as `{now}`. */
export function wordIn(type: Type, text: string): string | undefined {
  const [, word] = MOMENT.exec(text) ?? [];
  if (word === undefined || can(type, 'array') || can(type, 'json')) return undefined;
  if (type.moving !== undefined) return word;
  throw new ApiError('22007', say`${text} is compared with a date, timestamp or timestamptz, not with ${type.title}`);
}

/** Rejects a word instead of a placeholder such as `{now}`. */
function checkWords(type: Type, test: Test): void {
  const word = type.generated?.now === undefined ? undefined : valuesOf(test).find((text) => movingWord(text));
  if (word !== undefined) {
    throw new ApiError('22007', say`it cannot hold a word such as ${word}, which means another moment each time`, {
      suggestion: say`write {${word.trim().toLowerCase()}}`,
    });
  }
}

function checkPattern(test: Test): void {
  if (test.kind === 'search') checkSearch(test.operator, test.query);
  if (test.kind === 'value' && test.quantifier === undefined && /^i?match$/.test(test.operator)) {
    compileRegex(test.value, test.operator === 'imatch');
  }
}

/** Inserts claims into a test. Returns undefined if a claim is missing or ill-typed. A list adds all its elements. */
function withClaims(
  test: Test,
  paths: readonly (ClaimPath | undefined)[],
  type: Type,
  claims: Claims,
): Test | undefined {
  if (test.kind === 'value') {
    const value = claimText(type, claimAt(claims, paths[0]!));
    return value === undefined ? undefined : { ...test, value };
  }
  if (test.kind !== 'in') return undefined;
  const values: string[] = [];
  for (const [at, path] of paths.entries()) {
    if (path === undefined) {
      values.push(test.values[at]!);
      continue;
    }
    const claim = claimAt(claims, path);
    const listed = Array.isArray(claim) && type.element === undefined ? claim : [claim];
    for (const each of listed) {
      const value = claimText(type, each);
      if (value === undefined) return undefined;
      values.push(value);
    }
  }
  return { ...test, values };
}
