/**
 * Runs reads and writes on a replica or the primary. It retries on a new connection if one broke, and after a conflict
 * with another transaction. Failures that remain become errors for the client.
 */
import type { Collection } from '../../collection/declaration.ts';
import { isOwn } from '../../collection/own-collections.ts';
import type { DatabaseSession } from '../engine.ts';
import type { Pool } from './connections/pool.ts';
import { ConnectionUnresponsive, inSession, isFull, isLoss, isStaleStatement, isTransient } from './errors.ts';
import type { ConnectionManager } from './primary/connection-manager.ts';
import type { ReplicaSet } from './replicas/replica-set.ts';
import { UnconfirmedCommit } from './write/transaction.ts';

type Work<T> = (pool: Pool) => Promise<T>;
type Translate = (error: unknown) => unknown;

export class Executor {
  constructor(
    private readonly primary: ConnectionManager,
    private readonly replicas: ReplicaSet | undefined,
    private readonly translate: Translate,
    private readonly running = { count: 0 },
  ) {}

  /** For the requests of a session of the database. */
  in(session: DatabaseSession): Executor {
    const translate: Translate = (error) => inSession(this.translate(error), session);
    return new Executor(this.primary, this.replicas, translate, this.running);
  }

  get size(): number {
    return this.running.count;
  }

  /** Resolves when no request is in progress, or after these seconds. */
  async settled(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (this.size > 0 && performance.now() < end) await Bun.sleep(5);
  }

  read<T>(about: Collection, work: Work<T>, after?: string): Promise<T> {
    // A replica may still hold a key that was revoked.
    const replica = this.replicas === undefined || isOwn(about) ? undefined : this.replicas.pick(after);
    if (replica === undefined) return this.onPrimary(work);
    return this.run(replica.pool, work, async (error) => {
      // The primary can do what a replica cannot, such as keep a row that replay removes.
      if (!isLoss(error) && !isTransient(error)) throw this.translate(error);
      if (isLoss(error)) this.replicas?.reportLoss(replica);
      return this.onPrimary(work);
    });
  }

  write<T>(work: Work<T>, translate?: Translate): Promise<T> {
    return this.onPrimary(work, translate, true);
  }

  /** Not an async function: a short read is one step, and every read would pay for a second one. */
  onPrimary<T>(work: Work<T>, translate: Translate = this.translate, isWrite = false, attempt = 1): Promise<T> {
    const pool = this.primary.getPool();
    if (pool instanceof Promise) return pool.then((found) => this.attempt(found, work, translate, isWrite, attempt));
    return this.attempt(pool, work, translate, isWrite, attempt);
  }

  private attempt<T>(pool: Pool, work: Work<T>, translate: Translate, isWrite: boolean, attempt: number): Promise<T> {
    return this.run(pool, work, async (error) => {
      const isUnconfirmed = error instanceof UnconfirmedCommit;
      const cause = isUnconfirmed ? error.cause : error;
      // An unresponsive connection does not prove that its server is down. The heartbeat checks the server.
      if (isLoss(cause) && !(cause instanceof ConnectionUnresponsive)) this.primary.reportLoss(cause, pool);
      if (isUnconfirmed) throw error.response;
      // Any other write that failed is not stored. It may run again, unless it would come late, and wait for locks of
      // the attempt before.
      const pause = isWrite && error instanceof ConnectionUnresponsive ? undefined : pauseBeforeRetry(error, attempt);
      if (pause === undefined) throw await translate(error);
      await Bun.sleep(pause);
      return this.onPrimary(work, translate, isWrite, attempt + 1);
    });
  }

  private run<T>(pool: Pool, work: Work<T>, recover: (error: unknown) => Promise<T>): Promise<T> {
    const { running } = this;
    running.count++;
    const fail = (error: unknown) => {
      running.count--;
      return recover(error);
    };
    try {
      return work(pool).then((result) => {
        running.count--;
        return result;
      }, fail);
    } catch (error) {
      return fail(error);
    }
  }
}

/** More than a pool has connections. */
const MAX_STALE = 200;

/** In milliseconds; undefined if the client gets the error. */
function pauseBeforeRetry(error: unknown, attempt: number): number | undefined {
  if (isLoss(error)) return attempt < 3 ? 0 : undefined;
  // Each connection has prepared its own statement.
  if (isStaleStatement(error) && attempt < MAX_STALE) return 0;
  if (attempt >= 5) return undefined;
  // Other requests may return a connection, or end the transaction in conflict.
  if (isFull(error)) return 100 * attempt;
  return isTransient(error) ? Math.random() * 10 * 2 ** attempt : undefined;
}
