/**
 * Connection limits: how many connections of a pool each kind of slow work may hold. Slow work is large results (held
 * as long as the client reads), costly statements, searches, and writes (which may wait for a locked row). Each runs on
 * a dedicated connection, because the driver queues the statements of a shared connection behind each other.
 */
import { MAX_QUEUE_SECONDS, MAX_WAITING_STATEMENTS } from '../../../base/limits/engine.ts';
import { unavailable } from '../errors.ts';

export type Kind = 'large result' | 'costly read' | 'lookup' | 'search' | 'costly write' | 'write' | 'read';

/** A counting semaphore with a bounded queue. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    /** The length of the queue. */
    private readonly maxWaiting = MAX_WAITING_STATEMENTS,
  ) {}

  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

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

  private async wait(kind: Kind): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const tooMany = unavailable(`Too many ${kind}s are waiting for PostgreSQL`);
    if (this.waiting.length >= this.maxWaiting) throw tooMany;
    this.waiting.push(resolve);
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(resolve), 1);
      reject(tooMany);
    }, MAX_QUEUE_SECONDS * 1000);
    await promise.finally(() => clearTimeout(timer));
  }
}

/**
 * The slots of a pool: a fifth for each slow kind, half of that for searches, and a fifth that only quick reads use.
 * Writes may hold all others but one, so that slow reads continue while writes wait for locked rows.
 */
export function connectionLimits(connections: number): Readonly<Record<Kind, readonly Semaphore[]>> {
  const share = Math.max(1, Math.floor(connections / 5));
  const most = Math.max(1, connections - share);
  const all = new Semaphore(most, Number.POSITIVE_INFINITY);
  const writes = new Semaphore(Math.max(1, most - 1), Number.POSITIVE_INFINITY);
  const large = new Semaphore(share);
  // In a small pool several kinds share one connection, so that writes by key also get one.
  const costlyReads = connections > 4 ? new Semaphore(share) : large;
  const searches = connections > 5 ? new Semaphore(Math.ceil(share / 2)) : costlyReads;
  const costlyWrites = connections > 3 ? new Semaphore(share) : large;
  return {
    'large result': [large, all],
    'costly read': [costlyReads, all],
    // Lookups of the service wait for each other only, and are short. They use a connection of the quick reads.
    lookup: connections > 2 ? [new Semaphore(1)] : [costlyReads, all],
    search: [searches, all],
    'costly write': connections > 3 ? [costlyWrites, writes, all] : [costlyWrites, all],
    write: [writes, all],
    // Cheap reads in a transaction of their own, which only sessions have.
    read: [new Semaphore(connections)],
  };
}

/** Takes a slot of each, in this order. Resolves to a function that returns them. */
export async function takeSlots(slots: readonly Semaphore[], kind: Kind): Promise<() => void> {
  const returns: (() => void)[] = [];
  const giveBack = () => {
    for (const each of returns) each();
  };
  try {
    for (const each of slots) returns.push(await each.take(kind));
    return giveBack;
  } catch (error) {
    giveBack();
    throw error;
  }
}
