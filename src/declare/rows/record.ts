/** A row of a file with its cells by column and its line number. */
import type { FileProblem } from './problem.ts';

export type FileRecord = GoodRecord | BrokenRecord;

export interface GoodRecord {
  readonly kind: 'record';
  readonly line: number;
  /** Consecutive rows with equal columns share this list. */
  readonly columns: readonly string[];
  /** Undefined for an empty cell. */
  readonly cells: readonly unknown[];
}

/** A record that cannot be parsed, although the following ones can. */
interface BrokenRecord {
  readonly kind: 'broken';
  readonly line: number;
  readonly problem: FileProblem;
  readonly text: string;
  /** The header of the file, if it has one. */
  readonly columns: readonly string[];
}

/** Parses the text of a file chunk by chunk, and returns complete rows. */
export interface RecordReader {
  push(text: string): FileRecord[];
  end(): FileRecord[];
  /** The separator; known after the first row. */
  readonly separator?: string;
  /** The header; known after the first row. */
  readonly header?: readonly string[];
  /** The number of lines with only separators, as spreadsheets write them. */
  readonly blankLines?: number;
}

/** The longest row: an unclosed quote or bracket must not fill the memory. */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;

export function lineEndsIn(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
