/** Around the stages: whatever is refused becomes an error response, and every answer is named, timed and told of. */
import type { MaybePromise } from '../engine/engine.ts';
import { problemResponse } from './problem.ts';
import { type Answered, type AtWork, type Responder, Trace } from './trace.ts';

export interface Observers {
  /** Told once a request, when its answer is made. */
  readonly onAnswer?: (answer: Answered) => void;
  /** Names a request; the name is sent back as X-Request-Id. */
  readonly requestId?: (request: Request) => string;
  /** Whether Server-Timing is sent. */
  readonly serverTiming?: boolean;
}

const REQUEST_ID = 'x-request-id';

/** What credentials come in. */
const CREDENTIALS = 'Authorization, Apikey, Cookie';

/** What one caller is answered is not for others, and not for caches that they share (RFC 9111, 5.2.2.7). */
function keepPrivate(headers: Headers): void {
  const vary = headers.get('vary');
  const cache = headers.get('cache-control');
  headers.set('vary', vary === null ? CREDENTIALS : `${vary}, ${CREDENTIALS}`);
  if (cache === null || cache === 'no-cache') headers.set('cache-control', 'private, no-cache');
}

export function observed(
  respond: Responder,
  observers: Observers,
): (request: Request, atWork?: AtWork) => MaybePromise<Response> {
  const { onAnswer, requestId, serverTiming = false } = observers;

  function refuse(trace: Trace, error: unknown): Response {
    trace.error = error;
    return problemResponse(error, trace.method, trace.caller);
  }

  function report(trace: Trace, response: Response): Response {
    if (trace.id !== undefined) response.headers.set(REQUEST_ID, trace.id);
    if (trace.isPrivate) keepPrivate(response.headers);
    if (serverTiming) response.headers.set('server-timing', trace.header());
    trace.answered(response.status);
    onAnswer?.(trace);
    return response;
  }

  return (request, atWork) => {
    const trace = new Trace(request.method, request.url, requestId?.(request), serverTiming, atWork);
    try {
      const response = respond(request, trace);
      if (!(response instanceof Promise)) return report(trace, response);
      return response.catch((error) => refuse(trace, error)).then((settled) => report(trace, settled));
    } catch (error) {
      return report(trace, refuse(trace, error));
    }
  };
}
