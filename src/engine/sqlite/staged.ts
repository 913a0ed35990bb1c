/** Rows that are gathered to be stored together, in a nameless database beside the catalogue; and those among them that are refused. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { Refusal } from '../../errors.ts';
import { identifier } from '../compile/statement.ts';
import type { LoadBatch, LoadTerms } from '../load.ts';
import { duplicateKey, repeatedKey } from '../terms.ts';
import type { Connection } from './connection.ts';

const ROWS_PER_INSERT = 50;
/** Refused rows that are told of at a time: it may be all of them. */
const ROWS_PER_LOOK = 10_000;

export class Staged {
  /** The sets of fields that rows give, by number. */
  readonly shapes: (readonly Field[])[] = [];
  total = 0;
  /** How many rows are to be assigned a key. */
  unnumbered = 0;
  /** The largest key that a row chooses: none up to it is assigned to another. */
  largest = 0;
  private readonly key: string;
  private readonly keyPlace: number;
  private lastKey = Number.NEGATIVE_INFINITY;
  /** Whether each key is larger than the one before, as they mostly are: then none can repeat. */
  private ascending = true;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
  ) {
    const { fields, key } = collection;
    this.key = identifier(key.name);
    this.keyPlace = fields.indexOf(key);
    const columns = fields.map((field) => identifier(field.name)).join(', ');
    connection.db.run(`create table staging.given ("the place", "the shape", ${columns})`);
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

  /** Of rows with the same key the first stands. */
  refuseRepeated(terms: LoadTerms): void {
    if (this.ascending) return;
    this.connection.db.run(`create index staging.given_key on given (${this.key})`);
    const earlier = `select min(rowid) from staging.given group by ${this.key}`;
    this.refuse(terms, `${this.key} is not null and rowid not in (${earlier})`, (key) =>
      repeatedKey(this.collection, key),
    );
  }

  refuseTaken(terms: LoadTerms): void {
    const taken = `${this.key} in (select ${this.key} from ${identifier(this.collection.name)})`;
    this.refuse(terms, taken, (key) => duplicateKey(this.collection, key));
  }

  private refuse(terms: LoadTerms, which: string, refusalOf: (key: Value) => Refusal): void {
    const { db } = this.connection;
    db.run(`create table staging.refused as select rowid as "the row", * from staging.given where ${which}`);
    const some = db.prepare<unknown, [number]>(
      `select * from staging.refused where "the row" > ? order by "the row" limit ${ROWS_PER_LOOK}`,
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

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }
}
