/** Rate limits in shared memory: all processes of a service map one temporary file. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRate } from '../base/net/rate.ts';
import { RATE_TABLE_BYTES, RateLimiter } from '../base/net/rate-limit.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Log } from '../observe/log.ts';
import type { Limits } from '../response/edge-checks.ts';
import type { ServeSettings } from '../settings/by-command.ts';

/** Returns the configured limits, or undefined. Several processes share `file`. `counted` as in Limits. */
export function limitsOf(
  settings: ServeSettings,
  file: string | undefined,
  log: Log,
  counted?: Limits['counted'],
): Limits | undefined {
  const rate = parseRate(settings.rateLimit);
  if (rate === undefined && counted === undefined) return undefined;
  const memory = file === undefined ? undefined : attempt(log, () => Bun.mmap(file, { shared: true }));
  return { rate, counted, limiter: new RateLimiter(memory) };
}

/** Creates the shared file. Returns undefined if that fails: then each process counts for itself. */
export function makeRatesFile(log: Log): string | undefined {
  const file = join(tmpdir(), `catalogue-rates-${crypto.randomUUID()}`);
  return attempt(log, () => {
    writeFileSync(file, new Uint8Array(RATE_TABLE_BYTES), { flag: 'wx', mode: 0o600 });
    return file;
  });
}

function attempt<T>(log: Log, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const reason = (error as Error).message;
    log.write('warn', 'a worker counts requests for itself: the shared file cannot be used', { reason });
    return undefined;
  }
}

export function removeRatesFile(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}

/**
 * Counts named callers by name and others by address, with the rate of their role if it has one. Rejected credentials
 * count like none. If anonymous access is disabled, they count by the strictest rate.
 */
export function rateOfCaller(roles: NonNullable<Catalogue['roles']>, always: boolean): Limits['counted'] {
  const rates = [...roles.values()].flatMap(({ rate }) => rate ?? []);
  if (!always && rates.length === 0) return undefined;
  const [strictest] = rates.toSorted((one, other) => one.count / one.seconds - other.count / other.seconds);
  const rateOfRejected = roles.get(ANONYMOUS.role)?.rate ?? (always ? undefined : strictest);
  return ({ caller }) => {
    const rate = caller === undefined ? rateOfRejected : roles.get(caller.role)?.rate;
    const { name, identity } = caller ?? {};
    return {
      ...(name === undefined || identity === undefined ? {} : { who: identity }),
      ...(rate === undefined ? {} : { rate }),
    };
  };
}
