/**
 * Runs reads and writes on a replica or the primary. It retries on a new connection if one broke, and after a conflict with
 * another transaction. Failures that remain become errors for the client.
 */
import type { SQL } from 'bun';
import type { Collection } from '../../collection/declaration.ts';
import { isOwn } from '../../collection/own-collections.ts';
import { SilentConnection } from './connections/in-flight.ts';
import { isFull, isLoss, isTransient, translateError } from './errors.ts';
import type { ConnectionManager } from './primary/connection-manager.ts';
import type { ReplicaSet } from './replicas/replica-set.ts';
import { MAX_ATTEMPTS, pauseBefore, retryOnConflict, UnconfirmedCommit } from './write/transaction.ts';

/** Connections that a request tries before its client gets 503. */
const MAX_CONNECTIONS = 3;

type Work<T> = (pool: SQL) => Promise<T>;

export class Executor {
  /** Requests in progress. */
  size = 0;

  constructor(
    private readonly primary: ConnectionManager,
    private readonly replicas: ReplicaSet | undefined,
  ) {}

  /** Resolves when no request is in progress, or after these seconds. */
  async settled(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (this.size > 0 && performance.now() < end) await Bun.sleep(5);
  }

  read<T>(about: Collection, work: Work<T>, after?: string): Promise<T> {
    // A replica may still hold a key that was revoked.
    const replica = this.replicas === undefined || isOwn(about) ? undefined : this.replicas.pick(after);
    if (replica === undefined) return this.readPrimary(about, work, 1);
    return this.run(replica.pool, work, (error) => {
      // The primary can do what a replica cannot, such as keep a row that replay removes.
      if (!isLoss(error) && !isTransient(error)) throw translateError(error, about);
      if (isLoss(error)) this.replicas?.lost(replica);
      return this.readPrimary(about, work, 1);
    });
  }

  async write<T>(about: Collection, work: Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const pool = await this.primary.current();
      try {
        return await this.run(pool, () => retryOnConflict(() => work(pool)));
      } catch (error) {
        if (error instanceof UnconfirmedCommit) {
          this.report(error.cause, pool);
          throw error.refusal;
        }
        if (isFull(error) && attempt < MAX_ATTEMPTS) {
          await pauseWhileFull(attempt);
          continue;
        }
        if (!isLoss(error)) throw translateError(error, about);
        this.report(error, pool);
        // Without an UnconfirmedCommit no commit was sent: the write is not stored, and may run again.
        if (attempt >= MAX_CONNECTIONS || error instanceof SilentConnection) throw translateError(error, about);
      }
    }
  }

  /** Not an async function: a short read is one step, and every read would pay for a second one. */
  private readPrimary<T>(about: Collection, work: Work<T>, attempt: number): Promise<T> {
    const pool = this.primary.current();
    if (pool instanceof Promise) return pool.then((found) => this.readFrom(found, about, work, attempt));
    return this.readFrom(pool, about, work, attempt);
  }

  private readFrom<T>(pool: SQL, about: Collection, work: Work<T>, attempt: number): Promise<T> {
    return this.run(pool, work, async (error) => {
      if ((isTransient(error) || isFull(error)) && attempt < MAX_ATTEMPTS) {
        await (isFull(error) ? pauseWhileFull : pauseBefore)(attempt);
        return this.readPrimary(about, work, attempt + 1);
      }
      if (!isLoss(error)) throw translateError(error, about);
      this.report(error, pool);
      if (attempt >= MAX_CONNECTIONS) throw translateError(error, about);
      return this.readPrimary(about, work, attempt + 1);
    });
  }

  private run<T>(pool: SQL, work: Work<T>, recover?: (error: unknown) => Promise<T>): Promise<T> {
    this.size++;
    const end = (error: unknown) => {
      this.size--;
      if (recover === undefined) throw error;
      return recover(error);
    };
    let started: Promise<T>;
    try {
      started = work(pool);
    } catch (error) {
      started = Promise.reject(error);
    }
    return started.then((result) => {
      this.size--;
      return result;
    }, end);
  }

  /** A silent connection says nothing about its server, which is checked while statements are slow. */
  private report(error: unknown, pool: SQL): void {
    if (error !== undefined && !(error instanceof SilentConnection)) this.primary.lost(error, pool);
  }
}

/** Waits until others may have returned a connection. */
function pauseWhileFull(attempt: number): Promise<void> {
  return Bun.sleep(100 * attempt);
}
