/**
 * Who is next at the threads for costly reads. A read asks for a turn to begin, and for another one for each part of a long
 * result; turns are given in the order in which they were asked for, so that nobody waits for the whole of another's result.
 * Waiting is bounded: who would have to wait too long is told so at once.
 */
import { Refusal } from '../../errors.ts';
import { MAX_WAITING_READS } from '../../limits.ts';
import type { Reader, TurnAnswer, TurnRequest } from './reader.ts';

/** How much the latest turn counts in the mean. */
const WEIGHT = 1 / 8;

export interface Turn {
  readonly reader: Reader;
  readonly answer: TurnAnswer;
}

export interface TurnsOptions {
  readonly startReader: () => Reader;
  /** Whether another read may begin now; `give` is to be called when it may again. */
  readonly mayBegin: () => boolean;
  readonly threads: number;
  /** How long a read may wait. */
  readonly queueSeconds: number;
}

interface Waiting {
  /** Made when the turn has come. */
  readonly request: () => TurnRequest;
  /** The thread that has begun the read; undefined where it has not begun. */
  readonly reader: Reader | undefined;
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<typeof setTimeout>;
}

export class Turns {
  readonly readers: Reader[] = [];
  private readonly waiting: Waiting[] = [];
  /** What it takes to begin a read. */
  private meanMs = 0;

  constructor(private readonly options: TurnsOptions) {}

  /** Reads that have not begun. */
  get waitingCount(): number {
    return this.waiting.filter(({ reader }) => reader === undefined).length;
  }

  async begin(request: () => TurnRequest): Promise<Turn> {
    const waitMs = (this.meanMs * this.waitingCount) / this.options.threads;
    if (this.waitingCount >= MAX_WAITING_READS || waitMs > this.options.queueSeconds * 1000) throw tooManyReads(waitMs);
    return this.ask(undefined, request);
  }

  async next(reader: Reader, request: TurnRequest): Promise<TurnAnswer> {
    return (await this.ask(reader, () => request)).answer;
  }

  /** Turns for all who can have one now. */
  give(): void {
    for (const waiting of [...this.waiting]) {
      const reader = waiting.reader ?? this.freeReader();
      if (reader?.isFree !== true) continue;
      this.leave(waiting);
      void this.take(reader, waiting);
    }
  }

  async close(): Promise<void> {
    for (const waiting of [...this.waiting]) {
      this.leave(waiting);
      waiting.reject(new Refusal('CAT503', 'the service is stopping'));
    }
    await Promise.all(this.readers.map((reader) => reader.close()));
  }

  private ask(reader: Reader | undefined, request: () => TurnRequest): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { request, reader, resolve, reject };
      if (reader === undefined) {
        waiting.timer = setTimeout(() => {
          this.leave(waiting);
          reject(tooManyReads(this.meanMs));
        }, this.options.queueSeconds * 1000);
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
    try {
      resolve({ reader, answer: await reader.take(request()) });
    } catch (error) {
      reject(error);
    }
    if (begunBy === undefined) this.meanMs += (performance.now() - startedAt - this.meanMs) * WEIGHT;
    this.give();
  }

  /** For a read that has not begun. */
  private freeReader(): Reader | undefined {
    const free = this.readers.find(({ isFree }) => isFree);
    if ((free === undefined && this.readers.length === this.options.threads) || !this.options.mayBegin())
      return undefined;
    if (free !== undefined) return free;
    const started = this.options.startReader();
    this.readers.push(started);
    return started;
  }
}

export function tooManyReads(waitMs: number): Refusal {
  return new Refusal('CAT503', 'too many costly reads are under way', {
    hint: 'Try again in a moment, or ask by an indexed field.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}
