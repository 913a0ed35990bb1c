/**
 * Loading into SQLite. The rows are gathered in a nameless database of their own, on disk but unsynced, without a lock
 * on the catalogue; then one statement stores them.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import { duplicateKey, repeatedKey } from '../terms.ts';
import { passKey } from './assigned-keys.ts';
import type { Connection } from './connection.ts';
import { translateError } from './refusals.ts';

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
    throw translateError(error, collection, undefined);
  } finally {
    connection.execute('detach staging');
    connection.execute('pragma cache_size = -2000');
  }
}

class Staged {
  private readonly columns: string;
  private readonly key: string;
  private readonly keyPlace: number;
  /** The sets of fields that rows give, by number. */
  private readonly shapes: (readonly Field[])[] = [];
  private lastKey = Number.NEGATIVE_INFINITY;
  /** The largest key that a row chooses: none up to it is assigned to another. */
  private largest = 0;
  /** Whether each key is larger than the one before, as they mostly are: then none can repeat. */
  private ascending = true;
  /** Whether some row is to be assigned a key. */
  private assigns = false;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
  ) {
    const { fields, key } = collection;
    this.columns = fields.map((field) => identifier(field.name)).join(', ');
    this.key = identifier(key.name);
    this.keyPlace = fields.indexOf(key);
    connection.execute(`create table staging.given ("the place", "the shape", ${this.columns})`);
  }

  add({ places, rows, given }: LoadBatch): void {
    const shape = this.shapeNumber(given);
    this.connection.begin();
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const values: Value[] = [];
      const to = Math.min(rows.length, from + ROWS_PER_INSERT);
      for (let at = from; at < to; at++) {
        const row = rows[at]!;
        this.seeKey(row[this.keyPlace]);
        values.push(places[at]!, shape);
        for (const value of row) values.push(value ?? null);
      }
      this.connection.run({ sql: this.insertOf(to - from), params: values });
    }
    this.connection.commit();
  }

  private seeKey(key: Value | undefined): void {
    if (key === undefined) {
      this.assigns = true;
      return;
    }
    if (Number(key) <= this.lastKey) this.ascending = false;
    this.lastKey = Number(key);
    this.largest = Math.max(this.largest, this.lastKey);
  }

  /** Many rows a statement: it is the calls that cost. */
  private insertOf(rows: number): string {
    const row = `(?, ?${', ?'.repeat(this.collection.fields.length)})`;
    return `insert into staging.given values ${row}${`, ${row}`.repeat(rows - 1)}`;
  }

  store(terms: LoadTerms): LoadResult {
    this.connection.waitInTurn();
    this.connection.beginWriting();
    if (terms.onConflict === 'overwrite') this.refuseRepeated(terms);
    if (this.assigns && this.largest > 0) passKey(this.connection, this.collection, this.largest);
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
    this.refuse(terms, `${this.key} in (select ${this.key} from ${this.table})`, (key) =>
      duplicateKey(this.collection, key),
    );
    return this.storeAll('');
  }

  private merge(onConflict: 'keep' | 'overwrite'): LoadResult {
    if (onConflict === 'keep') return this.storeAll(conflictSql(this.collection, 'keep'));
    const inserted = this.connection.number({
      sql: `select count(*) from staging.given where ${this.key} is null or ${this.key} not in (select ${this.key} from ${this.table})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.shapes.entries()) {
      const overwrite = given.filter((field) => field !== this.collection.key);
      const conflict = conflictSql(this.collection, { overwrite });
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
    this.connection.execute(`create index staging.given_key on given (${this.key})`);
    const earlier = `select min(rowid) from staging.given group by ${this.key}`;
    this.refuse(terms, `${this.key} is not null and rowid not in (${earlier})`, (key) =>
      repeatedKey(this.collection, key),
    );
  }

  private refuse(terms: LoadTerms, which: string, refusalOf: (key: Value) => ReturnType<typeof duplicateKey>): void {
    const rows = this.connection.values({
      sql: `select * from staging.given where ${which} order by rowid`,
      params: [],
    });
    for (const [place, shape, ...row] of rows as [number, number, ...Value[]][]) {
      terms.refused({ place, given: this.shapes[shape]!, row, refusal: refusalOf(row[this.keyPlace] ?? null) });
    }
    if (rows.length > 0 && !terms.keepGoing) throw new LoadRefused();
    this.connection.execute(`delete from staging.given where ${which}`);
  }

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }

  private get table(): string {
    return identifier(this.collection.name);
  }
}
