/** Loading into PostgreSQL: the rows are gathered in a temporary table, then one statement for each shape stores them. */
import type { SQL } from 'bun';
import type { Field } from '../../collection/declaration.ts';
import type { Refusal } from '../../errors.ts';
import { overwritten } from '../../plan/insert.ts';
import type { Key } from '../../plan/keys.ts';
import type { Conflict } from '../../plan/types.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import { duplicateKey, repeatedKey } from '../terms.ts';
import { columnType, textOf } from './dialect.ts';
import { query, quoteText, type Runner } from './driver.ts';
import { inTransaction } from './transaction.ts';
import { assignedKey, isNew, rowsAsJson, type WriteContext } from './writes.ts';

/** Nobody but this transaction sees it, and it goes with it. */
const STAGED = '"rows to load"';
const REFUSED = '"rows that are refused"';
/** Rows that one statement stores or tells of: somebody wants to know how far it is, and they may be many. */
const ROWS_AT_ONCE = 20_000;

export function loadRows(
  pool: SQL,
  contextOn: (connection: Runner) => Promise<WriteContext>,
  batches: AsyncIterable<LoadBatch>,
  terms: LoadTerms,
): Promise<LoadResult> {
  return inTransaction(
    pool,
    async (connection) => {
      const staged = new Staged(connection, await contextOn(connection));
      await staged.create();
      for await (const batch of batches) await staged.add(batch);
      return staged.store(terms);
    },
    !terms.dryRun,
  );
}

class Staged {
  private readonly columns: string;
  private readonly keys: string;
  private readonly table: string;
  /** The sets of fields that rows give, by number. */
  private readonly shapes: (readonly Field[])[] = [];
  private total = 0;
  private stored = 0;

  constructor(
    private readonly connection: Runner,
    private readonly context: WriteContext,
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
      `create temporary table ${STAGED} ("the row" int8 generated always as identity, "the place" int8, "the shape" int4, ${columns}) on commit drop`,
    );
  }

  async add({ places, rows, given }: LoadBatch): Promise<void> {
    const { fields } = this.context.collection;
    const types = fields.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
    const shape = this.shapeNumber(given);
    this.total += rows.length;
    await query(this.connection, {
      sql: `insert into ${STAGED} ("the place", "the shape", ${this.columns})
        select places.place, ${shape}, ${this.columns}
        from rows from (json_to_recordset($1::text::json) as (${types}), unnest($2::text::int8[])) with ordinality
          as places (${this.columns}, place, nth)
        order by nth`,
      params: [rowsAsJson(fields, rows), `{${places.join(',')}}`],
    });
  }

  async store(terms: LoadTerms): Promise<LoadResult> {
    const { collection } = this.context;
    const isGiven = collection.key.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
    if (terms.onConflict !== 'keep') {
      const earlier = `select min("the row") from ${STAGED} group by ${this.keys}`;
      const repeats = `${isGiven} and "the row" not in (${earlier})`;
      await this.refuse(terms, repeats, (key) => repeatedKey(collection, key));
    }
    if (terms.onConflict === 'refuse') {
      const taken = `(${this.keys}) in (select ${this.keys} from ${this.table})`;
      await this.refuse(terms, taken, (key) => duplicateKey(collection, key));
    }
    if (!terms.goesOn()) throw new LoadRefused();
    if (!terms.dryRun) await this.passKeys();
    const on = collection.key;
    if (terms.onConflict !== 'overwrite') {
      return this.storeAll(terms, terms.onConflict === 'refuse' ? 'refuse' : { on, overwrite: [] }, 'true');
    }
    const total = { affected: 0, inserted: 0 };
    for (const [shape, given] of this.shapes.entries()) {
      const conflict = { on, overwrite: overwritten(collection, given, on) };
      const stored = await this.storeAll(terms, conflict, `"the shape" = ${shape}`);
      total.affected += stored.affected;
      total.inserted += stored.inserted;
    }
    return total;
  }

  /** Rows of many shapes are stored shape by shape, so that each is few enough. */
  private async storeAll(terms: LoadTerms, conflict: Conflict, which: string): Promise<LoadResult> {
    const size = this.shapes.length === 1 ? ROWS_AT_ONCE : this.total;
    const sum = { affected: 0, inserted: 0 };
    for (let from = 0; from < this.total; from += size) {
      const part = `"the row" > ${from} and "the row" <= ${from + size} and ${which}`;
      const { affected, inserted } = await this.storeRows(conflict, part);
      sum.affected += affected;
      sum.inserted += inserted;
      this.stored = Math.min(this.total, this.stored + size);
      terms.progress?.(this.stored, this.total);
    }
    return sum;
  }

  private async storeRows(conflict: Conflict, which: string): Promise<LoadResult> {
    const { collection, sequence } = this.context;
    const values = collection.fields.map((field) => {
      const column = identifier(field.name);
      return field === collection.assigned ? assignedKey(column, sequence) : column;
    });
    const [stored] = await this.run<LoadResult>(
      `with stored as (insert into ${this.table} (${this.columns}) select ${values.join(', ')} from ${STAGED}
        where ${which} order by "the row"${conflictSql(conflict)} returning ${isNew(collection, conflict)} as is_new)
      select count(*)::int4 as affected, (count(*) filter (where is_new))::int4 as inserted from stored`,
    );
    return stored!;
  }

  /** Keys that were chosen are not assigned again. */
  private async passKeys(): Promise<void> {
    const { sequence, collection } = this.context;
    if (sequence === undefined) return;
    const key = identifier(collection.assigned!.name);
    await this.run(
      `select setval(${quoteText(sequence)}, greatest(max(${key}), (select last_value from ${sequence})))
      from ${STAGED} having max(${key}) is not null`,
    );
  }

  private async refuse(terms: LoadTerms, which: string, refusalOf: (key: Key) => Refusal): Promise<void> {
    const { fields, key } = this.context.collection;
    const shown = fields.map(({ name, type }) => {
      const column = identifier(name);
      return `${textOf(column, type)} as ${column}`;
    });
    await this.run(`create temporary table ${REFUSED} on commit drop as select * from ${STAGED} where ${which}`);
    await this.run(`delete from ${STAGED} where "the row" in (select "the row" from ${REFUSED})`);
    let last = 0;
    for (;;) {
      const rows = await this.run<Record<string, string | null>>(
        `select "the row"::float8 as "the row", "the place"::float8 as "the place", "the shape", ${shown.join(', ')} from ${REFUSED}
        where "the row" > ${last} order by ${REFUSED}."the row" limit ${ROWS_AT_ONCE}`,
      );
      for (const row of rows) {
        terms.refused({
          place: Number(row['the place']),
          given: this.shapes[Number(row['the shape'])]!,
          row: fields.map((field) => row[field.name]!),
          refusal: refusalOf(key.map(({ name }) => row[name]!)),
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
