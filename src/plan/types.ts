/**
 * The plan: what a request means for this collection, with every name resolved to a field and every text to a typed
 * value. Frozen plain data that can be sent to another thread. It knows neither SQL nor HTTP; an engine needs nothing
 * else to do the work.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Relation } from '../collection/relations.ts';
import type { Containment, Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import type { SearchOperator } from '../dialect/operators.ts';
import type { Aggregate, JsonStep } from '../dialect/tree.ts';

/** Three-valued, as in SQL: a constant null is neither true nor false, and stays so when negated. */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'all' | 'any'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'compare'; readonly of: Expression; readonly operator: Comparator; readonly value: Value }
  | { readonly kind: 'in'; readonly of: Expression; readonly values: readonly Value[] }
  | { readonly kind: 'null'; readonly of: Expression }
  /** `is true`, `is false`, `is unknown`: never null itself. */
  | { readonly kind: 'truth'; readonly of: Expression; readonly value: boolean | null }
  | { readonly kind: 'distinct'; readonly of: Expression; readonly value: Value }
  /** Of arrays and json: contains, is contained in, overlaps. */
  | { readonly kind: 'contains'; readonly of: Expression; readonly operator: Containment; readonly value: Value }
  | { readonly kind: 'like' | 'regex'; readonly of: Expression; readonly pattern: string; readonly caseless: boolean }
  /** Whether a row of another collection belongs to it that passes the test; or more than so many of them, or of their groups. */
  | {
      readonly kind: 'exists';
      readonly relation: Relation;
      readonly where: Predicate;
      readonly between?: Predicate;
      readonly offset?: number;
      readonly groupBy?: readonly Expression[];
    }
  | {
      readonly kind: 'search';
      readonly of: Expression;
      readonly mode: SearchOperator;
      readonly config: string;
      readonly query: string;
    };

export type Comparator = '=' | '<>' | '>' | '>=' | '<' | '<=';

export const ALWAYS: Predicate = { kind: 'constant', value: true };

export function isAlways(predicate: Predicate): boolean {
  return predicate.kind === 'constant' && predicate.value === true;
}

/** Fields are those of the read that the expression is in: an engine qualifies them with the name it gives that read. */
export type Expression =
  | { readonly kind: 'field'; readonly field: Field; readonly type: Type }
  | { readonly kind: 'null'; readonly type: Type }
  /** Into JSON; of the last step depends whether it yields json or text. */
  | { readonly kind: 'path'; readonly of: Expression; readonly steps: readonly JsonStep[]; readonly type: Type }
  | Embedding
  | { readonly kind: 'count'; readonly type: Type }
  | { readonly kind: 'cast'; readonly of: Expression; readonly type: Type }
  | { readonly kind: 'aggregate'; readonly function: Aggregate; readonly of: Expression; readonly type: Type };

/**
 * A read within a read: of the rows that belong to each row, as JSON, or what one column of them holds. A list where there may
 * be several.
 */
export interface Embedding {
  readonly kind: 'embed';
  readonly relation: Relation;
  /** What the rows of a collection between the two must pass, where there is one. */
  readonly between?: Predicate;
  readonly plan: ReadPlan;
  readonly shows: 'rows' | 'values';
  readonly many: boolean;
  readonly type: Type;
}

/** The field that an expression is, where it is nothing but one. */
export function fieldOf(expression: Expression): Field | undefined {
  return expression.kind === 'field' ? expression.field : undefined;
}

export interface OutputColumn {
  readonly name: string;
  readonly expression: Expression;
}

export interface OrderKey {
  readonly expression: Expression;
  readonly descending: boolean;
  /** Where nulls go; absent where there can be none. */
  readonly nulls?: 'first' | 'last';
}

/** What a row of the answer is made of. */
export interface Shape {
  readonly columns: readonly OutputColumn[];
  /** Present when the columns hold aggregates: one row for each combination of these. */
  readonly groupBy?: readonly Expression[];
  readonly order: readonly OrderKey[];
}

