/**
 * Attempts to log in, counted before the password is looked at. Some are free; after each further one that fails, the next has
 * to wait twice as long. By name and address together, so that a stranger hardly keeps a user out; and with more patience by
 * each alone, against many names from one address and many addresses for one name.
 */
import { Refusal } from '../errors.ts';
import { MAX_COUNTED_ATTEMPTS } from '../limits.ts';
import { hashOf, Remembered } from './remembered.ts';

interface Attempts {
  count: number;
  /** In milliseconds since 1970: from when on the next one is looked at. */
  after: number;
  at: number;
}

interface Patience {
  readonly free: number;
  readonly longestSeconds: number;
}

const PATIENCE = {
  both: { free: 5, longestSeconds: 300 },
  address: { free: 20, longestSeconds: 30 },
  name: { free: 50, longestSeconds: 60 },
} as const satisfies Record<string, Patience>;

/** After so long without any, all is forgotten. */
const FORGOTTEN_MS = 3_600_000;

export class Guesses {
  private readonly counted = new Remembered<Attempts>(MAX_COUNTED_ATTEMPTS);

  constructor(private readonly now: () => number = Date.now) {}

  /** Throws where it comes too soon. Call `succeeded` when it was right. */
  attempt(name: string, address: string): void {
    const now = this.now();
    const waits = this.entries(name, address).map(([entry]) => this.find(entry, now).after - now);
    const wait = Math.max(...waits);
    if (wait > 0) throw tooMany(Math.ceil(wait / 1000));
    for (const [entry, { free, longestSeconds }] of this.entries(name, address)) {
      const { count } = this.find(entry, now);
      const over = count + 1 - free;
      const pause = over < 0 ? 0 : Math.min(2 ** over, longestSeconds) * 1000;
      this.counted.set(entry, { count: count + 1, after: now + pause, at: now });
    }
  }

  /** What others have tried from this address, or for this name from elsewhere, still counts. */
  succeeded(name: string, address: string): void {
    const [[both], ...others] = this.entries(name, address);
    this.counted.delete(both);
    for (const [entry] of others) {
      const { count, at } = this.find(entry, this.now());
      this.counted.set(entry, { count: Math.max(0, count - 1), after: 0, at });
    }
  }

  get size(): number {
    return this.counted.size;
  }

  private entries(name: string, address: string): [[string, Patience], ...[string, Patience][]] {
    const network = networkOf(address);
    const user = hashOf(name);
    return [
      [`${user} ${network}`, PATIENCE.both],
      [network, PATIENCE.address],
      [user, PATIENCE.name],
    ];
  }

  private find(entry: string, now: number): Attempts {
    const known = this.counted.get(entry);
    return known === undefined || now - known.at > FORGOTTEN_MS ? { count: 0, after: 0, at: now } : known;
  }
}

/** Whoever has one IPv6 address has all of its network: the first 64 bits. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const given = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - given.length - rest.length);
  return [...given, ...Array<string>(missing).fill('0'), ...rest].slice(0, 4).join(':');
}

function tooMany(seconds: number): Refusal {
  return new Refusal('CAT429', 'too many attempts to log in', {
    hint: `Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}
