/** Loads rows into PostgreSQL: a temporary table stages them, then one statement per shape stores them. */
import type { ApiError } from '../../../base/errors.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Key } from '../../../plan/keys.ts';
import type { Conflict } from '../../../plan/types.ts';
import { overwrittenFields } from '../../../plan/write/insert.ts';
import { type LoadBatch, type LoadOptions, LoadRejected, type LoadResult, type LoadSet } from '../../shared/loader.ts';
import { duplicateKey, repeatedRow } from '../../shared/write-checks.ts';
import { conflictSql } from '../../sql/conflict.ts';
import { sharedValues } from '../../sql/shared-values.ts';
import { identifier } from '../../sql/statement.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { columnType, textOf } from '../dialect.ts';
import { query, quoteText, type Runner, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { translateError } from '../errors.ts';
import { rowsAsJson } from './input-rows.ts';
import { insertedValue, insertHead, isNew, type WriteContext } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Visible only to this transaction, and dropped with it. */
const STAGED = 'rows to load';
const REFUSED = '"rows that are refused"';
/** Rows per statement, for progress reports and to bound rejected rows. */
const ROWS_AT_ONCE = 20_000;

/** Returns how a collection is written on a connection. */
type ContextOf = (collection: Collection) => WriteContext;

export function loadRows(
  pool: Pool,
  contextOn: (connection: Connection) => Promise<ContextOf>,
  sets: readonly LoadSet[],
  terms: LoadOptions,
): Promise<LoadResult> {
  return inTransaction(
    pool,
    async (connection) => {
      // The transaction waits for its input.
      await query(connection, { sql: WAITING_FOR_A_CLIENT, params: [] });
      const contextOf = await contextOn(connection);
      const gathered: Staged[] = [];
      for (const [index, { into, batches }] of sets.entries()) {
        const staged = new Staged(connection, contextOf(into), identifier(`${STAGED} ${index}`));
        await staged.create();
        for await (const batch of batches) await staged.add(batch);
        gathered.push(staged);
      }
      // A row may refer to a later one. A dry run checks references as well.
      await query(connection, { sql: 'set constraints all deferred', params: [] });
      const result = await storeAll(gathered, terms);
      await query(connection, { sql: 'set constraints all immediate', params: [] });
      return result;
    },
    !terms.dryRun,
  );
}

async function storeAll(gathered: readonly Staged[], terms: LoadOptions): Promise<LoadResult> {
  const total = gathered.reduce((sum, staged) => sum + staged.total, 0);
  const result = { affected: 0, inserted: 0 };
  let before = 0;
  for (const staged of gathered) {
    const { affected, inserted } = await staged.store(terms, (rows) => terms.progress?.(before + rows, total));
    result.affected += affected;
    result.inserted += inserted;
    before += staged.total;
  }
  return result;
}

class Staged {
  private readonly columns: string;
  private readonly keys: string;
  private readonly table: string;
  /** The sets of fields that rows supply, by number. */
  private readonly shapes: (readonly Field[])[] = [];
  total = 0;

  constructor(
    private readonly connection: Runner,
    private readonly context: WriteContext,
    /** The staging table. */
    private readonly rows: string,
  ) {
    const { fields, key, name } = context.collection;
    this.columns = fields.map((field) => identifier(field.name)).join(', ');
    this.keys = key.map((field) => identifier(field.name)).join(', ');
    this.table = identifier(name);
  }

  async create(): Promise<void> {
    const { fields } = this.context.collection;
    const columns = fields.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
    await this.run(
      `create temporary table ${this.rows} ("the row" int8 generated always as identity, "the place" int8, "the shape" int4, ${columns}) on commit drop`,
    );
  }

  async add({ places, rows, given }: LoadBatch): Promise<void> {
    const { fields } = this.context.collection;
    const types = fields.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
    const shape = this.shapeNumber(given);
    this.total += rows.length;
    await query(this.connection, {
      sql: `insert into ${this.rows} ("the place", "the shape", ${this.columns})
        select places.place, ${shape}, ${this.columns}
        from rows from (json_to_recordset($1::text::json) as (${types}), unnest($2::text::int8[])) with ordinality
          as places (${this.columns}, place, nth)
        order by nth`,
      params: [rowsAsJson(fields, rows), `{${places.join(',')}}`],
    });
  }

  async store(terms: LoadOptions, stored: (rows: number) => void): Promise<LoadResult> {
    try {
      await this.refuseBad(terms);
      if (!terms.goesOn()) throw new LoadRejected();
      if (!terms.dryRun) await this.passKeys();
      return await this.storeAs(terms.onConflict, stored);
    } catch (error) {
      throw translateError(error, this.context.collection);
    }
  }

  private async refuseBad(terms: LoadOptions): Promise<void> {
    const { collection } = this.context;
    const isGiven = collection.key.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
    if (terms.onConflict !== 'keep') {
      const earlier = `select min("the row") from ${this.rows} group by ${this.keys}`;
      const repeats = `${isGiven} and "the row" not in (${earlier})`;
      await this.refuse(terms, repeats, collection.key, repeatedRow);
    }
    if (terms.onConflict === 'refuse') {
      const taken = `(${this.keys}) in (select ${this.keys} from ${this.table})`;
      await this.refuse(terms, taken, collection.key, this.duplicate);
    }
    const { rows, table, shapes } = this;
    const gathered = { collection, rows, table, shapes, number: '"the row"' };
    for (const { fields, repeated: repeats, taken } of sharedValues(gathered, terms.onConflict)) {
      await this.refuse(terms, repeats, fields, repeatedRow);
      await this.refuse(terms, taken, fields, this.duplicate);
    }
  }

  private async storeAs(onConflict: LoadOptions['onConflict'], stored: (rows: number) => void): Promise<LoadResult> {
    const { collection } = this.context;
    const on = collection.key;
    if (onConflict !== 'overwrite') {
      return this.storeInParts(onConflict === 'refuse' ? 'refuse' : { on, overwrite: [] }, 'true', stored);
    }
    const sum = { affected: 0, inserted: 0 };
    for (const [shape, given] of this.shapes.entries()) {
      const conflict = { on, overwrite: overwrittenFields(collection, given, on) };
      const { affected, inserted } = await this.storeInParts(conflict, `"the shape" = ${shape}`, stored);
      sum.affected += affected;
      sum.inserted += inserted;
    }
    return sum;
  }

  /**
   * Rows of different shapes are stored shape by shape. Rows that may refer to each other are stored by one statement:
   * an adopted table checks its references after each.
   */
  private async storeInParts(conflict: Conflict, which: string, stored: (rows: number) => void): Promise<LoadResult> {
    const { name, references } = this.context.collection;
    const isWhole = this.shapes.length > 1 || references.some(({ to }) => to === name);
    const size = isWhole ? Math.max(1, this.total) : ROWS_AT_ONCE;
    const sum = { affected: 0, inserted: 0 };
    for (let from = 0; from < this.total; from += size) {
      const part = `"the row" > ${from} and "the row" <= ${from + size} and ${which}`;
      const { affected, inserted } = await this.storeRows(conflict, part);
      sum.affected += affected;
      sum.inserted += inserted;
      stored(Math.min(this.total, from + size));
    }
    return sum;
  }

  private async storeRows(conflict: Conflict, which: string): Promise<LoadResult> {
    const { collection } = this.context;
    const { into, fields } = insertHead(this.context);
    const values = fields.map((field) => insertedValue(this.context, field, identifier(field.name)));
    const [stored] = await this.run<LoadResult>(
      `with stored as (${into} select ${values.join(', ')} from ${this.rows}
        where ${which} order by "the row"${conflictSql(conflict)} returning ${isNew(collection, conflict)} as is_new)
      select count(*)::int4 as affected, (count(*) filter (where is_new))::int4 as inserted from stored`,
    );
    return stored!;
  }

  /** Chosen keys are not assigned again. */
  private async passKeys(): Promise<void> {
    const { sequence, collection } = this.context;
    if (sequence === undefined) return;
    const key = identifier(collection.assigned!.name);
    await this.run(
      `select setval(${quoteText(sequence)}, greatest(max(${key}), (select last_value from ${sequence})))
      from ${this.rows} having max(${key}) is not null`,
    );
  }

  private readonly duplicate = (fields: readonly Field[], values: Key): ApiError =>
    duplicateKey(this.context.collection, fields, values.map(String));

  private async refuse(
    terms: LoadOptions,
    which: string,
    because: readonly Field[],
    refusalOf: (fields: readonly Field[], values: Key) => ApiError,
  ): Promise<void> {
    const { fields } = this.context.collection;
    const shown = fields.map(({ name, type }) => {
      const column = identifier(name);
      return `${textOf(column, type)} as ${column}`;
    });
    await this.run(
      `create temporary table ${REFUSED} on commit drop as select * from ${this.rows} as given where ${which}`,
    );
    await this.run(`delete from ${this.rows} where "the row" in (select "the row" from ${REFUSED})`);
    let last = 0;
    for (;;) {
      const rows = await this.run<Record<string, string | null>>(
        `select "the row"::float8 as "the row", "the place"::float8 as "the place", "the shape", ${shown.join(', ')} from ${REFUSED}
        where ${REFUSED}."the row" > ${last} order by ${REFUSED}."the row" limit ${ROWS_AT_ONCE}`,
      );
      for (const row of rows) {
        terms.refused({
          place: Number(row['the place']),
          given: this.shapes[Number(row['the shape'])]!,
          row: fields.map((field) => row[field.name]!),
          because,
          refusal: refusalOf(
            because,
            because.map(({ name }) => row[name]!),
          ),
        });
      }
      if (rows.length < ROWS_AT_ONCE) break;
      last = Number(rows.at(-1)!['the row']);
    }
    await this.run(`drop table ${REFUSED}`);
  }

  private run<T>(sql: string): Promise<T[]> {
    return query<T>(this.connection, { sql, params: [] });
  }

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }
}
