/**
 * The interface of a field type; each type is one file. Text forms are PostgreSQL's, so that an invalid value gets the
 * same code and message on every engine. No other code tests for a particular type: stages ask for abilities.
 *
 * A type is implemented once, in JavaScript. PostgreSQL has it natively, and SQLite calls that implementation unless
 * the type supplies faster SQL.
 */
import { jsonText } from '../exact-json.ts';
import type { Value } from '../value.ts';
import { decimalKey } from './number/decimal-text.ts';
import type { Operations } from './operations.ts';
import type { Moving } from './time/moving-moment.ts';

/** Abilities that operators require. Every type can be compared and ordered; `foreign`: only by PostgreSQL. */
export type Ability = 'text' | 'number' | 'integer' | 'boolean' | 'array' | 'json' | 'foreign';
export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min';
/** Contains, is contained in, overlaps. */
export type Containment = 'cs' | 'cd' | 'ov';
/** Comparisons of ranges, which only PostgreSQL has. */
export type RangeOperator = 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj';

/** How a person enters a value. */
export type Input = 'text' | 'number' | 'switch' | 'date' | 'time' | 'datetime' | 'json' | 'list';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonSchema = { readonly [key: string]: Json };

type Sql = (sql: string) => string;
export const itself: Sql = (sql) => sql;

/** How SQLite stores a value, so that comparison, order and indexes work natively. */
export interface SqliteForm {
  /** The column type in a strict table. */
  readonly column: 'integer' | 'real' | 'text' | 'blob' | 'any';
  /** Converts a value to its stored form, if it differs. */
  readonly bind?: (value: Value) => Value;
  /** The expression of the stored form, if a bound parameter cannot express it. */
  readonly parameter?: Sql;
  /** The value of a stored form. Integers come as bigint; by default they become numbers. */
  readonly value?: (stored: Value) => Value;
  /** The stored form does not sort like the values, so their keys are compared instead. */
  readonly keyed?: boolean;
  /** A form that JSON.stringify prints correctly. Without one, the database builds the row as JSON text. */
  readonly plain?: Sql;
  /** The JSON text and the text form, if SQLite can produce them. A number may represent its text. */
  readonly json?: Sql;
  readonly text?: Sql;
  /** The text form in CSV, where a number is enough. */
  readonly cell?: Sql;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, Sql>>>;
  /** Whether the stored form is equal in JavaScript and JSON: a text, or an integer of at most 53 bits. */
  readonly isSame?: true;
  /** How partial sums combine: the integer of at most 15 digits to add up for each value, and the sum of such sums. */
  readonly parts?: { readonly each: Sql; readonly sum: Sql };
  /** A condition that every stored value satisfies. */
  readonly check?: Sql;
  /** A condition for invalid values that no table constraint can detect; `catalogue check` uses it. */
  readonly wrong?: Sql;
}

/** The same for PostgreSQL, which has the type natively. */
interface PostgresForm {
  /** The type in SQL: `int4`, `numeric(12,4)`. */
  readonly name: string;
  /** The name without bounds, for comparisons and arrays. */
  readonly unbounded?: string;
  /** Compared as text, so the column needs a collation. */
  readonly collated?: boolean;
  /** Converts a value for the driver, and names its parameter type, where they differ. */
  readonly bind?: (value: Value) => Value;
  readonly parameter?: string;
  /** A form that JSON.stringify prints correctly. Without one, PostgreSQL builds the JSON. */
  readonly plain?: Sql;
  /** The expression that gives the correct JSON. */
  readonly json?: Sql;
  /** The text form. Default: a cast to text, unless `casts` overrides it. */
  readonly text?: Sql;
  readonly cell?: Sql;
  /** By the kind of the target type. */
  readonly casts?: Readonly<Record<string, Sql>>;
  readonly aggregate?: Readonly<Partial<Record<AggregateName, Sql>>>;
}

/** Returns the text for the target type to parse, or null. */
export type Cast = (value: Value, to: Type) => string | null;

export interface Type {
  /** The name in declarations: `int4`, `decimal(12,4)`, `text[]`. */
  readonly name: string;
  /** The name without parentheses. */
  readonly kind: string;
  /** PostgreSQL's name in messages: `integer`. */
  readonly title: string;
  readonly abilities: readonly Ability[];
  /** Set if a value is the id of a file: of any file, or of an image. A list has it in its element. */
  readonly file?: 'any' | 'image';
  readonly element?: Type;
  /** Parses a text form into a value to compare with. */
  readonly read: (text: string) => Value;
  /** Parses a text form into a value to store: rounded and within bounds. */
  readonly store: (text: string) => Value;
  /** Converts a JSON value other than null into a value to store. Default: parses its text form. */
  readonly storeJson?: (json: unknown) => Value;
  /** A faster path for JSON numbers. */
  readonly storeNumber?: (number: number) => Value;
  /** The text form of a value, and its JSON text. */
  readonly print: (value: Value) => string;
  readonly json: (value: Value) => string;
  /** A text that sorts by code point like the values. */
  readonly key: (value: Value) => string;
  /** Casts by target kind; its own kind and text are implied, `*` means any. */
  readonly casts: Readonly<Record<string, Cast>>;
  /** Result types of aggregates; absent if an aggregate is not supported. Every type can be counted. */
  readonly aggregates: Readonly<Partial<Record<Exclude<AggregateName, 'count'>, string>>>;
  /** For arrays and json: compiles a containment test for one operand. */
  readonly contains?: (operator: Containment, value: Value) => (tested: Value) => boolean;
  /** Operations on a stored value; absent if the type has none. */
  readonly operations?: Operations;
  /** Generators for defaults, by name. */
  readonly generated?: Readonly<Partial<Record<'now' | 'uuid', () => Value>>>;
  /** The value of `now`, `today`, … at a time in milliseconds; absent if the type has no such values. */
  readonly moving?: (moving: Moving, at: number) => Value;
  /** The time in milliseconds at which `now` has passed a value; absent if `now` means a day. */
  readonly passedAt?: (value: Value) => number;
  readonly sqlite: SqliteForm;
  readonly postgres: PostgresForm;
  readonly schema: JsonSchema;
  readonly typescript: string;
  /** Declarations that the TypeScript type needs. */
  readonly declares?: string;
  readonly input: Input;
  /** The name, so that a declaration survives JSON. */
  readonly toJSON: () => string;
}

type Needed = 'name' | 'read' | 'sqlite' | 'postgres';

/** Defaults are those of text: a type needs a name, a parser, and a storage form per engine. */
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

/** Whether a value can have any length. */
export function isLong(type: Type): boolean {
  return can(type, 'text') || can(type, 'json') || can(type, 'array') || can(type, 'foreign');
}

/** Converts a JSON value into a value to store, as PostgreSQL parses its text. */
export function storeJson(type: Type, json: unknown): Value {
  if (json === null) return null;
  if (type.storeJson !== undefined) return type.storeJson(json);
  if (typeof json === 'string') return type.store(json);
  if (typeof json === 'number') return type.storeNumber?.(json) ?? type.store(String(json));
  return type.store(jsonText(json));
}

/** A stored text that is shown unchanged. */
export const PLAIN_TEXT = {
  column: 'text',
  plain: itself,
  json: (sql) => `json_quote(${sql})`,
  text: itself,
  isSame: true,
} as const satisfies SqliteForm;
