/**
 * Loading into SQLite. The rows are gathered in a nameless database of their own, on disk but unsynced, without a lock
 * on the catalogue; then one statement stores them.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { Refusal } from '../../errors.ts';
import { overwritten } from '../../plan/insert.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import { duplicateKey, repeatedKey } from '../terms.ts';
import { passKey } from './assigned-keys.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translateError } from './refusals.ts';
import { columnList, storedValues } from './schema.ts';

/** Indexes are written in no order: what does not fit here is written and read again and again. */
const CACHE_KB = 64 * 1024;
const ROWS_PER_INSERT = 50;

export async function loadRows(
  connection: Connection,
  collection: Collection,
  batches: AsyncIterable<LoadBatch>,
  terms: LoadTerms,
): Promise<LoadResult> {
  connection.execute(`pragma cache_size = -${CACHE_KB}`);
  connection.execute("attach '' as staging");
  try {
    connection.execute('pragma staging.synchronous = off');
    connection.execute('pragma staging.journal_mode = off');
    const staged = new Staged(connection, collection);
    for await (const batch of batches) staged.add(batch);
    return staged.store(terms);
  } catch (error) {
    connection.rollback();
    throw translateError(error, { collection });
  } finally {
    connection.execute('detach staging');
    connection.execute('pragma cache_size = -2000');
  }
}

class Staged {
  private readonly columns: string;
  private readonly keys: string;
  private readonly keyPlaces: readonly number[];
  private readonly table: string;
  /** The sets of fields that rows give, by number. */
  private readonly shapes: (readonly Field[])[] = [];
  /** The largest key that a row chooses: none up to it is assigned to another. */
  private largest: Value = 0;
  /** Whether each key is larger than the one before, as they mostly are: then none can repeat. */
  private ascending = true;
  private lastKey: Value | undefined;
  /** Whether some row is to be assigned a key. */
  private assigns = false;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
  ) {
    const { fields, key, name } = collection;
    this.columns = columnList(fields);
    this.keys = columnList(key);
    this.keyPlaces = key.map((field) => fields.indexOf(field));
    this.table = identifier(name);
    connection.execute(`create table staging.given ("the place", "the shape", ${this.columns})`);
  }

  add({ places, rows, given }: LoadBatch): void {
    const { fields } = this.collection;
    const shape = this.shapeNumber(given);
    this.connection.begin();
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const values: Value[] = [];
      const to = Math.min(rows.length, from + ROWS_PER_INSERT);
      for (let at = from; at < to; at++) {
        const row = storedValues(fields, rows[at]!);
        this.seeKey(row);
        values.push(places[at]!, shape, ...row);
      }
      this.connection.run({ sql: this.insertOf(to - from), params: values });
    }
    this.connection.commit();
  }

  private seeKey(row: readonly Value[]): void {
    if (this.collection.assigned === undefined) {
      this.ascending = false;
      return;
    }
    const key = row[this.keyPlaces[0]!]!;
    if (key === null) {
      this.assigns = true;
      return;
    }
    if (this.lastKey !== undefined && key <= this.lastKey!) this.ascending = false;
    this.lastKey = key;
    if (key > this.largest!) this.largest = key;
  }

  /** Many rows a statement: it is the calls that cost. */
  private insertOf(rows: number): string {
    const row = `(?, ?${', ?'.repeat(this.collection.fields.length)})`;
    return `insert into staging.given values ${row}${`, ${row}`.repeat(rows - 1)}`;
  }

  store(terms: LoadTerms): LoadResult {
    this.connection.waitInTurn();
    this.connection.beginWriting();
    this.connection.execute('pragma defer_foreign_keys = on');
    if (terms.onConflict === 'overwrite') this.refuseRepeated(terms);
    if (this.assigns) passKey(this.connection, this.collection, this.largest);
    const result = terms.onConflict === 'refuse' ? this.insertNew(terms) : this.merge(terms.onConflict);
    if (terms.dryRun) this.connection.rollback();
    else this.connection.commit();
    return result;
  }

  /** Straight in; only where a key is taken, the rows that are in the way are looked for. */
  private insertNew(terms: LoadTerms): LoadResult {
    this.connection.execute('savepoint new');
    try {
      return this.storeAll('');
    } catch (error) {
      if (!(error instanceof SQLiteError) || !/CONSTRAINT_(PRIMARYKEY|ROWID|UNIQUE)/.test(error.code ?? ''))
        throw error;
      this.connection.execute('rollback to new');
    }
    this.refuseRepeated(terms);
    this.refuse(terms, `(${this.keys}) in (select ${this.keys} from ${this.table})`, (key) =>
      duplicateKey(this.collection, key),
    );
    return this.storeAll('');
  }

  private merge(onConflict: 'keep' | 'overwrite'): LoadResult {
    const on = this.collection.key;
    if (onConflict === 'keep') return this.storeAll(conflictSql({ on, overwrite: [] }));
    const same = on.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`);
    const inserted = this.connection.number({
      sql: `select count(*) from staging.given where not exists (select 1 from ${this.table} as there where ${same.join(' and ')})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.shapes.entries()) {
      const conflict = conflictSql({ on, overwrite: overwritten(this.collection, given, on) });
      affected += this.storeAll(conflict, `"the shape" = ${shape}`).affected;
    }
    return { affected, inserted };
  }

  private storeAll(conflict: string, which = 'true'): LoadResult {
    const changes = this.connection.execute(
      `insert into ${this.table} (${this.columns}) select ${this.columns} from staging.given where ${which} order by rowid${conflict}`,
    );
    return { affected: changes, inserted: changes };
  }

  /** Of rows with the same key the first stands. */
  private refuseRepeated(terms: LoadTerms): void {
    if (this.ascending) return;
    this.connection.execute(`create index if not exists staging.given_key on given (${this.keys})`);
    const earlier = `select min(rowid) from staging.given group by ${this.keys}`;
    const isGiven = this.collection.key.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
    this.refuse(terms, `${isGiven} and rowid not in (${earlier})`, (key) => repeatedKey(this.collection, key));
  }

  private refuse(terms: LoadTerms, which: string, refusalOf: (key: readonly Value[]) => Refusal): void {
    const texts = this.collection.fields.map(({ name, type }) => sqliteDialect.text(identifier(name), type));
    const rows = this.connection.values({
      sql: `select "the place", "the shape", ${texts.join(', ')} from staging.given where ${which} order by rowid`,
      params: [],
    });
    for (const [place, shape, ...row] of rows as [number, number, ...(string | null)[]][]) {
      const key = this.keyPlaces.map((at) => row[at]!);
      terms.refused({ place, given: this.shapes[shape]!, row, refusal: refusalOf(key) });
    }
    if (rows.length > 0 && !terms.keepGoing) throw new LoadRefused();
    this.connection.execute(`delete from staging.given where ${which}`);
  }

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }
}
