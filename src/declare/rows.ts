/**
 * The rows that a declaration gives a collection to begin with: read from their file as they are used, under the names of
 * fields. Whether a cell is a value of its field is for whoever stores it to say; `BadRows` gathers both kinds of mistakes.
 */
import type { CollectionDraft } from '../collection/draft.ts';
import { MAX_BAD_ROWS } from '../limits.ts';
import { perhaps } from '../nearest-name.ts';
import { ConfigError } from '../settings/setting.ts';
import type { FileRecord, GoodRecord } from './rows/record.ts';
import { type FileFormat, formatToRead, openSource, type Source } from './rows/source.ts';

/** Rows with the same columns, one after the other. */
export interface RowBatch {
  /** Names of fields, in the order of the cells. */
  readonly columns: readonly string[];
  readonly rows: readonly Pick<GoodRecord, 'line' | 'cells'>[];
  /** The cells of a CSV file are texts, null or undefined, where nothing is given; those of others are JSON values. */
  readonly format: FileFormat;
  /** What divides the cells of a CSV file. */
  readonly separator: string;
}

/** Mistakes in a file of rows: gathered, and told at its end, or when there are many. */
export class BadRows {
  private readonly found: string[] = [];

  constructor(private readonly file: string) {}

  add(line: number, problem: string): void {
    this.found.push(`${this.file}:${line}: ${problem}`);
    if (this.found.length >= MAX_BAD_ROWS) throw this.error(' at least');
  }

  /** Throws where there is one. */
  settle(): void {
    if (this.found.length > 0) throw this.error('');
  }

  private error(more: string): ConfigError {
    const amount = this.found.length === 1 ? 'a bad row' : `${this.found.length} bad rows${more}`;
    return new ConfigError(`${this.file} has ${amount}; nothing was stored\n${this.found.join('\n')}`);
  }
}

/** None where the collection names no file. Throws at the end where a row was bad. */
export async function* readRows(
  { rows: file, fields }: CollectionDraft,
  bad = new BadRows(file ?? ''),
): AsyncGenerator<RowBatch> {
  if (file === undefined) return;
  const names = fields.map((field) => field.name);
  const format = formatToRead(file);
  const source = openSource(file, { format });
  const checked = new Map<readonly string[], string | undefined>();
  for await (const records of recordsOf(source, file)) {
    const good = records.filter((record): record is GoodRecord => {
      const problem = record.kind === 'broken' ? record.problem : checkedColumns(record.columns, names, checked);
      if (problem !== undefined) bad.add(record.line, problem);
      return problem === undefined;
    });
    for (const rows of withSameColumns(good)) {
      yield { columns: rows[0]!.columns, rows, format, separator: source.separator() };
    }
  }
  bad.settle();
}

/** A file that cannot be read on is named, too. */
async function* recordsOf(source: Source, file: string): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* source.records;
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${file}: ${error.message}`) : error;
  }
}

/** What is wrong with the columns; asked once for those that rows share. */
function checkedColumns(
  columns: readonly string[],
  names: readonly string[],
  checked: Map<readonly string[], string | undefined>,
): string | undefined {
  if (!checked.has(columns)) {
    const unknown = columns.find((column) => !names.includes(column));
    const twice = columns.find((column, at) => columns.indexOf(column) < at);
    checked.clear();
    checked.set(
      columns,
      unknown !== undefined
        ? `unknown field ${unknown}${perhaps(unknown, names)}`
        : twice === undefined
          ? undefined
          : `the field ${twice} is given twice`,
    );
  }
  return checked.get(columns);
}

function* withSameColumns(records: readonly GoodRecord[]): Generator<readonly GoodRecord[]> {
  let start = 0;
  for (let end = 1; end <= records.length; end++) {
    if (records[end]?.columns === records[start]!.columns) continue;
    yield records.slice(start, end);
    start = end;
  }
}
