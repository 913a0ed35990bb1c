/** Compiles reads to SQL: columns, groups, order, page, count. */
import { SHORT_ROW_BYTES } from '../../base/limits/engine.ts';
import { stored } from '../../collection/declaration.ts';
import { COMPLETIONS, DOCUMENT, MARKED_TEXTS, SCORE } from '../../collection/search-fields.ts';
import { isLong } from '../../collection/types/type.ts';
import { ROW } from '../../encode/encoding.ts';
import { callsFunctions, namedFields } from '../../plan/access/named-fields.ts';
import { NO_ORDER } from '../../plan/read/order.ts';
import { NO_COLUMNS } from '../../plan/read/shape.ts';
import type { Expression, OrderKey, OutputColumn, ReadPlan, Shape } from '../../plan/types.ts';
import { wordIndexOf } from '../search/index-tables.ts';
import {
  type Access,
  compileExpression,
  compileGroupBy,
  compileOperand,
  compilePage,
  type Scope,
} from './expression.ts';
import type { CompileColumn, Output } from './output.ts';
import { compileBoundedRows, compileBoundedSource, compileOutput, endKeysOf, pageEndNames } from './output.ts';
import { compileDepth, compileWhere, joinRelated, relatedWhere } from './predicate.ts';
import { type Bind, buildStatement, columnList, identifier, type SqlDialect, type Statement } from './statement.ts';

export function compileRead(plan: ReadPlan, output: Output, dialect: SqlDialect, access?: Access): Statement {
  const table = plan.from.name;
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, table, output.stripNulls);
    return compileBoundedRows(compileRows(plan, output, scope, access), plan.columns, output, dialect);
  });
}

function compileRows(plan: ReadPlan, output: Output, scope: Scope, access: Access | undefined): string {
  const { dialect, bind } = scope;
  const table = plan.from.name;
  const { from = compileSource(plan, scope), keysFirst } = access ?? {};
  const body = `from ${from}${compileWhere(plan.where, scope)}`;
  if (plan.groupBy !== undefined) return compileGroups(plan, body, output, scope, access?.groups);
  if (keysFirst !== undefined) {
    const key = `${identifier(table)}.${identifier(keysFirst)}`;
    const keys = `select ${key} as " page key" ${body}${compileOrder(plan.order, scope)}${compilePage(plan, bind)}`;
    const rows = `from (${keys}) cross join ${identifier(table)} on ${key} = " page key"`;
    // A cross join keeps the order of the page, so no second sort is needed.
    return compileShape({ columns: plan.columns, order: NO_ORDER }, rows, output, scope);
  }
  const page = compilePage(plan, bind);
  const isCounted = output.bounded !== undefined && dialect.boundedRows !== undefined;
  const isInOrder = access !== undefined || page === '';
  if (!isCounted && (isInOrder || isCheap(plan, output))) return `${compileShape(plan, body, output, scope)}${page}`;
  // Columns that may be costly or may fail are computed for the page's rows only, whatever the planner would do.
  const rows = `select ${sourceColumns(plan, dialect)} ${body}${compileOrder(plan.order, scope)}${page}`;
  const within = compileBoundedSource(rows, { columns: plan.columns, output, scope });
  return compileShape(plan, `from (${within}) as ${identifier(table)}`, output, scope);
}

/**
 * The rows of a read: its table, or with a search the rows that match, each with its score. SQLite keeps the order of
 * cross joins (compileSearchRead).
 */
export function compileSource({ from, ranking }: ReadPlan, { dialect, bind }: Scope): string {
  const table = identifier(from.name);
  if (ranking === undefined) return table;
  const { documents, doc, sameKey } = wordIndexOf(from)!;
  const list = dialect.jsonRows(bind(ranking.rows), ['number', 'number', 'json', 'texts']);
  const score = `l.c0 as ${identifier(DOCUMENT.name)}, cast(l.c1 as integer) as ${identifier(SCORE.name)}, l.c2 as ${identifier(MARKED_TEXTS.name)}, l.c3 as ${identifier(COMPLETIONS.name)}`;
  return `(select ${columnList(from.fields, 'p.')}, ${score} from ${list} as l cross join ${documents} as d cross join ${table} as p where d.${doc} = l.c0 and ${sameKey('p', 'd')}) as ${table}`;
}

