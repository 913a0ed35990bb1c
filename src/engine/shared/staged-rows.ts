/**
 * The rows of a load in a staging table: conflicting rows are rejected, then the others are stored. Engines supply the
 * statements that differ.
 */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { Conflict } from '../../plan/types.ts';
import { overwrittenFields } from '../../plan/write/insert.ts';
import type { MaybePromise } from '../engine.ts';
import { identifier, type SqlDialect } from '../sql/statement.ts';
import { conflictConditions } from './load-conflicts.ts';
import { type LoadBatch, type LoadOptions, LoadRejected, type LoadResult } from './loader.ts';
import { duplicateKey, repeatedRow } from './write-checks.ts';

/** Rows per statement, for progress reports and to bound rejected rows in memory. */
const ROWS_PER_STATEMENT = 20_000;

/**
 * The staging table has a column for each field, and three others. No field has a name with spaces. "the row" numbers
 * the rows from 1, "the place" is the position in the input, "the shape" is an index of `shapes`.
 */
export abstract class StagedRows {
  readonly shapes: (readonly Field[])[] = [];
  readonly rows: string;
  total = 0;

  constructor(
    readonly collection: Collection,
    /** The table that stores the rows. */
    readonly table: string,
    private readonly dialect: SqlDialect,
    /** The schema of temporary tables. */
    private readonly schema: string,
    index: number,
  ) {
    this.rows = `${schema}."rows to load ${index}"`;
  }

  add(batch: LoadBatch): MaybePromise<void> {
    const { given, rows } = batch;
    const known = this.shapes.indexOf(given);
    this.total += rows.length;
    return this.stage(batch, known === -1 ? this.shapes.push(given) - 1 : known);
  }

  protected abstract stage(batch: LoadBatch, shape: number): MaybePromise<void>;
  protected abstract query(sql: string): MaybePromise<Row[]>;
  /** Inserts the staged rows that satisfy a condition, in their order. */
  protected abstract insert(conflict: Conflict, condition: string): MaybePromise<LoadResult>;
  /** Reserves the keys of these rows, so that they are not assigned to other rows. */
  protected abstract advanceKeys(options: LoadOptions): MaybePromise<void>;
  protected abstract translate(error: unknown): unknown;

  async reject(options: LoadOptions): Promise<void> {
    const duplicate: typeof repeatedRow = (fields, values) => duplicateKey(this.collection, fields, values.map(String));
    for (const { fields, repeated, taken } of conflictConditions(this, options.onConflict)) {
      await this.rejectRows(repeated, fields, options, repeatedRow);
      if (taken === undefined) continue;
      await this.rejectRows(taken, fields, options, duplicate);
    }
  }

  async store(options: LoadOptions, progress: (rows: number) => void): Promise<LoadResult> {
    const { collection } = this;
    const { onConflict } = options;
    const on = collection.key;
    try {
      await this.advanceKeys(options);
      if (onConflict === 'refuse') return await this.insertInParts('refuse', 'true', progress);
      if (onConflict === 'keep') return await this.insertInParts({ on, overwrite: [] }, 'true', progress);
      const results: LoadResult[] = [];
      for (const [shape, given] of this.shapes.entries()) {
        const conflict = { on, overwrite: overwrittenFields(collection, given, on) };
        results.push(await this.insertInParts(conflict, `"the shape" = ${shape}`, progress));
      }
      return sum(results);
    } catch (error) {
      throw this.translate(error);
    }
  }

  /**
   * Rows of different shapes are stored shape by shape. Rows that may refer to each other are stored by one statement:
   * an adopted table checks its references after each.
   */
  private async insertInParts(
    conflict: Conflict,
    condition: string,
    progress: (rows: number) => void,
  ): Promise<LoadResult> {
    const { shapes, total } = this;
    const { name, references } = this.collection;
    const isWhole = shapes.length > 1 || references.some(({ to }) => to === name);
    const size = isWhole ? Math.max(1, total) : ROWS_PER_STATEMENT;
    const results: LoadResult[] = [];
    for (let from = 0; from < total; from += size) {
      results.push(await this.insert(conflict, `"the row" > ${from} and "the row" <= ${from + size} and ${condition}`));
      progress(Math.min(total, from + size));
    }
    return sum(results);
  }

  private async rejectRows(
    condition: string,
    because: readonly Field[],
    { refused }: LoadOptions,
    errorOf: typeof repeatedRow,
  ): Promise<void> {
    const { fields } = this.collection;
    const rejected = `${this.schema}."rejected rows"`;
    const texts = fields.map(({ name, type }) => `${this.dialect.text(identifier(name), type)} as ${identifier(name)}`);
    await this.query(`create table ${rejected} as select * from ${this.rows} as given where ${condition}`);
    await this.query(`delete from ${this.rows} where "the row" in (select "the row" from ${rejected})`);
    const after = (row: unknown) =>
      this.query(`select "the row", "the place", "the shape", ${texts.join(', ')} from ${rejected} as given
        where given."the row" > ${row} order by given."the row" limit ${ROWS_PER_STATEMENT}`);
    for (let page = await after(0); page.length > 0; page = await after(page.at(-1)!['the row'])) {
      for (const row of page) {
        const values = because.map(({ name }) => row[name]!);
        refused({
          place: Number(row['the place']),
          given: this.shapes[Number(row['the shape'])]!,
          row: fields.map(({ name }) => row[name] as string | null),
          because,
          refusal: errorOf(because, values),
        });
      }
    }
    await this.query(`drop table ${rejected}`);
  }
}

/** Rejects the rows of all collections that conflict, and stores the others. */
export async function rejectAndStore(staged: readonly StagedRows[], options: LoadOptions): Promise<LoadResult> {
  for (const each of staged) await each.reject(options);
  if (!options.goesOn()) throw new LoadRejected();
  return storeAll(staged, options);
}

export async function storeAll(staged: readonly StagedRows[], options: LoadOptions): Promise<LoadResult> {
  const total = staged.reduce((rows, each) => rows + each.total, 0);
  const results: LoadResult[] = [];
  let before = 0;
  for (const each of staged) {
    results.push(await each.store(options, (rows) => options.progress?.(before + rows, total)));
    before += each.total;
  }
  return sum(results);
}

function sum(results: readonly LoadResult[]): LoadResult {
  return results.reduce(
    (total, { affected, inserted }) => ({
      affected: total.affected + affected,
      inserted: total.inserted + inserted,
    }),
    { affected: 0, inserted: 0 },
  );
}
