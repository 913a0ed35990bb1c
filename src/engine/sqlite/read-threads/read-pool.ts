/**
 * Runs costly reads on a pool of threads, in the order of their arrival. A thread starts one read at a time. The parts
 * of streamed results wait for that read, and the next read for these parts, so that nobody waits for another's whole
 * result. A read that would wait too long to start is rejected at once.
 *
 * A read holds a snapshot until its end, which prevents truncation of the log. So the number of streamed results is
 * limited, and so is their age once the log is long.
 */
import { availableParallelism } from 'node:os';
import { ApiError } from '../../../base/errors.ts';
import {
  LONG_LOG_BYTES,
  MAX_QUEUE_SECONDS,
  MAX_SNAPSHOT_SECONDS,
  MAX_STREAMED_READS,
  MAX_WAITING_READS,
  STALLED_SECONDS,
} from '../../../base/limits/engine.ts';
import type { ReadResult } from '../../engine.ts';
import { MAKES_ROOM, StreamedRead } from '../../shared/streamed-read.ts';
import { failure } from '../../shared/thread.ts';
import { sizeOf } from '../connection/database-files.ts';
import {
  type Reader,
  type ReaderOptions,
  type ReadJob,
  type SearchJob,
  startReader,
  type TurnAnswer,
  type TurnRequest,
} from './reader.ts';

export interface ReadPoolOptions extends ReaderOptions {
  readonly bounds: ReadPoolLimits;
}

interface ReadPoolLimits {
  readonly threads: number;
  /** The maximum waiting time of a read. */
  readonly queueSeconds: number;
  /** With a longer log, no read starts before the running ones have ended, */
  readonly longLogBytes: number;
  /** and streamed results older than this are ended. */
  readonly snapshotSeconds: number;
}

export const READ_POOL_LIMITS: ReadPoolLimits = {
  // Leaves one core for the event loop; but a single slow read must not block all others.
  threads: Math.max(2, availableParallelism() - 1),
  queueSeconds: MAX_QUEUE_SECONDS,
  longLogBytes: LONG_LOG_BYTES,
  snapshotSeconds: MAX_SNAPSHOT_SECONDS,
};

/** The weight of the latest start of a read in the average. */
const WEIGHT = 1 / 8;

/** Another process may hold the log, so retrying at once would not help. */
const EMPTY_AGAIN_MS = 10_000;

const STOPPING = 'The service is stopping.';
const HOLDS_THE_LOG = 'It kept the log of the database from being emptied. Take it faster, or in pages.';

interface Start {
  readonly id: number;
  readonly reader: Reader;
  readonly emptyLog: boolean;
}

export class ReadPool {
  private readonly readers: Reader[] = [];
  /** The threads that start a read. */
  private readonly starting = new Set<Reader>();
  private readonly waiting: PromiseWithResolvers<Start>[] = [];
  /** Started reads by id; streamed ones with their stream. */
  private readonly open = new Map<number, StreamedRead | undefined>();
  private lastId = 0;
  private abandoned = 0;
  private stale = 0;
  private emptiedAt = Number.NEGATIVE_INFINITY;
  /** The average time in which a thread starts a read. */
  private meanMs = 0;

  constructor(private readonly options: ReadPoolOptions) {}

  async read(job: ReadJob | SearchJob): Promise<ReadResult> {
    const { id, reader, emptyLog } = await this.wait();
    let long: StreamedRead | undefined;
    const startedAt = performance.now();
    const started = () => {
      this.starting.delete(reader);
      this.meanMs += (performance.now() - startedAt - this.meanMs) * WEIGHT;
      this.start();
    };
    try {
      const answer = await this.ask(reader, { kind: 'begin', id, job, emptyLog }).finally(started);
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
    const { readers, open, waiting, abandoned, stale } = this;
    return { threads: readers.length, reading: open.size, waiting: waiting.length, abandoned, stale };
  }

  giveBackMemory(): void {
    for (const reader of this.readers) reader.tell({ kind: 'give-back-memory' });
  }

  async close(): Promise<void> {
    for (const each of this.longReads()) each.abandon(STOPPING);
    for (const { reject } of this.waiting.splice(0)) reject(new ApiError('CAT503', 'the service is stopping'));
    await Promise.all(this.readers.map((reader) => reader.close({ kind: 'close' })));
  }

  /** Waits for a thread that can start a read. */
  private wait(): Promise<Start> {
    const { threads, queueSeconds } = this.options.bounds;
    const { length } = this.waiting;
    const waitMs = (this.meanMs * length) / threads;
    if (length >= MAX_WAITING_READS || waitMs > queueSeconds * 1000) throw tooManyReads(waitMs);
    const waiting = Promise.withResolvers<Start>();
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(waiting), 1);
      waiting.reject(tooManyReads(this.meanMs));
    }, queueSeconds * 1000);
    this.waiting.push(waiting);
    this.start();
    return waiting.promise.finally(() => clearTimeout(timer));
  }

  /** Starts all reads that can start now. */
  private start(): void {
    while (this.waiting.length > 0 && this.mayStart()) {
      const reader = this.freeReader();
      if (reader === undefined) return;
      const id = ++this.lastId;
      this.starting.add(reader);
      this.open.set(id, undefined);
      const emptyLog = this.mustEmptyLog();
      if (emptyLog) this.emptiedAt = performance.now();
      this.waiting.shift()!.resolve({ id, reader, emptyLog });
    }
  }

  /** A thread that starts no read. It may have to send parts of others first. */
  private freeReader(): Reader | undefined {
    const free = this.readers.filter((reader) => !this.starting.has(reader));
    const idle = free.find(({ pending }) => pending === 0);
    if (idle !== undefined || this.readers.length === this.options.bounds.threads) return idle ?? free[0];
    const reader = startReader(this.options);
    this.readers.push(reader);
    return reader;
  }

  private async ask(reader: Reader, request: TurnRequest): Promise<Exclude<TurnAnswer, { kind: 'failed' }>> {
    const answer = await reader.ask(request);
    this.stale += answer.stale;
    if (answer.kind === 'failed') throw failure(answer.outcome);
    return answer;
  }

  private send(reader: Reader, id: number): StreamedRead {
    if (!this.makeRoom()) {
      reader.tell({ kind: 'cancel', id });
      throw tooManyReads(STALLED_SECONDS * 1000);
    }
    const long = new StreamedRead({
      next: async () => {
        const answer = await this.ask(reader, { kind: 'next', id });
        return answer.kind === 'part' ? answer.part : undefined;
      },
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

  private mayStart(): boolean {
    if (this.open.size === 0 || !this.mustEmptyLog()) return true;
    for (const each of this.longReads()) if (this.isTooOld(each)) each.abandon(HOLDS_THE_LOG);
    return this.open.size === 0;
  }

  private ended(id: number): void {
    this.open.delete(id);
    // Deferred, since it may end while reads are being started.
    queueMicrotask(() => this.start());
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

function tooManyReads(waitMs: number): ApiError {
  return new ApiError('CAT503', 'too many costly reads are under way', {
    hint: 'Try again in a moment, or ask by an indexed field.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}
