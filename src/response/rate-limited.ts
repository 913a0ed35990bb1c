/** Rate limit: counts a request for its caller, or for the client's address if it is not authenticated. */
import type { Catalogue } from '../collection/declaration.ts';
import type { Authenticate } from './authenticate.ts';
import { type EdgeChecks, isRateLimited } from './edge-checks.ts';
import type { Middleware, Responder } from './request-context.ts';

/** Invalid credentials count for the client's address; the request is rejected for them afterwards. */
export function withRateLimit(
  limit: EdgeChecks['limit'],
  authenticate: Authenticate | undefined,
  catalogue: Catalogue,
): Middleware {
  return (next) => {
    if (limit === undefined) return next;
    const counted: Responder = (request, context) => {
      if (isRateLimited(context.location, catalogue)) limit(request, context);
      return next(request, context);
    };
    if (authenticate === undefined) return counted;
    return (request, context) => {
      if (!isRateLimited(context.location, catalogue)) return next(request, context);
      const authenticated = settled(() => authenticate(request, context));
      return authenticated === undefined
        ? counted(request, context)
        : authenticated.then(() => counted(request, context));
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
