/** Rows staged for a load in a temporary database, and the rejected ones among them. */

import type { ApiError } from '../../../base/errors.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import type { LoadBatch, LoadOptions } from '../../shared/loader.ts';
import { duplicateKey, repeatedRow } from '../../shared/write-checks.ts';
import { sharedValues } from '../../sql/shared-values.ts';
import { identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { sqliteDialect } from '../dialect.ts';
import { columnList, storedValues } from '../schema/schema.ts';

const ROWS_PER_INSERT = 50;
/** The number of rejected rows to report at a time. */
const ROWS_PER_LOOK = 10_000;
/** No collection has this name. */
const REFUSED = 'staging."refused rows"';

export class Staging {
  /** The staging table. */
  readonly rows: string;
  /** The target table. */
  readonly table: string;
  /** The column that numbers them. */
  readonly number = 'rowid';
  /** The sets of fields that rows supply, by number. */
  readonly shapes: (readonly Field[])[] = [];
  total = 0;
  /** Whether a row needs an assigned key. */
  assigns = false;
  /** The largest supplied key; smaller ones are not assigned. */
  largest: Value = 0;
  private readonly keys: string;
  private readonly keyPlaces: readonly number[];
  private lastKey: Value | undefined;
  /** Whether keys are ascending, as usual: then none repeats. */
  private ascending = true;

  constructor(
    private readonly connection: Connection,
    readonly collection: Collection,
  ) {
    const { name, fields, key } = collection;
    this.rows = `staging.${identifier(name)}`;
    this.table = `main.${identifier(name)}`;
    this.keys = columnList(key);
    this.keyPlaces = key.map((field) => fields.indexOf(field));
    connection.execute(`create table ${this.rows} ("the place", "the shape", ${columnList(fields)})`);
  }

  add({ places, rows, given }: LoadBatch): void {
    const { fields } = this.collection;
    const shape = this.shapeNumber(given);
    this.total += rows.length;
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

  /** The first of rows with the same key wins. */
  refuseRepeated(terms: LoadOptions): void {
    if (this.ascending) return;
    const { name, key } = this.collection;
    const index = identifier(`keys of ${name}`);
    this.connection.execute(`create index if not exists staging.${index} on ${identifier(name)} (${this.keys})`);
    const earlier = `select min(rowid) from ${this.rows} group by ${this.keys}`;
    const isGiven = key.map((field) => `${identifier(field.name)} is not null`).join(' and ');
    this.refuse(terms, `${isGiven} and rowid not in (${earlier})`, key, repeatedRow);
  }

  refuseTaken(terms: LoadOptions): void {
    const taken = `(${this.keys}) in (select ${this.keys} from ${this.table})`;
    this.refuse(terms, taken, this.collection.key, this.duplicate);
  }

  /** The first of rows with the same unique values wins, unless a stored row has them. */
  refuseShared(terms: LoadOptions): void {
    for (const { fields, repeated: repeats, taken } of sharedValues(this, terms.onConflict)) {
      this.refuse(terms, repeats, fields, repeatedRow);
      this.refuse(terms, taken, fields, this.duplicate);
    }
  }

  private readonly duplicate = (fields: readonly Field[], values: readonly Value[]): ApiError =>
    duplicateKey(this.collection, fields, values.map(String));

  private refuse(
    terms: LoadOptions,
    which: string,
    because: readonly Field[],
    refusalOf: (fields: readonly Field[], values: readonly Value[]) => ApiError,
  ): void {
    const { connection } = this;
    connection.execute(
      `create table ${REFUSED} as select rowid as "the row", * from ${this.rows} as given where ${which}`,
    );
    const texts = this.collection.fields.map(({ name, type }) => sqliteDialect.text(identifier(name), type));
    const sql = `select "the row", "the place", "the shape", ${texts.join(', ')} from ${REFUSED} where "the row" > ? order by "the row" limit ${ROWS_PER_LOOK}`;
    const after = (row: number) =>
      connection.values({ sql, params: [row] }) as [number, number, number, ...(string | null)[]][];
    for (let rows = after(0); rows.length > 0; rows = after(rows.at(-1)![0])) {
      for (const [, place, shape, ...row] of rows) {
        const values = because.map((field) => row[this.collection.fields.indexOf(field)]!);
        const refusal = refusalOf(because, values);
        terms.refused({ place, given: this.shapes[shape]!, row, because, refusal });
      }
    }
    connection.execute(`delete from ${this.rows} where rowid in (select "the row" from ${REFUSED})`);
    connection.execute(`drop table ${REFUSED}`);
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

  /** Many rows per statement, since each call is costly. */
  private insertOf(rows: number): string {
    const row = `(?, ?${', ?'.repeat(this.collection.fields.length)})`;
    return `insert into ${this.rows} values ${row}${`, ${row}`.repeat(rows - 1)}`;
  }

  private shapeNumber(given: readonly Field[]): number {
    const known = this.shapes.indexOf(given);
    return known === -1 ? this.shapes.push(given) - 1 : known;
  }
}
