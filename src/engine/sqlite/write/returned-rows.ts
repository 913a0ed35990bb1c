/** The rows that a write finds and returns, in SQL. */
import { MAX_EMBEDDING_SECONDS } from '../../../base/limits/engine.ts';
import { memoize } from '../../../base/memo.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { type Encoding, encodeRows, type RowForm } from '../../../encode/encoding.ts';
import { sortedByKey } from '../../../plan/read/order.ts';
import { isAlways } from '../../../plan/types.ts';
import type { DeletePlan, UpdatePlan, WritePlan } from '../../../plan/write-plan.ts';
import type { WriteResult } from '../../engine.ts';
import { maxRowsWritten, mayReturnTooMuch, readsOtherCollections } from '../../shared/plan-keys.ts';
import { compilePage } from '../../sql/expression.ts';
import { type Output, outputOf } from '../../sql/output.ts';
import { compilePredicate, compileWhere } from '../../sql/predicate.ts';
import { compileOrder, compileShape, scopeOf } from '../../sql/read.ts';
import { type Bind, buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { limitPart } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { joinInGroups, pathTo } from '../functions/argument-groups.ts';
import { withinReturned } from '../read/byte-budget.ts';
import { prefilterDialect } from '../search/index-candidates.ts';

export interface Written {
  readonly affected: number;
  readonly inserted: number;
  /** The text forms of the key, if exactly one row was written. */
  readonly key?: readonly string[];
  /** The rows that do not exist, if a bulk update ignores them. */
  readonly missing?: number;
  /** The changed rows as JSON lists, if the answer needs them; and which of them are new, if not all or none. */
  readonly changed: readonly string[];
  readonly areNew?: readonly boolean[];
}

export interface ReturnedRows {
  readonly statement: Statement;
  /** Run before a delete, since related rows may be deleted with it. Otherwise the first parameter are changed rows. */
  readonly isBefore: boolean;
  /** Whether it embeds or tests rows of other collections, which may take long however few rows are changed. */
  readonly reachesOthers: boolean;
  readonly encoding: Encoding;
  readonly form: RowForm;
}

/** Lets a statement return the written row as JSON without loss of digits, if the answer needs it. */
export function returningRow({ into, returning }: WritePlan, wrapper = ''): string {
  return returning === undefined ? '' : ` returning ${wrapper}(${storedRow(into)})`;
}

const storedRow = memoize(({ name, fields }: Collection): string => {
  const columns = fields.map((field) => `${identifier(name)}.${identifier(field.name)}`);
  return jsonArray(joinInGroups(columns, ', ', jsonArray));
});

function jsonArray(list: string): string {
  return `json_array(${list})`;
}

/** The result shape over the changed rows: returned values as they are, others by key. */
export function compileReturned(plan: WritePlan, encoding: Encoding): ReturnedRows | undefined {
  const { into, returning } = plan;
  if (returning === undefined) return undefined;
  const areFound = plan.kind === 'update' || plan.kind === 'delete';
  const shape = areFound && maxRowsWritten(plan) > 1 ? sortedByKey(into, returning) : returning;
  const unbounded = outputOf(shape.columns, encoding, sqliteDialect);
  const isCounted = mayReturnTooMuch(plan, shape.columns, unbounded);
  const output: Output = isCounted ? { ...unbounded, bounded: 'rows' } : unbounded;
  const reachesOthers = readsOtherCollections(shape);
  const removal = plan.kind === 'delete' && reachesOthers ? plan : undefined;
  const statement = buildStatement(guardedDialect, (bind) => {
    const scope = { ...scopeOf(guardedDialect, bind, into.name), stripNulls: output.stripNulls };
    const rows =
      removal === undefined
        ? `from (${changedRows(into, bind(null))}) as ${identifier(into.name)} where true`
        : `from ${identifier(into.name)}${compileTarget(removal, bind)}`;
    const shown = isAlways(shape.where) ? rows : `${rows} and ${compilePredicate(shape.where, scope)}`;
    return compileShape(shape, shown, output, scope);
  });
  return { statement, encoding, form: output.form, isBefore: removal !== undefined, reachesOthers };
}

export function changedRows({ fields }: Collection, json: string): string {
  const cells = fields.map((field, index) => {
    return `json_extract(value, '${pathTo(index, fields.length)}') as ${identifier(field.name)}`;
  });
  return `select ${cells.join(', ')} from json_each(${json}) order by key`;
}

const EMBED_LESS = 'Nothing was changed. Ask for Prefer: return=minimal, or embed less; read the rows after the write.';

/** `changed` are the changed rows, unless they are read before the change. */
export function readReturned(
  connection: Connection,
  { statement, encoding, form, reachesOthers }: ReturnedRows,
  changed?: readonly string[],
): Pick<WriteResult, 'body' | 'shown'> {
  const [, ...others] = statement.params;
  const params = changed === undefined ? statement.params : [`[${changed.join(',')}]`, ...others];
  const read = () => withinReturned(() => connection.rows({ sql: statement.sql, params }));
  const rows = reachesOthers ? limitPart(MAX_EMBEDDING_SECONDS * 1000, EMBED_LESS, read) : read();
  return { body: encodeRows(rows, encoding, form), shown: rows.length };
}

/** The rows that a filter and a page select. If they are not found by key, the search index limits the tested rows. */
export function compileTarget({ into, where, bound }: UpdatePlan | DeletePlan, bind: Bind): string {
  const scope = scopeOf(prefilterDialect(into), bind, into.name);
  const matching = compileWhere(where, scope);
  if (bound === undefined) return matching;
  const page = `${compileOrder(bound.order, scope)}${compilePage(bound, scope.bind)}`;
  return ` where rowid in (select rowid from ${identifier(into.name)}${matching}${page})`;
}
