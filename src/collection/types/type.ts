/**
 * What a type of a field is: one value of this interface, in one file. Its text form is PostgreSQL's, so that a bad value
 * gets the same code and message on every engine. Nothing else asks which type a field has: stages ask what it can do.
 *
 * What a type means is said in JavaScript, once for both engines: PostgreSQL has it built in, and SQLite calls it where it has
 * nothing of its own. SQL is given where SQLite does the same quicker.
 */
import { jsonText } from '../exact-json.ts';
import type { Value } from '../value.ts';
import { decimalKey } from './decimal-text.ts';

/** What operators ask of a type, beside comparing and ordering, which all can. */
export type Ability = 'text' | 'number' | 'integer' | 'boolean' | 'array' | 'json';
export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min';
/** Contains, is contained in, overlaps. */
export type Containment = 'cs' | 'cd' | 'ov';

/** How a person enters a value. */
export type Input = 'text' | 'number' | 'switch' | 'date' | 'time' | 'datetime' | 'json' | 'list';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonSchema = { readonly [key: string]: Json };

export type Sql = (sql: string) => string;
export const itself: Sql = (sql) => sql;

/** How SQLite keeps a value, so that comparison, order and indexes are its own. */
export interface SqliteForm {
  /** The type of the column in a strict table. */
  readonly column: 'integer' | 'real' | 'text' | 'any';
  /** The stored form of a value, where it is another. */
  readonly bind?: (value: Value) => Value;
  /** The value of a stored form. Integers come as bigint; by default they become numbers. */
  readonly value?: (stored: Value) => Value;
  /** The stored form does not sort as the values do: their keys are compared in its place. */
  readonly keyed?: boolean;
  /** What JSON.stringify prints as it should be; absent where there is no such form, and the row is made as JSON text. */
  readonly plain?: Sql;
  /** The JSON text, and the text form, where SQLite can make them; a number may stand for its text. */
  readonly json?: Sql;
  readonly text?: Sql;
  /** The text form in CSV, where a number will do. */
  readonly cell?: Sql;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, Sql>>>;
  /** Whether the stored form is the same in JavaScript and in JSON: a text, or a whole number of at most 53 bits. */
  readonly isSame?: true;
  /** How a sum is put together of sums of parts: the whole number that is summed of each value, and the sum of such sums. */
  readonly parts?: { readonly each: Sql; readonly sum: Sql };
  /** A condition that every stored value keeps. */
  readonly check?: Sql;
  /** What no constraint of the table can tell, and `catalogue check` looks for. */
  readonly wrong?: Sql;
}

/** The same for PostgreSQL, whose own type it is. */
export interface PostgresForm {
  /** The type in SQL: `int4`, `numeric(12,4)`. */
  readonly name: string;
  /** Its name without bounds, where it has any: values are compared as such, and arrays are of such. */
  readonly unbounded?: string;
  /** Compared as text is, so that a column says by which collation. */
  readonly collated?: boolean;
  /** A value as it is sent, where it is another, and the type that the driver is told, where that is another. */
  readonly bind?: (value: Value) => Value;
  readonly parameter?: string;
  /** What the driver hands over so that JSON.stringify prints it; absent where PostgreSQL makes the JSON. */
  readonly plain?: Sql;
  /** The expression whose JSON is the right one. */
  readonly json?: Sql;
  /** The text form; by default a cast to text, which `casts` may have otherwise. */
  readonly text?: Sql;
  readonly cell?: Sql;
  /** By the kind of the type that is cast to. */
  readonly casts?: Readonly<Record<string, Sql>>;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, Sql>>>;
}

/** The text that the type which is cast to shall read; null where there is nothing to read. */
export type Cast = (value: Value, to: Type) => string | null;

export interface Type {
  /** As a declaration names it: `int4`, `decimal(12,4)`, `text[]`. */
  readonly name: string;
  /** The name without what is in parentheses. */
  readonly kind: string;
  /** PostgreSQL's name of it in its messages: `integer`. */
  readonly title: string;
  readonly abilities: readonly Ability[];
  /** Of an array: what it is of. */
  readonly element?: Type;
  /** A value to compare with, from its text form. */
  readonly read: (text: string) => Value;
  /** A value to store, from its text form: rounded and within bounds. */
  readonly store: (text: string) => Value;
  /** A value to store, from any JSON value of a body but null; by default its text form is stored. */
  readonly storeJson?: (json: unknown) => Value;
  /** The same for a JSON number, where that is quicker. */
  readonly storeNumber?: (number: number) => Value;
  /** The text form of a value, and its JSON text. */
  readonly print: (value: Value) => string;
  readonly json: (value: Value) => string;
  /** A text that sorts, by code point, as the values do. */
  readonly key: (value: Value) => string;
  /** The kinds that a value can be cast to, beside its own and text; `*` for any. */
  readonly casts: Readonly<Record<string, Cast>>;
  /** The types that aggregates yield; absent where there is no such aggregate. Anything can be counted. */
  readonly aggregates: Readonly<Partial<Record<Exclude<AggregateName, 'count'>, string>>>;
  /** Of arrays and json: a test of values, made once for the value that they are held against. */
  readonly contains?: (operator: Containment, value: Value) => (tested: Value) => boolean;
  /** Values that are made at the time, by the names that a default has for them. */
  readonly generated?: Readonly<Partial<Record<'now' | 'uuid', () => Value>>>;
  readonly sqlite: SqliteForm;
  readonly postgres: PostgresForm;
  readonly schema: JsonSchema;
  readonly typescript: string;
  /** What the TypeScript type needs declared. */
  readonly declares?: string;
  readonly input: Input;
  /** Its name, so that a declaration can be written and read again. */
  readonly toJSON: () => string;
}

type Needed = 'name' | 'read' | 'sqlite' | 'postgres';

/** What is not said is as of a text: a type needs a name, a reader, and how each engine keeps it. */
export function defineType(draft: Pick<Type, Needed> & Partial<Omit<Type, Needed | 'toJSON'>>): Type {
  const isNumber = draft.abilities?.includes('number') === true;
  const print = draft.print ?? String;
  return {
    kind: draft.name,
    title: draft.name,
    abilities: [],
    store: draft.read,
    print,
    json: isNumber ? print : (value) => JSON.stringify(print(value)),
    key: isNumber ? (value) => decimalKey(String(value)) : (value) => String(value),
    casts: {},
    aggregates: {},
    schema: { type: 'string' },
    typescript: 'string',
    input: 'text',
    ...draft,
    toJSON: () => draft.name,
  };
}

export function can(type: Type, ability: Ability): boolean {
  return type.abilities.includes(ability);
}

/** Whether a value may be of any length. */
export function isLong(type: Type): boolean {
  return can(type, 'text') || can(type, 'json') || can(type, 'array');
}

/** A value to store, from a JSON value, read as PostgreSQL reads the text of it. */
export function storeJson(type: Type, json: unknown): Value {
  if (json === null) return null;
  if (type.storeJson !== undefined) return type.storeJson(json);
  if (typeof json === 'string') return type.store(json);
  if (typeof json === 'number') return type.storeNumber?.(json) ?? type.store(String(json));
  return type.store(jsonText(json));
}

/** A stored text that is shown as it is. */
export const PLAIN_TEXT = {
  column: 'text',
  plain: itself,
  json: (sql) => `json_quote(${sql})`,
  text: itself,
  isSame: true,
} as const satisfies SqliteForm;
