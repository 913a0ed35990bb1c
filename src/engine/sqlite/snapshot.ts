/**
 * One read transaction for as long as the data does not change. Beginning and ending one costs more than reading a row:
 * as long as the mark of the data stands still, the transaction that is open shows the newest state there is.
 */
import type { ChangeMark } from '../engine.ts';
import type { Connection } from './connection.ts';

/** A log cannot be emptied while somebody reads an old state of it: nobody who is idle may keep one for long. */
const RELEASE_MS = 250;

export class Snapshot {
  private mark = Number.NaN;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly connection: Connection,
    private readonly changes: ChangeMark,
  ) {
    this.timer = setInterval(() => this.release(), RELEASE_MS);
    this.timer.unref();
  }

  /** What is read after this is of now. */
  refresh(): void {
    const mark = this.changes.current();
    if (mark === this.mark) return;
    this.release();
    this.connection.prepare('begin').run();
    this.mark = mark;
  }

  release(): void {
    if (Number.isNaN(this.mark)) return;
    this.mark = Number.NaN;
    this.connection.prepare('commit').run();
  }

  close(): void {
    clearInterval(this.timer);
    this.release();
  }
}
