/** Caches keys and sessions for a moment. If any process revokes one, the service rejects it within a second. */

import { CREDENTIAL_CACHE_MS, MAX_CACHED_CREDENTIALS } from '../base/limits/auth.ts';
import { LruCache } from '../base/memo.ts';
import type { Caller } from '../collection/access/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { hashOf } from './secret-text.ts';

export interface CachedCredential {
  readonly caller: Caller;
  /** In milliseconds since 1970. */
  readonly endsAt: number;
}

interface Entry extends CachedCredential {
  /** By performance.now(). */
  readonly until: number;
}

export class CredentialCache {
  private readonly cache = new LruCache<Entry>(MAX_CACHED_CREDENTIALS);
  private readonly pending = new Map<string, Promise<Caller>>();

  /** `find` throws an `ApiError` if the credential does not exist or has ended, `checkRole` for an undeclared role. */
  constructor(
    private readonly find: (hash: string, text: string) => MaybePromise<CachedCredential>,
    private readonly checkRole: (caller: Caller) => void,
  ) {}

  callerOf(text: string): MaybePromise<Caller> {
    const hash = hashOf(text);
    const cached = this.cache.get(hash);
    if (cached !== undefined && performance.now() < cached.until && Date.now() < cached.endsAt) return cached.caller;
    return this.pending.get(hash) ?? this.lookUp(hash, text, cached?.caller);
  }

  /** Affects this process; others notice by themselves. */
  forget(text: string): void {
    this.cache.delete(hashOf(text));
  }

  private lookUp(hash: string, text: string, previous: Caller | undefined): MaybePromise<Caller> {
    const startedAt = performance.now();
    const remember = ({ caller: current, endsAt }: CachedCredential): Caller => {
      this.checkRole(current);
      // The same object while nothing changes, since results are memoized per caller.
      const caller = JSON.stringify(current) === JSON.stringify(previous) ? previous! : current;
      this.cache.set(hash, { caller, endsAt, until: startedAt + CREDENTIAL_CACHE_MS });
      return caller;
    };
    this.cache.delete(hash);
    const lookup = this.find(hash, text);
    if (!(lookup instanceof Promise)) return remember(lookup);
    // Concurrent requests share the lookup.
    const pending = lookup.then(remember).finally(() => this.pending.delete(hash));
    this.pending.set(hash, pending);
    return pending;
  }
}
