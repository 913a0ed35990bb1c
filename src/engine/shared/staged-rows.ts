/**
 * The rows of a load in a staging table: conflicting rows are rejected, then the others are stored. Engines supply the
 * statements that differ.
 */
import { allReferences, type Collection, type Field } from '../../collection/declaration.ts';
import { treeReferences } from '../../collection/tree.ts';
import type { Row } from '../../collection/value.ts';
import { overwrittenFields } from '../../plan/write/insert.ts';
import type { Conflict } from '../../plan/write-plan.ts';
import type { MaybePromise } from '../engine.ts';
import { identifier, type SqlDialect } from '../sql/statement.ts';
import { checkCircle, compileRowsAbove, type RowAbove } from './circles.ts';
import { type RowCheck, sameValues } from './constraint-checks.ts';
import { loadChecks, shapesThat } from './load-checks.ts';
import { type LoadBatch, type LoadOptions, LoadRejected, type LoadResult } from './loader.ts';

/** Rows per statement, for progress reports and to bound rejected rows in memory. */
const ROWS_PER_STATEMENT = 20_000;

/**
 * The staging table has a column for each field, and five others, whose names begin with a space. " number" counts the
 * rows from 1, " position" is the position in the input, " text" the text there, " shape" an index of `shapes`, and
 * " kept" lists the fields that do not overwrite.
 */
export abstract class StagedRows {
  readonly shapes: (readonly Field[])[] = [];
  readonly rows: string;
  total = 0;
  private hasKept = false;

  constructor(
    readonly collection: Collection,
    /** The table that stores the rows. */
    readonly table: string,
    private readonly dialect: SqlDialect,
    /** The schema of temporary tables. */
    private readonly schema: string,
    index: number,
  ) {
    this.rows = `${schema}." rows to load ${index}"`;
  }

  add(batch: LoadBatch): MaybePromise<void> {
    const { given, rows } = batch;
    const known = this.shapes.indexOf(given);
    this.total += rows.length;
    this.hasKept ||= batch.kept?.some((each) => each !== '') === true;
    return this.stage(batch, known === -1 ? this.shapes.push(given) - 1 : known);
  }

  protected abstract stage(batch: LoadBatch, shape: number): MaybePromise<void>;
  protected abstract query<T = Row>(sql: string): MaybePromise<T[]>;
  /** Inserts the staged rows that satisfy a condition, in their order. */
  protected abstract insert(conflict: Conflict, condition: string): MaybePromise<LoadResult>;
  /** Executes an update, and returns the number of changed rows. */
  protected abstract change(sql: string): MaybePromise<number>;
  protected abstract areDifferent(one: string, other: string): string;
  protected abstract tableOf(collection: string): string;
  /** Reserves the keys of these rows, so that they are not assigned to other rows. */
  protected abstract advanceKeys(options: LoadOptions): MaybePromise<void>;
  protected abstract translate(error: unknown): unknown;

  /** `staged` are the rows of all collections of the load. */
  async reject(options: LoadOptions, staged: readonly StagedRows[]): Promise<void> {
    const { collection, rows, table, shapes } = this;
    const { onConflict, match = collection.key } = options;
    const tablesOf = (name: string) => [
      this.tableOf(name),
      ...staged.flatMap((each) => (each.collection.name === name && onConflict !== 'update' ? [each.rows] : [])),
    ];
    const { elements } = this.dialect;
    if (onConflict === 'overwrite' || onConflict === 'update') await this.completeReferences(match);
    for (const check of loadChecks({ collection, rows, table, shapes, tablesOf, elements }, onConflict, match)) {
      // Without the rejected rows, others may be bad as well. That matters only if others are stored.
      while ((await this.rejectRows(check, options)) > 0 && check.isRepeated && options.mayStore()) {}
    }
  }

  async store(options: LoadOptions, progress: (rows: number) => void): Promise<LoadResult> {
    const { collection } = this;
    const { onConflict, match: on = collection.key } = options;
    try {
      if (onConflict !== 'update') await this.advanceKeys(options);
      const inserted = (condition: string) => this.insert('refuse', condition);
      if (onConflict === 'refuse') return await this.inParts(inserted, 'true', progress);
      const absent = `not exists (select 1 from ${this.table} as there where ${sameValues(on)})`;
      // Rows that exist do not reach the insert, so that they use up no keys. A concurrent write may still conflict.
      const kept = (condition: string) => this.insert({ on, overwrite: [] }, `${condition} and ${absent}`);
      if (onConflict === 'keep') return await this.inParts(kept, 'true', progress);
      if (this.hasKept) await this.fillKept(on);
      const results: LoadResult[] = [];
      for (const [shape, given] of this.shapes.entries()) {
        const conflict = { on, overwrite: overwrittenFields(collection, given, on) };
        const supplied = conflict.overwrite.filter((field) => given.includes(field));
        // A row that somebody inserts meanwhile keeps all fields that some row keeps.
        const late = this.hasKept ? { on, overwrite: [] } : conflict;
        const stored = async (condition: string) => {
          const updated = await this.update(conflict, supplied, condition);
          if (onConflict === 'update') return updated;
          return sum([updated, await this.insert(late, `${condition} and ${absent}`)]);
        };
        results.push(await this.inParts(stored, `" shape" = ${shape}`, progress));
      }
      return sum(results);
    } catch (error) {
      throw this.translate(error);
    }
  }

