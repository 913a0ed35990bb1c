/**
 * The queue of writes. Quick writes that arrive during a commit share the next one. A costly write, or one of many
 * rows, has its own commit, in the order of arrival of its kind, and alternates with the others. Commits run on the
 * writer thread, so that syncing the disk never delays a read. A long dry run that others wait for is interrupted, and
 * starts again after them. A write that waits too long is rejected with 503, and nothing of it is stored.
 */
import { ApiError } from '../../../base/errors.ts';
import {
  DRY_RUN_ATTEMPTS,
  DRY_RUN_YIELD_MS,
  MAX_QUEUE_SECONDS,
  MAX_SHARED_ROWS,
  MAX_WAITING_STATEMENTS,
  MAX_WAITING_WRITES,
  MAX_WRITES_PER_COMMIT,
} from '../../../base/limits/engine.ts';
import type { MaybePromise, Write, WriteOptions, WriteResult } from '../../engine.ts';
import { rowsInBody } from '../../shared/cost.ts';
import { settle, type ThreadResult } from '../../shared/thread.ts';

/** All writes of a list take effect, or none. */
export interface WriteList extends WriteOptions {
  readonly writes: readonly Write[];
}

/**
 * The results of all lists, or of the first ones, since a commit is limited in time. The others join the next commit.
 * Calls `whileSending` between the slices of many rows: quick writes do not wait until all of them are sent.
 */
export type Commit = (
  lists: readonly WriteList[],
  whileSending: () => Promise<void>,
) => MaybePromise<readonly ThreadResult[]>;

/** Ends a dry run for others. */
export interface DryRunControl {
  /** Whether a search waits for the same thread. */
  readonly isAwaited: () => boolean;
  readonly interrupt: () => void;
}

interface Waiting {
  readonly list: WriteList;
  readonly isQuick: boolean;
  readonly resolve: (results: readonly WriteResult[]) => void;
  readonly reject: (error: unknown) => void;
  /** As performance.now() returns it. */
  readonly since: number;
  /** How often it was interrupted. */
  readonly interruptions: number;
}

/** The interval of checks for writes that have waited too long. */
const CHECK_MS = 100;

export class Writer {
  commits = 0;
  writes = 0;
  /** The writes that share commits, and those that do not. */
  private readonly shared: Waiting[] = [];
  private readonly separate: Waiting[] = [];
  /** Whether the last separate write was a dry run; undefined before the first. */
  private wasDryRun: boolean | undefined;
  /** When the dry run that is under way alone began, and whether it was interrupted. */
  private dryRun: { readonly waiting: Waiting; since: number; isInterrupted: boolean } | undefined;
  private busy = false;
  private idle: (() => void) | undefined;

  constructor(
    private readonly commit: Commit,
    private readonly queueSeconds = MAX_QUEUE_SECONDS,
    private readonly dryRuns?: DryRunControl,
  ) {}

  write(list: WriteList, isQuick: boolean): Promise<readonly WriteResult[]> {
    return new Promise((resolve, reject) => {
      const costly = this.separate.filter((each) => !each.isQuick && each.list.dryRun === list.dryRun);
      const isFull = isQuick ? this.waitingCount >= MAX_WAITING_STATEMENTS : costly.length >= MAX_WAITING_WRITES;
      if (isFull) return reject(tooManyWrites(isQuick));
      const queue = isQuick && rowsIn(list) <= MAX_SHARED_ROWS ? this.shared : this.separate;
      queue.push({ list, isQuick, resolve, reject, since: performance.now(), interruptions: 0 });
      if (!this.busy) {
        this.busy = true;
        // Deferred, so that all requests of this turn of the event loop share a commit.
        setImmediate(() => this.drain());
      }
    });
  }

  get waitingCount(): number {
    return this.shared.length + this.separate.length;
  }

