/**
 * The one writer: writes that arrive while a commit is under way wait for it and share the next one. The commits
 * themselves run on a thread of their own, so that syncing the disk never holds up a read.
 */
import type { Catalogue } from '../../collection/declaration.ts';
import type { CatalogueDraft } from '../../collection/draft.ts';
import { MAX_WRITES_PER_COMMIT } from '../../limits.ts';
import type { MaybePromise, WriteResult } from '../engine.ts';
import type { WriteBounds } from './apply.ts';
import type { OpenFiles } from './files.ts';
import type { Job } from './jobs.ts';
import { type Outcome, settle } from './outcome.ts';
import { Thread } from './thread.ts';

export type Commit = (jobs: readonly Job[]) => MaybePromise<readonly Outcome[]>;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

export class Writer {
  /** So far, for the metrics. */
  commits = 0;
  writes = 0;
  private waiting: Waiting[] = [];
  private busy = false;
  private idle: (() => void) | undefined;

  constructor(private readonly commit: Commit) {}

  write(job: Job): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      if (!this.busy) {
        this.busy = true;
        // After the requests that are being read in this turn of the event loop, so that they share a commit.
        setImmediate(() => this.drain());
      }
    });
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Resolves when every write so far is settled. */
  async settled(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_WRITES_PER_COMMIT);
      try {
        const outcomes = await this.commit(batch.map(({ job }) => job));
        this.commits++;
        this.writes += batch.length;
        for (const [index, { resolve, reject }] of batch.entries()) {
          try {
            resolve(settle(outcomes[index]!));
          } catch (error) {
            reject(error);
          }
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.busy = false;
    this.idle?.();
  }
}

/** A message to the writer's thread; all but the first are answered. */
export type WriterRequest =
  | ({ readonly kind: 'open'; readonly catalogue: CatalogueDraft } & Omit<WriterTerms, 'catalogue'>)
  | { readonly kind: 'commit'; readonly jobs: readonly Job[] }
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
    const answer = await this.ask({ kind: 'commit', jobs });
    if ('fault' in answer) throw new Error(answer.fault);
    if (answer.stale) this.stale++;
    return answer.outcomes;
  };

  async close(): Promise<void> {
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
