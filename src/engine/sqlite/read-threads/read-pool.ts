/**
 * Runs costly reads on a pool of threads. A read holds a snapshot until its end, which prevents truncation of the log.
 * So the number of streamed results is limited, and so is their age once the log is long.
 */
import { availableParallelism } from 'node:os';
import {
  LONG_LOG_BYTES,
  MAX_QUEUE_SECONDS,
  MAX_SNAPSHOT_SECONDS,
  MAX_STREAMED_READS,
  STALLED_SECONDS,
} from '../../../base/limits/engine.ts';
import type { ReadResult } from '../../engine.ts';
import { MAKES_ROOM, StreamedRead } from '../../shared/streamed-read.ts';
import { failure } from '../../shared/thread.ts';
import { sizeOf } from '../connection/database-files.ts';
import { type ReadPoolLimits, type ReadPoolOptions, ReadQueue, tooManyReads } from './read-queue.ts';
import type { Reader, ReadJob, SearchJob, TurnAnswer } from './reader.ts';

export const READ_POOL_LIMITS: ReadPoolLimits = {
  // Leaves one core for the event loop; but a single slow read must not block all others.
  threads: Math.max(2, availableParallelism() - 1),
  queueSeconds: MAX_QUEUE_SECONDS,
  longLogBytes: LONG_LOG_BYTES,
  snapshotSeconds: MAX_SNAPSHOT_SECONDS,
};

/** Another process may hold the log, so retrying at once would not help. */
const EMPTY_AGAIN_MS = 10_000;

const STOPPING = 'The service is stopping.';
const HOLDS_THE_LOG = 'It kept the log of the database from being emptied. Take it faster, or in pages.';

export class ReadPool {
  private readonly turns: ReadQueue;
  /** Started reads by id; streamed ones with their stream. */
  private readonly open = new Map<number, StreamedRead | undefined>();
  private lastId = 0;
  private abandoned = 0;
  private emptiedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ReadPoolOptions) {
    this.turns = new ReadQueue(options, () => this.mayBegin());
  }

  async read(job: ReadJob | SearchJob): Promise<ReadResult> {
    const id = ++this.lastId;
    let long: StreamedRead | undefined;
    try {
      const { reader, answer } = await this.turns.begin(() => {
        this.open.set(id, undefined);
        const emptyLog = this.mustEmptyLog();
        if (emptyLog) this.emptiedAt = performance.now();
        return { kind: 'begin', id, job, emptyLog };
      });
      if (answer.kind === 'failed') throw failure(answer.outcome);
      if (answer.kind === 'part') throw new Error('a part before the result');
      const { kind, text, ...found } = { text: '', ...answer };
      if (kind === 'whole') return { ...found, body: text };
      long = this.send(reader, id);
      return { ...found, body: long };
    } finally {
      if (long === undefined) this.ended(id);
    }
  }

  state() {
    const { readers, waitingCount, stale } = this.turns;
    return {
      threads: readers.length,
      reading: this.open.size,
      waiting: waitingCount,
      abandoned: this.abandoned,
      stale,
    };
  }

  giveBackMemory(): void {
    for (const reader of this.turns.readers) reader.tell({ kind: 'give-back-memory' });
  }

  close(): Promise<void> {
    for (const each of this.longReads()) each.abandon(STOPPING);
    return this.turns.close();
  }

  private send(reader: Reader, id: number): StreamedRead {
    if (!this.makeRoom()) {
      reader.tell({ kind: 'cancel', id });
      throw tooManyReads(STALLED_SECONDS * 1000);
    }
    const long = new StreamedRead({
      next: () => this.turns.next(reader, { kind: 'next', id }).then(partIn),
      objection: (each) => (this.isTooOld(each) && this.isLogLong() ? HOLDS_THE_LOG : undefined),
      ended: (how) => {
        if (how !== 'whole') reader.tell({ kind: 'cancel', id });
        if (how === 'abandoned') this.abandoned++;
        this.ended(id);
      },
    });
    this.open.set(id, long);
    return long;
  }

  /** At the limit, ends the streamed result whose client has stalled the longest. */
  private makeRoom(): boolean {
    const longReads = this.longReads();
    if (longReads.length < MAX_STREAMED_READS) return true;
    const stalled = longReads.reduce((one, other) => (other.idleMs > one.idleMs ? other : one));
    if (stalled.idleMs < STALLED_SECONDS * 1000) return false;
    stalled.abandon(MAKES_ROOM);
    return true;
  }

  private mayBegin(): boolean {
    if (this.open.size === 0 || !this.mustEmptyLog()) return true;
    for (const each of this.longReads()) if (this.isTooOld(each)) each.abandon(HOLDS_THE_LOG);
    return this.open.size === 0;
  }

  private ended(id: number): void {
    this.open.delete(id);
    // Deferred, since it may end while turns are being assigned.
    queueMicrotask(() => this.turns.give());
  }

  private longReads(): StreamedRead[] {
    return [...this.open.values()].filter((each) => each !== undefined);
  }

  private isTooOld({ ageMs }: StreamedRead): boolean {
    return ageMs > this.options.bounds.snapshotSeconds * 1000;
  }

  private mustEmptyLog(): boolean {
    return this.isLogLong() && performance.now() - this.emptiedAt > EMPTY_AGAIN_MS;
  }

  private isLogLong(): boolean {
    return sizeOf(`${this.options.path}-wal`) > this.options.bounds.longLogBytes;
  }
}

function partIn(answer: TurnAnswer): Uint8Array | undefined {
  if (answer.kind === 'failed') throw failure(answer.outcome);
  return answer.kind === 'part' ? answer.part : undefined;
}
