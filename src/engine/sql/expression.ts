/** Compiles expressions to SQL. Fields are qualified with the alias of their read. */
import type { Field } from '../../collection/declaration.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Embedding, Expression } from '../../plan/types.ts';
import { type Bind, identifier, type Operand, type SqlDialect } from './statement.ts';

/** The context of compilation: dialect, parameters, alias of the read. */
export interface Scope {
  readonly dialect: SqlDialect;
  readonly bind: Bind;
  readonly name: string;
  readonly depth: number;
  /** The value of a field, if the rows are not a table with this alias. */
  readonly column?: (field: Field) => string;
  /** The alias of the elements of the list that the rows belong to. */
  readonly list?: string;
  /** Whether null values are omitted, also in embedded rows. */
  readonly stripNulls?: boolean;
  /** Precomputed expressions and the columns that hold them. */
  readonly computed?: ReadonlyMap<Expression, string>;
  /** Compiles an embedding, which contains expressions again, or a depth, which contains a predicate. */
  readonly embed: (expression: Embedding | Extract<Expression, { kind: 'depth' }>, scope: Scope) => string;
}

/** How an engine accesses the rows of a read: in their order, so that it computes the columns of a page only. */
export interface Access {
  /** The table with its index hints. */
  readonly from?: string;
  /** The name of the key, if the page's keys are found in an index first and their rows afterwards. */
  readonly keysFirst?: string;
  /** Groups the rows of a query in part: gives rows to group instead, with the keys and aggregates in terms of them. */
  readonly groups?: ((body: string, scope: Scope) => { readonly from: string; readonly scope: Scope }) | undefined;
}

type Kind = Expression['kind'];
type Compilers = { readonly [K in Kind]: (expression: Expression & { kind: K }, scope: Scope) => string };

const compilers: Compilers = {
  field: ({ field }, scope) => {
    const { name, dialect } = scope;
    if (field.computedOf !== undefined) return dialect.callOfRow!(field.name, name, field.computedOf);
    const column = columnOf(field, scope);
    return dialect.column?.(column, field) ?? column;
  },
  null: ({ type }, { dialect }) => dialect.nullOf?.(type) ?? 'null',
  translation: ({ of, otherwise }, scope) =>
    `coalesce(${compileExpression(of, scope)}, ${compileExpression(otherwise, scope)})`,
  path: (expression, scope) => scope.dialect.path(compileExpression(expression.of, scope), expression, scope.bind),
  embed: (embedding, scope) => scope.embed(embedding, scope),
  depth: (depth, scope) => scope.embed(depth, scope),
  count: () => 'count(*)',
  position: (_, { list }) => `${identifier(list!)}.key`,
  cast: ({ of, type }, scope) => scope.dialect.cast(compileExpression(of, scope), of.type, type),
  aggregate: ({ function: name, of }, scope) => {
    const operand = compileOperand(of, scope);
    return name === 'distinct'
      ? `count(distinct ${scope.dialect.groupedBy(operand)})`
      : scope.dialect.aggregate(name, of, operand.sql);
  },
};

export function columnOf(field: Field, { name, column }: Scope): string {
  return column?.(field) ?? `${identifier(name)}.${identifier(field.name)}`;
}

export function compileExpression(expression: Expression, scope: Scope): string {
  const column = scope.computed?.get(expression);
  if (column !== undefined) return column;
  const compile = compilers[expression.kind] as (expression: Expression, scope: Scope) => string;
  return compile(expression, scope);
}

export function compileOperand(of: Expression, scope: Scope): Operand {
  return { sql: compileExpression(of, scope), of };
}

const COUNT = builtIn('int8');

export function compileGroupBy(groupBy: readonly Expression[], scope: Scope, isScan = false): string {
  const keys = groupBy.filter((expression) => expression.kind !== 'null');
  const groups = keys.map((each) => scope.dialect.groupedBy(compileOperand(each, scope), isScan));
  return keys.length === 0 ? '' : ` group by ${groups.join(', ')}`;
}

/**
 * SQLite treats a limit that is a bare parameter as part of the query plan and prepares the statement again for each
 * value, which costs as much as reading a page. Behind a plus sign it is an ordinary value.
 */
export function compilePage({ offset, limit }: { offset: number; limit?: number | undefined }, bind: Bind): string {
  if (limit === undefined && offset === 0) return '';
  const most = ` limit +${bind(limit ?? Number.MAX_SAFE_INTEGER, COUNT)}`;
  return offset === 0 ? most : `${most} offset ${bind(offset, COUNT)}`;
}
