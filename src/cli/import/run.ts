/** The import itself: records become rows, rows go to the engine, and every mistake is named with its line. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { parseJson } from '../../collection/exact-json.ts';
import { ConfigError } from '../../config.ts';
import { type FileRecord, type GoodRecord, unreadable } from '../../declare/rows/record.ts';
import type { Source } from '../../declare/rows/source.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LoadBatch, LoadRefused, type LoadTerms, type RefusedRow } from '../../engine/load.ts';
import { RowProblem } from '../../plan/row-planner.ts';
import type { StoredRow } from '../../plan/types.ts';
import { ColumnReader, type Columns, type Mapping } from './columns.ts';
import type { Rejects } from './rejects.ts';

export interface Problem {
  readonly line: number;
  readonly field?: string;
  readonly code?: string;
  readonly reason: string;
}

export interface ImportOptions {
  readonly mapping: Mapping;
  readonly onConflict: LoadTerms['onConflict'];
  readonly dryRun: boolean;
  /** Whether all rows name the same columns, so that a wrong one is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
  /** Where bad rows go; without it, one of them is one too many. */
  readonly rejects: Rejects | undefined;
  readonly problem: (problem: Problem) => void;
  readonly progress: () => void;
}

export interface ImportResult {
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly ignored: number;
  readonly rejected: number;
}

/** Mistakes named before an import without --keep-going gives up. */
const MAX_PROBLEMS = 20;

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
  private header: readonly string[] = [];

  constructor(
    private readonly collection: Collection,
    private readonly source: Source,
    private readonly options: ImportOptions,
  ) {
    this.columns = new ColumnReader(collection, options.mapping, {
      hasHeader: options.hasHeader,
      // Where commas divide the cells, none is left for a number.
      hasDecimalCommas: () => options.hasHeader && source.delimiter() !== ',',
    });
  }

  async run(engine: Engine): Promise<ImportResult> {
    const { onConflict, dryRun } = this.options;
    const keepGoing = this.options.rejects !== undefined;
    const terms: LoadTerms = { onConflict, dryRun, keepGoing, refused: (row) => this.refused(row) };
    const { affected, inserted } = await engine.load(this.collection, this.batches(), terms);
    const { read, rejected } = this;
    return { read, inserted, updated: affected - inserted, ignored: read - rejected - affected, rejected };
  }

  private async *batches(): AsyncGenerator<LoadBatch> {
    for await (const records of this.source.records) {
      yield* this.batchesOf(records);
      this.options.progress();
    }
    if (this.rejected > 0 && this.options.rejects === undefined) throw new LoadRefused();
    const unmet = this.columns.unmet();
    if (unmet !== undefined) throw new ConfigError(unmet);
  }

  /** Rows with the same columns, one after the other, are one batch. */
  private *batchesOf(records: readonly FileRecord[]): Generator<LoadBatch> {
    let batch: { given: Columns['given']; places: number[]; rows: StoredRow[] } | undefined;
    for (const record of records) {
      this.read++;
      if (this.options.hasHeader) this.header = record.columns;
      const planned = this.plan(record);
      // After a mistake that nothing makes good, the rest is only read for further ones.
      if (planned === undefined || (this.rejected > 0 && this.options.rejects === undefined)) continue;
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
    if (record.kind === 'broken') return this.reject(record, { line: record.line, reason: record.problem });
    const columns = this.columns.read(record.columns);
    if (typeof columns === 'string') {
      if (this.options.hasHeader) throw unreadable(1, columns);
      return this.reject(record, { line: record.line, reason: columns });
    }
    try {
      return { row: columns.plan(record.cells), given: columns.given };
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      const { field, refusal, message } = error;
      return this.reject(record, { line: record.line, field: field.name, code: refusal.code, reason: message });
    }
  }

  /** A row that the engine will not store. */
  private refused({ place, given, row, refusal }: RefusedRow): void {
    const { fields, key } = this.collection;
    const record: GoodRecord = {
      kind: 'record',
      line: place,
      columns: given.map((field) => this.columns.nameOf(field)),
      cells: given.map((field) => this.cellOf(field, row[fields.indexOf(field)] ?? null)),
    };
    const reason = refusal.details ?? refusal.message;
    this.reject(record, { line: place, field: key[0]!.name, code: refusal.code, reason });
  }

  /** As the file would have it: a text, or the JSON value. */
  private cellOf({ type }: Field, text: string | null): unknown {
    return text === null || this.options.hasHeader ? text : parseJson(type.json(type.store(text)));
  }

  private reject(record: FileRecord, problem: Problem): undefined {
    this.rejected++;
    this.options.problem(problem);
    const { rejects } = this.options;
    if (rejects === undefined) {
      if (this.rejected >= MAX_PROBLEMS) throw new LoadRefused();
      return;
    }
    const columns = this.options.hasHeader ? this.header : record.columns;
    rejects.add(inColumns(record, columns), columns);
  }
}

/** A row whose columns were left out in part, under all the columns of the file. */
function inColumns(record: FileRecord, columns: readonly string[]): FileRecord {
  if (record.kind === 'broken' || record.columns === columns) return record;
  const cells = columns.map((name) => record.cells[record.columns.indexOf(name)]);
  return { ...record, columns, cells };
}