export interface ReadPlan extends Shape {
  readonly kind: 'read';
  readonly from: Collection;
  readonly where: Predicate;
  readonly offset: number;
  readonly limit?: number;
  readonly count?: 'exact' | 'planned' | 'estimated';
}

/** A stored row as a list, in the order of the collection's fields. What is undefined, a key or else, the database fills in. */
export type StoredRow = readonly (Value | undefined)[];

export interface InsertPlan extends WriteTerms {
  readonly kind: 'insert';
  readonly rows: readonly StoredRow[];
  /** The fields that the client gives values to; others have their defaults. */
  readonly given: readonly Field[];
  readonly conflict: Conflict;
}

/**
 * What happens to a row that meets an existing one: all is refused; or, where they meet in these unique fields, the old row
 * takes these fields of the new one. With none of them it stays as it is.
 */
export type Conflict = 'refuse' | { readonly on: readonly Field[]; readonly overwrite: readonly Field[] };

export interface UpdatePlan extends WriteTerms {
  readonly kind: 'update';
  readonly where: Predicate;
  readonly bound?: Bound;
  readonly set: readonly Assignment[];
  /** Those of them that the client names. */
  readonly given: readonly Field[];
}

/** Each change names its row by key and changes only the fields it carries. */
export interface UpdateEachPlan extends WriteTerms {
  readonly kind: 'update-each';
  readonly changes: readonly { readonly key: readonly Value[]; readonly set: readonly Assignment[] }[];
  /** Its rows must be among these, as they are before it; else all of it is refused (CAT412). */
  readonly among?: Predicate;
  readonly given: readonly Field[];
}

export interface DeletePlan extends WriteTerms {
  readonly kind: 'delete';
  readonly where: Predicate;
  readonly bound?: Bound;
}

export type WritePlan = InsertPlan | UpdatePlan | UpdateEachPlan | DeletePlan;

export interface Assignment {
  readonly field: Field;
  readonly value: Value;
}

/** Which of the matching rows a write touches. */
export interface Bound {
  readonly order: readonly OrderKey[];
  readonly offset: number;
  readonly limit?: number;
}

/** What holds for every write. All of it is checked inside the transaction: when it fails, nothing has changed. */
interface WriteTerms {
  readonly into: Collection;
  /** The rows of the answer, where the client wants them back, and which of the changed ones are shown. */
  readonly returning?: Shape & { readonly where: Predicate };
  readonly maxAffected?: number;
  /** The client reads exactly one object. */
  readonly singular: boolean;
  /** The write is addressed to this one row, which must exist. */
  readonly mustExist: boolean;
  /** Do all of it, answer, and store nothing. */
  readonly dryRun: boolean;
  /** The row must be in one of these versions; `*` means it must exist, `none` that it must not. */
  readonly precondition?: Precondition;
  /** The write is done once for this key, however often it is asked for. */
  readonly retry?: Retry;
  /** What the rules of the caller's role ask of the rows, where they ask anything. */
  readonly restriction?: Restriction;
}

/** The Idempotency-Key of a write. */
export interface Retry {
  readonly key: string;
  /** The same for the same request. */
  readonly fingerprint: string;
  /** Whose quota of stored answers is used; everyone has the same one if there are no roles. */
  readonly owner: string;
  readonly maxAnswerBytes: number;
}

/** Where a row does not pass, the write is refused (42501). Conditions on the fields of the row alone. */
export interface Restriction {
  /** Of rows that an upsert meets, and of those that a bulk update names: there one that does not pass is not there. */
  readonly met?: Predicate;
  /** Of rows as they are when the write is done: of new ones, and of those that were there. */
  readonly created?: Predicate;
  readonly changed?: Predicate;
}

export interface Precondition {
  readonly key: readonly Value[];
  readonly versions: readonly string[] | '*' | 'none';
  /** What the caller sees of the row, where that may not be all: versions are made of it. */
  readonly seen?: { readonly columns: readonly OutputColumn[]; readonly where: Predicate };
}
