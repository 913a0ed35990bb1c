/**
 * Statements of reads. Reads that differ only in the values of comparisons and in the page have the same text, which is
 * compiled once: that takes a tenth of the CPU time of a page.
 */
import { MAX_CACHED_TEXTS } from '../../../base/limits/http.ts';
import { memoize } from '../../../base/memo.ts';
import type { Value } from '../../../collection/value.ts';
import { fieldOf, type Predicate, type ReadPlan } from '../../../plan/types.ts';
import { compilePage } from '../../sql/expression.ts';
import type { Output } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { type Bind, identifier, type SqlDialect, type Statement } from '../../sql/statement.ts';

const textsOf = memoize((_dialect: SqlDialect) =>
  memoize((_from: ReadPlan['from']) =>
    memoize((_columns: ReadPlan['columns']) => memoize((_order: ReadPlan['order']) => new Map<string, string>())),
  ),
);

export function readStatement(plan: ReadPlan, output: Output, dialect: SqlDialect): Statement {
  const params: Value[] = [];
  const bind: Bind = (value, type) => {
    params.push(type === undefined ? value : dialect.stored(value, type));
    return '';
  };
  const isPlain = plan.groupBy === undefined && plan.ranking === undefined && dialect.sources === undefined;
  const filter = isPlain ? bindFilter(plan.where, bind) : undefined;
  if (filter === undefined) return compileRead(plan, output, dialect);
  const page = compilePage(plan, bind);
  const { form, stripNulls, bare, bounded, share, keys } = output;
  const key = `${filter} ${page} ${form} ${stripNulls} ${bare} ${bounded} ${share} ${keys?.length}`;
  const texts = textsOf(dialect)(plan.from)(plan.columns)(plan.order);
  const sql = texts.get(key);
  if (sql !== undefined) return { sql, params };
  const statement = compileRead(plan, output, dialect);
  const isSame = statement.params.length === params.length && statement.params.every((each, at) => each === params[at]);
  if (texts.size === MAX_CACHED_TEXTS) texts.clear();
  if (isSame) texts.set(key, statement.sql);
  return statement;
}

/** Binds the values of a filter in their order. Returns its other parts; undefined for filters of other kinds. */
function bindFilter(where: Predicate, bind: Bind): string | undefined {
  if (where.kind === 'constant') return String(where.value);
  if (where.kind === 'compare') {
    const field = fieldOf(where.of);
    if (field === undefined) return undefined;
    bind(where.value, where.of.type);
    return `${where.operator}${identifier(field.name)}`;
  }
  if (where.kind !== 'all') return undefined;
  let parts = String(where.isInOrder);
  for (const term of where.terms) {
    const part = bindFilter(term, bind);
    if (part === undefined) return undefined;
    parts += `(${part})`;
  }
  return parts;
}
