/**
 * Reads that differ only in their values have the same SQL. What they have in common, their outline, is far quicker to
 * tell than the SQL is to write: so the SQL is remembered by it, and with the SQL the statement that was prepared.
 */
import type { Value } from '../../collection/value.ts';
import { oncePer } from '../../once-per.ts';
import type { OutputColumn, Predicate, ReadPlan } from '../../plan/types.ts';
import type { SqlDialect, Statement } from './statement.ts';

/** Clients choose the outlines; nobody needs more than a few. */
const MAX_REMEMBERED = 200;

/** By dialect, and by columns, whose list most requests share. */
const outlinesOf = oncePer((_: SqlDialect) => oncePer((_: readonly OutputColumn[]) => new Map<string, string>()));

export function rememberedRead(
  plan: ReadPlan,
  dialect: SqlDialect,
  source: string,
  compile: () => Statement,
): Statement {
  const params: Value[] = [];
  const outline = outlineOf(plan, params);
  if (outline === undefined) return compile();
  const known = outlinesOf(dialect)(plan.columns);
  const key = source + outline;
  const sql = known.get(key);
  if (sql !== undefined) return { sql, params };
  const statement = compile();
  if (known.size >= MAX_REMEMBERED) known.clear();
  // Only what was read off the plan in the order of the statement's parameters may be bound to it again.
  if (isSame(params, statement.params)) known.set(key, statement.sql);
  return statement;
}

/** Undefined for reads whose SQL may depend on their values. */
function outlineOf({ where, order, groupBy, limit, offset }: ReadPlan, params: Value[]): string | undefined {
  if (groupBy !== undefined) return undefined;
  let outline = outlineOfPredicate(where, params);
  if (outline === undefined) return undefined;
  for (const { expression, descending, nulls } of order) {
    if (expression.kind !== 'field') return undefined;
    outline += ` ${expression.field.name}${descending ? '-' : '+'}${nulls ?? ''}`;
  }
  if (limit === undefined && offset === 0) return outline;
  params.push(limit ?? Number.MAX_SAFE_INTEGER);
  if (limit !== undefined && offset === 0) return `${outline} limit`;
  params.push(offset);
  return `${outline} page`;
}

function outlineOfPredicate(predicate: Predicate, params: Value[]): string | undefined {
  switch (predicate.kind) {
    case 'compare':
      params.push(predicate.value);
      return predicate.field.name + predicate.operator;
    case 'constant':
      return String(predicate.value);
    case 'null':
      return `${predicate.field.name} null`;
    case 'all': {
      let outline = '(';
      for (const term of predicate.terms) {
        const inner = outlineOfPredicate(term, params);
        if (inner === undefined) return undefined;
        outline += `${inner},`;
      }
      return `${outline})`;
    }
    default:
      return undefined;
  }
}

function isSame(some: readonly Value[], others: readonly Value[]): boolean {
  return some.length === others.length && some.every((value, index) => Object.is(value, others[index]));
}
