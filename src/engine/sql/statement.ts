/** Builds SQL statements: text and bound parameters. */
import type { Field } from '../../collection/declaration.ts';
import type { AggregateName, Containment, RangeOperator, Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Comparator, Expression, Predicate } from '../../plan/types.ts';
import type { SetResult } from '../../plan/write-plan.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** Collects the parameters of a statement; each becomes a placeholder, typed if the engine needs it. */
export type Bind = (value: Value, type?: Type) => string;

export type TextPredicate = Extract<Predicate, { kind: 'like' | 'regex' | 'search' }>;

export type JsonColumn = 'number' | 'text' | 'texts' | 'json' | 'bytes';

/** A compiled operand of a predicate: its SQL and its expression. */
export interface Operand {
  readonly sql: string;
  readonly of: Expression;
}

export interface ByteBudget {
  /** The budget that ends a read: for all rows, for each row, or, `embedded`, for the one row embedded in each. */
  readonly bounded?: 'rows' | 'row' | 'embedded';
  /** A row up to this share is not counted. */
  readonly share?: number;
}

/** The differences between the engines' SQL; all other SQL is shared. */
export interface SqlDialect {
  /** Whether statements name the columns that they read, because the role may read only some. */
  readonly namesColumns?: boolean;
  readonly name: string;
  /** A condition of every read and count, such as a deadline check. */
  readonly guard?: string;
  /** Defines tables of the statement that stand for others of the same name. */
  readonly sources?: (bind: Bind) => string;
  /**
   * An index condition that all rows of the predicate satisfy; undefined if none exists. `name` is the alias of the
   * read.
   */
  prefilter?(predicate: Predicate, name: string, bind: Bind): string | undefined;
  placeholder(position: number, type?: Type): string;
  /** The expression for a field, if it is not its column. */
  column?(sql: string, field: Field): string;
  /** Calls a function with the row that has the alias `name` and belongs to a table. */
  callOfRow?(called: string, name: string, table: string): string;
  stored(value: Value, type: Type): Value;
  /** A JSON list of lists as a table with the columns c0, c1, …; bytes are in hexadecimal digits. */
  jsonRows(json: string, columns: readonly JsonColumn[]): string;
  joinBytes(one: string, other: string): string;
  /** `operand in (values)` with a single parameter. */
  memberOf(operand: Operand, values: readonly Value[], bind: Bind): string;
  textTest(predicate: TextPredicate, column: string, bind: Bind): string;
  /** Values as a table with one column, `value`. */
  valueTable(values: readonly Value[], type: Type, bind: Bind): string;
  /** The elements of an array as a table: `value`, and `key`, which orders them. */
  elements(sql: string): string;
  /** Whether a value is an element of an array. Uses an index on the array, if the engine has one. */
  isElement(value: string, array: string): string;
  /** Whether a value is in the single column of a query, which runs first. */
  isListed(value: string, query: string): string;
  /** For arrays, json and ranges. */
  contains(operand: Operand, operator: Containment | RangeOperator, value: string): string;
  path(sql: string, expression: Extract<Expression, { kind: 'path' }>, bind: Bind): string;
  cast(sql: string, from: Type, to: Type): string;
  aggregate(name: AggregateName, of: Expression, sql: string): string;
  /** The column as the driver returns it for JSON.stringify; undefined if the database must build the JSON. */
  plain(type: Type): ((sql: string) => string) | undefined;
  /** An expression as a member for `rowAsJson`, and as text. */
  json(sql: string, type: Type): string;
  text(sql: string, type: Type): string;
  /** Prints the text that filters read, for a domain that they read with its own cast. */
  ownText?(type: Type): ((sql: string) => string) | undefined;
  /** The text form for CSV; a number may represent its text. */
  cell(sql: string, type: Type): string;
  /** Builds the text of a JSON object from members. */
  rowAsJson(members: readonly (readonly [name: string, sql: string])[], stripNulls: boolean): string;
  /** A value as JSON text; and the single column of a query as the text of a JSON list. */
  valueAsJson(sql: string, type: Type): string;
  listAsJson(query: string): string;
  /** A text embedded in a row, counted as part of it. */
  countedText?(sql: string): string;
  /** An expression that fails if these values, plus a number of bytes, exceed the byte budget. */
  boundedValue?(sql: string, values: readonly string[], least: number, budget: ByteBudget): string;
  /** The same for an engine that counts at the source: a query over rows with that alias. */
  boundedRows?(rows: string, name: string, values: readonly string[], least: number, budget: ByteBudget): string;
  compare(operand: Operand, operator: Comparator | 'is distinct from', value: Value, bind: Bind): string;
  /** Whether a field has the value of another row, if an index needs more than `=`. */
  joins?(operand: Operand, value: string): string | undefined;
  orderedBy(operand: Operand): readonly string[];
  /** `isScan`: the groups read other fields of every row. */
  groupedBy(operand: Operand, isScan?: boolean): string;
  /** The result of an operation on a column; `operand` is an expression of the operand's type. */
  operate(column: string, operation: SetResult, operand: string): string;
  nullOf?(type: Type): string;
}

export function buildStatement(dialect: SqlDialect, build: (bind: Bind) => string): Statement {
  const params: Value[] = [];
  const bind = bindTo(params, dialect);
  const sources = dialect.sources === undefined ? '' : `with ${dialect.sources(bind)} `;
  return { sql: `${sources}${build(bind)}`, params };
}

function bindTo(params: Value[], dialect: SqlDialect): Bind {
  return (value, type) => {
    params.push(type === undefined ? value : dialect.stored(value, type));
    return dialect.placeholder(params.length, type);
  };
}

/** Defines the sources of the dialect once for a statement that was built without them. */
export function withDefinitions(dialect: SqlDialect, { sql, params }: Statement): Statement {
  if (dialect.sources === undefined) return { sql, params };
  const all = [...params];
  return { sql: `with ${dialect.sources(bindTo(all, dialect))} ${sql}`, params: all };
}

/** Renumbers the parameters of a statement to follow those of another, so that both form one statement. */
export function renumberParameters({ sql }: Statement, { params }: Statement, mark: '?' | '$'): string {
  // A quoted name or text may contain the same signs.
  const placeholder = mark === '?' ? /"[^"]*"|'[^']*'|\?(\d+)/g : /"[^"]*"|'[^']*'|\$(\d+)/g;
  return sql.replace(placeholder, (part, position) =>
    position === undefined ? part : `${mark}${Number(position) + params.length}`,
  );
}

/** Quotes a name, for both engines. Names of collections and fields may contain any characters. */
export function identifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The name of input rows in a statement. No name of a collection begins with a space. */
export const INPUT_ROWS = '" input rows"';

/** The columns of these fields, each with a prefix. */
export function columnList(fields: readonly { readonly name: string }[], prefix = ''): string {
  return fields.map(({ name }) => `${prefix}${identifier(name)}`).join(', ');
}
