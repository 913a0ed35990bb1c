/**
 * One read transaction for as long as the data does not change. Beginning and ending one costs more than reading a row: with a
 * transaction for each read, pages and lists take 15 to 20 % more CPU time (`npm run bench:compare`, 2026-11-17). While the changeCount of the
 * data does not change, the open transaction shows the newest state.
 */

import type { ChangeCounter } from '../../engine.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from './connection.ts';

/** A log cannot be emptied while somebody reads an old state of it: nobody who is idle may keep one for long. */
const RELEASE_MS = 250;
/** Nor may one be kept while somebody writes: only data that has stood still for a while is worth it. */
const QUIET_MS = 50;
/** Counted up by a connection whenever it finds, by the header that the changeCount looks at, that others have written. */
const DATA_VERSION: Statement = { sql: 'pragma data_version', params: [] };

export class Snapshot {
  /** How often the connection was found reading when nothing should have been, for the metrics. */
  stale = 0;
  private changeCount = Number.NaN;
  private changedAt = 0;
  private held = false;
  /** The changeCount and the version that the connection saw together. */
  private seen = { changeCount: Number.NaN, version: Number.NaN };
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly connection: Connection) {
    this.timer = setInterval(() => this.release(), RELEASE_MS);
    this.timer.unref();
  }

  /** What is read after this is of now; `changeCount` is the data's, just looked at. */
  refresh(changeCount: number): void {
    if (changeCount === this.changeCount) {
      if (!this.held && performance.now() - this.changedAt > QUIET_MS) this.hold();
      return;
    }
    this.release();
    this.changeCount = changeCount;
    this.changedAt = performance.now();
  }

  /** Whether the data has stood still for a while, so that what is read of it now may well be asked for again. */
  get isStill(): boolean {
    return this.held;
  }

  /** Reads that must be of one moment. */
  during<T>(read: () => T): T {
    if (this.held) return read();
    this.connection.begin();
    try {
      return read();
    } finally {
      this.release();
    }
  }

  /** The next read begins anew, whatever was left behind. */
  release(): void {
    this.held = false;
    if (!this.connection.settle()) this.stale++;
  }

  /** Whether reads are of an older state than the changeCount tells of. */
  isBehind(changes: ChangeCounter): boolean {
    const changeCount = changes.current();
    this.refresh(changeCount);
    const version = this.connection.number(DATA_VERSION);
    // Somebody is writing: the version may be of before or after.
    if (changes.current() !== changeCount) return false;
    if (changeCount !== this.seen.changeCount && version === this.seen.version) return true;
    this.seen = { changeCount, version };
    return false;
  }

  close(): void {
    clearInterval(this.timer);
    this.release();
  }

  private hold(): void {
    this.connection.begin();
    this.held = true;
  }
}
