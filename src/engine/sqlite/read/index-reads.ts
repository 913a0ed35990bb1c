/**
 * Access paths for rows of a large table. A read that follows an index, with every entry a row of the page, takes well
 * under a millisecond and may run on the event loop. Any other read may not.
 */
import { INLINE_PAGE_ROWS } from '../../../base/limits/engine.ts';
import { memoize } from '../../../base/memo.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { NO_ORDER } from '../../../plan/read/order.ts';
import {
  conjuncts,
  type Expression,
  fieldOf,
  isSameField,
  type OrderKey,
  type Predicate,
  type ReadPlan,
  testsIn,
} from '../../../plan/types.ts';
import { cheapPageBytes, filterSteps } from '../../shared/cost.ts';
import { maxKeys, readsOtherCollections, singleKey } from '../../shared/plan-keys.ts';
import type { Access } from '../../sql/expression.ts';
import type { Output } from '../../sql/output.ts';
import { maxRowBytes } from '../../sql/row-size.ts';
import { identifier, renumberParameters, type Statement } from '../../sql/statement.ts';
import { compileCached } from '../../sql/statement-cache.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { indexOf } from '../schema/schema.ts';
import { PAGE_BUDGET } from './byte-budget.ts';

/** The average number of rows per value of an index; undefined until statistics exist. */
export type RowsPerValue = (index: string) => number | undefined;

/** A cheap read, provided that its rows stay within the byte budget. */
export interface IndexRead {
  readonly statement: Statement;
  readonly bytes: number;
}

/** Whether a read may be cheap. Text filters and groups never are: the length of the texts is unknown. */
export function mayFollowIndex(plan: ReadPlan): boolean {
  return plan.groupBy === undefined && plan.facets === undefined && filterSteps(plan) === 0;
}

/** Reads by key with another key are the same statement. The memo saves 15 % of the CPU time of such a read. */
const readsByKey = memoize((_from: Collection) =>
  memoize((_columns: ReadPlan['columns']) => new Map<Output['form'], IndexRead>()),
);

/** Compiles a read over a key or index. Returns undefined if the read may be expensive. */
export function compileIndexRead(plan: ReadPlan, output: Output, rowsPerValue: RowsPerValue): IndexRead | undefined {
  const key = singleKey(plan);
  if (key === undefined || output.stripNulls) return compileAccess(plan, output, rowsPerValue);
  const compiledRead = readsByKey(plan.from)(plan.columns);
  const same = compiledRead.get(output.form);
  const params = [sqliteDialect.stored(key, plan.from.key[0]!.type)];
  if (same !== undefined) return { statement: { sql: same.statement.sql, params }, bytes: same.bytes };
  const compiled = compileAccess({ ...plan, order: NO_ORDER }, output, rowsPerValue);
  if (compiled?.statement.params.length === 1) compiledRead.set(output.form, compiled);
  return compiled;
}

function compileAccess(plan: ReadPlan, output: Output, rowsPerValue: RowsPerValue): IndexRead | undefined {
  const terms = conjuncts(plan.where);
  const keys = maxKeys(plan.from, terms);
  const rows = keys ?? plan.limit;
  if (rows === undefined || (keys === undefined && rowsTouched(plan) > INLINE_PAGE_ROWS)) return undefined;
  const bytes = cheapPageBytes(plan);
  const isBounded = rows * maxRowBytes(plan.columns, output) > bytes;
  const bounded: Output = isBounded ? { ...output, ...PAGE_BUDGET } : output;
  // A row may have very many related rows, so the steps are counted.
  const dialect = readsOtherCollections(plan) ? guardedDialect : sqliteDialect;
  const compile: Walk['compile'] = (access, page) => compileCached({ ...plan, ...page }, bounded, dialect, access);
  const statement =
    keys === undefined ? compileWalk({ plan, terms, compile }, rowsPerValue) : compileCached(plan, bounded, dialect);
  return statement && { statement, bytes };
}

/** A read that follows an index, with every entry a row of the page. */
interface Walk {
  readonly plan: ReadPlan;
  readonly terms: readonly Predicate[];
  /** Compiles the read with another filter or page. */
  readonly compile: (access: Access, page?: Partial<ReadPlan>) => Statement;
}

