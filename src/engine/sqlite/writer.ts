/**
 * The one writer: quick writes that arrive while a commit is under way wait for it and share the next one. A costly write has a
 * commit of its own, and after each of them it is the turn of the quick ones. The commits themselves run on a thread of their
 * own, so that syncing the disk never holds up a read.
 */
import type { Catalogue } from '../../collection/declaration.ts';
import type { CatalogueDraft } from '../../collection/draft.ts';
import { Refusal } from '../../errors.ts';
import { MAX_QUEUE_SECONDS, MAX_WAITING_WRITES, MAX_WRITES_PER_COMMIT } from '../../limits.ts';
import type { MaybePromise, WriteResult } from '../engine.ts';
import type { WriteBounds } from './apply.ts';
import type { OpenFiles } from './files.ts';
import type { Job } from './jobs.ts';
import { divided, type Part } from './long-jobs.ts';
import { type Outcome, settle } from './outcome.ts';
import { Thread } from './thread.ts';

/** The outcomes of the first of the jobs, or of all: a commit does not last for ever. The others are for the next one. */
export type Commit = (jobs: readonly Job[]) => MaybePromise<readonly Outcome[]>;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the waiting of a costly one. */
  timer?: ReturnType<typeof setTimeout>;
}

export class Writer {
  /** So far, for the metrics. */
  commits = 0;
  writes = 0;
  private readonly quick: Waiting[] = [];
  private readonly costly: Waiting[] = [];
  private busy = false;
  private idle: (() => void) | undefined;

  constructor(
    private readonly commit: Commit,
    private readonly queueSeconds = MAX_QUEUE_SECONDS,
  ) {}

  write(job: Job, isQuick: boolean): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { job, resolve, reject };
      if (isQuick) this.quick.push(waiting);
      else if (this.costly.length >= MAX_WAITING_WRITES) reject(tooManyWrites());
      else this.queue(waiting);
      if (!this.busy) {
        this.busy = true;
        // After the requests that are being read in this turn of the event loop, so that they share a commit.
        setImmediate(() => this.drain());
      }
    });
  }

  get waitingCount(): number {
    return this.quick.length + this.costly.length;
  }

  /** Resolves when every write so far is settled. */
  async settled(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private queue(waiting: Waiting): void {
    this.costly.push(waiting);
    waiting.timer = setTimeout(() => {
      this.costly.splice(this.costly.indexOf(waiting), 1);
      waiting.reject(tooManyWrites());
    }, this.queueSeconds * 1000);
  }

  private async drain(): Promise<void> {
    while (this.waitingCount > 0) {
      await this.carryOut(this.quick.splice(0, MAX_WRITES_PER_COMMIT));
      const costly = this.costly.shift();
      if (costly === undefined) continue;
      clearTimeout(costly.timer);
      await this.carryOut([costly]);
    }
    this.busy = false;
    this.idle?.();
  }

  private async carryOut(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const outcomes = await this.commit(batch.map(({ job }) => job));
      this.commits++;
      this.writes += outcomes.length;
      this.quick.unshift(...batch.slice(outcomes.length));
      for (const [index, outcome] of outcomes.entries()) {
        const { resolve, reject } = batch[index]!;
        try {
          resolve(settle(outcome));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function tooManyWrites(): Refusal {
  return new Refusal('CAT503', 'too many costly writes are waiting', {
    details: 'Nothing was changed.',
    hint: 'Try again in a moment, or name the rows by their keys.',
    headers: { 'retry-after': '1' },
  });
}

/** A message to the writer's thread; commits and the last one are answered. */
export type WriterRequest =
  | ({ readonly kind: 'open'; readonly catalogue: CatalogueDraft } & Omit<WriterTerms, 'catalogue'>)
  | { readonly kind: 'part'; readonly part: Part }
  /** `parts` are those of its one job that came before it, where it is a long one. */
  | { readonly kind: 'commit'; readonly jobs: readonly Job[]; readonly parts?: number }
  | { readonly kind: 'close' };
export type WriterAnswer =
  | { readonly outcomes: readonly Outcome[]; readonly stale: boolean }
  | { readonly fault: string };

export interface WriterTerms {
  readonly path: string;
  readonly files: OpenFiles;
  readonly catalogue: Catalogue;
  readonly bounds: WriteBounds;
}

/** A thread that answers one message at a time, in order. */
export class WriterThread {
  /** How often its connection was found reading when nothing should have been, for the metrics. */
  stale = 0;
  private readonly waiting: { resolve: (answer: WriterAnswer) => void; reject: (error: Error) => void }[] = [];
  private readonly thread: Thread<WriterRequest, WriterAnswer>;

  constructor(terms: WriterTerms) {
    this.thread = new Thread({
      file: new URL('./writer-thread.ts', import.meta.url),
      opening: { kind: 'open', ...terms, catalogue: terms.catalogue.draft },
      answered: (answer) => this.waiting.shift()?.resolve(answer),
      lost: (refusal) => {
        for (const { reject } of this.waiting.splice(0)) reject(refusal);
      },
      words: {
        details: 'What was to be written may have been stored or not.',
        hint: 'Try again with the same Idempotency-Key.',
      },
    });
  }

  readonly commit: Commit = async (jobs) => {
    const long = jobs.length === 1 ? divided(jobs[0]!) : undefined;
    for (const part of long?.parts ?? []) {
      this.thread.post({ kind: 'part', part });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await this.ask(
      long === undefined ? { kind: 'commit', jobs } : { kind: 'commit', jobs: [long.rest], parts: long.parts.length },
    );
    if ('fault' in answer) throw new Error(answer.fault);
    if (answer.stale) this.stale++;
    return answer.outcomes;
  };

  begin(): void {
    this.thread.begin();
  }

  async close(): Promise<void> {
    if (!this.thread.isRunning) return;
    // One that has died has closed what it had.
    await this.ask({ kind: 'close' }).catch(() => {});
    this.thread.end();
  }

  private ask(request: WriterRequest): Promise<WriterAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.thread.post(request);
    });
  }
}
