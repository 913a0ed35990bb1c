/** A reader thread as the event loop sees it: it runs one turn at a time. */
import { ApiError } from '../../../base/errors.ts';
import { IDLE_STREAM_SECONDS } from '../../../base/limits/engine.ts';
import type { CatalogueDraft } from '../../../collection/draft.ts';
import type { Encoding, RowForm } from '../../../encode/encoding.ts';
import type { ReadResult } from '../../engine.ts';
import { type FailedResult, failure, Thread } from '../../shared/thread.ts';
import type { PageEnd } from '../../sql/read.ts';
import type { Statement } from '../../sql/statement.ts';
import type { OpenFiles } from '../connection/database-files.ts';
import type { PlanMessage } from '../write/plan-messages.ts';

export interface ReadAttempt {
  readonly statement: Statement;
  /** Returns 1 if the statement is worth running; absent if it always is. */
  readonly isBetter?: Statement;
}

export interface ReadJob {
  /** The fastest attempt first. The last one always works. */
  readonly attempts: readonly ReadAttempt[];
  readonly count: Statement;
  readonly wantsTotal: boolean;
  /** For the number of rows and the facets. */
  readonly summary?: Statement;
  readonly offset: number;
  readonly limit?: number;
  /** The columns that hold the page end, and a statement for it if the last row is not available. */
  readonly endNames?: readonly string[] | undefined;
  readonly end?: PageEnd;
  readonly encoding: Encoding;
  readonly form: RowForm;
}

/** A search, which the thread ranks and reads in one snapshot. */
export interface SearchJob {
  readonly search: PlanMessage;
  readonly encoding: Encoding;
}

export interface ReaderOptions {
  readonly catalogue: CatalogueDraft;
  readonly path: string;
  readonly files: OpenFiles;
  /** The time limit of a turn. */
  readonly limitMs: number;
  /** Whether other threads have precedence. */
  readonly isBackground?: boolean;
}

export type TurnRequest =
  | { readonly kind: 'begin'; readonly id: number; readonly job: ReadJob | SearchJob; readonly emptyLog: boolean }
  | { readonly kind: 'next'; readonly id: number };

export type ReaderRequest =
  | ({ readonly kind: 'open' } & ReaderOptions)
  | TurnRequest
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'give-back-memory' }
  | { readonly kind: 'close' };

type Found = Pick<ReadResult, 'returned' | 'total' | 'end' | 'summary'>;

export type TurnAnswer =
  | ({ readonly kind: 'whole'; readonly text: string } & Found)
  | ({ readonly kind: 'long' } & Found)
  /** Without a chunk at the end. */
  | { readonly kind: 'part'; readonly part?: Uint8Array }
  | { readonly kind: 'failed'; readonly outcome: FailedResult };

/** `stale` is the number of connections with a leaked statement that were closed since the last answer. */
export type ReaderAnswer = TurnAnswer & { readonly stale: number };

export type Reader = Thread<ReaderRequest, ReaderAnswer>;

export function startReader(options: ReaderOptions): Reader {
  return new Thread({
    file: new URL('./reader-thread.ts', import.meta.url),
    opening: { kind: 'open', ...options },
    words: { details: 'Nothing was read.', hint: 'Try again in a moment.' },
  });
}

/** Whether it was sent completely, its client disconnected, or the service ended it. */
export type Ending = 'whole' | 'left' | 'abandoned';

export interface StreamedReadOptions {
  readonly next: () => Promise<TurnAnswer>;
  /** Why it must end; called before every chunk. */
  readonly objection: (read: StreamedRead) => string | undefined;
  /** Called once. */
  readonly ended: (how: Ending) => void;
}

/** A large result that is streamed to a client in chunks. It holds a snapshot until its end. */
export class StreamedRead implements AsyncIterator<Uint8Array, undefined> {
  private readonly begunAt = performance.now();
  /** The time since which a chunk is waiting for the client. */
  private idleSince: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private why: string | undefined;
  private hasEnded = false;

  constructor(private readonly options: StreamedReadOptions) {
    this.waitForClient();
  }

  get ageMs(): number {
    return performance.now() - this.begunAt;
  }

  get idleMs(): number {
    return this.idleSince === undefined ? 0 : performance.now() - this.idleSince;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    clearTimeout(this.timer);
    this.idleSince = undefined;
    const objection = this.options.objection(this);
    if (objection !== undefined) this.abandon(objection);
    if (this.hasEnded) throw new ApiError('CAT503', 'the read was stopped before its last row', { details: this.why });
    const part = await this.nextPart();
    if (part === undefined) {
      this.end('whole');
      return { done: true, value: undefined };
    }
    this.waitForClient();
    return { done: false, value: part };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end('left');
    return { done: true, value: undefined };
  }

  /** Reports the reason to a client that is still reading. */
  abandon(why: string): void {
    this.why = why;
    this.end('abandoned');
  }

  private async nextPart(): Promise<Uint8Array | undefined> {
    try {
      const answer = await this.options.next();
      if (answer.kind === 'failed') throw failure(answer.outcome);
      return answer.kind === 'part' ? answer.part : undefined;
    } catch (error) {
      this.end('left');
      throw error;
    }
  }

  private waitForClient(): void {
    if (this.hasEnded) return;
    this.idleSince = performance.now();
    const tooLong = `No part was taken for ${IDLE_STREAM_SECONDS} seconds.`;
    this.timer = setTimeout(() => this.abandon(tooLong), IDLE_STREAM_SECONDS * 1000);
    this.timer.unref();
  }

  private end(how: Ending): void {
    clearTimeout(this.timer);
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.options.ended(how);
  }
}
