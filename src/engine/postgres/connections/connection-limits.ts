/**
 * Connection limits: how many connections of a pool each kind of slow work may hold. Slow work is large results (held as long as
 * the client reads), costly statements, and writes (which may wait for a locked row). Each runs on a dedicated connection, because
 * the driver queues other statements behind each other on shared ones.
 */
import type { ReservedSQL, SQL } from 'bun';
import { MAX_WAITING_STATEMENTS } from '../../../base/limits/engine.ts';
import { reserve } from '../driver.ts';
import { crowded } from '../errors.ts';
import { release } from './connection-memory.ts';

const WAIT_MS = 5_000;

export type Kind = 'large result' | 'costly read' | 'costly write' | 'write';

/** A counting semaphore with a bounded queue. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    /** The length of the queue. */
    private readonly most = MAX_WAITING_STATEMENTS,
  ) {}

  /** Resolves to a function that returns the slot. */
  async take(kind: Kind): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await this.wait(kind);
    let isReturned = false;
    return () => {
      if (isReturned) return;
      isReturned = true;
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    };
  }

  private wait(kind: Kind): Promise<void> {
    if (this.waiting.length >= this.most) throw crowded(kind);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(crowded(kind));
      }, WAIT_MS);
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(proceed);
    });
  }
}

/**
 * The slots of a pool: a fifth for each slow kind, and a fifth that only quick reads use. Writes may hold all others but one, so
 * that slow reads go on while writes wait for locked rows.
 */
export function slotsFor(connections: number): Readonly<Record<Kind, readonly Slots[]>> {
  const share = Math.max(1, Math.floor(connections / 5));
  const most = Math.max(1, connections - share);
  const all = new Slots(most, Number.POSITIVE_INFINITY);
  const writes = new Slots(Math.max(1, most - 1), Number.POSITIVE_INFINITY);
  const large = new Slots(share);
  // In a small pool several kinds share one connection, so that writes by key also get one.
  const costlyReads = connections > 4 ? new Slots(share) : large;
  const costlyWrites = connections > 3 ? new Slots(share) : large;
  return {
    'large result': [large, all],
    'costly read': [costlyReads, all],
    'costly write': connections > 3 ? [costlyWrites, writes, all] : [costlyWrites, all],
    write: [writes, all],
  };
}

const slotsOf = new WeakMap<SQL, ReturnType<typeof slotsFor>>();

/** Resolves to a function that returns the slots. */
export async function takeSlot(pool: SQL, kind: Kind): Promise<() => void> {
  const slots = slotsOf.get(pool) ?? slotsFor(pool.options.max ?? 10);
  slotsOf.set(pool, slots);
  const taken: (() => void)[] = [];
  const giveBack = () => {
    for (const each of taken) each();
  };
  try {
    for (const each of slots[kind]) taken.push(await each.take(kind));
    return giveBack;
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** Runs work on a dedicated connection. */
export async function onDedicatedConnection<T>(
  pool: SQL,
  kind: Kind,
  work: (connection: ReservedSQL) => Promise<T>,
): Promise<T> {
  const giveBack = await takeSlot(pool, kind);
  try {
    const connection = await reserve(pool);
    try {
      return await work(connection);
    } finally {
      await release(connection);
    }
  } finally {
    giveBack();
  }
}
