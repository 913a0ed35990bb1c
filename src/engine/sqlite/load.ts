/**
 * Loading into SQLite. The rows are gathered in a nameless database of their own, on disk but unsynced, without a lock
 * on the catalogue; then one statement stores them.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { INT4_MAX } from '../../limits.ts';
import { ConfigError } from '../../settings/setting.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import { duplicateKey, repeatedKey } from '../terms.ts';
import type { Connection } from './connection.ts';
import { lastAssigned, passKey, windBack } from './free-keys.ts';
import { translateError } from './refusals.ts';

/** Indexes are written in no order: what does not fit here is written and read again and again. */
const CACHE_KB = 64 * 1024;
const ROWS_PER_INSERT = 50;
/** Rows that one statement stores, so that somebody can be told how far it is. */
const ROWS_PER_STORE = 20_000;

export async function loadRows(
  connection: Connection,
  collection: Collection,
  batches: AsyncIterable<LoadBatch>,
  terms: LoadTerms,
): Promise<LoadResult> {
  const { db } = connection;
  checkWhole(connection);
  db.run(`pragma cache_size = -${CACHE_KB}`);
  db.run("attach '' as staging");
  try {
    db.run('pragma staging.synchronous = off');
    db.run('pragma staging.journal_mode = off');
    const staged = new Staged(connection, collection);
    for await (const batch of batches) staged.add(batch);
    return staged.store(terms);
  } catch (error) {
    if (db.inTransaction) db.run('rollback');
    throw translateError(error, collection, undefined);
  } finally {
    db.run('detach staging');
    db.run('pragma cache_size = -2000');
  }
}

