/** Outermost step: turns errors into responses, adds the request id and timings, and logs every request. */
import type { MaybePromise } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import type { EdgeChecks } from './edge-checks.ts';
import { problemResponse } from './problem.ts';
import { type CompletedRequest, REQUEST_ID, RequestContext, type Responder } from './request-context.ts';

export interface RequestIds {
  /** The id of a request; undefined if it needs none. */
  readonly of: (call: Call) => string | undefined;
  readonly make: () => string;
}

export interface Observers {
  /** Called once per request, when its response is complete. */
  readonly onAnswer?: (answer: CompletedRequest) => void;
  /** Called if a streamed body ends early: the status is already sent. */
  readonly onCut?: (answer: CompletedRequest, error: unknown) => void;
  /** Assigns request ids, which are sent as X-Request-Id. */
  readonly requestIds?: RequestIds;
  readonly edgeChecks?: EdgeChecks;
  readonly serverTiming?: boolean;
  /** Whether stages are timed, also without Server-Timing. */
  readonly isTraced?: boolean;
}

/** The request headers that carry credentials. */
const CREDENTIALS = 'Authorization, Apikey, Cookie';

/** A response to one caller must not be reused for others by a shared cache (RFC 9111, 5.2.2.7). */
function keepPrivate(headers: Headers): void {
  const vary = headers.get('vary');
  const cache = headers.get('cache-control');
  headers.set('vary', vary === null ? CREDENTIALS : `${vary}, ${CREDENTIALS}`);
  if (cache === null || cache === 'no-cache') headers.set('cache-control', 'private, no-cache');
}

export function withLogging(respond: Responder, observers: Observers): (call: Call) => MaybePromise<Response> {
  const { onAnswer, onCut, requestIds, edgeChecks, serverTiming = false, isTraced = false } = observers;
  const leave = edgeChecks?.leave;

  function errorResponse(context: RequestContext, error: unknown): Response {
    context.error = error;
    context.id ??= requestIds?.make();
    return problemResponse(error, context.call.method, context.caller);
  }

  function report(context: RequestContext, response: Response): Response {
    leave?.(context, response);
    if (context.id !== undefined) response.headers.set(REQUEST_ID, context.id);
    for (const cookie of context.cookies) response.headers.append('set-cookie', cookie);
    if (context.isPrivate) keepPrivate(response.headers);
    // Bun treats the connection as a tunnel and reads nothing more from it.
    if (context.call.method === 'CONNECT') response.headers.set('connection', 'close');
    if (serverTiming) response.headers.set('server-timing', context.header());
    context.setStatus(response.status);
    onAnswer?.(context);
    return response;
  }

  return (call) => {
    const context = new RequestContext(call, requestIds?.of(call), serverTiming || isTraced, onCut);
    try {
      const response = respond(context);
      if (!(response instanceof Promise)) return report(context, response);
      return response.then(
        (settled) => report(context, settled),
        (error) => report(context, errorResponse(context, error)),
      );
    } catch (error) {
      return report(context, errorResponse(context, error));
    }
  };
}
