/** A write of a list, its context and its result. */
import type { Collection } from '../../../collection/declaration.ts';
import type { Row } from '../../../collection/value.ts';
import type { Origin, WritePlan } from '../../../plan/write-plan.ts';
import type { Write } from '../../engine.ts';
import type { SqlDialect } from '../../sql/statement.ts';
import type { Adopted } from '../adopt/adopt.ts';

export interface Written {
  readonly affected: number;
  readonly inserted: number;
  /** The text forms of its key; null unless exactly one row was written. */
  readonly key: readonly string[] | null;
  readonly rows?: readonly Row[];
  /** The stored rows as a JSON list, if a second statement shows them. */
  readonly stored?: string;
  /** The number of rows of a bulk update that do not exist, if they are ignored. */
  readonly missing?: number;
}

export interface WriteContext {
  readonly collection: Collection;
  readonly dialect: SqlDialect;
  readonly adopted: Adopted;
  /** The sequence of an assigned key. */
  readonly sequence: string | undefined;
  readonly origin?: Origin | undefined;
  /** Whether the database decides what the role may do: statements need no more rights than those of PostgREST. */
  readonly isRestricted?: boolean;
}

/** One of the writes of a list, with everything that its statements need. */
export interface Step extends Write {
  readonly context: WriteContext;
}

export interface WriteLimits {
  readonly retryHours: number;
  readonly querySeconds: number;
  readonly dryRunSeconds?: number;
}

/** The write that is being executed, for errors. */
export interface Progress {
  index: number;
  plan?: WritePlan;
  /** The row of a bulk update that failed. */
  row?: number;
  /** Whether one statement stores several inserts. */
  isShared?: boolean;
}
