/**
 * Keeps one read transaction open while the data is unchanged, so that it shows the newest state. A transaction costs
 * more than reading a row: with one for each read, pages and lists take 15 to 20 % more CPU time
 * (`npm run bench:compare`, 2026-11-17).
 *
 * Invariant: an open snapshot shows exactly the state of its change count. The counter is the same before and after the
 * transaction begins. So a request reads the counter once, and rows of an open snapshot need no further check.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { versionOfText } from '../../../collection/version.ts';
import type { ChangeCounter } from '../../engine.ts';
import type { Connection } from './connection.ts';

/** An idle transaction ends after this long, since SQLite cannot empty the log before it ends. */
const RELEASE_MS = 250;
/** The data must be unchanged for this long before a transaction is kept open. */
const QUIET_MS = 50;
/** A connection increments it when it notices a commit of another connection. */
const DATA_VERSION = 'pragma data_version';

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

const HEADER_WORDS = 12;
const FILE_START = { position: 0 };

/**
 * Notices commits of any process. SQLite keeps the state of the log in the header of the WAL index, the `-shm` file.
 * Its frame count, checksum and salt change with every commit. SQLite compares the same 48 bytes to see whether its
 * cache is stale (https://www.sqlite.org/walformat.html, 2.1). `pragma data_version` also does, but takes the locks of
 * a read: a GET by id then takes 45 % more CPU time, a repeated answer 25 % (`npm run bench:compare`, 2026-11-17).
 */
export class WalChangeCounter implements ChangeCounter {
  private file: number | undefined;
  private readonly header = new Uint32Array(HEADER_WORDS);
  private readonly seen = new Uint32Array(HEADER_WORDS);
  private count = 0;

  /** A connection must have the file open, which keeps others from removing it. */
  constructor(databasePath: string) {
    this.file = openSync(`${databasePath}-shm`, 'r');
  }

  /** Looks each time: a request may have been sent after a look in the same turn of the event loop. */
  current(): number {
    const { file, header, seen } = this;
    if (file === undefined) return ++this.count;
    readSync(file, header, FILE_START);
    for (let word = 0; word < HEADER_WORDS; word++) {
      if (header[word] !== seen[word]) {
        seen.set(header);
        return ++this.count;
      }
    }
    return this.count;
  }

  /** The same in every process that sees the same state. */
  tag(): string {
    this.current();
    return versionOfText(this.seen.join());
  }

  /** Call it after the last connection is closed: closing a file drops all POSIX locks of the process on it. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

/** For a database in memory, whose only writer reports its changes. */
export class MemoryChangeCounter implements ChangeCounter {
  private readonly beginning = crypto.randomUUID();
  private count = 0;

  increment(): void {
    this.count++;
  }

  current(): number {
    return this.count;
  }

  tag(): string {
    return versionOfText(`${this.beginning}${this.count}`);
  }
}