  /** Resolves when every write so far is settled. */
  async settled(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private async drain(): Promise<void> {
    const checks = setInterval(() => {
      this.rejectExpired();
      this.interruptDryRun();
    }, CHECK_MS);
    while (this.waitingCount > 0) {
      await this.commitShared();
      const separate = this.takeSeparate();
      const [waiting] = separate;
      if (waiting?.list.dryRun) this.dryRun = { waiting, since: performance.now(), isInterrupted: false };
      await this.commitBatch(separate, async () => {
        await this.commitShared();
        if (this.dryRun !== undefined) this.dryRun.since = performance.now();
      });
      this.dryRun = undefined;
    }
    clearInterval(checks);
    this.busy = false;
    this.idle?.();
  }

  /** Both queues are in the order of arrival. */
  private rejectExpired(): void {
    const oldest = performance.now() - this.queueSeconds * 1000;
    for (const queue of [this.shared, this.separate]) {
      while (queue.length > 0 && queue[0]!.since <= oldest) queue.shift()!.reject(waitedTooLong(this.queueSeconds));
    }
  }

  private interruptDryRun(): void {
    const latest = performance.now() - DRY_RUN_YIELD_MS;
    if (this.dryRun === undefined || this.dryRun.since > latest) return;
    const stores = this.separate.filter(({ list }) => !list.dryRun);
    const isAwaited = [...this.shared, ...stores].some(({ since }) => since <= latest);
    if (this.dryRuns === undefined || !(isAwaited || this.dryRuns.isAwaited())) return;
    this.dryRun.isInterrupted = true;
    this.dryRuns.interrupt();
  }

  /** Dry runs alternate with writes that store, so that neither kind displaces the other. */
  private takeSeparate(): Waiting[] {
    const next = this.separate.findIndex(({ list }) => list.dryRun !== this.wasDryRun);
    const taken = this.separate.splice(Math.max(0, next), 1);
    this.wasDryRun = taken[0]?.list.dryRun ?? this.wasDryRun;
    return taken;
  }

  private commitShared(): Promise<void> {
    // They have few rows, and so no slices.
    return this.commitBatch(this.shared.splice(0, MAX_WRITES_PER_COMMIT), () => Promise.resolve());
  }

  private async commitBatch(batch: readonly Waiting[], whileSending: () => Promise<void>): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.commit(
        batch.map(({ list }) => list),
        whileSending,
      );
      this.commits++;
      this.shared.unshift(...batch.slice(results.length));
      for (const [index, result] of results.entries()) this.report(batch[index]!, result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private report(waiting: Waiting, result: ThreadResult): void {
    const interruptions = waiting.interruptions + 1;
    const isInterrupted = this.dryRun?.waiting === waiting && this.dryRun.isInterrupted;
    const isEnded = result.kind === 'rejected' && result.error.code === '57014';
    if (isInterrupted && isEnded && interruptions < DRY_RUN_ATTEMPTS) {
      this.separate.push({ ...waiting, since: performance.now(), interruptions });
      return;
    }
    this.writes++;
    try {
      waiting.resolve(settle(result));
    } catch (error) {
      waiting.reject(error);
    }
  }
}

/** The number of rows that the writes name; a change by a filter counts as one. */
function rowsIn({ writes }: WriteList): number {
  return writes.reduce((rows, { plan }) => rows + rowsInBody(plan), 0);
}

function tooManyWrites(isQuick: boolean): ApiError {
  return notWritten(
    isQuick ? 'too many writes are waiting' : 'too many costly writes are waiting',
    isQuick ? 'Try again in a moment.' : 'Try again in a moment, or name the rows by their keys.',
  );
}

function waitedTooLong(seconds: number): ApiError {
  return notWritten(`the write has waited for ${seconds} s`, 'Other writes take long. Try again in a moment.');
}

function notWritten(message: string, hint: string): ApiError {
  return new ApiError('CAT503', message, { nothingChanged: true, hint, headers: { 'retry-after': '1' } });
}
