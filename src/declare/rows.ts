/** Reads the initial rows of a collection from their file, incrementally. `BadRows` collects their mistakes. */

import { MAX_BAD_ROWS } from '../base/limits/declaration.ts';
import { memoize } from '../base/memo.ts';
import { didYouMean } from '../base/nearest-name.ts';
import type { CollectionDraft } from '../collection/draft.ts';
import { ConfigError } from '../settings/setting.ts';
import { type FileRecord, type GoodRecord, wordsOf } from './rows/record.ts';
import { type FileFormat, formatToRead, openSource, type Source } from './rows/source.ts';

/** Consecutive rows with the same columns. */
export interface RowBatch {
  /** Field names in cell order. */
  readonly columns: readonly string[];
  readonly rows: readonly Pick<GoodRecord, 'line' | 'cells'>[];
  /** CSV cells are texts, null, or undefined if empty; other formats have JSON values. */
  readonly format: FileFormat;
  /** The separator of a CSV file. */
  readonly separator: string;
}

/** Collects mistakes in a file of rows, and reports them at the end or when there are many. */
export class BadRows {
  private readonly found: string[] = [];

  constructor(private readonly file: string) {}

  add(line: number, problem: string): void {
    this.found.push(`${this.file}:${line}: ${problem}`);
    if (this.found.length >= MAX_BAD_ROWS) throw this.error(' at least');
  }

  /** Throws an error with all mistakes, if any. */
  settle(): void {
    if (this.found.length > 0) throw this.error('');
  }

  private error(more: string): ConfigError {
    const amount = this.found.length === 1 ? 'a bad row' : `${this.found.length} bad rows${more}`;
    return new ConfigError(`${this.file} has ${amount}; nothing was stored\n${this.found.join('\n')}`);
  }
}

/** Nothing if the collection has no file. Throws at the end if a row was invalid. */
export async function* readRows(
  { rows: file, fields }: CollectionDraft,
  bad = new BadRows(file ?? ''),
): AsyncGenerator<RowBatch> {
  if (file === undefined) return;
  const names = fields.map((field) => field.name);
  const format = formatToRead(file);
  const source = openSource(file, { format });
  // Rows with the same columns share their list.
  const columnProblem = memoize((columns: readonly string[]) => problemOf(columns, names));
  for await (const records of recordsOf(source, file)) {
    const good = records.filter((record): record is GoodRecord => {
      const problem = record.kind === 'broken' ? wordsOf(record.problem) : columnProblem(record.columns);
      if (problem !== undefined) bad.add(record.line, problem);
      return problem === undefined;
    });
    for (const rows of withSameColumns(good)) {
      yield { columns: rows[0]!.columns, rows, format, separator: source.separator() };
    }
  }
  bad.settle();
}

/** Adds the file name to read errors. */
async function* recordsOf(source: Source, file: string): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* source.records;
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${file}: ${error.message}`) : error;
  }
}

function problemOf(columns: readonly string[], names: readonly string[]): string | undefined {
  const unknown = columns.find((column) => !names.includes(column));
  if (unknown !== undefined) return `unknown field ${unknown}${didYouMean(unknown, names)}`;
  const twice = columns.find((column, at) => columns.indexOf(column) < at);
  return twice === undefined ? undefined : `the field ${twice} is given twice`;
}

function* withSameColumns(records: readonly GoodRecord[]): Generator<readonly GoodRecord[]> {
  let start = 0;
  for (let end = 1; end <= records.length; end++) {
    if (records[end]?.columns === records[start]!.columns) continue;
    yield records.slice(start, end);
    start = end;
  }
}
