/**
 * A catalogue as it is declared, in plain data: what a user's file says once it is read and found right, and what is sent to
 * another thread. Names are names; nothing is resolved yet.
 */

export interface CatalogueDraft {
  /** The most bytes that the text form of a stored value may have, where it is not the usual number. */
  readonly maxValueBytes?: number;
  readonly collections: readonly CollectionDraft[];
  /** Who may do what; absent where whoever reaches the service may do all. */
  readonly roles?: readonly RoleDraft[];
}

/** What a role may do with the rows of a collection. */
export const RIGHTS = ['read', 'create', 'update', 'delete'] as const;
export type Right = (typeof RIGHTS)[number];

export interface RoleDraft {
  readonly name: string;
  /** It may do all with everything. */
  readonly isAll?: boolean;
  /** How often each of its callers may come: `100/s`. */
  readonly rateLimit?: string;
  /** Other roles, whose rules it has, too. */
  readonly include?: readonly string[];
  readonly rules: readonly RuleDraft[];
}

export interface RuleDraft {
  readonly collection: string;
  readonly right: Right;
  /** Conditions in the dialect, as in a query string; absent: every row. */
  readonly where?: string;
  /** Absent: every field. */
  readonly fields?: readonly string[];
}

export interface CollectionDraft {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What it was called before: its table is renamed. */
  readonly was?: string;
  /** The fields that identify a row, at least one; each is required, whether it says so or not. */
  readonly key: readonly string[];
  /** In the order in which a row shows them. */
  readonly fields: readonly FieldDraft[];
  /** Fields that are unique together. */
  readonly unique?: readonly (readonly string[])[];
  /** A file of rows to begin with, as a path that can be opened. */
  readonly rows?: string;
}

/** What a field means to people, beyond its type: the console's overview and search go by it. */
export const FIELD_ROLES = ['title', 'flag', 'group', 'price', 'stock', 'threshold'] as const;

export type OnDelete = 'restrict' | 'cascade' | 'set null';

export interface ReferenceDraft {
  readonly collection: string;
  readonly onDelete: OnDelete;
  /** What the constraint is called, where it is not called as usual. */
  readonly constraint?: string;
}

export interface FieldDraft {
  readonly name: string;
  /** As in `int4`, `decimal(12,4)`, `text[]`. */
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly was?: string;
  /** What the console makes of it. */
  readonly role?: string;
  readonly required?: boolean;
  /**
   * A JSON value of the type; or `now` of a date or time, `uuid` of a uuid. Here and in the rules, a number whose digits a double
   * does not hold is the text of them.
   */
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
  /** Never written by clients: the database computes it, or it is of a type that is only read, as text. */
  readonly readOnly?: boolean;
  /** Where nothing is given, the database fills it in by a default of its own. */
  readonly filled?: boolean;
}
