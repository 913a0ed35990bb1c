/**
 * Reads and writes, each tried until it is answered or there is no sense in it: on a standby or the primary, again on a
 * new connection where one broke, again where another transaction was in the way. What is refused at last is a refusal.
 */
import type { SQL } from 'bun';
import type { Collection } from '../../collection/declaration.ts';
import { isOwn } from '../../collection/own.ts';
import { NoAnswer, type SessionSettings } from './driver.ts';
import type { Link } from './link.ts';
import { LostAnswer } from './lost-answers.ts';
import { type Apart, Pending } from './pending.ts';
import { isFull, isLoss, isTransient, surelyUndone, translateError, unconfirmed } from './refusals.ts';
import type { Replicas } from './replicas.ts';
import { againIfInTheWay, MAX_ATTEMPTS, pauseBefore, UnconfirmedCommit } from './transaction.ts';

/** A connection that broke is replaced twice before a reader hears of it: reading again does no harm. */
const MAX_CONNECTIONS = 3;

/** A read says where it has a connection of its own. */
type Work<T> = (pool: SQL, piece: Apart) => Promise<T>;

export class Attempts {
  /** On the server that writes. */
  private readonly reads: Pending;
  private readonly writes: Pending;
  /** Reads on standbys, which look after themselves. */
  private readonly away: Pending;

  constructor(
    private readonly link: Link,
    private readonly replicas: Replicas | undefined,
    { querySeconds, connectSeconds }: SessionSettings,
  ) {
    const longest = (querySeconds * 2 + connectSeconds) * 1000;
    this.reads = new Pending(longest, () => void this.doubt());
    this.writes = new Pending(longest, () => void this.doubt());
    this.away = new Pending(longest, () => void this.doubtStandbys());
  }

  get size(): number {
    return this.reads.size + this.writes.size + this.away.size;
  }

  async settled(seconds: number): Promise<void> {
    await Promise.all([this.reads, this.writes, this.away].map((each) => each.settled(seconds)));
  }

  reading<T>(about: Collection, work: Work<T>, after?: string): Promise<T> {
    // A key that was revoked must not be read from where it is still there.
    const standby = this.replicas === undefined || isOwn(about) ? undefined : this.replicas.pick(after);
    if (standby === undefined) return this.onPrimary(about, work, 1);
    return this.away.add(
      (piece) => work(standby.pool, piece),
      async (error) => {
        // Whatever a standby cannot do, such as keep a row that replay wants to remove, the primary can.
        if (!isLoss(error) && !isTransient(error)) throw translateError(error, about);
        this.replicas?.lost(standby);
        return this.onPrimary(about, work, 1);
      },
    );
  }

  async writing<T>(about: Collection, work: (pool: SQL) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const pool = await this.link.current();
      try {
        return await this.writes.add(() => againIfInTheWay(() => work(pool)));
      } catch (error) {
        if (error instanceof UnconfirmedCommit) {
          if (error.cause !== undefined) this.link.lost(error.cause, pool);
          throw error.refusal;
        }
        if (isFull(error) && attempt < MAX_ATTEMPTS) {
          await pauseWhileFull(attempt);
          continue;
        }
        if (!isLoss(error)) throw translateError(error, about);
        this.link.lost(error, pool);
        if (error instanceof NoAnswer) throw unconfirmed();
        if (attempt >= 2 || !surelyUndone(error)) throw translateError(error, about);
      }
    }
  }

  /** Reads on a shared connection cannot be told apart: all of them are made again, where one was lost. */
  private async doubt(): Promise<void> {
    const problem = await this.link.doubt(() => this.reads.oldestShared());
    if (problem instanceof LostAnswer) this.reads.giveUp(problem);
  }

  private async doubtStandbys(): Promise<void> {
    const lost = await this.replicas?.doubt(() => this.away.oldestShared());
    if (lost !== undefined) this.away.giveUp(lost);
  }

  /** Not an async function: the usual case is one step, and each further one would be paid by every read. */
  private onPrimary<T>(about: Collection, work: Work<T>, attempt: number): Promise<T> {
    const pool = this.link.current();
    if (pool instanceof Promise) return pool.then((found) => this.on(about, found, work, attempt));
    return this.on(about, pool, work, attempt);
  }

  private on<T>(about: Collection, pool: SQL, work: Work<T>, attempt: number): Promise<T> {
    return this.reads.add(
      (piece) => work(pool, piece),
      async (error) => {
        if ((isTransient(error) || isFull(error)) && attempt < MAX_ATTEMPTS) {
          await (isFull(error) ? pauseWhileFull : pauseBefore)(attempt);
          return this.onPrimary(about, work, attempt + 1);
        }
        if (!isLoss(error)) throw translateError(error, about);
        this.link.lost(error, pool);
        if (attempt >= MAX_CONNECTIONS || error instanceof NoAnswer) throw translateError(error, about);
        return this.onPrimary(about, work, attempt + 1);
      },
    );
  }
}

/** Until others have given a connection back. */
function pauseWhileFull(attempt: number): Promise<void> {
  return Bun.sleep(100 * attempt);
}
