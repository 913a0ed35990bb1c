/** Reads in SQL: columns, groups, order, page; and the count beside them. */
import type { Expression, OrderKey, OutputColumn, ReadPlan, Shape } from '../../plan/types.ts';
import { castAfter, isCast } from './late-casts.ts';
import { rememberedRead } from './outline.ts';
import { compileWhere } from './predicate.ts';
import { type Access, type Bind, buildStatement, identifier, type SqlDialect, type Statement } from './statement.ts';

export function compileRead(table: string, plan: ReadPlan, dialect: SqlDialect, access?: Access): Statement {
  return rememberedRead(plan, dialect, access, () => writeRead(table, plan, dialect, access));
}

function writeRead(table: string, plan: ReadPlan, dialect: SqlDialect, access: Access | undefined): Statement {
  const { from = identifier(table), keysFirst } = access ?? {};
  return buildStatement(dialect, (bind) => {
    const body = `from ${from}${compileWhere(plan.where, dialect, bind)}`;
    const page = compilePage(plan, bind);
    if (keysFirst !== undefined && !isKeyAlone(plan.columns, keysFirst)) {
      const key = `${identifier(table)}.${identifier(keysFirst)}`;
      const keys = `select ${key} as "page key" ${body}${compileOrder(plan.order, table, dialect)}${page}`;
      return compileShape(
        plan,
        table,
        `from (${keys}) cross join ${identifier(table)} on ${key} = "page key"`,
        dialect,
      );
    }
    if (page === '' || !plan.columns.some(isCast)) return `${compileShape(plan, table, body, dialect)}${page}`;
    if (plan.groupBy !== undefined) {
      return castAfter(plan.columns, dialect, (columns, asComputed) => {
        return `${compileShape({ ...plan, columns }, table, body, asComputed)}${page}`;
      });
    }
    const rows = `select * ${body}${compileOrder(plan.order, table, dialect)}${page}`;
    return compileShape(plan, table, `from (${rows}) as ${identifier(table)}`, dialect);
  });
}

function isKeyAlone([first, ...others]: readonly OutputColumn[], key: string): boolean {
  return others.length === 0 && first?.expression.kind === 'field' && first.expression.field.name === key;
}

/** How many rows the same read has without its page. */
export function compileCount(table: string, plan: ReadPlan, dialect: SqlDialect): Statement {
  return buildStatement(dialect, (bind) => {
    const body = `from ${identifier(table)}${compileWhere(plan.where, dialect, bind)}`;
    if (plan.groupBy === undefined) return `select count(*) as total ${body}`;
    const groups = plan.groupBy.length === 0 ? ' limit 1' : groupClause(plan.groupBy, table, dialect);
    return `select count(*) as total from (select count(*) ${body}${groups}) as grouped`;
  });
}

/** `select … from … group by … order by …`, over whatever the rows come from, as long as it is called `table`. */
export function compileShape(shape: Shape, table: string, from: string, dialect: SqlDialect): string {
  const groups = shape.groupBy === undefined ? '' : groupClause(shape.groupBy, table, dialect);
  return `select ${compileColumns(shape.columns, table, dialect)} ${from}${groups}${compileOrder(shape.order, table, dialect)}`;
}

/** The columns of most requests are the same list, and so is their SQL. */
const columnLists = new WeakMap<readonly OutputColumn[], WeakMap<SqlDialect, string>>();

function compileColumns(columns: readonly OutputColumn[], table: string, dialect: SqlDialect): string {
  if (columns.length === 0) return 'null';
  const known = columnLists.get(columns)?.get(dialect);
  if (known !== undefined) return known;
  const sql = columns.map((column) => compileColumn(column, table, dialect)).join(', ');
  const lists = columnLists.get(columns) ?? new WeakMap<SqlDialect, string>();
  columnLists.set(columns, lists.set(dialect, sql));
  return sql;
}

export function compileOrder(order: readonly OrderKey[], table: string, dialect: SqlDialect): string {
  if (order.length === 0) return '';
  // A constant orders nothing, and a bare null is no order key in SQL.
  const keys = order.filter(({ expression }) => expression.kind !== 'null');
  if (keys.length === 0) return '';
  return ` order by ${keys.map((key) => compileOrderKey(key, table, dialect)).join(', ')}`;
}

/**
 * A limit that is a parameter and nothing else is for SQLite a part of the plan, and the statement is prepared again each
 * time it is run, which takes as long as reading a page. After a plus it is a value.
 */
export function compilePage({ offset, limit }: { offset: number; limit?: number }, bind: Bind): string {
  if (limit === undefined && offset === 0) return '';
  const most = ` limit +${bind(limit ?? Number.MAX_SAFE_INTEGER, 'int8')}`;
  return offset === 0 ? most : `${most} offset ${bind(offset, 'int8')}`;
}

function compileColumn({ name, expression }: OutputColumn, table: string, dialect: SqlDialect): string {
  const sql = compileExpression(expression, table, dialect);
  const shown = dialect.output?.(sql, expression);
  if (shown === undefined && expression.kind === 'field' && expression.field.name === name) return identifier(name);
  return `${shown ?? sql} as ${identifier(name)}`;
}

function groupClause(groupBy: readonly Expression[], table: string, dialect: SqlDialect): string {
  const keys = groupBy.filter((expression) => expression.kind !== 'null');
  return keys.length === 0 ? '' : ` group by ${keys.map((each) => compileExpression(each, table, dialect)).join(', ')}`;
}

function compileOrderKey({ expression, descending, nulls }: OrderKey, table: string, dialect: SqlDialect): string {
  const direction = `${descending ? ' desc' : ''}${nulls === undefined ? '' : ` nulls ${nulls}`}`;
  const sql = compileExpression(expression, table, dialect);
  const keys = dialect.orderedBy?.(sql, expression) ?? [sql];
  return keys.map((key) => `${key}${direction}`).join(', ');
}

/** Fields carry their table's name: a column of the answer may have the name of another field. */
function compileExpression(expression: Expression, table: string, dialect: SqlDialect): string {
  switch (expression.kind) {
    case 'field':
      return `${identifier(table)}.${identifier(expression.field.name)}`;
    case 'null':
      return dialect.nullOf?.(expression.type) ?? 'null';
    case 'count':
      return 'count(*)';
    case 'cast':
      return dialect.cast(compileExpression(expression.of, table, dialect), expression.of, expression.type);
    case 'aggregate':
      return dialect.aggregate(expression, compileExpression(expression.of, table, dialect));
  }
}