function compileWalk(walk: Walk, rowsPerValue: RowsPerValue): Statement | undefined {
  const { from, order, count } = walk.plan;
  const [first, second, ...more] = order.map(({ expression }) => expression);
  // Keys that are not assigned have an index of their own, in another order than the table.
  if (count !== undefined || first === undefined || from.assigned === undefined) return undefined;
  if (fieldOf(first) === from.assigned) return walkByKey(walk, first);
  const index = indexOf(from, first);
  const endsWithKey = second !== undefined && fieldOf(second) === from.assigned && more.length === 0;
  return index === undefined || !endsWithKey ? undefined : walkByIndex(walk, index, rowsPerValue(index));
}

/** Follows the table from its start or from a key, or the rows with one value, which are in key order. */
function walkByKey({ plan: { from }, terms, compile }: Walk, key: Expression): Statement | undefined {
  if (terms.every((term) => isRange(term, key))) return compile({});
  const [only] = terms;
  const isEqual = terms.length === 1 && only?.kind === 'compare' && only.operator === '=';
  const index = isEqual ? indexOf(from, only.of) : undefined;
  return index === undefined ? undefined : compile({ from: fromIndex(from, index) });
}

/**
 * Follows the index of the first order value. Backwards, the rows of each value must be sorted by key: only their keys,
 * since most may not be on the page. `ties` is the number of rows per value.
 */
function walkByIndex(walk: Walk, index: string, ties = Number.POSITIVE_INFINITY): Statement | undefined {
  const { plan, terms, compile } = walk;
  const [byValue, byKey] = plan.order as readonly [OrderKey, OrderKey];
  const backwards = byValue.descending !== byKey.descending;
  const from = fromIndex(plan.from, index);
  const access = backwards ? { from, keysFirst: plan.from.assigned!.name } : { from };
  if (terms.length === 0) return backwards && ties > INLINE_PAGE_ROWS ? undefined : compile(access);
  // Starts at a value and skips its rows on earlier pages.
  if (ties > INLINE_PAGE_ROWS) return undefined;
  const isOrdered = (of: Expression) => plan.order.some(({ expression }) => isSameField(of, expression));
  const seeks = (predicate: Predicate) =>
    conjuncts(predicate).some((term) => isRange(term, byValue.expression)) &&
    testsIn(predicate).every((test) => test.kind === 'constant' || ('of' in test && isOrdered(test.of)));
  if (seeks(plan.where)) return compile(access);
  const [only] = terms;
  if (byValue.nulls !== 'last' || terms.length !== 1 || only?.kind !== 'any' || only.terms.length !== 2)
    return undefined;
  const [before, nulls] = only.terms as readonly [Predicate, Predicate];
  if (nulls.kind !== 'null' || !isSameField(nulls.of, byValue.expression) || !seeks(before)) return undefined;
  return nullsAfter(walk, before, nulls, access);
}

/** First the rows with values, then those without, each by the index: SQLite would sort an `or` of the two. */
function nullsAfter({ plan, compile }: Walk, before: Predicate, nulls: Predicate, access: Access): Statement {
  const page = { offset: 0, limit: rowsTouched(plan) };
  const one = compile(access, { ...page, where: before });
  const other = compile(access, { ...page, where: nulls });
  const params = [...one.params, ...other.params];
  return {
    sql: `select * from (${one.sql}) union all select * from (${renumberParameters(other, one, '?')}) limit +?${params.length + 1} offset ?${params.length + 2}`,
    params: [...params, plan.limit ?? rowsTouched(plan), plan.offset],
  };
}

function fromIndex(collection: Collection, index: string): string {
  return `${identifier(collection.name)} indexed by ${identifier(index)}`;
}

function rowsTouched({ offset, limit }: ReadPlan): number {
  return offset + (limit ?? Number.POSITIVE_INFINITY);
}

function isRange(term: Predicate, of: Expression): boolean {
  return term.kind === 'compare' && isSameField(term.of, of) && term.operator !== '<>';
}
