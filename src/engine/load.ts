/**
 * Loading: rows in any number, of one collection or several, in one transaction. They are gathered beside the table first, however slowly they come,
 * so that others are kept from writing no longer than storing them takes; then all are stored, or none.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Refusal } from '../errors.ts';
import type { StoredRow } from '../plan/types.ts';

/** Rows that give the same fields. */
export interface LoadBatch {
  /** Of each row, its place in what is loaded: it names the row where it is refused. */
  readonly places: readonly number[];
  readonly rows: readonly StoredRow[];
  /** The fields that the rows give: what they overwrite of a row that is there. */
  readonly given: readonly Field[];
}

/** What is loaded into one collection. */
export interface LoadSet {
  readonly into: Collection;
  readonly batches: AsyncIterable<LoadBatch>;
}

export interface LoadTerms {
  /** What happens to a row whose key is there: it is refused, left out, or overwrites. */
  readonly onConflict: 'refuse' | 'keep' | 'overwrite';
  /** Do all of it, and store nothing. */
  readonly dryRun: boolean;
  /** Told of every row that cannot be stored. */
  readonly refused: (row: RefusedRow) => void;
  /** Asked when all of those are known: whether the others are stored all the same. */
  readonly goesOn: () => boolean;
  /** Told now and then how many of the gathered rows are stored. */
  readonly progress?: (stored: number, total: number) => void;
}

/** What becomes of a catalogue that is not there: it is made; it is made by the first load, if that stores; or it is a mistake. */
export type Creation = 'at once' | 'by a load' | 'never';

export interface RefusedRow {
  readonly place: number;
  readonly given: readonly Field[];
  /** The text forms of its values, in the order of the collection's fields. */
  readonly row: readonly (string | null)[];
  /** The fields that it is refused for. */
  readonly because: readonly Field[];
  readonly refusal: Refusal;
}

/** Nothing was stored, since some rows could not be. */
export class LoadRefused extends Error {}

export interface LoadResult {
  /** Rows inserted or overwritten. */
  readonly affected: number;
  readonly inserted: number;
}