  /** Rejects the whole load if it closes a circle. */
  async checkCircles(): Promise<void> {
    const { collection, dialect } = this;
    for (const reference of treeReferences(collection)) {
      const starts = `(select distinct ${identifier(reference.field.name)} as value from ${this.rows})`;
      const { sql } = compileRowsAbove(collection, reference, dialect, () => starts);
      checkCircle(collection, reference, await this.query<RowAbove>(sql));
    }
  }

  /** Gives the staged rows the stored values of the fields that they keep. */
  private async fillKept(on: readonly Field[]): Promise<void> {
    await this.lock(sameValues(on));
    for (const field of new Set(this.shapes.flat())) {
      await this.fill(field, on, `given." kept" like '%,${this.collection.fields.indexOf(field)},%'`);
    }
  }

  /** Gives the staged rows the stored values of references of several fields that they supply in part. */
  private async completeReferences(match: readonly Field[]): Promise<void> {
    for (const { fields } of this.collection.composites) {
      for (const field of fields) {
        const isPart = (given: readonly Field[]) =>
          !given.includes(field) && fields.some((each) => given.includes(each));
        await this.fill(field, match, shapesThat(this.shapes, isPart));
      }
    }
  }

  private async fill(field: Field, on: readonly Field[], condition: string | undefined): Promise<void> {
    if (condition === undefined || on.includes(field)) return;
    const name = identifier(field.name);
    await this.query(
      `update ${this.rows} as given set ${name} = there.${name} from ${this.table} as there where ${sameValues(on)} and ${condition}`,
    );
  }

  /** Locks the stored rows (`there`) of staged rows (`given`), if others can write during the load. */
  protected lock(_isSame: string): MaybePromise<void> {}

  /** Changes the stored rows that have another value in a supplied field. */
  private async update(
    { on, overwrite }: Exclude<Conflict, 'refuse'>,
    supplied: readonly Field[],
    condition: string,
  ): Promise<LoadResult> {
    if (supplied.length === 0) return { affected: 0, inserted: 0 };
    const stored = identifier(this.collection.name);
    const set = overwrite.map(({ name }) => `${identifier(name)} = given.${identifier(name)}`);
    const same = on.map(({ name }) => `${stored}.${identifier(name)} = given.${identifier(name)}`);
    const differ = supplied.map(({ name }) =>
      this.areDifferent(`${stored}.${identifier(name)}`, `given.${identifier(name)}`),
    );
    const affected = await this.change(
      `update ${this.table} set ${set.join(', ')} from ${this.rows} as given
        where ${[...same, condition].join(' and ')} and (${differ.join(' or ')})`,
    );
    return { affected, inserted: 0 };
  }

  /**
   * Rows of different shapes are stored shape by shape. Rows that may refer to each other are stored by one statement:
   * an adopted table checks its references after each.
   */
  private async inParts(
    store: (condition: string) => MaybePromise<LoadResult>,
    condition: string,
    progress: (rows: number) => void,
  ): Promise<LoadResult> {
    const { shapes, total } = this;
    const { name } = this.collection;
    const isWhole = shapes.length > 1 || allReferences(this.collection).some(({ to }) => to === name);
    const size = isWhole ? Math.max(1, total) : ROWS_PER_STATEMENT;
    const results: LoadResult[] = [];
    for (let from = 0; from < total; from += size) {
      results.push(await store(`" number" > ${from} and " number" <= ${from + size} and ${condition}`));
      progress(Math.min(total, from + size));
    }
    return sum(results);
  }

  private async rejectRows({ condition, fields, error }: RowCheck, { onRejected }: LoadOptions): Promise<number> {
    const rejected = `${this.schema}." rejected rows"`;
    const texts = fields.map(({ name, type }) => `${this.dialect.text(identifier(name), type)} as ${identifier(name)}`);
    await this.query(`create table ${rejected} as select * from ${this.rows} as given where ${condition}`);
    await this.query(`delete from ${this.rows} where " number" in (select " number" from ${rejected})`);
    const after = (row: unknown) =>
      this.query(`select " number", " position", " text", ${texts.join(', ')} from ${rejected} as given
        where given." number" > ${row} order by given." number" limit ${ROWS_PER_STATEMENT}`);
    let count = 0;
    for (let page = await after(0); page.length > 0; page = await after(page.at(-1)![' number'])) {
      count += page.length;
      for (const row of page) {
        onRejected({
          position: Number(row[' position']),
          text: row[' text'] as string | null,
          fields,
          error: error(fields.map(({ name }) => String(row[name]))),
        });
      }
    }
    await this.query(`drop table ${rejected}`);
    return count;
  }
}

/** Rejects the rows of all collections that conflict, and stores the others. */
export async function rejectAndStore(staged: readonly StagedRows[], options: LoadOptions): Promise<LoadResult> {
  for (const each of staged) await each.reject(options, staged);
  if (!options.mayStore()) throw new LoadRejected();
  const total = staged.reduce((rows, each) => rows + each.total, 0);
  const results: LoadResult[] = [];
  let before = 0;
  for (const each of staged) {
    results.push(await each.store(options, (rows) => options.progress?.(before + rows, total)));
    before += each.total;
    await each.checkCircles();
  }
  return sum(results);
}

function sum(results: readonly LoadResult[]): LoadResult {
  const total = { affected: 0, inserted: 0 };
  for (const { affected, inserted } of results) {
    total.affected += affected;
    total.inserted += inserted;
  }
  return total;
}
