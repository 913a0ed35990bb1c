/** Runs an import: turns records into rows, passes them to the engine, and reports each mistake with its line. */

import { amount } from '../../base/amount.ts';
import type { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { isFileField } from '../../collection/files.ts';
import { type FileRecord, wordsOf } from '../../declare/rows/record.ts';
import type { Source } from '../../declare/rows/source.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LoadBatch, type LoadOptions, LoadRejected, type RejectedRow } from '../../engine/shared/loader.ts';
import { Notations } from '../../import/cells.ts';
import type { StoredRow } from '../../plan/write-plan.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { type ColumnOptions, ColumnReader, type Columns } from './columns.ts';
import type { Problem } from './problems.ts';
import type { Rejects } from './rejects.ts';

interface ImportOptions extends Pick<LoadOptions, 'onConflict' | 'match' | 'dryRun' | 'origin'>, ColumnOptions {
  /** Whether to store the valid rows if others are bad. */
  readonly keepGoing: boolean;
  /** Opens the file once more, to learn how its columns write numbers; undefined if that is not possible. */
  readonly firstPass: (() => Source) | undefined;
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
  /** Rows that are skipped, or equal their stored row. */
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
  return new Import(engine, collection, source, options).run();
}

class Import {
  private readonly columns: ColumnReader;
  private readonly notations: Notations;
  /** The source that the notations were learnt from. */
  private readonly scanned: Source;
  private read = 0;
  private rejected = 0;

  constructor(
    private readonly engine: Engine,
    private readonly collection: Collection,
    private readonly source: Source,
    private readonly options: ImportOptions,
  ) {
    this.scanned = options.firstPass?.() ?? source;
    this.notations = new Notations(() => this.scanned.separator());
    this.columns = new ColumnReader(collection, options, this.notations);
  }

  async run(): Promise<ImportResult> {
    const { keepGoing, storing, rejects } = this.options;
    const terms: LoadOptions = {
      ...this.options,
      onRejected: (row) => this.rejectByDatabase(row),
      mayStore: () => keepGoing || this.rejected === 0,
      progress: storing,
    };
    await this.learnNotations();
    try {
      const set = { into: this.collection, batches: this.batches(rejects) };
      const { affected, inserted } = await this.engine.load([set], terms);
      const { read, rejected } = this;
      return { read, inserted, updated: affected - inserted, ignored: read - rejected - affected, rejected };
    } catch (error) {
      throw error instanceof LoadRejected ? new ImportRefused(this.read, this.rejected) : error;
    }
  }

  /**
   * Learns from a file that can be read twice. From standard input, a column is only known by its earlier rows. A file
   * with commas is read until its columns are clear: few of them write decimal commas.
   */
  private async learnNotations(): Promise<void> {
    const { scanned, notations, columns } = this;
    if (scanned === this.source) return;
    for await (const records of scanned.records) {
      for (const record of records)
        if (record.kind !== 'broken') notations.learn(columns.fields(record.columns), record.cells);
      if (records.length > 0 && scanned.separator() === ',' && !notations.areUndecided) return;
    }
  }

  private async *batches(rejects: Rejects | undefined): AsyncGenerator<LoadBatch> {
    for await (const records of this.source.records) {
      await this.resolve(records);
      yield* this.batchesOf(records, rejects);
      this.options.reading();
    }
    // Check the columns of a file without rows.
    if (this.options.hasHeader) this.columnsOf(this.source.header());
    const unmet = this.columns.unusedColumns();
    if (unmet !== undefined) throw new ConfigError(unmet);
  }

  /** Looks up the referenced rows that these records name. */
  private async resolve(records: readonly FileRecord[]): Promise<void> {
    const { resolvers } = this.options;
    if (resolvers.size === 0) return;
    for (const record of records) {
      const columns = record.kind === 'broken' ? '' : this.columnsOf(record.columns);
      if (record.kind === 'broken' || typeof columns === 'string') continue;
      for (const [at, resolver] of columns.resolved) resolver.request(record.cells[at]);
    }
    for (const resolver of resolvers.values()) await resolver.load(this.engine);
  }

  /** Consecutive rows with the same columns form one batch. */
  private *batchesOf(records: readonly FileRecord[], rejects: Rejects | undefined): Generator<LoadBatch> {
    let batch:
      | { given: Columns['given']; positions: number[]; rows: StoredRow[]; texts?: string[]; kept: string[] }
      | undefined;
    for (const record of records) {
      this.read++;
      const planned = this.plan(record);
      if (planned === undefined) continue;
      const { row, given, kept } = planned;
      if (batch !== undefined && batch.given !== given) {
        yield batch;
        batch = undefined;
      }
      batch ??= { given, positions: [], rows: [], kept: [], ...(rejects && { texts: [] }) };
      batch.positions.push(record.line);
      batch.rows.push(row);
      if (kept !== undefined) batch.kept.push(kept);
      batch.texts?.push(rejects!.textOf(record));
    }
    if (batch !== undefined) yield batch;
  }

  private plan(record: FileRecord): { row: StoredRow; given: Columns['given']; kept: string | undefined } | undefined {
    const { line } = record;
    const reject = (problems: readonly Problem[]) => this.reject(this.options.rejects?.textOf(record), problems);
    if (record.kind === 'broken') return reject([{ line, reason: wordsOf(record.problem) }]);
    const columns = this.columnsOf(record.columns);
    if (typeof columns === 'string') return reject([{ line, reason: columns }]);
    const stray = columns.stray(record.cells);
    if (stray !== undefined) return reject([{ line, reason: stray }]);
    const { row, problems } = columns.plan(record.cells);
    if (problems.length === 0) return { row, given: columns.given, kept: columns.kept?.(record.cells) };
    return reject(
      problems.map(({ field, apiError, message }) => ({
        line,
        field: field.name,
        code: apiError.code,
        reason: withHint(message, apiError) + this.referenceHint(field, apiError),
      })),
    );
  }

  /** Explains a reference, since people write the name of the referenced row. */
  private referenceHint(field: Field, { code, hint }: ApiError): string {
    if (code !== '22P02' || hint !== null) return '';
    if (isFileField(field)) return '. It is the id of a file; for names of files use --files DIR.';
    const reference = this.collection.references.find((each) => each.field === field);
    return reference === undefined ? '' : `. It is a key of ${reference.to}.`;
  }

  /** Returns what is wrong with the columns of a row; throws if the file has a header. */
  private columnsOf(names: readonly string[]): Columns | string {
    const columns = this.columns.read(names);
    if (typeof columns === 'string' && this.options.hasHeader) throw new ConfigError(`line 1: ${columns}`);
    return columns;
  }

  /** Handles a row that the engine rejects. */
  private rejectByDatabase({ position, text, fields, error }: RejectedRow): void {
    const reason = withHint(error.details ?? error.message, error);
    this.reject(text ?? undefined, [{ line: position, field: fields[0]!.name, code: error.code, reason }]);
  }

  private reject(text: string | undefined, problems: readonly Problem[]): undefined {
    this.rejected++;
    this.options.bad(problems);
    if (text !== undefined) this.options.rejects?.add(text);
  }
}

function withHint(reason: string, { hint }: ApiError): string {
  return hint === null ? reason : `${reason.replace(/\.$/, '')}. ${hint}`;
}