/** The columns of the table that a read needs; all of them unless the database checks the rights on each. */
function sourceColumns(plan: ReadPlan, { namesColumns }: SqlDialect): string {
  const table = identifier(plan.from.name);
  // A function of a row takes the whole row.
  const isNamed = namesColumns && plan.ranking === undefined && !callsFunctions(plan);
  const named = isNamed ? namedFields(plan).get(stored(plan.from)) : undefined;
  return named === undefined ? `${table}.*` : columnList([...named], `${table}.`);
}

/** Reads the order keys of a page's last row; undefined if the page end cannot be expressed. */
export function compilePageEnd(plan: ReadPlan, dialect: SqlDialect): { end?: PageEnd } {
  const keys = endKeysOf(plan, dialect);
  if (keys === undefined || keys.length === 0 || plan.limit === 0) return {};
  const last = { ...plan, columns: NO_COLUMNS, offset: plan.offset + plan.limit! - 1, limit: 1 };
  const output: Output = { form: 'plain', stripNulls: false, keys };
  return { end: { statement: compileRead(last, output, dialect), names: pageEndNames(plan, output)! } };
}

export interface PageEnd {
  readonly statement: Statement;
  readonly names: readonly string[];
}

function isCheap({ columns }: ReadPlan, { form, bounded }: Output): boolean {
  if (bounded === 'row') return false;
  return form === 'number' || (form === 'plain' && columns.every(({ expression }) => expression.kind === 'field'));
}

/** `name` is the alias of the rows. */
export function scopeOf(dialect: SqlDialect, bind: Bind, name: string, stripNulls = false): Scope {
  return { dialect, bind, name, depth: 0, stripNulls, embed: compileEmbedding };
}

/** The budget of a row embedded in each row. A short one is covered by the outer row's estimate. */
const EMBEDDED_BUDGET = { bounded: 'embedded', share: SHORT_ROW_BYTES } as const;

/** The related rows of a row, as a subquery that gives JSON text or the value of one column. */
const compileEmbedding: Scope['embed'] = (expression, outer) => {
  if (expression.kind === 'depth') return compileDepth(expression.tree, outer);
  const { relation, between, plan, shows, many } = expression;
  const related = joinRelated(relation, outer, between);
  const { tables, scope } = related;
  const body = `from ${tables} where ${relatedWhere(related, plan.where)}`;
  if (shows === 'values') {
    const [{ expression }] = plan.columns as readonly [OutputColumn];
    const sql = compileExpression(expression, scope);
    const value = many ? `${scope.dialect.valueAsJson(sql, expression.type)} as ${identifier(ROW)}` : sql;
    const query = `select ${value} ${body}${compileOrder(plan.order, scope)}${pageOf(plan, many, scope)}`;
    if (many) return scope.dialect.listAsJson(query);
    return isLong(expression.type) ? counted(`(${query})`, scope) : `(${query})`;
  }
  const output: Output = { form: 'json', stripNulls: outer.stripNulls ?? false };
  if (plan.groupBy !== undefined) {
    const query = compileGroups(plan, body, output, scope);
    return many ? scope.dialect.listAsJson(query) : counted(`(${query})`, scope);
  }
  const shape = compileShape(plan, body, many ? output : { ...output, ...EMBEDDED_BUDGET }, scope);
  const query = `${shape}${pageOf(plan, many, scope)}`;
  return many ? scope.dialect.listAsJson(query) : `(${query})`;
};

/** A scalar subquery needs at most one row. A reference guarantees that, but SQL does not know it. */
function pageOf(page: ReadPlan, many: boolean, { bind }: Scope): string {
  if (many) return compilePage(page, bind);
  const { offset, limit = 1 } = page;
  return offset === 0 && page.limit === undefined
    ? ' limit 1'
    : compilePage({ offset, limit: Math.min(limit, 1) }, bind);
}

