/**
 * One read transaction for as long as the data does not change. Beginning and ending one costs more than reading a row:
 * as long as the mark of the data stands still, the transaction that is open shows the newest state there is.
 */
import type { Connection } from './connection.ts';

/** A log cannot be emptied while somebody reads an old state of it: nobody who is idle may keep one for long. */
const RELEASE_MS = 250;
/** Nor may one be kept while somebody writes: only data that has stood still for a while is worth it. */
const QUIET_MS = 50;

export class Snapshot {
  private mark = Number.NaN;
  private changedAt = 0;
  private held = false;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly connection: Connection) {
    this.timer = setInterval(() => this.release(), RELEASE_MS);
    this.timer.unref();
  }

  /** What is read after this is of now; `mark` is the data's, just looked at. */
  refresh(mark: number): void {
    if (mark === this.mark) {
      if (!this.held && performance.now() - this.changedAt > QUIET_MS) this.hold();
      return;
    }
    this.release();
    this.mark = mark;
    this.changedAt = performance.now();
  }

  /** Whether the data has stood still for a while, so that what is read of it now may well be asked for again. */
  get isStill(): boolean {
    return this.held;
  }

  /** Reads that must be of one moment. */
  during<T>(read: () => T): T {
    if (this.held) return read();
    this.begin();
    try {
      return read();
    } finally {
      this.end();
    }
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    this.end();
  }

  close(): void {
    clearInterval(this.timer);
    this.release();
  }

  private hold(): void {
    this.begin();
    this.held = true;
  }

  private begin(): void {
    this.connection.prepare('begin').run();
  }

  private end(): void {
    // SQLite itself ends a transaction that meets a failing disk.
    if (this.connection.db.inTransaction) this.connection.prepare('commit').run();
  }
}
