/** Who asks, found out once for a request, where the catalogue has roles. */
import { ANONYMOUS, type Caller } from '../collection/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { type Admitted, admission } from '../plan/sight.ts';
import type { Retry } from '../plan/types.ts';
import { andThen, type Responder, type Trace } from './trace.ts';

/** Whose credentials a request carries; refuses those that are not good. */
export type Identify = (request: Request, trace: Trace) => MaybePromise<Caller>;
export type Admit = (request: Request, trace: Trace) => MaybePromise<Admitted>;

/** Undefined where there are no roles: whoever asks may do all. */
export function admitting(catalogue: Catalogue, identify: Identify = () => ANONYMOUS): Admit | undefined {
  if (catalogue.roles === undefined) return undefined;
  const admit = admission(catalogue);
  return (request, trace) => {
    trace.isPrivate = true;
    trace.admission ??= outcomeOf(() =>
      andThen(identify(request, trace), (caller) => {
        trace.caller = caller;
        trace.admitted = admit(caller);
        return trace.admitted;
      }),
    );
    return trace.admission();
  };
}

/** Who asks is known before anything else; but a browser asks what it may ask without credentials. */
export function byRole(respond: Responder, admit: Admit | undefined): Responder {
  if (admit === undefined) return respond;
  return (request, trace) =>
    trace.method === 'OPTIONS'
      ? respond(request, trace)
      : andThen(admit(request, trace), () => respond(request, trace));
}

/** What is done once, and told as often as it is asked for. */
function outcomeOf<T>(work: () => MaybePromise<T>): () => MaybePromise<T> {
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
