/** The plan of a write. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Operation } from '../collection/types/operations.ts';
import type { Value } from '../collection/value.ts';
import type { OrderKey, OutputColumn, Predicate, Shape } from './types.ts';

/** A row to store, as a list in field order. The database supplies undefined values. */
export type StoredRow = readonly (Value | undefined)[];

export interface InsertPlan extends CommonWritePlan {
  readonly kind: 'insert';
  readonly rows: readonly StoredRow[];
  /** The fields that the client supplies; the others get their defaults. */
  readonly given: readonly Field[];
  readonly conflict: Conflict;
}

/**
 * Conflict handling: reject, or, on a conflict in the `on` fields, let the existing row take the `overwrite` fields.
 * Without any, the existing row stays as it is.
 */
export type Conflict = 'refuse' | { readonly on: readonly Field[]; readonly overwrite: readonly Field[] };

export interface UpdatePlan extends CommonWritePlan {
  readonly kind: 'update';
  readonly where: Predicate;
  readonly bound?: Bound;
  readonly set: readonly Assignment[];
  /** The fields among them that the client names. */
  readonly given: readonly Field[];
}

/** Each change identifies its row by unique fields and updates only the fields it contains. */
export interface UpdateEachPlan extends CommonWritePlan {
  readonly kind: 'update-each';
  /** The fields that identify a row: the key, or other unique fields. */
  readonly by: readonly Field[];
  /** Whether rows that do not exist are ignored; otherwise the whole request fails with CAT404. */
  readonly ignoresMissing: boolean;
  readonly changes: readonly { readonly key: readonly Value[]; readonly set: readonly Assignment[] }[];
  /** Every row must satisfy this before the update; otherwise the whole request fails with CAT412. */
  readonly among?: Predicate;
  readonly given: readonly Field[];
}

export interface DeletePlan extends CommonWritePlan {
  readonly kind: 'delete';
  readonly where: Predicate;
  readonly bound?: Bound;
}

export type WritePlan = InsertPlan | UpdatePlan | UpdateEachPlan | DeletePlan;

/** Sets a field to a value, or to the result of an operation on its stored value. */
export type Assignment = SetValue | SetResult;

interface SetValue {
  readonly field: Field;
  readonly value: Value;
}

export interface SetResult extends Operation {
  readonly field: Field;
}

export function isOperation(assignment: Assignment): assignment is SetResult {
  return 'operation' in assignment;
}

/** The assigned value; undefined if the database computes it. */
export function assignedValue(assignment: Assignment): Value | undefined {
  return isOperation(assignment) ? undefined : assignment.value;
}

/** Limits which of the matching rows a write touches. */
export interface Bound {
  readonly order: readonly OrderKey[];
  readonly offset: number;
  readonly limit?: number;
}

/** Options common to all writes. They are checked inside the transaction, so a failure leaves nothing changed. */
interface CommonWritePlan {
  readonly into: Collection;
  /** The result rows, if the client wants them, and which of the written rows they include. */
  readonly returning?: Shape & { readonly where: Predicate };
  /** Whether the client asks for the key of the written row. */
  readonly showsKey?: boolean;
  readonly maxAffected?: number;
  /** The number of rows that the write must affect. */
  readonly affects?: number;
  /** The client expects exactly one object. */
  readonly singular: boolean;
  /** The write addresses this row, which must exist. */
  readonly mustExist: boolean;
  /** The state that these rows must have before the write. */
  readonly preconditions?: readonly Precondition[];
  /** The conditions of the caller's role. */
  readonly restriction?: Restriction;
}

/** The author and the request of the write. */
export interface Origin {
  /** The name of the user or key, or the subject of the token. */
  readonly actor?: string;
  readonly role?: string;
  readonly request?: string;
}

/** The Idempotency-Key of a write. */
export interface Retry {
  readonly key: string;
  /** The same for the same request. */
  readonly fingerprint: string;
  /** The caller whose quota of stored answers is used. Without roles, all callers share one quota. */
  readonly owner: string;
  readonly maxAnswerBytes: number;
}

/** A row that does not satisfy them fails the write with 42501. The conditions refer to fields of the row only. */
export interface Restriction {
  /** For existing rows of an upsert, and for rows of a bulk update, where a row that fails counts as nonexistent. */
  readonly met?: Predicate;
  /** For rows after the write: new rows and existing ones. */
  readonly created?: Predicate;
  readonly changed?: Predicate;
}

export interface Precondition {
  readonly key: readonly Value[];
  /** The versions that the row may have: `*` means that it must exist, `none` that it must not. */
  readonly versions: readonly string[] | '*' | 'none';
  /** The part of the row that the caller sees, if not all: versions are computed from it. */
  readonly seen?: { readonly columns: readonly OutputColumn[]; readonly where: Predicate };
}
