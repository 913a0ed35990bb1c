/**
 * Caches keys and sessions for a moment. If any process revokes one, the service rejects it within a second.
 */

import { CREDENTIAL_CACHE_MS, MAX_CACHED_CREDENTIALS } from '../base/limits/auth.ts';
import type { Caller } from '../collection/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { VerifiedCache } from './verified-cache.ts';

export interface CachedCredential {
  readonly caller: Caller;
  /** In milliseconds since 1970. */
  readonly endsAt: number;
}

interface Known extends CachedCredential {
  /** By performance.now(). */
  readonly until: number;
}

export class CredentialCache {
  private readonly known = new VerifiedCache<Known>(MAX_CACHED_CREDENTIALS);
  private readonly pending = new Map<string, Promise<Caller>>();

  /** `find` throws a `ApiError` if the credential does not exist or has ended. */
  constructor(private readonly find: (hash: string) => MaybePromise<CachedCredential>) {}

  callerOf(hash: string): MaybePromise<Caller> {
    const known = this.known.get(hash);
    if (known !== undefined && performance.now() < known.until && Date.now() < known.endsAt) return known.caller;
    return this.pending.get(hash) ?? this.look(hash, known?.caller);
  }

  /** Affects this process; others notice by themselves. */
  forget(hash: string): void {
    this.known.delete(hash);
  }

  private look(hash: string, before: Caller | undefined): MaybePromise<Caller> {
    const asked = performance.now();
    const remember = ({ caller: found, endsAt }: CachedCredential): Caller => {
      // The same object while nothing changes, since results are memoized per caller.
      const caller = JSON.stringify(found) === JSON.stringify(before) ? before! : found;
      this.known.set(hash, { caller, endsAt, until: asked + CREDENTIAL_CACHE_MS });
      return caller;
    };
    this.known.delete(hash);
    const found = this.find(hash);
    if (!(found instanceof Promise)) return remember(found);
    // Concurrent requests share the lookup.
    const pending = found.then(remember).finally(() => this.pending.delete(hash));
    this.pending.set(hash, pending);
    return pending;
  }
}
