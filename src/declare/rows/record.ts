/** A row of a file as it was written: its cells under their columns, and the line it begins on. */
import { ConfigError } from '../../settings/setting.ts';

export type FileRecord = GoodRecord | BrokenRecord;

export interface GoodRecord {
  readonly kind: 'record';
  readonly line: number;
  /** The same list for rows with the same columns, one after the other. */
  readonly columns: readonly string[];
  /** Undefined where nothing is given. */
  readonly cells: readonly unknown[];
}

/** What cannot be read at all, though what follows can. */
export interface BrokenRecord {
  readonly kind: 'broken';
  readonly line: number;
  readonly problem: string;
  readonly text: string;
  /** The columns of the file, where it names them once for all. */
  readonly columns: readonly string[];
}

/** Takes the text of a file piece by piece, and gives the rows that are whole so far. */
export interface RecordReader {
  push(text: string): FileRecord[];
  end(): FileRecord[];
  /** What divides the cells, where there are cells; known with the first row. */
  readonly separator?: string;
  /** The columns, where the file names them once for all; known with the first row. */
  readonly header?: readonly string[];
  /** Lines of nothing but separators, as spreadsheets write them, so far. */
  readonly blankLines?: number;
}

/** Longest row: a quote or a bracket that is never closed must not fill the memory. */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;
export const ROW_TOO_LONG = `the row is longer than ${MAX_ROW_LENGTH} characters; check its line end`;

/** The file as a whole cannot be read on. */
export function unreadable(line: number, problem: string): ConfigError {
  return new ConfigError(`line ${line}: ${problem}`);
}

export function lineEndsIn(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
