/** A reader thread as the event loop sees it: it runs one turn at a time. */
import type { CatalogueDraft } from '../../../collection/draft.ts';
import type { Encoding, RowForm } from '../../../encode/encoding.ts';
import type { ReadResult } from '../../engine.ts';
import { type FailedResult, Thread } from '../../shared/thread.ts';
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
    words: { details: 'Nothing was read.' },
  });
}
