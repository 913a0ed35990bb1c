/** Runs an import: turns records into rows, passes them to the engine, and reports each mistake with its line. */

import { amount } from '../../base/amount.ts';
import type { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { parseJson } from '../../collection/exact-json.ts';
import { type FileRecord, type GoodRecord, unreadable } from '../../declare/rows/record.ts';
import type { Source } from '../../declare/rows/source.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LoadBatch, type LoadOptions, LoadRejected, type RejectedRow } from '../../engine/shared/loader.ts';
import type { StoredRow } from '../../plan/types.ts';
import { RowProblem } from '../../plan/write/row-planner.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { ColumnReader, type Columns, type Mapping } from './columns.ts';
import type { Rejects } from './rejects.ts';

export interface Problem {
  readonly line: number;
  readonly field?: string;
  readonly code?: string;
  readonly reason: string;
}

export interface ImportOptions extends Pick<LoadOptions, 'onConflict' | 'dryRun' | 'origin'> {
  readonly mapping: Mapping;
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
  /** Whether to store the valid rows if others are bad. */
  readonly keepGoing: boolean;
  /** Receives the bad rows. */
  readonly rejects: Rejects | undefined;
  /** Called with all problems of each bad row. */
  readonly bad: (problems: readonly Problem[]) => void;
  /** Called when more of the file was read, and when more is stored. */
  readonly reading: () => void;
  readonly storing: (stored: number, total: number) => void;
}

export interface ImportResult {
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly ignored: number;
  readonly rejected: number;
}

/** Nothing was stored, because some rows are bad. */
export class ImportRefused extends Error {
  constructor(
    readonly read: number,
    readonly rejected: number,
  ) {
    super(`nothing was stored: ${rejected} of ${amount(read)} ${rejected === 1 ? 'is' : 'are'} bad`);
  }
}

export async function runImport(
  engine: Engine,
  collection: Collection,
  source: Source,
  options: ImportOptions,
): Promise<ImportResult> {
  return new Import(collection, source, options).run(engine);
}

class Import {
  private readonly columns: ColumnReader;
  private read = 0;
  private rejected = 0;

  constructor(
    private readonly collection: Collection,
    private readonly source: Source,
    private readonly options: ImportOptions,
  ) {
    this.columns = new ColumnReader(collection, options.mapping, {
      hasHeader: options.hasHeader,
      // If commas separate the cells, they cannot be decimal commas.
      hasDecimalCommas: () => options.hasHeader && source.separator() !== ',',
    });
  }

  async run(engine: Engine): Promise<ImportResult> {
    const { onConflict, dryRun, keepGoing, storing, origin } = this.options;
    const terms: LoadOptions = {
      onConflict,
      dryRun,
      ...(origin === undefined ? {} : { origin }),
      refused: (row) => this.refused(row),
      goesOn: () => keepGoing || this.rejected === 0,
      progress: storing,
    };
    try {
      const { affected, inserted } = await engine.load([{ into: this.collection, batches: this.batches() }], terms);
      const { read, rejected } = this;
      return { read, inserted, updated: affected - inserted, ignored: read - rejected - affected, rejected };
    } catch (error) {
      throw error instanceof LoadRejected ? new ImportRefused(this.read, this.rejected) : error;
    }
  }

  private async *batches(): AsyncGenerator<LoadBatch> {
    for await (const records of this.source.records) {
      yield* this.batchesOf(records);
      this.options.reading();
    }
    // Check the columns of a file without rows.
    if (this.options.hasHeader) this.columnsOf(this.source.header());
    const unmet = this.columns.unusedMapping();
    if (unmet !== undefined) throw new ConfigError(unmet);
  }

  /** Consecutive rows with the same columns form one batch. */
  private *batchesOf(records: readonly FileRecord[]): Generator<LoadBatch> {
    let batch: { given: Columns['given']; places: number[]; rows: StoredRow[] } | undefined;
    for (const record of records) {
      this.read++;
      const planned = this.plan(record);
      if (planned === undefined) continue;
      const { row, given } = planned;
      if (batch !== undefined && batch.given !== given) {
        yield batch;
        batch = undefined;
      }
      batch ??= { given, places: [], rows: [] };
      batch.places.push(record.line);
      batch.rows.push(row);
    }
    if (batch !== undefined) yield batch;
  }

  private plan(record: FileRecord): { row: StoredRow; given: Columns['given'] } | undefined {
    const { line } = record;
    if (record.kind === 'broken') return this.reject(record, [{ line, reason: record.problem }]);
    const columns = this.columnsOf(record.columns);
    if (typeof columns === 'string') return this.reject(record, [{ line, reason: columns }]);
    const stray = columns.stray(record.cells);
    if (stray !== undefined) return this.reject(record, [{ line, reason: stray }]);
    try {
      return { row: columns.plan(record.cells), given: columns.given };
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      const others = columns.problems(record.cells).filter(({ field }) => field !== error.field);
      const problems = [error, ...others].map(({ field, apiError: refusal, message }) => ({
        line,
        field: field.name,
        code: refusal.code,
        reason: withHint(message, refusal) + this.referenceHint(field, refusal),
      }));
      return this.reject(record, problems);
    }
  }

  /** Explains a reference, since people write the name of the referenced row. */
  private referenceHint(field: Field, { code, hint }: ApiError): string {
    const reference =
      code === '22P02' && hint === null && this.collection.references.find((each) => each.field === field);
    return reference ? `. It is a key of ${reference.to}.` : '';
  }

  /** Returns what is wrong with the columns of a row; throws if the file has a header. */
  private columnsOf(names: readonly string[]): Columns | string {
    const columns = this.columns.read(names);
    if (typeof columns === 'string' && this.options.hasHeader) throw unreadable(1, columns);
    return columns;
  }

  /** Handles a row that the engine rejects. */
  private refused({ place, given, row, because, refusal }: RejectedRow): void {
    const { fields } = this.collection;
    const header = this.source.header();
    const record: GoodRecord = {
      kind: 'record',
      line: place,
      columns: given.map((field) => this.columns.nameOf(field, header)),
      cells: given.map((field) => this.cellOf(field, row[fields.indexOf(field)] ?? null)),
    };
    const reason = withHint(refusal.details ?? refusal.message, refusal);
    this.reject(record, [{ line: place, field: because[0]!.name, code: refusal.code, reason }]);
  }

  /** The cell as the file has it: a text, or a JSON value. */
  private cellOf({ type }: Field, text: string | null): unknown {
    return text === null || this.options.hasHeader ? text : parseJson(type.json(type.store(text)));
  }

  private reject(record: FileRecord, problems: readonly Problem[]): undefined {
    this.rejected++;
    this.options.bad(problems);
    const columns = this.options.hasHeader ? this.source.header() : record.columns;
    this.options.rejects?.add(inColumns(record, columns), columns);
  }
}

function withHint(reason: string, { hint }: ApiError): string {
  return hint === null ? reason : `${reason.replace(/\.$/, '')}. ${hint}`;
}

/** Extends a row with skipped columns to all columns of the file. */
function inColumns(record: FileRecord, columns: readonly string[]): FileRecord {
  if (record.kind === 'broken' || record.columns === columns) return record;
  const cells = columns.map((name) => record.cells[record.columns.indexOf(name)]);
  return { ...record, columns, cells };
}
