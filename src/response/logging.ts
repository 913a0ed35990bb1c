/** Outermost step: turns errors into responses, adds the request id and timings, and reports every request to the log. */
import type { MaybePromise } from '../engine/engine.ts';
import type { Peer } from '../http/edge/peer.ts';
import type { Edges } from './edge-checks.ts';
import { problemResponse } from './problem.ts';
import { type Answered, REQUEST_ID, type Responder, Trace } from './request-context.ts';

export interface RequestIds {
  /** The id of a request; undefined if it needs none. */
  readonly of: (request: Request) => string | undefined;
  readonly make: () => string;
}

export interface Observers {
  /** Called once per request, when its response is complete. */
  readonly onAnswer?: (answer: Answered) => void;
  /** Called if a streamed body ends early: the status is already sent. */
  readonly onCut?: (answer: Answered, error: unknown) => void;
  /** Assigns request ids, which are sent as X-Request-Id. */
  readonly requestIds?: RequestIds;
  readonly edges?: Edges;
  /** Whether Server-Timing is sent. */
  readonly serverTiming?: boolean;
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

export function observed(
  respond: Responder,
  observers: Observers,
): (request: Request, peer?: Peer) => MaybePromise<Response> {
  const { onAnswer, onCut, requestIds, edges, serverTiming = false } = observers;
  const leave = edges?.leave;

  function refuse(trace: Trace, error: unknown): Response {
    trace.error = error;
    trace.id ??= requestIds?.make();
    return problemResponse(error, trace.method, trace.caller);
  }

  function report(request: Request, trace: Trace, response: Response): Response {
    leave?.(request, trace, response);
    if (trace.id !== undefined) response.headers.set(REQUEST_ID, trace.id);
    if (trace.isPrivate) keepPrivate(response.headers);
    // Bun treats the connection as a tunnel and reads nothing more from it.
    if (trace.method === 'CONNECT') response.headers.set('connection', 'close');
    if (serverTiming) response.headers.set('server-timing', trace.header());
    trace.answered(response.status);
    onAnswer?.(trace);
    return response;
  }

  return (request, peer) => {
    const trace = new Trace(request.method, request.url, requestIds?.of(request), serverTiming, peer, onCut);
    try {
      const response = respond(request, trace);
      if (!(response instanceof Promise)) return report(request, trace, response);
      return response.then(
        (settled) => report(request, trace, settled),
        (error) => report(request, trace, refuse(trace, error)),
      );
    } catch (error) {
      return report(request, trace, refuse(trace, error));
    }
  };
}
