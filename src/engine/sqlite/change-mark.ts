/**
 * Notices any commit, by any process, in nanoseconds. SQLite keeps the state of the log in the header of the WAL index,
 * the `-shm` file: its frame count, checksum and salt change with every commit, and SQLite itself compares these 48 bytes
 * to see whether its cache is stale (https://www.sqlite.org/walformat.html, 2.1). We look at them through shared memory.
 */
import { versionOfText } from '../../collection/version.ts';
import type { ChangeMark } from '../engine.ts';

const HEADER_WORDS = 12;

export class SharedMemoryMark implements ChangeMark {
  private readonly header: Uint32Array;
  private readonly seen = new Uint32Array(HEADER_WORDS);
  private count = 0;

  constructor(databasePath: string) {
    const bytes = Bun.mmap(`${databasePath}-shm`, { shared: true });
    this.header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  }

  current(): number {
    const { header, seen } = this;
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
}

/** In memory there is but one writer, which says so itself. */
export class CountedMark implements ChangeMark {
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
