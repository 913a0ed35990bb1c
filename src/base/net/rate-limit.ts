/**
 * Counts the requests of clients with the generic cell rate algorithm (ITU-T I.371). For each client it stores one
 * number: the time at which its full rate is available again. Each request moves that time. The numbers are in a table
 * of fixed size that several processes may share. A client's hash selects a set of slots. A new client takes the slot
 * of the client that has used the least.
 */
import { RATE_TABLE_CLIENTS } from '../limits/http.ts';
import type { Rate } from './rate.ts';

export interface RateState {
  readonly isAllowed: boolean;
  readonly rate: Rate;
  /** Requests that may follow immediately. */
  readonly remaining: number;
  /** Seconds until the full rate is available. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed; 0 if it is allowed now. */
  readonly retrySeconds: number;
}

/** Slots per client, of two numbers each: its hash, and the time in milliseconds. */
const PLACES = 8;
const SETS = RATE_TABLE_CLIENTS / PLACES;
export const RATE_TABLE_BYTES = RATE_TABLE_CLIENTS * 2 * Float64Array.BYTES_PER_ELEMENT;

export class RateLimiter {
  private readonly table: Float64Array;

  /** `memory` has RATE_TABLE_BYTES, initially 0; it is allocated if absent. */
  constructor(memory: Uint8Array = new Uint8Array(RATE_TABLE_BYTES)) {
    this.table = new Float64Array(memory.buffer, memory.byteOffset, RATE_TABLE_CLIENTS * 2);
  }

  /** Takes one request of `who`, or as much as `cost` says; a request that is not allowed costs nothing. */
  take(who: string, rate: Rate, { now = monotonicNow(), cost: units = 1 } = {}): RateState {
    const { table } = this;
    const window = rate.seconds * 1000;
    const cost = (units * window) / rate.count;
    const place = this.find(Number(Bun.hash.xxHash32(who)));
    const spent = table[place + 1]! - now;
    // More than the window can be spent only if another process began before the system clock was set back.
    const before = spent > 0 && spent <= window ? spent : 0;
    const isAllowed = before + cost <= window + ROUNDING_MS;
    const after = isAllowed ? before + cost : before;
    table[place + 1] = now + after;
    const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));
    return {
      isAllowed,
      rate,
      remaining: Math.max(0, Math.floor((window - after + ROUNDING_MS) / cost)),
      resetSeconds: seconds(after),
      retrySeconds: isAllowed ? 0 : seconds(before + cost - window),
    };
  }

  private find(hash: number): number {
    const { table } = this;
    const first = (hash % SETS) * PLACES * 2;
    // 0 means an empty slot.
    const name = hash + 1;
    let least = first;
    for (let place = first; place < first + PLACES * 2; place += 2) {
      if (table[place] === name) return place;
      if (table[place + 1]! < table[least + 1]!) least = place;
    }
    table[least] = name;
    table[least + 1] = 0;
    return least;
  }
}

/** Monotonic milliseconds, equal in all processes of a machine unless the system clock is set between their starts. */
function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Compensates for rounding: three thirds of a second are less than one. */
const ROUNDING_MS = 0.001;
