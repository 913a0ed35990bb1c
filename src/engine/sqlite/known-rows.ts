/**
 * Whole rows that were read since the data last changed. A list of such rows needs no more than their keys from the
 * database, in their order: these are often found in an index alone, and to read a row costs many times as much.
 */
import type { Row, Value } from '../../collection/value.ts';
import { MAX_KNOWN_BYTES } from '../../limits.ts';

/** What a row takes beside its texts. */
const ROW_BYTES = 256;
/** Rows that are not known cost a second statement: a list is worth it where so many are. */
const MOST = 0.75;
/** Rows that do not come again cost time to learn: after lists of such, others are let go by, at most so many. */
const LONGEST_PAUSE = 64;

export class KnownRows {
  private readonly rows = new Map<Value, Row>();
  private bytes = 0;
  private mark = Number.NaN;
  private usual = false;
  /** Lists to let go by, and how many of them there were the last time. */
  private pause = 0;
  private lastPause = 0;

  constructor(private readonly key: string) {}

  /** Whether the next list is likely to be of rows that are known, as the last one was; `mark` is the data's. */
  areUsual(mark: number): boolean {
    if (mark !== this.mark) {
      this.forget();
      this.mark = mark;
    }
    return this.usual;
  }

  /** Rows that were read whole. */
  learn(rows: readonly Row[]): void {
    if (rows.length === 0 || (this.pause-- > 0 && !this.rows.has(this.keyOf(rows[0]!)))) return;
    let known = 0;
    for (const row of rows) {
      const key = this.keyOf(row);
      if (this.rows.has(key)) known++;
      else this.add(key, row);
    }
    this.tell(known, rows.length);
  }

  /** The rows of these keys, in their order; those that are not known are read by `read`, in any order. */
  ofKeys(keys: readonly Row[], read: (keys: readonly Value[]) => readonly Row[]): readonly Row[] {
    const rows: Row[] = [];
    const unknown: Value[] = [];
    for (const each of keys) {
      const key = this.keyOf(each);
      const row = this.rows.get(key);
      if (row === undefined) unknown.push(key);
      else rows.push(row);
    }
    if (keys.length > 0) this.tell(rows.length, keys.length);
    if (unknown.length === 0) return rows;
    const others = new Map(read(unknown).map((row) => [this.keyOf(row), row]));
    const all = keys.map((each) => this.rows.get(this.keyOf(each)) ?? others.get(this.keyOf(each))!);
    for (const [key, row] of others) this.add(key, row);
    return all;
  }

  private tell(known: number, all: number): void {
    this.usual = known >= all * MOST;
    this.lastPause = this.usual ? 0 : Math.min(this.lastPause * 2 + 1, LONGEST_PAUSE);
    this.pause = this.lastPause;
  }

  private add(key: Value, row: Row): void {
    if (this.bytes > MAX_KNOWN_BYTES) this.forget();
    this.rows.set(key, row);
    this.bytes += ROW_BYTES;
    for (const name in row) {
      const value = row[name];
      if (typeof value === 'string') this.bytes += value.length;
    }
  }

  private forget(): void {
    this.rows.clear();
    this.bytes = 0;
    this.usual = false;
  }

  private keyOf(row: Row): Value {
    return row[this.key] as Value;
  }
}
