/**
 * The plan: what a request means for this collection, with every name resolved to a field and every text to a typed
 * value. Frozen plain data that can be sent to another thread. It knows neither SQL nor HTTP; an engine needs nothing
 * else to do the work.
 */
import type { Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import type { SearchOperator } from '../dialect/operators.ts';
import type { Aggregate } from '../dialect/tree.ts';

/** Three-valued, as in SQL: a constant null is neither true nor false, and stays so when negated. */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'all' | 'any'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'compare'; readonly field: Field; readonly operator: Comparator; readonly value: Value }
  | { readonly kind: 'in'; readonly field: Field; readonly values: readonly Value[] }
  | { readonly kind: 'null'; readonly field: Field }
  | { readonly kind: 'distinct'; readonly field: Field; readonly value: Value }
  | { readonly kind: 'like' | 'regex'; readonly field: Field; readonly pattern: string; readonly caseless: boolean }
  | {
      readonly kind: 'search';
      readonly field: Field;
      readonly mode: SearchOperator;
      readonly config: string;
      readonly query: string;
    };

export type Comparator = '=' | '<>' | '>' | '>=' | '<' | '<=';

export const ALWAYS: Predicate = { kind: 'constant', value: true };

export function isAlways(predicate: Predicate): boolean {
  return predicate.kind === 'constant' && predicate.value === true;
}

/** The types a result column can have: those of fields, and those that casts and aggregates lead to. */
export type ScalarType = 'int2' | 'int4' | 'int8' | 'decimal' | 'float8' | 'text' | 'bool' | 'json';

export type Expression =
  | { readonly kind: 'field'; readonly field: Field; readonly type: ScalarType }
  | { readonly kind: 'null'; readonly type: ScalarType }
  | { readonly kind: 'count'; readonly type: 'int8' }
  | { readonly kind: 'cast'; readonly of: Expression; readonly type: ScalarType }
  | { readonly kind: 'aggregate'; readonly function: Aggregate; readonly of: Expression; readonly type: ScalarType };

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
  readonly where: Predicate;
  readonly offset: number;
  readonly limit?: number;
  readonly count?: 'exact' | 'planned' | 'estimated';
}

/** A stored row as a list, in the order of the collection's fields. An undefined key is assigned. */
export type StoredRow = readonly (Value | undefined)[];

export interface InsertPlan extends WriteTerms {
  readonly kind: 'insert';
  readonly rows: readonly StoredRow[];
  /** What happens to a row whose key exists: refuse all, keep the old row, or overwrite these fields of it. */
  readonly conflict: 'refuse' | 'keep' | { readonly overwrite: readonly Field[] };
}

export interface UpdatePlan extends WriteTerms {
  readonly kind: 'update';
  readonly where: Predicate;
  readonly bound?: Bound;
  readonly set: readonly Assignment[];
}

/** Each row names its product by key and changes only the fields it carries. */
export interface UpdateEachPlan extends WriteTerms {
  readonly kind: 'update-each';
  readonly changes: readonly { readonly key: Value; readonly set: readonly Assignment[] }[];
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
  /** The rows of the answer, where the client wants them back. */
  readonly returning?: Shape;
  readonly maxAffected?: number;
  /** The client reads exactly one object. */
  readonly singular: boolean;
  /** The write is addressed to this one product, which must exist. */
  readonly mustExist: boolean;
  /** Do all of it, answer, and store nothing. */
  readonly dryRun: boolean;
  /** The product must be in one of these versions; `*` means it must exist, `none` that it must not. */
  readonly precondition?: Precondition;
  /** The write is done once for this key, however often it is asked for. */
  readonly retry?: { readonly key: string; readonly fingerprint: string };
}

export interface Precondition {
  readonly key: Value;
  readonly versions: readonly string[] | '*' | 'none';
}
