/**
 * Notices any commit, by any process. SQLite keeps the state of the log in the header of the WAL index, the `-shm` file: its frame
 * count, checksum and salt change with every commit. SQLite itself compares these 48 bytes to see whether its cache is stale
 * (https://www.sqlite.org/walformat.html, 2.1). `pragma data_version` does the same, and takes the locks of a read: with it a GET by
 * id takes 45 % more CPU time, and a repeated answer 25 % (`npm run bench:compare`, 2026-11-17).
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { versionOfText } from '../../../collection/version.ts';
import type { ChangeCounter } from '../../engine.ts';

const HEADER_WORDS = 12;
const FROM_THE_START = { position: 0 };

export class WalIndexMark implements ChangeCounter {
  private file: number | undefined;
  private readonly header = new Uint32Array(HEADER_WORDS);
  private readonly seen = new Uint32Array(HEADER_WORDS);
  private count = 0;

  /** A connection must have the file open, which keeps others from removing it. */
  constructor(databasePath: string) {
    this.file = openSync(`${databasePath}-shm`, 'r');
  }

  current(): number {
    const { file, header, seen } = this;
    if (file === undefined) return ++this.count;
    readSync(file, header, FROM_THE_START);
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

  /** After the last connection: with any handle on a file POSIX drops all locks that the process has on it. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

/** In memory there is but one writer, which says so itself. */
export class CountedMark implements ChangeCounter {
  private readonly beginning = crypto.randomUUID();
  private count = 0;

  changed(): void {
    this.count++;
  }

  current(): number {
    return this.count;
  }

  tag(): string {
    return versionOfText(`${this.beginning}${this.count}`);
  }
}
