/**
 * The queue of the reader threads. A read needs a turn to start, and one for each chunk of a streamed result. Turns are
 * assigned in order, so that nobody waits for another's whole result; but after a read has started on a thread, a chunk
 * comes next, since each would otherwise wait for all reads that start. A read that would wait too long is rejected at
 * once.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_WAITING_READS } from '../../../base/limits/engine.ts';
import { type Reader, type ReaderOptions, startReader, type TurnAnswer, type TurnRequest } from './reader.ts';

/** The weight of the latest turn in the average. */
const WEIGHT = 1 / 8;

export interface Turn {
  readonly reader: Reader;
  readonly answer: TurnAnswer;
}

export interface ReadPoolOptions extends ReaderOptions {
  readonly bounds: ReadPoolLimits;
}

export interface ReadPoolLimits {
  readonly threads: number;
  /** The maximum waiting time of a read. */
  readonly queueSeconds: number;
  /** With a longer log, no read starts before the running ones have ended, */
  readonly longLogBytes: number;
  /** and streamed results older than this are ended. */
  readonly snapshotSeconds: number;
}

interface Waiting {
  /** Built when the turn starts. */
  readonly request: () => TurnRequest;
  /** The thread of a started read. */
  readonly reader: Reader | undefined;
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<typeof setTimeout>;
}

export class ReadQueue {
  readonly readers: Reader[] = [];
  /** Connections with a leaked statement, for the metrics. */
  stale = 0;
  private readonly waiting: Waiting[] = [];
  /** The threads whose last turn started a read. */
  private readonly started = new Set<Reader | undefined>();
  /** The average duration of a first turn. */
  private meanMs = 0;

  constructor(
    private readonly options: ReadPoolOptions,
    /** Whether another read may start; `give` must be called when it may again. */
    private readonly mayBegin: () => boolean,
  ) {}

  get waitingCount(): number {
    return this.waiting.filter(({ reader }) => reader === undefined).length;
  }

  async begin(request: () => TurnRequest): Promise<Turn> {
    const waitMs = (this.meanMs * this.waitingCount) / this.options.bounds.threads;
    if (this.waitingCount >= MAX_WAITING_READS || waitMs > this.options.bounds.queueSeconds * 1000)
      throw tooManyReads(waitMs);
    return this.ask(undefined, request);
  }

  async next(reader: Reader, request: TurnRequest): Promise<TurnAnswer> {
    return (await this.ask(reader, () => request)).answer;
  }

  /** Assigns turns to all that can run now. */
  give(): void {
    const isNext = ({ reader }: Waiting) => Number(this.started.has(reader));
    for (const waiting of this.waiting.toSorted((one, other) => isNext(other) - isNext(one))) {
      const reader = waiting.reader ?? this.freeReader();
      if (reader?.isIdle !== true) continue;
      this.leave(waiting);
      void this.take(reader, waiting);
    }
  }

  async close(): Promise<void> {
    for (const waiting of [...this.waiting]) {
      this.leave(waiting);
      waiting.reject(new ApiError('CAT503', 'the service is stopping'));
    }
    await Promise.all(this.readers.map((reader) => reader.close({ kind: 'close' })));
  }

  private ask(reader: Reader | undefined, request: () => TurnRequest): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { request, reader, resolve, reject };
      if (reader === undefined) {
        waiting.timer = setTimeout(() => {
          this.leave(waiting);
          reject(tooManyReads(this.meanMs));
        }, this.options.bounds.queueSeconds * 1000);
      }
      this.waiting.push(waiting);
      this.give();
    });
  }

  private leave(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    this.waiting.splice(this.waiting.indexOf(waiting), 1);
  }

  private async take(reader: Reader, { request, reader: begunBy, resolve, reject }: Waiting): Promise<void> {
    const startedAt = performance.now();
    if (begunBy === undefined) this.started.add(reader);
    else this.started.delete(reader);
    try {
      const answer = await reader.ask(request());
      this.stale += answer.stale;
      resolve({ reader, answer });
    } catch (error) {
      reject(error);
    }
    if (begunBy === undefined) this.meanMs += (performance.now() - startedAt - this.meanMs) * WEIGHT;
    this.give();
  }

  private freeReader(): Reader | undefined {
    const free = this.readers.find(({ isIdle }) => isIdle);
    if ((free === undefined && this.readers.length === this.options.bounds.threads) || !this.mayBegin())
      return undefined;
    if (free !== undefined) return free;
    const started = startReader(this.options);
    this.readers.push(started);
    return started;
  }
}

export function tooManyReads(waitMs: number): ApiError {
  return new ApiError('CAT503', 'too many costly reads are under way', {
    hint: 'Try again in a moment, or ask by an indexed field.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}
