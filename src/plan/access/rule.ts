/**
 * The `where` of a rule: conditions in the query language, planned once and bound to each caller's claims. A comparison
 * with a missing or ill-typed claim is unknown: neither it nor its negation holds.
 */

import { ApiError } from '../../base/errors.ts';
import type { Collection } from '../../collection/declaration.ts';
import { movingMoment } from '../../collection/types/time/date-time-text.ts';
import type { Type } from '../../collection/types/type.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Comparison, Condition, Query, Test } from '../../dialect/tree.ts';
import { compileRegex } from '../../text/regex.ts';
import { checkSearch } from '../../text/search/index.ts';
import { planConditions } from '../predicate.ts';
import { resolvePath } from '../resolve.ts';
import type { Predicate } from '../types.ts';
import { type ClaimPath, type Claims, claimAt, claimIn, claimText } from './claims.ts';

export interface PlannedRule {
  /** The claims that the rule refers to. */
  readonly claims: readonly ClaimPath[];
  readonly predicate: (claims: Claims) => Predicate;
}

const UNKNOWN: Predicate = { kind: 'constant', value: null };

/** Throws for a condition that this collection does not support. */
export function planRule(collection: Collection, where: string): PlannedRule {
  const query = parseQuery(where);
  checkConditionsOnly(query);
  const terms = query.conditions.map((condition) => planTerm(collection, condition));
  const claims = terms.flatMap((term) => term.claims);
  const predicate = (given: Claims): Predicate =>
    joined(
      'all',
      terms.map((term) => term.predicate(given)),
    );
  return settled({ claims, predicate });
}

/** All mistakes of a rule, including those that `planRule` does not detect. */
export function problemsIn(collection: Collection, where: string): readonly ApiError[] {
  const problems: ApiError[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push(error);
    }
  };
  attempt(() => {
    const query = parseQuery(where);
    attempt(() => checkConditionsOnly(query));
    for (const condition of query.conditions) attempt(() => void planTerm(collection, condition));
  });
  return problems;
}

/** A rule without claims is the same for every caller. */
function settled(rule: PlannedRule): PlannedRule {
  if (rule.claims.length > 0) return rule;
  const predicate = rule.predicate({});
  return { claims: [], predicate: () => predicate };
}

function checkConditionsOnly({ conditions, select, order, embeds, limit, offset, columns, onConflict }: Query): void {
  const selects = select.some((item) => item.kind !== 'all');
  const others = {
    select: selects,
    order: order.length > 0,
    limit: limit !== undefined,
    offset: offset !== undefined,
    columns: columns !== undefined,
    on_conflict: onConflict !== undefined,
  };
  const [extra] = Object.entries(others).find(([, isGiven]) => isGiven) ?? [];
  if (extra !== undefined) throw new ApiError('PGRST100', `${extra} is not a condition; a rule has conditions alone`);
  for (const way of embeds?.keys() ?? []) {
    throw new ApiError('PGRST100', `${way} is another collection; a rule has conditions on fields of its own`);
  }
  if (conditions.length === 0) throw new ApiError('PGRST100', 'the rule has no condition');
}

function planTerm(collection: Collection, condition: Condition): PlannedRule {
  if (condition.kind === 'comparison') return settled(planComparison(collection, condition));
  const terms = condition.terms.map((term) => planTerm(collection, term));
  const kind = condition.joiner === 'and' ? 'all' : 'any';
  return settled({
    claims: terms.flatMap((term) => term.claims),
    predicate: (claims) => {
      const planned = joined(
        kind,
        terms.map((term) => term.predicate(claims)),
      );
      return condition.negated ? { kind: 'not', term: planned } : planned;
    },
  });
}

function joined(kind: 'all' | 'any', terms: readonly Predicate[]): Predicate {
  return terms.length === 1 ? terms[0]! : { kind, terms };
}

function planComparison(collection: Collection, comparison: Comparison): PlannedRule {
  const { type } = resolvePath(collection, comparison.field);
  const { test } = comparison;
  const paths = valuesOf(test).map(claimIn);
  const claims = paths.filter((path) => path !== undefined);
  if (claims.length === 0) {
    checkFixed(type, test);
    const planned = planConditions(collection, [comparison]);
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
  try {
    return planConditions(collection, [comparison]);
  } catch (error) {
    if (error instanceof ApiError && /^22/.test(error.code)) return undefined;
    throw error;
  }
}

export function valuesOf(test: Test): readonly string[] {
  switch (test.kind) {
    case 'in':
      return test.values;
    case 'is':
    case 'unknown':
      return [];
    case 'search':
      return [test.query];
    case 'value':
      return [test.value];
  }
}

/** A claim may only be compared: a value that a caller chooses must not become a pattern. */
const COMPARING = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct', 'cs', 'cd', 'ov'];

function checkTakesClaims(test: Test): void {
  if (test.kind === 'in') return;
  const isCompared = test.kind === 'value' && test.quantifier === undefined && COMPARING.includes(test.operator);
  if (isCompared) return;
  throw new ApiError('PGRST100', `a claim is compared by ${COMPARING.join(', ')} or in, and is not a pattern or list`);
}

/** Rejects values whose meaning changes over time, since results are cached, and invalid patterns. */
function checkFixed(type: Type, test: Test): void {
  const moving = type.generated?.now === undefined ? undefined : valuesOf(test).find((text) => movingMoment(text));
  if (moving !== undefined) {
    throw new ApiError('22007', `it cannot hold a word such as ${moving}, which means another moment each time`);
  }
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
