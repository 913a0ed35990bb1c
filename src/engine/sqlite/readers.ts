/** The threads for costly reads: started when the first one comes, each read given to the thread with the fewest. */
import { availableParallelism } from 'node:os';
import type { Encoding, RowForm } from '../../encode/encoding.ts';
import { Refusal } from '../../errors.ts';
import { IDLE_STREAM_SECONDS, MAX_COSTLY_READS } from '../../limits.ts';
import type { End } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { ReadResult } from '../engine.ts';
import { type FailedOutcome, failure } from './outcome.ts';
import { Thread } from './thread.ts';

export interface ReadJob {
  readonly statement: Statement;
  readonly count: Statement;
  readonly wantsTotal: boolean;
  readonly offset: number;
  readonly limit?: number;
  /** The columns that tell where the page ends, and a statement that tells it where its last row is not at hand. */
  readonly endNames?: readonly string[] | undefined;
  readonly end?: End;
  readonly encoding: Encoding;
  readonly form: RowForm;
  /** When its time is up, in milliseconds since the epoch. */
  readonly deadline: number;
}

export type ReaderRequest =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'read'; readonly id: number; readonly job: ReadJob }
  | { readonly kind: 'next'; readonly id: number; readonly deadline: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number };

type Found = { readonly id: number } & Pick<ReadResult, 'returned' | 'total' | 'end'>;

export type ReaderAnswer =
  | ({ readonly kind: 'whole'; readonly text: string } & Found)
  | ({ readonly kind: 'long' } & Found)
  | { readonly kind: 'part'; readonly id: number; readonly part?: Uint8Array }
  | { readonly kind: 'failed'; readonly id: number; readonly outcome: FailedOutcome }
  | { readonly kind: 'closed'; readonly id: number };

/** One core is left to the requests themselves. */
const THREADS = Math.max(1, availableParallelism() - 1);

export class Readers {
  private readonly threads: ReaderThread[] = [];

  constructor(
    private readonly path: string,
    private readonly limitMs: number,
  ) {}

  async read(job: Omit<ReadJob, 'deadline'>): Promise<ReadResult> {
    const pending = this.threads.reduce((sum, thread) => sum + thread.busy, 0);
    if (pending >= MAX_COSTLY_READS) throw tooManyReads();
    return this.leastBusy().read({ ...job, deadline: Date.now() + this.limitMs }, this.limitMs);
  }

  /** How many threads there are, and how many reads they are busy with. */
  state(): { threads: number; reading: number } {
    return { threads: this.threads.length, reading: this.threads.reduce((sum, thread) => sum + thread.busy, 0) };
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private leastBusy(): ReaderThread {
    const free = this.threads.find((thread) => thread.busy === 0);
    if (free !== undefined) return free;
    if (this.threads.length < THREADS) {
      const thread = new ReaderThread(this.path);
      this.threads.push(thread);
      return thread;
    }
    return this.threads.reduce((least, thread) => (thread.busy < least.busy ? thread : least));
  }
}

/** More would take memory for results that wait to be read. */
function tooManyReads(): Refusal {
  return new Refusal('CAT503', `${MAX_COSTLY_READS} costly reads are under way`, {
    hint: 'Try again in a moment, or ask by an indexed field.',
    headers: { 'retry-after': '1' },
  });
}

class ReaderThread {
  busy = 0;
  private readonly thread: Thread<ReaderRequest, ReaderAnswer>;
  private readonly waiting = new Map<
    number,
    { resolve: (answer: ReaderAnswer) => void; reject: (error: Error) => void }
  >();
  private lastId = 0;

  constructor(path: string) {
    this.thread = new Thread({
      file: new URL('./reader-thread.ts', import.meta.url),
      opening: { kind: 'open', path },
      answered: (answer) => {
        const waiting = this.waiting.get(answer.id);
        this.waiting.delete(answer.id);
        waiting?.resolve(answer);
      },
      lost: (refusal) => {
        for (const { reject } of this.waiting.values()) reject(refusal);
        this.waiting.clear();
      },
      words: { details: 'What was to be read was not.', hint: 'Try again in a moment.' },
    });
  }

  async read(job: ReadJob, limitMs: number): Promise<ReadResult> {
    const id = ++this.lastId;
    this.busy++;
    let isLong = false;
    try {
      const answer = await this.ask({ kind: 'read', id, job });
      if (answer.kind === 'failed') throw failure(answer.outcome);
      if (answer.kind !== 'whole' && answer.kind !== 'long') throw new Error(`unexpected answer ${answer.kind}`);
      isLong = answer.kind === 'long';
      const { returned, end } = answer;
      const total = answer.total === undefined ? {} : { total: answer.total };
      return { returned, ...total, end, body: answer.kind === 'whole' ? answer.text : this.parts(id, limitMs) };
    } finally {
      if (!isLong) this.busy--;
    }
  }

  private parts(id: number, limitMs: number): AsyncIterator<Uint8Array, undefined> {
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = () => {
      clearTimeout(timer);
      if (!ended) this.busy--;
      ended = true;
    };
    const abandon = () => {
      if (!ended) this.thread.post({ kind: 'cancel', id });
      finish();
    };
    const waitForReader = () => {
      timer = setTimeout(abandon, IDLE_STREAM_SECONDS * 1000);
      timer.unref();
    };
    waitForReader();
    return {
      next: async () => {
        if (ended) throw new Error('the client took no part of the result for too long');
        clearTimeout(timer);
        const answer = await this.ask({ kind: 'next', id, deadline: Date.now() + limitMs }).catch((error) => {
          finish();
          throw error;
        });
        if (answer.kind === 'part' && answer.part !== undefined) {
          waitForReader();
          return { done: false, value: answer.part };
        }
        finish();
        if (answer.kind === 'failed') throw failure(answer.outcome);
        return { done: true, value: undefined };
      },
      return: async () => {
        abandon();
        return { done: true, value: undefined };
      },
    };
  }

  async close(): Promise<void> {
    await this.ask({ kind: 'close', id: ++this.lastId }).catch(() => {});
    this.thread.end();
  }

  private ask(request: Extract<ReaderRequest, { id: number }>): Promise<ReaderAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { resolve, reject });
      this.thread.post(request);
    });
  }
}
