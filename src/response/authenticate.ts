/** Authentication and authorization of a request, for a catalogue with roles. */
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { type Access, authorize } from '../plan/access/permissions.ts';
import type { Retry } from '../plan/types.ts';
import { andThen, type Middleware, RequestContext } from './request-context.ts';

/** Identifies the caller by the credentials of a request, and rejects invalid credentials. */
export type Identify = (request: Request, context: RequestContext) => MaybePromise<Caller>;
export type Authenticate = (request: Request, context: RequestContext) => MaybePromise<Access>;

/** Creates the authenticator. Returns undefined for a catalogue without roles: every caller may do everything. */
export function authenticator(catalogue: Catalogue, identify: Identify = () => ANONYMOUS): Authenticate | undefined {
  if (catalogue.roles === undefined) return undefined;
  const authenticate = authorize(catalogue);
  return (request, context) => {
    context.authorization ??= settle(() =>
      andThen(identify(request, context), (caller) => {
        context.caller = caller;
        context.access = authenticate(caller);
        return context.access;
      }),
    );
    return context.authorization();
  };
}

/** Identifies the caller before the request is handled. A preflight request (OPTIONS) carries no credentials. */
export function withAuthentication(authenticate: Authenticate | undefined): Middleware {
  return (next) =>
    authenticate === undefined
      ? next
      : (request, context) =>
          context.method === 'OPTIONS'
            ? next(request, context)
            : andThen(authenticate(request, context), () => next(request, context));
}

/** Checks the credentials of a request again, also after its response began. Returns the caller's scope. */
export function repeatedCheck(
  authenticate: Authenticate | undefined,
  request: Request,
  { method, url, peer, location }: RequestContext,
): (() => MaybePromise<string>) | undefined {
  if (authenticate === undefined) return undefined;
  // A copy: the runtime may release the request.
  const copy = new Request('http://localhost', { headers: new Headers(request.headers) });
  return () => {
    const context = new RequestContext(method, url, undefined, false, peer);
    context.location = location;
    return andThen(authenticate(copy, context), ({ scope }) => scope);
  };
}

/** Runs the work once; each call of the result returns its value or throws its error. */
function settle<T>(work: () => MaybePromise<T>): () => MaybePromise<T> {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * The same key of another caller is another key, and uses another quota. Anonymous callers differ by their network.
 * Without roles, all callers have the same rights, so they share keys.
 */
export function scopeIdempotencyKey(retry: Retry, { access, caller, network }: RequestContext): Retry {
  if (access === undefined) return retry;
  const whom = [access.scope, caller?.identity ?? null, ...(caller?.identity === undefined ? [network] : [])];
  const owner = JSON.stringify(whom);
  const whose = JSON.stringify([...whom, retry.key]);
  return { ...retry, owner, key: new Bun.CryptoHasher('sha256').update(whose).digest('hex') };
}