function counted(sql: string, { dialect }: Scope): string {
  return dialect.countedText?.(sql) ?? sql;
}

export function compileCount(plan: ReadPlan, dialect: SqlDialect): Statement {
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, plan.from.name);
    const body = `from ${compileSource(plan, scope)}${compileWhere(plan.where, scope)}`;
    if (plan.groupBy === undefined) return `select count(*) as total ${body}`;
    const groups = plan.groupBy.length === 0 ? ' limit 1' : compileGroupBy(plan.groupBy, scope);
    return `select count(*) as total from (select count(*) ${body}${groups}) as grouped`;
  });
}

/** `select … from … group by … order by …` over any source that has the alias of the scope. */
export function compileShape(shape: Shape, from: string, output: Output, scope: Scope): string {
  if (shape.groupBy !== undefined) return compileGroups({ ...shape, offset: 0 }, from, output, scope);
  return `select ${compileOutput({ columns: shape.columns, output, scope })} ${from}${compileOrder(shape.order, scope)}`;
}

/** Selects the page of groups before computing its columns: a failing cast matters only for groups of the page. */
function compileGroups(
  plan: Shape & { offset: number; limit?: number | undefined },
  body: string,
  output: Output,
  outer: Scope,
  inPart?: Access['groups'],
): string {
  const { from, scope } = inPart?.(body, outer) ?? withEmbedded(plan.groupBy ?? [], body, outer);
  const inner = plan.columns.map(({ expression }, index) => {
    return `${compileExpression(isLateCast(expression) ? expression.of : expression, scope)} as ${computedName(index)}`;
  });
  const isScan = plan.columns.some(({ expression }) => expression.kind === 'aggregate');
  const groups = compileGroupBy(plan.groupBy ?? [], scope, isScan);
  const rows = `select ${inner.length === 0 ? 'null' : inner.join(', ')} ${from}${groups}${compileOrder(plan.order, scope)}${compilePage(plan, scope.bind)}`;
  const selection = { columns: plan.columns, output, scope };
  const computed: CompileColumn = (expression, index) => {
    const sql = computedName(index);
    return isLateCast(expression) ? scope.dialect.cast(sql, expression.of.type, expression.type) : sql;
  };
  const within = compileBoundedSource(rows, { ...selection, computed: (_, index) => computedName(index) });
  return `select ${compileOutput({ ...selection, computed })} from (${within}) as grouped`;
}

/** Embedded values in `group by` become columns first, since a group has no row that they could relate to. */
function withEmbedded(groupBy: readonly Expression[], from: string, scope: Scope): { from: string; scope: Scope } {
  const embeds = groupBy.filter(({ kind }) => kind === 'embed');
  if (embeds.length === 0) return { from, scope };
  const name = identifier(scope.name);
  const columns = embeds.map((embed, index) => `${compileExpression(embed, scope)} as " embedded ${index}"`);
  const computed = new Map(embeds.map((embed, index) => [embed, `${name}." embedded ${index}"`]));
  return { from: `from (select ${name}.*, ${columns.join(', ')} ${from}) as ${name}`, scope: { ...scope, computed } };
}

export function isLateCast(expression: Expression): expression is Extract<Expression, { kind: 'cast' }> {
  return expression.kind === 'cast' && (expression.of.kind === 'aggregate' || expression.of.kind === 'count');
}

function computedName(index: number): string {
  return `" column ${index}"`;
}

export function compileOrder(order: readonly OrderKey[], scope: Scope): string {
  let sql = '';
  for (const { expression, descending, nulls } of order) {
    // A constant orders nothing, and SQL does not accept a bare null as an order key.
    if (expression.kind === 'null') continue;
    for (const key of scope.dialect.orderedBy(compileOperand(expression, scope))) {
      sql += `${sql === '' ? ' order by ' : ', '}${key}`;
      if (descending) sql += ' desc';
      if (nulls !== undefined) sql += ` nulls ${nulls}`;
    }
  }
  return sql;
}
