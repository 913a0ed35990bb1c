/** A catalogue as plain data: a validated declaration before names are resolved. It can be sent to another thread. */

import type { Language } from '../text/words/languages.ts';
import type { ChangeWay } from './types/operations.ts';

export interface CatalogueDraft {
  /** The maximum length of a stored value's text form, if it is not the default. */
  readonly maxValueBytes?: number;
  /** The time zone of `today` in filters and rules, if it is not UTC. */
  readonly timeZone?: string;
  /** The language of fields that have translations, if it is not English. */
  readonly language?: string;
  /** Set if the privileges of the database decide: errors name this schema, and list no other names. */
  readonly schema?: string;
  readonly collections: readonly CollectionDraft[];
  /** Absent if every caller may do everything. */
  readonly roles?: readonly RoleDraft[];
  readonly queries?: readonly QueryDraft[];
  readonly actions?: readonly ActionDraft[];
  readonly functions?: readonly FunctionDraft[];
  readonly webhooks?: readonly WebhookDraft[];
}

interface Described {
  readonly name: string;
  readonly description?: string;
}

/** A stored request with parameters, called at /rpc/<name>. */
export interface QueryDraft extends Described {
  readonly parameters: readonly ParameterDraft[];
  /** `products?units_in_stock=lt.{threshold}`: a list, with parameters as values. */
  readonly read: string;
  /** The media type of the answer, unless the request asks for another. */
  readonly mediaType?: string;
}

export interface ParameterDraft extends Described {
  readonly type: string;
  /** A JSON value of the type; absent if a call must give one. */
  readonly default?: unknown;
}

/** A stored batch with parameters, called at /rpc/<name>. */
export interface ActionDraft extends Described {
  readonly parameters: readonly ActionParameterDraft[];
  readonly batch: readonly ActionEntryDraft[];
  /** The entries whose stored rows a call returns; a list of names gives an object with their rows. */
  readonly returns?: string | readonly string[];
}

/** Without rows, a parameter is like a field of a row. */
export interface ActionParameterDraft extends FieldDraft {
  readonly rows?: { readonly fields: readonly FieldDraft[]; readonly maximum: number };
}

/** A request of a batch. A text `{name}` in its body or filter is a placeholder. */
export interface ActionEntryDraft {
  /** Later entries use its stored row: `{order.id}`. */
  readonly name?: string;
  /** The parameter whose rows repeat the entry. */
  readonly each?: string;
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Collection and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly affects?: number;
  /** The message of the error if the stored rows do not permit the write. */
  readonly message?: string;
}

/** The types of a parameter that takes the whole body of a request. */
export const BODY_TYPES = ['json', 'jsonb', 'text', 'xml', 'bytea'] as const;
export type BodyType = (typeof BODY_TYPES)[number];
export const VOLATILITIES = ['volatile', 'stable', 'immutable'] as const;

/** A function of PostgreSQL, called at /rpc/<name>. Several may have one name. */
export interface FunctionDraft extends Described {
  readonly parameters: readonly FunctionParameterDraft[];
  readonly body?: BodyType;
  /** Whether the parameter of the body has a default. */
  readonly bodyOptional?: boolean;
  readonly volatility: (typeof VOLATILITIES)[number];
  /** Absent if it returns nothing. */
  readonly returns?: FunctionResultDraft;
}

interface FunctionParameterDraft {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  readonly variadic?: boolean;
}

/** A collection, a type, or columns. */
export interface FunctionResultDraft {
  readonly collection?: string;
  readonly type?: string;
  /** The media type of a value: it is the body of the answer. */
  readonly mediaType?: string;
  /** Aggregates that print the rows; those of a collection are its own. */
  readonly media?: readonly MediaHandler[];
  readonly fields?: readonly { readonly name: string; readonly type: string }[];
  readonly many?: boolean;
}

export const CHANGE_KINDS = ['insert', 'update', 'delete'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A receiver of changes. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  /** Absent means all collections that are logged. */
  readonly collections?: readonly string[];
  readonly kinds?: readonly ChangeKind[];
  /** Conditions as in a query string; absent means every row. */
  readonly where?: string;
  /** `whsec_` and base64, or `{env.NAME}` for a variable that holds it. */
  readonly secret: string;
}

/** The rights of a role on a collection. */
export const RIGHTS = ['read', 'create', 'update', 'delete'] as const;
export type Right = (typeof RIGHTS)[number];

export interface RoleDraft {
  readonly name: string;
  /** Has every right on everything. */
  readonly isAll?: boolean;
  /** The rate limit of each caller: `100/s`. */
  readonly rateLimit?: string;
  /** Roles whose rules apply as well. */
  readonly include?: readonly string[];
  /** Queries, actions and functions that the role may call. */
  readonly call?: readonly string[];
  /** Roles whose users it manages. */
  readonly manages?: readonly string[];
  /** Whether it says what the role may read of the log of changes. */
  readonly namesLog?: boolean;
  readonly rules: readonly RuleDraft[];
}

export interface RuleDraft {
  readonly collection: string;
  readonly right: Right;
  /** Conditions as in a query string; absent means every row. */
  readonly where?: string;
  /** Absent means every field. */
  readonly fields?: readonly string[];
  /** How an update may change them. Absent means in every way. */
  readonly operations?: readonly ChangeWay[];
}

