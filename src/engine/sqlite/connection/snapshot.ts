/**
 * Keeps one read transaction open while the data is unchanged, so that it shows the newest state. A transaction costs
 * more than reading a row: with one for each read, pages and lists take 15 to 20 % more CPU time
 * (`npm run bench:compare`, 2026-11-17).
 *
 * Invariant: an open snapshot shows exactly the state of its change count. The counter is the same before and after the
 * transaction begins. So a request reads the counter once, and rows of an open snapshot need no further check.
 */

import type { ChangeCounter } from '../../engine.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from './connection.ts';

/** An idle transaction ends after this long, since SQLite cannot empty the log before it ends. */
const RELEASE_MS = 250;
/** The data must be unchanged for this long before a transaction is kept open. */
const QUIET_MS = 50;
/** A connection increments it when it notices a commit of another connection. */
const DATA_VERSION: Statement = { sql: 'pragma data_version', params: [] };

export class Snapshot {
  /** How often a statement was left open, for the metrics. */
  stale = 0;
  private changeCount = Number.NaN;
  private changedAt = 0;
  private isOpen = false;
  /** The change count and the data version that were read together. */
  private seen = { changeCount: Number.NaN, version: Number.NaN };
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly connection: Connection,
    private readonly changes: ChangeCounter,
  ) {
    this.timer = setInterval(() => this.release(), RELEASE_MS);
    this.timer.unref();
  }

  /** Ensures that the next read shows the state of a change count, or a newer one. */
  refresh(changeCount: number): void {
    if (changeCount !== this.changeCount) {
      this.release();
      this.changeCount = changeCount;
      this.changedAt = performance.now();
    } else if (!this.isOpen && performance.now() - this.changedAt > QUIET_MS) this.open();
  }

  /** Whether the data has been unchanged for a while, so that caching rows is worthwhile. */
  get isStable(): boolean {
    return this.isOpen;
  }

  /** Runs reads in one transaction. */
  during<T>(read: () => T): T {
    if (this.isOpen) return read();
    this.connection.begin();
    try {
      return read();
    } finally {
      this.release();
    }
  }

  /** Ends the transaction and all open statements. */
  release(): void {
    this.isOpen = false;
    if (!this.connection.settle()) this.stale++;
  }

  /** Whether reads show an older state than the change counter. */
  isBehind(): boolean {
    const changeCount = this.changes.current();
    this.refresh(changeCount);
    const version = this.connection.number(DATA_VERSION);
    // A commit happened between the two reads, so the version may be older or newer.
    if (this.changes.current() !== changeCount) return false;
    if (changeCount !== this.seen.changeCount && version === this.seen.version) return true;
    this.seen = { changeCount, version };
    return false;
  }

  close(): void {
    clearInterval(this.timer);
    this.release();
  }

  private open(): void {
    this.connection.begin();
    // The transaction begins with its first read.
    this.connection.number(DATA_VERSION);
    this.isOpen = this.changes.current() === this.changeCount;
    if (!this.isOpen) this.release();
  }
}
