/** Reads that differ only in their values have the same SQL: it is written once, and the values are read off each plan. */
import type { Value } from '../../collection/value.ts';
import { oncePer } from '../../once-per.ts';
import type { Predicate, ReadPlan } from '../../plan/types.ts';
import type { Access, SqlDialect, Statement } from './statement.ts';

/** The SQL that was written for an outline last, and for what. */
interface Written {
  readonly sql: string;
  readonly plan: ReadPlan;
  readonly dialect: SqlDialect;
  readonly access: Access | undefined;
}

const writtenFor = oncePer((_outline: object): { last?: Written } => ({}));

export function rememberedRead(
  plan: ReadPlan,
  dialect: SqlDialect,
  access: Access | undefined,
  write: () => Statement,
): Statement {
  if (plan.outline === undefined) return write();
  const written = writtenFor(plan.outline);
  const { last } = written;
  if (last !== undefined && last.dialect === dialect && isSameAccess(access, last.access) && isLike(plan, last.plan)) {
    return { sql: last.sql, params: valuesOf(plan) };
  }
  const statement = write();
  // Only values that are read off the plan in the order of the statement's parameters may be bound to it again.
  if (isSame(valuesOf(plan), statement.params)) written.last = { sql: statement.sql, plan, dialect, access };
  return statement;
}

function isSameAccess(one: Access | undefined, other: Access | undefined): boolean {
  return one === other || (one?.from === other?.from && one?.keysFirst === other?.keysFirst);
}

/** An engine may have changed a plan in more than its values, and left its outline. */
function isLike(one: ReadPlan, other: ReadPlan): boolean {
  return (
    one.columns === other.columns &&
    one.order === other.order &&
    one.groupBy === other.groupBy &&
    (one.limit === undefined) === (other.limit === undefined) &&
    one.offset > 0 === other.offset > 0 &&
    testsAlike(one.where, other.where)
  );
}

function testsAlike(one: Predicate, other: Predicate): boolean {
  if (one === other) return true;
  if (one.kind === 'compare')
    return other.kind === 'compare' && one.field === other.field && one.operator === other.operator;
  if (!('terms' in one) || !('terms' in other)) return false;
  if (one.kind !== other.kind || one.terms.length !== other.terms.length) return false;
  for (let index = 0; index < one.terms.length; index++) {
    if (!testsAlike(one.terms[index]!, other.terms[index]!)) return false;
  }
  return true;
}

function valuesOf({ where, limit, offset }: ReadPlan): Value[] {
  const values: Value[] = [];
  addValues(where, values);
  if (limit === undefined && offset === 0) return values;
  values.push(limit ?? Number.MAX_SAFE_INTEGER);
  if (offset > 0) values.push(offset);
  return values;
}

function addValues(predicate: Predicate, values: Value[]): void {
  if (predicate.kind === 'compare') values.push(predicate.value);
  else if ('terms' in predicate) for (const term of predicate.terms) addValues(term, values);
}

function isSame(some: readonly Value[], others: readonly Value[]): boolean {
  return some.length === others.length && some.every((value, index) => Object.is(value, others[index]));
}
