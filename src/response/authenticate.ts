/** Authentication and authorization of a request, for a catalogue with roles. */
import { ANONYMOUS, type Caller } from '../collection/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { type Admitted, admission } from '../plan/access/permissions.ts';
import type { Retry } from '../plan/types.ts';
import { andThen, type Middleware, type Trace } from './request-context.ts';

/** Identifies the caller by the credentials of a request, and rejects invalid credentials. */
export type Identify = (request: Request, trace: Trace) => MaybePromise<Caller>;
export type Admit = (request: Request, trace: Trace) => MaybePromise<Admitted>;

/** Undefined for a catalogue without roles: every caller may do everything. */
export function admitting(catalogue: Catalogue, identify: Identify = () => ANONYMOUS): Admit | undefined {
  if (catalogue.roles === undefined) return undefined;
  const admit = admission(catalogue);
  return (request, trace) => {
    trace.admission ??= settle(() =>
      andThen(identify(request, trace), (caller) => {
        trace.caller = caller;
        trace.admitted = admit(caller);
        return trace.admitted;
      }),
    );
    return trace.admission();
  };
}

/** Identifies the caller before the request is handled. A preflight request (OPTIONS) carries no credentials. */
export function byRole(admit: Admit | undefined): Middleware {
  return (next) =>
    admit === undefined
      ? next
      : (request, trace) =>
          trace.method === 'OPTIONS'
            ? next(request, trace)
            : andThen(admit(request, trace), () => next(request, trace));
}

/** Runs the work once; each call of the result returns its value or throws its error. */
function settle<T>(work: () => MaybePromise<T>): () => MaybePromise<T> {
  try {
    const found = work();
    return () => found;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The same key of another caller is another key, and uses another quota. */
export function ownRetry(retry: Retry, { admitted, caller }: Trace): Retry {
  if (admitted === undefined) return retry;
  const whom = [admitted.scope, caller?.identity ?? null];
  const owner = JSON.stringify(whom);
  const whose = JSON.stringify([...whom, retry.key]);
  return { ...retry, owner, key: new Bun.CryptoHasher('sha256').update(whose).digest('hex') };
}
