/** Jobs of the writer thread: plain data with SQL, which it runs without knowing plans. */
import type { Value } from '../../../collection/value.ts';
import type { Encoding, RowForm } from '../../../encode/encoding.ts';
import type { Origin, Precondition, Retry } from '../../../plan/types.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Allowed } from './job-rules.ts';

/** One savepoint: all steps take effect, or none. */
export interface Job {
  readonly steps: readonly Step[];
  readonly dryRun: boolean;
  readonly retry?: Retry;
  readonly origin?: Origin;
}

export type Step = StepOptions &
  (
    | {
        readonly kind: 'insert';
        readonly sql: string;
        readonly rows: readonly (readonly Value[])[];
        readonly meets?: Meeting;
        readonly allowed?: Allowed;
        /** Tests a row before it is stored; the values of the row come first. */
        readonly before?: Statement;
      }
    | ({ readonly kind: 'change' } & Change)
    | {
        readonly kind: 'change-each';
        readonly shapes: readonly ChangeShape[];
        readonly changes: readonly ChangeOfRow[];
        readonly ignoresMissing: boolean;
        /** Whether the request has preconditions on its rows. */
        readonly isConditional: boolean;
      }
  );

/** Finds the existing row that a row conflicts with. Numbers are positions of fields. */
export interface Meeting {
  readonly sql: string;
  /** The parameters of the statement. */
  readonly places: readonly number[];
  readonly overwrites: readonly number[];
}

export interface Change {
  readonly statement: Statement;
  /** The new values by field name. */
  readonly set: Readonly<Record<string, Value>>;
  /** The keys of the affected rows, if a change of key or a delete may break references. */
  readonly met?: Statement;
  /** Whether the column after the first says that the row is allowed. */
  readonly isRuled?: boolean;
}

/** The statement of all changes that set the same fields. */
export interface ChangeShape {
  readonly sql: string;
  /** Parameters after those of the change. */
  readonly params: readonly Value[];
  /** The fields that the first parameters of a change set; undefined for an operand. */
  readonly names: readonly (string | undefined)[];
  /** The fields whose values identify the row; these are its last parameters. */
  readonly by: readonly string[];
  /** Finds the key of the row by these values, if the change sets the key. */
  readonly met?: string;
  readonly isRuled: boolean;
}

/** A change of one row: the position of its shape, and its parameters. */
export interface ChangeOfRow {
  readonly shape: number;
  readonly params: readonly Value[];
}

/** A query that builds the answer from the changed rows, which are its first parameter as one JSON text. */
export interface Returning {
  readonly statement: Statement;
  /** Run before a delete, since related rows may be deleted with it. */
  readonly before: boolean;
  /** Whether it embeds or tests rows of other collections, which may take long however few rows are changed. */
  readonly reachesOthers: boolean;
  readonly encoding: Encoding;
  readonly form: RowForm;
}

export interface StepOptions {
  readonly collection: string;
  readonly returning?: Returning;
  readonly maxAffected?: number;
  readonly affects?: number;
  /** Whether it has values of earlier steps. */
  readonly isDependent?: boolean;
  readonly singular: boolean;
  readonly mustExist: boolean;
  readonly preconditions?: readonly CompiledPrecondition[];
}

export interface CompiledPrecondition extends Pick<Precondition, 'versions'> {
  /** Reads the part of the row that the caller sees. */
  readonly statement: Statement;
  readonly form: RowForm;
}
