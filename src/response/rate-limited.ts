/** Rate limit: counts a request for its caller, or for the client's address if it is not authenticated. */
import type { Authenticate } from './authenticate.ts';
import { type EdgeChecks, isRateLimited } from './edge-checks.ts';
import type { Middleware } from './request-context.ts';

/** Invalid credentials count for the client's address; the request is rejected for them afterwards. */
export function withRateLimit(limit: EdgeChecks['limit'], authenticate: Authenticate | undefined): Middleware {
  return (next) => {
    if (limit === undefined) return next;
    return (context) => {
      if (!isRateLimited(context.call)) return next(context);
      const count = () => {
        limit(context);
        return next(context);
      };
      const authenticated = authenticate && settled(() => authenticate(context));
      return authenticated === undefined ? count() : authenticated.then(count);
    };
  };
}

/** A promise that never rejects; undefined if the work is already done. */
function settled(work: () => unknown): Promise<void> | undefined {
  try {
    const done = work();
    return done instanceof Promise ? done.then(nothing, nothing) : undefined;
  } catch {
    return undefined;
  }
}

const nothing = () => undefined;
