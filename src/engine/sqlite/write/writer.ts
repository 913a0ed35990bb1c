/**
 * The queue of writes. Quick writes that arrive during a commit share the next one. A costly write, or one of many
 * rows, has its own commit, in the order of arrival of its kind, and alternates with the others. Commits run on the
 * writer thread, so that syncing the disk never delays a read. A write that waits too long is rejected with 503, and
 * nothing of it is stored.
 */
import { ApiError } from '../../../base/errors.ts';
import {
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
 */
export type Commit = (lists: readonly WriteList[]) => MaybePromise<readonly ThreadResult[]>;

interface Waiting {
  readonly list: WriteList;
  readonly isQuick: boolean;
  readonly resolve: (results: readonly WriteResult[]) => void;
  readonly reject: (error: unknown) => void;
  /** As performance.now() returns it. */
  readonly since: number;
}

/** The interval of checks for writes that have waited too long. */
const CHECK_MS = 250;

export class Writer {
  commits = 0;
  writes = 0;
  /** The writes that share commits, and those that do not. */
  private readonly shared: Waiting[] = [];
  private readonly separate: Waiting[] = [];
  /** Whether the last separate write was a dry run; undefined before the first. */
  private wasDryRun: boolean | undefined;
  private busy = false;
  private idle: (() => void) | undefined;

  constructor(
    private readonly commit: Commit,
    private readonly queueSeconds = MAX_QUEUE_SECONDS,
  ) {}

  write(list: WriteList, isQuick: boolean): Promise<readonly WriteResult[]> {
    return new Promise((resolve, reject) => {
      const costly = this.separate.filter((each) => !each.isQuick && each.list.dryRun === list.dryRun);
      const isFull = isQuick ? this.waitingCount >= MAX_WAITING_STATEMENTS : costly.length >= MAX_WAITING_WRITES;
      if (isFull) return reject(tooManyWrites(isQuick));
      const queue = isQuick && rowsIn(list) <= MAX_SHARED_ROWS ? this.shared : this.separate;
      queue.push({ list, isQuick, resolve, reject, since: performance.now() });
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
    const checks = setInterval(() => this.rejectExpired(), CHECK_MS);
    while (this.waitingCount > 0) {
      await this.commitBatch(this.shared.splice(0, MAX_WRITES_PER_COMMIT));
      await this.commitBatch(this.takeSeparate());
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

  /** Dry runs alternate with writes that store, so that neither kind displaces the other. */
  private takeSeparate(): Waiting[] {
    const next = this.separate.findIndex(({ list }) => list.dryRun !== this.wasDryRun);
    const taken = this.separate.splice(Math.max(0, next), 1);
    this.wasDryRun = taken[0]?.list.dryRun ?? this.wasDryRun;
    return taken;
  }

  private async commitBatch(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.commit(batch.map(({ list }) => list));
      this.commits++;
      this.shared.unshift(...batch.slice(results.length));
      for (const [index, result] of results.entries()) this.report(batch[index]!, result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private report(waiting: Waiting, result: ThreadResult): void {
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
