/**
 * Notices commits of any process. SQLite keeps the state of the log in the header of the WAL index, the `-shm` file.
 * Its frame count, checksum and salt change with every commit. SQLite compares the same 48 bytes to see whether its
 * cache is stale (https://www.sqlite.org/walformat.html, 2.1). `pragma data_version` also does, but takes the locks of
 * a read: a GET by id then takes 45 % more CPU time, a repeated answer 25 % (`npm run bench:compare`, 2026-11-17).
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { versionOfText } from '../../../collection/version.ts';
import type { ChangeCounter } from '../../engine.ts';

const HEADER_WORDS = 12;
const FILE_START = { position: 0 };

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
