/** SQL in the making: its text, and its values as bound parameters. */
import type { Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { Comparator, Expression, Predicate, ScalarType } from '../../plan/types.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** Collects the values of one statement; each becomes a placeholder of its type, where an engine must be told it. */
export type Bind = (value: Value, type?: ScalarType) => string;

type TextPredicate = Extract<Predicate, { kind: 'like' | 'regex' | 'search' }>;

/** Where an engine is told how to get at the rows of a read. */
export interface Access {
  /** The table, with whatever is said of its indexes. */
  readonly from: string;
  /** The key's name, where the keys of the page are looked for first, in an index alone, and their rows afterwards. */
  readonly keysFirst?: string;
}

/** Where the engines' SQL differs. Everything else is compiled once for both. */
export interface SqlDialect {
  /** A condition that every read and count carries, such as one that ends it when its time is up. */
  readonly guard?: string;
  placeholder(position: number, type?: ScalarType): string;
  /** `field is one of these values`, in one parameter whatever their number. */
  memberOf(field: Field, values: readonly Value[], bind: Bind): string;
  /** like, regex and search; may refuse a pattern that does not compile. */
  textTest(predicate: TextPredicate, column: string, bind: Bind): string;
  cast(sql: string, of: Expression, to: ScalarType): string;
  aggregate(expression: Extract<Expression, { kind: 'aggregate' }>, sql: string): string;
  /** A column of the answer, where the driver needs it in another form than the one it is computed in. */
  output?(sql: string, expression: Expression): string | undefined;
  /** A comparison in other words, where only those can use the engine's index on the field. */
  compare?(field: Field, operator: Comparator, value: string): string | undefined;
  /** The keys of an order, where the expression is not one, or cannot use the engine's index on the field. */
  orderedBy?(sql: string, expression: Expression): readonly string[] | undefined;
  /** A null that must say of which type it is. */
  nullOf?(type: ScalarType): string;
}

export function buildStatement(dialect: SqlDialect, build: (bind: Bind) => string): Statement {
  const params: Value[] = [];
  const sql = build((value, type) => {
    params.push(value);
    return dialect.placeholder(params.length, type);
  });
  return { sql, params };
}

/** Names come from a declaration that allows only lower case letters, digits and _; the quotes keep keywords apart. */
export function identifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}
