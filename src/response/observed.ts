/** Around the stages: whatever is refused becomes an error response, and every answer is named, timed and told of. */
import type { MaybePromise } from '../engine/engine.ts';
import { problemResponse } from './problem.ts';
import { type Answered, type AtWork, REQUEST_ID, type Responder, Trace } from './trace.ts';

export interface Observers {
  /** Told once a request, when its answer is made. */
  readonly onAnswer?: (answer: Answered) => void;
  /** Told where the body of an answer cannot be sent to its end: its status is out already. */
  readonly onCut?: (answer: Answered, error: unknown) => void;
  /** Names a request; the name is sent back as X-Request-Id. */
  readonly requestId?: (request: Request) => string;
  /** Whether Server-Timing is sent. */
  readonly serverTiming?: boolean;
}

export function observed(
  respond: Responder,
  observers: Observers,
): (request: Request, atWork?: AtWork) => MaybePromise<Response> {
  const { onAnswer, onCut, requestId, serverTiming = false } = observers;

  function refuse(trace: Trace, error: unknown): Response {
    trace.error = error;
    trace.isNamed = false;
    return problemResponse(error, trace.method);
  }

  function report(trace: Trace, response: Response): Response {
    if (trace.id !== undefined && !trace.isNamed) response.headers.set(REQUEST_ID, trace.id);
    if (serverTiming) response.headers.set('server-timing', trace.header());
    trace.answered(response.status);
    onAnswer?.(trace);
    return response;
  }

  return (request, atWork) => {
    const trace = new Trace(request.method, request.url, requestId?.(request), serverTiming, atWork);
    trace.onCut = onCut;
    try {
      const response = respond(request, trace);
      if (!(response instanceof Promise)) return report(trace, response);
      return response.catch((error) => refuse(trace, error)).then((settled) => report(trace, settled));
    } catch (error) {
      return report(trace, refuse(trace, error));
    }
  };
}
