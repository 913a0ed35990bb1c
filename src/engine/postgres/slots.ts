/** Large results hold a connection for as long as their clients take: they may have half of a pool, never all of it. */
import type { SQL } from 'bun';
import { busy } from './refusals.ts';

const WAIT_MS = 5_000;

interface Slots {
  free: number;
  readonly waiting: (() => void)[];
}

const slotsOf = new WeakMap<SQL, Slots>();

/** Resolves to what gives the slot back. */
export async function takeSlot(pool: SQL): Promise<() => void> {
  const slots = slotsOf.get(pool) ?? { free: Math.max(1, Math.floor((pool.options.max ?? 10) / 2)), waiting: [] };
  slotsOf.set(pool, slots);
  if (slots.free > 0) slots.free--;
  else await wait(slots);
  let given = false;
  return () => {
    if (given) return;
    given = true;
    const next = slots.waiting.shift();
    if (next === undefined) slots.free++;
    else next();
  };
}

function wait(slots: Slots): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      slots.waiting.splice(slots.waiting.indexOf(proceed), 1);
      reject(busy());
    }, WAIT_MS);
    const proceed = () => {
      clearTimeout(timer);
      resolve();
    };
    slots.waiting.push(proceed);
  });
}
