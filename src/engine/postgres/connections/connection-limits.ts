/**
 * Connections for what may take long: large results, which hold one for as long as their clients take, costly statements, and
 * writes, which may have to wait for a row that another one changes. Each kind may have a part of a pool, never all of it. The
 * driver sends other statements on any connection, one behind the other: so these have a connection of their own.
 */
import type { ReservedSQL, SQL } from 'bun';
import { MAX_WAITING_STATEMENTS } from '../../../limits.ts';
import { reserve } from '../driver.ts';
import { crowded } from '../refusals.ts';
import { release } from './connection-memory.ts';

const WAIT_MS = 5_000;

export type Kind = 'large result' | 'costly read' | 'costly write' | 'write';

export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    /** How many may wait for one. */
    private readonly most = MAX_WAITING_STATEMENTS,
  ) {}

  /** Resolves to what gives the slot back. */
  async take(kind: Kind): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await this.wait(kind);
    let given = false;
    return () => {
      if (given) return;
      given = true;
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
 * Of a pool of so many connections: a share for each kind that is slow, and one that is kept for quick reads. Writes may have all
 * others but one: whatever rows they wait for, slow reads go on.
 */
export function slotsFor(connections: number): Readonly<Record<Kind, readonly Slots[]>> {
  const share = Math.max(1, Math.floor(connections / 5));
  const most = Math.max(1, connections - share);
  const all = new Slots(most, Number.POSITIVE_INFINITY);
  const writes = new Slots(Math.max(1, most - 1), Number.POSITIVE_INFINITY);
  const large = new Slots(share);
  // Of a few connections one is for several kinds, so that writes by key have one, too.
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

/** Resolves to what gives it back. */
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

/** Work on a connection of its own. */
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
