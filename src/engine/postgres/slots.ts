/**
 * Connections for what may take long: large results, which hold one for as long as their clients take, and costly statements.
 * Each kind may have about a third of a pool, never all of it. The driver sends quick statements on any connection, one behind
 * the other: so costly ones have a connection of their own.
 */
import type { SQL } from 'bun';
import { MAX_WAITING_READS } from '../../limits.ts';
import { type Runner, reserve } from './driver.ts';
import { busy } from './refusals.ts';

const WAIT_MS = 5_000;

export type Kind = 'large result' | 'costly statement';

export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Resolves to what gives the slot back. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await this.wait();
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    };
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= MAX_WAITING_READS) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(busy());
      }, this.waitMs);
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(proceed);
    });
  }
}

/** Of a pool of so many connections. Two are too few to be divided: one of them is for both kinds. */
export function slotsFor(connections: number): Readonly<Record<Kind, Slots>> {
  if (connections <= 2) {
    const one = new Slots(1);
    return { 'large result': one, 'costly statement': one };
  }
  return {
    'large result': new Slots(Math.ceil(connections / 3)),
    'costly statement': new Slots(Math.floor(connections / 3)),
  };
}

const slotsOf = new WeakMap<SQL, ReturnType<typeof slotsFor>>();

export function takeSlot(pool: SQL, kind: Kind): Promise<() => void> {
  const slots = slotsOf.get(pool) ?? slotsFor(pool.options.max ?? 10);
  slotsOf.set(pool, slots);
  return slots[kind].take();
}

/** Quick work is done on whatever connection, costly work on one of its own. */
export async function onConnection<T>(
  pool: SQL,
  isQuick: boolean,
  work: (connection: Runner) => Promise<T>,
): Promise<T> {
  if (isQuick) return work(pool);
  const giveBack = await takeSlot(pool, 'costly statement');
  try {
    const connection = await reserve(pool);
    try {
      return await work(connection);
    } finally {
      // One that broke has gone already.
      await connection.release().catch(() => undefined);
    }
  } finally {
    giveBack();
  }
}
