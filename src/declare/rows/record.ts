/** A row of a file with its cells by column and its line number. */
import { CSV_PROBLEMS } from '../../encode/csv-reader.ts';
import { ConfigError } from '../../settings/setting.ts';

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

type Value = string | number;

const wrongNumber = (cells: Value, names: Value) =>
  `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, and the first line names ${names}`;
const tooLong = (most: Value) => `the row is longer than ${most} characters; check its line end`;

const WORDS = {
  unclosedQuote: () => CSV_PROBLEMS.unclosedQuote,
  textAfterQuote: () => CSV_PROBLEMS.textAfterQuote,
  tooManyCells: wrongNumber,
  // A short line may be a text with an unquoted line break.
  tooFewCells: (cells, names) =>
    `${wrongNumber(cells!, names!)}; an empty cell needs its separator, and a text of several lines needs quotes`,
  emptyCsv: () => 'the file is empty: its first line names the columns',
  badJson: (reason) => `cannot be read as JSON: ${reason}`,
  notObject: () => 'is not a JSON object',
  longRow: (most) => tooLong(most!),
  longObject: (most) => `${tooLong(most!)}, its brackets and its quotes`,
  emptyJson: () => 'the file is empty: it holds an array of objects',
  openObject: (column) => `the JSON breaks off inside an object, after column ${column}`,
  openArray: (column) => `the JSON breaks off inside the array, after column ${column}`,
  noObjects: () => 'the file holds neither an array of objects nor an object',
  missingComma: () => 'a comma or ] is missing',
  textAfterEnd: () => 'text follows the end of the JSON value; for one object per line, use --format ndjson',
  wrongEncoding: (encoding, hint) => `after this the file is not ${encoding}${hint}`,
} as const satisfies Readonly<Record<string, (...values: Value[]) => string>>;

export interface FileProblem {
  readonly code: keyof typeof WORDS;
  readonly values: readonly Value[];
}

export const fileProblem = (code: FileProblem['code'], ...values: readonly Value[]): FileProblem => ({ code, values });

export const wordsOf = ({ code, values }: FileProblem): string =>
  (WORDS[code] as (...of: readonly Value[]) => string)(...values);

/** The rest of the file cannot be read. */
export class UnreadableFile extends ConfigError {
  readonly problem: FileProblem;

  constructor(
    readonly line: number,
    ...problem: Parameters<typeof fileProblem>
  ) {
    super(`line ${line}: ${wordsOf(fileProblem(...problem))}`);
    this.problem = fileProblem(...problem);
  }
}
