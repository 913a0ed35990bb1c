/**
 * What a type of a field is: one value of this interface, in one file. Its text form is PostgreSQL's, so that a bad value
 * gets the same code and message on every engine. Nothing else asks which type a field has: stages ask what it can do.
 */
import { Refusal } from '../../errors.ts';
import type { Value } from '../value.ts';

/** What operators ask of a type, beside comparing and ordering, which all can. */
export type Ability = 'text' | 'number' | 'boolean' | 'array' | 'json';
export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min';

/** How a person enters a value. */
export type Input = 'text' | 'number' | 'switch' | 'date' | 'time' | 'datetime' | 'json' | 'list';

export type JsonSchema = { readonly [key: string]: string | number | boolean | null | readonly string[] | JsonSchema };

/** How SQLite keeps a value, so that comparison, order and indexes are its own. SQL in, SQL out. */
export interface SqliteForm {
  /** The type of the column in a strict table. */
  readonly column: 'integer' | 'real' | 'text' | 'any';
  /** The stored form of a value, where it is another. */
  readonly bind?: (value: Value) => Value;
  /** What JSON.stringify prints as it should be; absent where there is no such form, and SQLite makes the JSON. */
  readonly plain?: (sql: string) => string;
  /** A JSON value, for json_object and its like. */
  readonly json: (sql: string) => string;
  /** The text form, as PostgreSQL prints it. */
  readonly text: (sql: string) => string;
  /** What sorts, where the stored form does not. */
  readonly sorted?: (sql: string) => string;
  /** A cast from the stored form to that of another type, by its kind; others go through the text form. */
  readonly casts?: Readonly<Record<string, (sql: string) => string>>;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, (sql: string) => string>>>;
  /** A condition that every stored value keeps. */
  readonly check?: (sql: string) => string;
  /** What no constraint of the table can tell, and `catalogue check` looks for. */
  readonly wrong?: (sql: string) => string;
}

/** The same for PostgreSQL, whose own type it is. */
export interface PostgresForm {
  /** The type in SQL: `int4`, `numeric(12,4)`. */
  readonly name: string;
  /** What the driver hands over so that JSON.stringify prints it; absent where PostgreSQL makes the JSON. */
  readonly plain?: (sql: string) => string;
  /** The expression whose JSON is the right one. */
  readonly json: (sql: string) => string;
  readonly text: (sql: string) => string;
  readonly casts?: Readonly<Record<string, (sql: string) => string>>;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, (sql: string) => string>>>;
}

export interface Type {
  /** As a declaration names it: `int4`, `decimal(12,4)`, `text[]`. */
  readonly name: string;
  /** The name without what is in parentheses; `array` of all arrays. */
  readonly kind: string;
  /** PostgreSQL's name of it in its messages: `integer`. */
  readonly title: string;
  readonly abilities: readonly Ability[];
  /** A value to compare with, from its text form. */
  readonly read: (text: string) => Value;
  /** A value to store, from its text form: rounded and within bounds. */
  readonly store: (text: string) => Value;
  /** A value to store, from any JSON value of a body but null; by default its text form is stored. */
  readonly storeJson?: (json: unknown) => Value;
  /** The same for a JSON number, where that is quicker. */
  readonly storeNumber?: (number: number) => Value;
  /** The kinds that a value can be cast to, beside its own and text. */
  readonly casts: readonly string[];
  /** The types that aggregates yield; absent where there is no such aggregate. Anything can be counted. */
  readonly aggregates: Readonly<Partial<Record<Exclude<AggregateName, 'count'>, string>>>;
  /** Values that are made at the time, by the names that a default has for them. */
  readonly generated?: Readonly<Partial<Record<'now' | 'uuid', () => Value>>>;
  readonly sqlite: SqliteForm;
  readonly postgres: PostgresForm;
  readonly schema: JsonSchema;
  readonly typescript: string;
  readonly input: Input;
  /** Its name, so that a declaration can be written and read again. */
  readonly toJSON: () => string;
}

export const itself = (sql: string): string => sql;

export function defineType(type: Omit<Type, 'toJSON'>): Type {
  return { ...type, toJSON: () => type.name };
}

export function can(type: Type, ability: Ability): boolean {
  return type.abilities.includes(ability);
}

/** Whether a value may be of any length. */
export function isLong(type: Type): boolean {
  return can(type, 'text') || can(type, 'json') || can(type, 'array');
}

export function refuseSyntax(title: string, text: string): never {
  throw new Refusal('22P02', `invalid input syntax for type ${title}: "${text}"`);
}