/** Nothing is added to a file that is damaged, be it elsewhere: what is left of it is worth more as it is. */
function checkWhole({ db }: Connection): void {
  const [found] = db.query('pragma main.quick_check(1)').values().flat();
  if (found === 'ok') return;
  throw new ConfigError(
    `${db.filename} is damaged, and nothing was stored in it; catalogue check says more, catalogue restore brings back a backup`,
  );
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
  /** How many rows are to be assigned a key. */
  private unnumbered = 0;
  private total = 0;
  private stored = 0;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
  ) {
    const { fields, key } = collection;
    this.columns = fields.map((field) => identifier(field.name)).join(', ');
    this.key = identifier(key.name);
    this.keyPlace = fields.indexOf(key);
    connection.db.run(`create table staging.given ("the place", "the shape", ${this.columns})`);
  }

  add({ places, rows, given }: LoadBatch): void {
    const { db } = this.connection;
    const shape = this.shapeNumber(given);
    this.total += rows.length;
    db.run('begin');
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const values: Value[] = [];
      const to = Math.min(rows.length, from + ROWS_PER_INSERT);
      for (let at = from; at < to; at++) {
        const row = rows[at]!;
        this.seeKey(row[this.keyPlace]);
        values.push(places[at]!, shape);
        for (const value of row) values.push(value ?? null);
      }
      this.connection.prepare(this.insertOf(to - from)).run(...values);
    }
    db.run('commit');
  }

  private seeKey(key: Value | undefined): void {
    if (key === undefined) {
      this.unnumbered++;
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
    const { db } = this.connection;
    this.connection.waitInTurn();
    // What is refused already keeps nobody from writing while the other rows are looked at.
    if (!terms.goesOn()) this.refuseAll(terms);
    this.connection.beginWriting();
    if (terms.onConflict === 'overwrite') {
      this.refuseRepeated(terms);
      if (!terms.goesOn()) throw new LoadRefused();
    }
    if (this.unnumbered > 0 && !this.reachesEnd()) passKey(this.connection, this.collection, this.largest);
    const result = terms.onConflict === 'refuse' ? this.insertNew(terms) : this.merge(terms);
    db.run(terms.dryRun ? 'rollback' : 'commit');
    return result;
  }

  /** Straight in; only where a key is taken, the rows that are in the way are looked for. */
  private insertNew(terms: LoadTerms): LoadResult {
    const { db } = this.connection;
    db.run('savepoint new');
    try {
      return this.storeAll(terms, '');
    } catch (error) {
      if (!(error instanceof SQLiteError) || !/CONSTRAINT_(PRIMARYKEY|ROWID|UNIQUE)/.test(error.code ?? ''))
        throw error;
      db.run('rollback to new');
    }
    this.refuseRepeated(terms);
    this.refuseTaken(terms);
    if (!terms.goesOn()) throw new LoadRefused();
    this.stored = 0;
    return this.storeAll(terms, '');
  }

  /** For those who want to know all that is wrong. */
  private refuseAll(terms: LoadTerms): never {
    if (terms.onConflict !== 'keep') this.refuseRepeated(terms);
    if (terms.onConflict === 'refuse') this.refuseTaken(terms);
    throw new LoadRefused();
  }

  private merge(terms: LoadTerms): LoadResult {
    if (terms.onConflict === 'keep') return this.storeAll(terms, conflictSql(this.collection, 'keep'));
    const inserted = this.connection.number({
      sql: `select count(*) from staging.given where ${this.key} is null or ${this.key} not in (select ${this.key} from ${this.table})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.shapes.entries()) {
      const overwrite = given.filter((field) => field !== this.collection.key);
      const conflict = conflictSql(this.collection, { overwrite });
      affected += this.storeAll(terms, conflict, `"the shape" = ${shape}`).affected;
    }
    return { affected, inserted };
  }

  /** Where SQLite would find no key to assign, rows that choose theirs go first, and the others get what is free then. */
  private storeAll(terms: LoadTerms, conflict: string, which = 'true'): LoadResult {
    if (this.unnumbered === 0 || !this.reachesEnd()) return this.storeInParts(terms, conflict, which);
    const chosen = this.storeRows(conflict, `${which} and ${this.key} is not null`, this.key);
    const position = windBack(this.connection, this.collection, this.unnumbered);
    const numbered = `${position} + row_number() over (order by rowid)`;
    const assigned = this.storeRows(conflict, `${which} and ${this.key} is null`, numbered);
    return { affected: chosen.affected + assigned.affected, inserted: chosen.inserted + assigned.inserted };
  }

  /** Rows of many shapes are stored shape by shape, so that each is few enough. */
  private storeInParts(terms: LoadTerms, conflict: string, which: string): LoadResult {
    let affected = 0;
    const size = this.shapes.length === 1 ? ROWS_PER_STORE : this.total;
    for (let from = 0; from < this.total; from += size) {
      const part = `rowid > ${from} and rowid <= ${from + size} and ${which}`;
      affected += this.storeRows(conflict, part, this.key).affected;
      this.stored = Math.min(this.total, this.stored + size);
      terms.progress?.(this.stored, this.total);
    }
    return { affected, inserted: affected };
  }

  private storeRows(conflict: string, which: string, key: string): LoadResult {
    const values = this.collection.fields.map((field) =>
      field === this.collection.key ? key : identifier(field.name),
    );
    const { changes } = this.connection.db.run(
      `insert into ${this.table} (${this.columns}) select ${values.join(', ')} from staging.given where ${which} order by rowid${conflict}`,
    );
    return { affected: changes, inserted: changes };
  }

  /** Whether SQLite, which counts on from the largest key there ever was, would come past the largest possible. */
  private reachesEnd(): boolean {
    const stored = this.connection.number({
      sql: `select coalesce(max(${this.key}), 0) from ${this.table}`,
      params: [],
    });
    const reached = Math.max(stored, this.largest, lastAssigned(this.connection, this.collection));
    return reached + this.unnumbered > INT4_MAX;
  }

  /** Of rows with the same key the first stands. */
  private refuseRepeated(terms: LoadTerms): void {
    if (this.ascending) return;
    this.connection.db.run(`create index staging.given_key on given (${this.key})`);
    const earlier = `select min(rowid) from staging.given group by ${this.key}`;
    this.refuse(terms, `${this.key} is not null and rowid not in (${earlier})`, (key) =>
      repeatedKey(this.collection, key),
    );
  }

  private refuseTaken(terms: LoadTerms): void {
    this.refuse(terms, `${this.key} in (select ${this.key} from ${this.table})`, (key) =>
      duplicateKey(this.collection, key),
    );
  }

  /** Some at a time: it may be all of them. */
  private refuse(terms: LoadTerms, which: string, refusalOf: (key: Value) => ReturnType<typeof duplicateKey>): void {
    const { db } = this.connection;
    db.run(`create table staging.refused as select rowid as "the row", * from staging.given where ${which}`);
    const some = db.prepare<unknown, [number]>(
      `select * from staging.refused where "the row" > ? order by "the row" limit ${ROWS_PER_STORE}`,
    );
    for (let rows = some.values(0); rows.length > 0; rows = some.values(Number(rows.at(-1)![0]))) {
      for (const [, place, shape, ...row] of rows as [number, number, number, ...Value[]][]) {
        terms.refused({ place, given: this.shapes[shape]!, row, refusal: refusalOf(row[this.keyPlace] ?? null) });
      }
    }
    some.finalize();
    db.run('delete from staging.given where rowid in (select "the row" from staging.refused)');
    db.run('drop table staging.refused');
  }

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }

  private get table(): string {
    return identifier(this.collection.name);
  }
}
