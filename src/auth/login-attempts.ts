/**
 * Throttles login attempts, before the password is checked. Some attempts are free; after each further failure the
 * pause doubles. Attempts are counted by name and address together, so that a stranger can hardly lock a user out.
 * Higher limits apply to a name alone and to an address alone, against many addresses for one name and many names from
 * one address.
 */

import { ApiError } from '../base/errors.ts';
import { MAX_TRACKED_LOGINS } from '../base/limits/auth.ts';
import { LruCache } from '../base/memo.ts';
import { networkOf } from '../base/net/address.ts';
import { hashOf } from './secret-text.ts';

interface Attempts {
  count: number;
  /** By the monotonic clock, in milliseconds: the next attempt counts after this moment. */
  after: number;
  at: number;
}

const LIMITS = {
  both: { free: 5, longestSeconds: 300 },
  address: { free: 20, longestSeconds: 30 },
  name: { free: 50, longestSeconds: 60 },
};

type Kind = keyof typeof LIMITS;

/** Attempts are forgotten after this time without a new one. */
const FORGOTTEN_MS = 3_600_000;

export class LoginAttempts {
  /** One table per kind: many names must not evict the counts of an address. */
  private readonly attempts = {
    both: new LruCache<Attempts>(MAX_TRACKED_LOGINS),
    address: new LruCache<Attempts>(MAX_TRACKED_LOGINS),
    name: new LruCache<Attempts>(MAX_TRACKED_LOGINS),
  };

  /** A monotonic clock: setting the system clock must not lengthen or end a pause. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Throws if the attempt comes too soon. Call `succeeded` if the password was right. */
  attempt(name: string, address: string): void {
    const now = this.now();
    const entries = this.entries(name, address, now);
    const wait = Math.max(...entries.map(([, , { after }]) => after - now));
    if (wait > 0) throw tooMany(Math.ceil(wait / 1000));
    for (const [kind, entry, { count }] of entries) {
      const { free, longestSeconds } = LIMITS[kind];
      const over = count + 1 - free;
      const pause = over < 0 ? 0 : Math.min(2 ** over, longestSeconds) * 1000;
      this.attempts[kind].set(entry, { count: count + 1, after: now + pause, at: now });
    }
  }

  /** Other attempts from this address, or for this name from other addresses, still count. */
  succeeded(name: string, address: string): void {
    for (const [kind, entry, { count, at }] of this.entries(name, address, this.now())) {
      if (kind === 'both') this.attempts.both.delete(entry);
      else this.attempts[kind].set(entry, { count: Math.max(0, count - 1), after: 0, at });
    }
  }

  private entries(name: string, address: string, now: number): [kind: Kind, entry: string, known: Attempts][] {
    const network = networkOf(address);
    const user = hashOf(name);
    const entries = { both: `${user} ${network}`, address: network, name: user };
    return (Object.entries(entries) as [Kind, string][]).map(([kind, entry]) => {
      const earlier = this.attempts[kind].get(entry);
      const isForgotten = earlier === undefined || now - earlier.at > FORGOTTEN_MS;
      return [kind, entry, isForgotten ? { count: 0, after: 0, at: now } : earlier];
    });
  }
}

function tooMany(seconds: number): ApiError {
  return new ApiError('CAT429', 'too many attempts to log in', {
    hint: `Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}
