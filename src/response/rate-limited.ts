/** Rate limit: counts a request for its caller, or for the client's address if it is not authenticated. */
import type { Admit } from './authenticate.ts';
import { type Edges, isLimited } from './edge-checks.ts';
import type { Middleware, Responder } from './request-context.ts';

/** Invalid credentials count for the client's address; the request is rejected for them afterwards. */
export function withLimit(limit: Edges['limit'], admit: Admit | undefined): Middleware {
  return (next) => {
    if (limit === undefined) return next;
    const counted: Responder = (request, trace) => {
      limit(request, trace);
      return next(request, trace);
    };
    if (admit === undefined) return counted;
    return (request, trace) => {
      if (!isLimited(trace.place)) return next(request, trace);
      const authenticated = settled(() => admit(request, trace));
      return authenticated === undefined ? counted(request, trace) : authenticated.then(() => counted(request, trace));
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
