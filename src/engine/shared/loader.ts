/**
 * Loads any number of rows of one or several collections in one transaction. Rows are staged first, however slowly they
 * arrive, so that other writers wait only while they are stored. Then all are stored, or none.
 */
import type { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Origin, StoredRow } from '../../plan/types.ts';

/** Rows that supply the same fields. */
export interface LoadBatch {
  /** The position of each row in the input, for error messages. */
  readonly places: readonly number[];
  readonly rows: readonly StoredRow[];
  /** The supplied fields, which overwrite those of an existing row. */
  readonly given: readonly Field[];
}

export interface LoadSet {
  readonly into: Collection;
  readonly batches: AsyncIterable<LoadBatch>;
}

export interface LoadOptions {
  /** The treatment of a row whose key exists: reject it, skip it, or overwrite the stored row. */
  readonly onConflict: 'refuse' | 'keep' | 'overwrite';
  /** Executes everything but stores nothing. */
  readonly dryRun: boolean;
  /** For the log of changes; `silent` leaves the log alone. */
  readonly origin?: Origin | 'silent';
  /** Called for every row that cannot be stored. */
  readonly refused: (row: RejectedRow) => void;
  /** Called after all rejections are known: whether the other rows are stored. */
  readonly goesOn: () => boolean;
  /** Called from time to time with the number of stored rows. */
  readonly progress?: (stored: number, total: number) => void;
}

/** When to create a catalogue that does not exist: at once, by the first load that stores rows, or never (an error). */
export type Creation = 'at once' | 'by a load' | 'never';

export interface RejectedRow {
  readonly place: number;
  readonly given: readonly Field[];
  /** The text forms of its values in field order. */
  readonly row: readonly (string | null)[];
  readonly because: readonly Field[];
  readonly refusal: ApiError;
}

/** Nothing was stored because some rows were rejected. */
export class LoadRejected extends Error {}

export interface LoadResult {
  /** Rows inserted or overwritten. */
  readonly affected: number;
  readonly inserted: number;
}
