/**
 * Loads any number of rows of one or several collections in one transaction. Rows are staged first, however slowly they
 * arrive, so that other writers wait only while they are stored. Then all are stored, or none.
 */
import type { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Origin, StoredRow } from '../../plan/write-plan.ts';

/** Rows that supply the same fields. */
export interface LoadBatch {
  /** The position of each row in the input, for error messages. */
  readonly positions: readonly number[];
  readonly rows: readonly StoredRow[];
  /** The text of each row in the input, to report rejected rows with it. */
  readonly texts?: readonly string[];
  /** The supplied fields, which overwrite those of an existing row. */
  readonly given: readonly Field[];
  /** For each row, the numbers of the fields that do not overwrite, such as `,2,5,`. Absent or empty for none. */
  readonly kept?: readonly string[];
}

export interface LoadSet {
  readonly into: Collection;
  readonly batches: AsyncIterable<LoadBatch>;
}

export interface LoadOptions {
  /**
   * The treatment of a row that exists: reject it, skip it, or overwrite the stored row. An update also overwrites, and
   * rejects rows that do not exist.
   */
  readonly onConflict: 'refuse' | 'keep' | 'overwrite' | 'update';
  /** The unique fields that identify a stored row; by default the key. */
  readonly match?: readonly Field[];
  readonly dryRun: boolean;
  /** For the log of changes; `silent` leaves the log alone. */
  readonly origin?: Origin | 'silent';
  /** Called for every row that cannot be stored. */
  readonly onRejected: (row: RejectedRow) => void;
  /** Called after all rejections are known: whether the other rows are stored. */
  readonly mayStore: () => boolean;
  readonly progress?: (stored: number, total: number) => void;
}

/**
 * When to create a catalogue that does not exist: at once, by the first load that stores rows, or never (an error).
 * `never` and `dry run` also leave the tables of an existing one as they are; a dry run may use a missing one.
 */
export type Creation = 'at once' | 'by a load' | 'dry run' | 'never';

export interface RejectedRow {
  readonly position: number;
  /** Its text in the input, if the batch has texts. */
  readonly text: string | null;
  readonly fields: readonly Field[];
  readonly error: ApiError;
}

/** Nothing was stored because some rows were rejected. */
export class LoadRejected extends Error {}

export interface LoadResult {
  /** Rows inserted or changed. A row that equals its stored row is not written. */
  readonly affected: number;
  readonly inserted: number;
}
