/** SQL in the making: its text, and its values as bound parameters. */
import type { Field } from '../../collection/declaration.ts';
import type { Containment, Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Comparator, Expression, Predicate, Shape } from '../../plan/types.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** Collects the values of one statement; each becomes a placeholder of its type, where an engine must be told it. */
export type Bind = (value: Value, type?: Type) => string;

type TextPredicate = Extract<Predicate, { kind: 'like' | 'regex' | 'search' }>;

/** Where an engine is told how to get at the rows of a read. */
export interface Access {
  /** The table, with whatever is said of its indexes. */
  readonly from: string;
  /** The key's name, where the keys of the page are looked for first, in an index alone, and their rows afterwards. */
  readonly keysFirst?: string;
}

/** What a predicate is about, compiled: its SQL, and what it stands for. */
export interface Operand {
  readonly sql: string;
  readonly of: Expression;
}

/** The SQL of an expression, of the rows of a read. */
export type ColumnsOf = (expression: Expression) => string;

export interface Gathered {
  readonly from: string;
  readonly computed: ReadonlyMap<Expression, string>;
}

/** Where the engines' SQL differs. Everything else is compiled once for both. */
export interface SqlDialect {
  readonly name: string;
  /** A condition that every read and count carries, such as one that ends it when its time is up. */
  readonly guard?: string;
  /**
   * A condition that all rows of this predicate meet, and which an index answers; undefined where there is none. `name` is what
   * the read is called.
   */
  narrow?(predicate: Predicate, name: string, bind: Bind): string | undefined;
  placeholder(position: number, type?: Type): string;
  /** A field of a table, where that is another expression than its column. */
  column?(sql: string, field: Field): string;
  /** A value as the engine stores it. */
  stored(value: Value, type: Type): Value;
  /** `operand is one of these values`, in one parameter whatever their number. */
  memberOf(operand: Operand, values: readonly Value[], bind: Bind): string;
  /** like, regex and search; may refuse a pattern that does not compile. */
  textTest(predicate: TextPredicate, column: string, bind: Bind): string;
  /** Of arrays and json. */
  contains(operand: Operand, operator: Containment, value: string): string;
  /** Into JSON. */
  path(sql: string, expression: Extract<Expression, { kind: 'path' }>, bind: Bind): string;
  cast(sql: string, from: Type, to: Type): string;
  aggregate(expression: Extract<Expression, { kind: 'aggregate' }>, sql: string): string;
  /** A column as the driver hands it over for JSON.stringify; undefined where the database must make the JSON. */
  plain(type: Type): ((sql: string) => string) | undefined;
  /** An expression as what `rowAsJson` takes, and as text. */
  json(sql: string, type: Type): string;
  text(sql: string, type: Type): string;
  /** The text form for CSV, where a number may stand for its text. */
  cell(sql: string, type: Type): string;
  /** What `json` gave, by its names, as the text of an object. */
  rowAsJson(members: readonly (readonly [name: string, sql: string])[], stripNulls: boolean): string;
  /** A value as JSON text; and the JSON texts that a query has in its one column as the text of a list. */
  valueAsJson(sql: string, type: Type): string;
  listAsJson(query: string): string;
  /** A text that is embedded in a row, and counts as part of it. */
  counted?(sql: string): string;
  /**
   * A value, where values as long as these together, and so many bytes more, are not too long; where they are, an error. Up to
   * `share` they are not counted.
   */
  within?(sql: string, values: readonly string[], least: number, share?: number): string;
  /** The same of a row within a row: while it is short, it is part of what that one counts for. */
  withinRow?(sql: string, values: readonly string[], least: number): string;
  /** The same for an engine that counts where rows come from: a query over rows of that name. */
  rowsWithin?(
    rows: string,
    name: string,
    values: readonly string[],
    least: number,
    bounded: 'rows' | 'row',
    share?: number,
  ): string;
  compare(operand: Operand, operator: Comparator | 'is distinct from', value: Value, bind: Bind): string;
  orderedBy(operand: Operand): readonly string[];
  groupedBy(operand: Operand): string;
  /**
   * Groups in parts, where an engine makes them quicker than SQL does: rows of which several may belong to a group, and what the keys
   * and the aggregates are in terms of them. Undefined where it does not.
   */
  gather?(shape: Shape, from: string, columns: ColumnsOf): Gathered | undefined;
  /** A null that must say of which type it is. */
  nullOf?(type: Type): string;
}

export function buildStatement(dialect: SqlDialect, build: (bind: Bind) => string): Statement {
  const params: Value[] = [];
  const sql = build((value, type) => {
    params.push(type === undefined ? value : dialect.stored(value, type));
    return dialect.placeholder(params.length, type);
  });
  return { sql, params };
}

/** The SQL of a statement with its parameters after those of another, so that both can be one statement. */
export function shifted({ sql }: Statement, { params }: Statement, mark: '?' | '$'): string {
  const placeholder = mark === '?' ? /\?(\d+)/g : /\$(\d+)/g;
  return sql.replace(placeholder, (_, position) => `${mark}${Number(position) + params.length}`);
}

/** Names come from a declaration that allows only lower case letters, digits and _; the quotes keep keywords apart. */
export function identifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}
