/** The writer thread as the event loop sees it. */
import type { Catalogue } from '../../../collection/declaration.ts';
import type { CatalogueDraft } from '../../../collection/draft.ts';
import { sharedRuns } from '../../search/steps.ts';
import { type FailedResult, failure, Thread } from '../../shared/thread.ts';
import type { OpenFiles } from '../connection/database-files.ts';
import type { Interruption } from '../connection/deadline.ts';
import type { WriteBounds } from './apply-writes.ts';
import { decodeResult, encodeList, type ListMessage, type ResultMessage, slicesOf } from './plan-messages.ts';
import type { Commit, DryRunControl } from './writer.ts';

/** A message to the writer thread; commits, `index` and `close` are answered. */
export type WriterRequest =
  | ({ readonly kind: 'open'; readonly catalogue: CatalogueDraft } & Omit<WriterOptions, 'catalogue'>)
  | { readonly kind: 'slice'; readonly slice: readonly unknown[] }
  /** `slices` is the number of slices of rows that were sent before. */
  | { readonly kind: 'commit'; readonly lists: readonly ListMessage[]; readonly slices: number }
  /** Indexes stale rows of a collection for its search. */
  | { readonly kind: 'index'; readonly collection: string }
  | { readonly kind: 'give-back-memory' }
  | { readonly kind: 'close' };
export type WriterAnswer = { readonly outcomes: readonly ResultMessage[]; readonly stale: boolean } | FailedResult;

export interface WriterOptions {
  readonly path: string;
  readonly files: OpenFiles;
  readonly catalogue: Catalogue;
  readonly bounds: WriteBounds;
}

/** Answers one message at a time, in order. */
export class WriterThread {
  /** Connections with a leaked statement, for the metrics. */
  stale = 0;
  readonly thread: Thread<WriterRequest, WriterAnswer>;
  private readonly interruption: Interruption = new Int32Array(new SharedArrayBuffer(4));

  constructor(terms: WriterOptions) {
    const bounds = { ...terms.bounds, interruption: this.interruption };
    this.thread = new Thread({
      file: new URL('./writer-thread.ts', import.meta.url),
      opening: { kind: 'open', ...terms, bounds, catalogue: terms.catalogue.draft },
      words: {
        details: 'The rows may have been stored or not.',
        hint: 'Try again with the same Idempotency-Key.',
      },
    });
  }

  readonly commit: Commit = async (lists, whileSending) => {
    let slices = 0;
    for (const slice of slicesOf(lists)) {
      this.thread.begin().postMessage({ kind: 'slice', slice } satisfies WriterRequest);
      slices++;
      await new Promise((resolve) => setImmediate(resolve));
      await whileSending();
    }
    Atomics.store(this.interruption, 0, 0);
    const answer = await this.thread.ask({ kind: 'commit', lists: lists.map(encodeList), slices });
    if ('kind' in answer) throw failure(answer);
    if (answer.stale) this.stale++;
    return answer.outcomes.map(decodeResult);
  };

  readonly dryRuns: DryRunControl = {
    isAwaited: () => this.thread.pending > 1,
    interrupt: () => void Atomics.store(this.interruption, 0, 1),
  };

  /** Indexes the next stale rows. Searches share a run, so that commits take turns with single runs. */
  readonly index = sharedRuns(async (collection: string) => {
    const answer = await this.thread.ask({ kind: 'index', collection });
    if ('kind' in answer) throw failure(answer);
  });
}