/** An aggregate of PostgreSQL whose result is the body of an answer in a media type. */
export interface MediaHandler {
  readonly mediaType: string;
  /** Its quoted name. */
  readonly aggregate: string;
  /** The table whose rows it takes. Absent if it takes any rows. */
  readonly table?: string;
  /** Whether it returns bytes. */
  readonly isBinary: boolean;
}

export type WriteMethod = 'POST' | 'PATCH' | 'DELETE';

export interface CollectionDraft extends Described {
  readonly title?: string;
  /** The previous name: a migration renames the table. */
  readonly was?: string;
  /** The required fields that identify a row; empty for an existing view or table without a key. */
  readonly key: readonly string[];
  /** As that of the catalogue. */
  readonly schema?: string;
  /** The methods that can write an existing view. Its key may be null in some rows. Absent for a table. */
  readonly writes?: readonly WriteMethod[];
  /** In output order. */
  readonly fields: readonly FieldDraft[];
  /** Aggregates of the database that print the rows. */
  readonly media?: readonly MediaHandler[];
  /** References that no constraint of this table enforces, such as those of a view. */
  readonly references?: readonly LinkDraft[];
  /** Functions of a row: computed fields, and computed references. */
  readonly computed?: readonly ComputedDraft[];
  /** Sets of fields that are unique together. */
  readonly unique?: readonly (readonly string[])[];
  /** The path of a file with the initial rows. */
  readonly rows?: string;
  /** Whether changes are logged. Default: yes, unless the table is adopted. */
  readonly history?: boolean;
  readonly search?: SearchDraft;
  /** The collection to whose rows these are comments. */
  readonly commentsOn?: string;
}

/** The texts to search: a field, or a reference and a field of the row that it leads to. */
export interface SearchDraft {
  readonly language: Language;
  readonly fields: readonly { readonly name: string; readonly path: readonly string[]; readonly weight: number }[];
}

/** A function of PostgreSQL that takes a row. It returns a value of a type, or rows of a collection. */
export interface ComputedDraft {
  readonly name: string;
  readonly type?: string;
  readonly collection?: string;
  /** Whether it returns a list of rows. */
  readonly many?: boolean;
}

/** The meaning of a field for the console's overview and search. */
export const FIELD_ROLES = ['title', 'flag', 'group', 'price', 'stock', 'threshold', 'value'] as const;

export type OnDelete = 'restrict' | 'cascade' | 'set null';

export interface ReferenceDraft {
  readonly collection: string;
  readonly onDelete: OnDelete;
  /** The constraint name, if it is not the default. */
  readonly constraint?: string;
  /** Whether a reference to its own collection may lead back to the row itself. */
  readonly circles?: boolean;
}

/**
 * Fields whose values equal those of fields of another collection. With `onDelete` it is a reference of several fields
 * to a key, in the order of the key. Otherwise it serves embedding, and nothing enforces it.
 */
export interface LinkDraft {
  readonly fields: readonly string[];
  readonly collection: string;
  readonly to: readonly string[];
  /** The name for hints. */
  readonly constraint: string;
  readonly onDelete?: OnDelete;
}

/** The rules that restrict the values of a field. */
export const VALUE_RULES = ['minimum', 'maximum', 'maxLength', 'pattern', 'oneOf'] as const;

export interface FieldDraft extends Described {
  /** For example `int4`, `decimal(12,4)`, `text[]`. */
  readonly type: string;
  readonly title?: string;
  readonly was?: string;
  /** How the console uses the field. */
  readonly role?: string;
  readonly required?: boolean;
  /** A JSON value of the type, `now`, or `uuid`. A number that a double cannot hold is a string of its digits. */
  readonly default?: unknown;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly references?: ReferenceDraft;
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly (number | string)[];
  readonly onUpdate?: 'now';
  /** The allowed media types of a file, and its maximum size. */
  readonly mediaTypes?: readonly string[];
  readonly maxBytes?: number;
  readonly keepMetadata?: boolean;
  /** The maximum number of files in a list. */
  readonly maxCount?: number;
  /** The expression that computes it from other fields of the row. Then it is also `readOnly`. */
  readonly computed?: string;
  /** Clients cannot write it: the database computes it, or its type is served read-only as text. */
  readonly readOnly?: boolean;
  /** The database fills the field if an insert does not; `trigger`: a trigger may, or else the insert fails. */
  readonly filled?: boolean | 'trigger';
  /** The service sets it to the caller that creates the row. */
  readonly isAuthor?: boolean;
  /** The field and the language, if this is a translation of another field. */
  readonly translates?: { readonly field: string; readonly language: string };
}

/** Fields by name, each a type or a map, as in a declaration. A type with `!` is required. */
export type FieldsByName = Readonly<Record<string, string | Omit<FieldDraft, 'name'>>>;

export function fieldDrafts(fields: FieldsByName): readonly FieldDraft[] {
  return Object.entries(fields).map(([name, field]) => {
    if (typeof field !== 'string') return { name, ...field };
    return field.endsWith('!') ? { name, type: field.slice(0, -1), required: true } : { name, type: field };
  });
}
