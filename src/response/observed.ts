/** Around the stages: whatever is refused becomes an error response, and every answer is named, timed and told of. */
import type { MaybePromise } from '../engine/engine.ts';
import type { Peer } from '../http/peer.ts';
import type { Edges } from './edges.ts';
import { problemResponse } from './problem.ts';
import { type Answered, REQUEST_ID, type Responder, Trace } from './trace.ts';

export interface RequestIds {
  /** Undefined where it needs none. */
  readonly of: (request: Request) => string | undefined;
  readonly make: () => string;
}

export interface Observers {
  /** Told once a request, when its answer is made. */
  readonly onAnswer?: (answer: Answered) => void;
  /** Told where the body of an answer cannot be sent to its end: its status is out already. */
  readonly onCut?: (answer: Answered, error: unknown) => void;
  /** Names requests; the name is sent back as X-Request-Id. */
  readonly requestIds?: RequestIds;
  readonly edges?: Edges;
  /** Whether Server-Timing is sent. */
  readonly serverTiming?: boolean;
}

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
): (request: Request, peer?: Peer) => MaybePromise<Response> {
  const { onAnswer, onCut, requestIds, edges, serverTiming = false } = observers;
  const leave = edges?.leave;

  function refuse(trace: Trace, error: unknown): Response {
    trace.error = error;
    trace.id ??= requestIds?.make();
    trace.isNamed = false;
    return problemResponse(error, trace.method, trace.caller);
  }

  function report(request: Request, trace: Trace, response: Response): Response {
    leave?.(request, trace, response);
    if (trace.id !== undefined && !trace.isNamed) response.headers.set(REQUEST_ID, trace.id);
    if (trace.isPrivate) keepPrivate(response.headers);
    // Nothing more is read from its connection, since Bun takes it for a tunnel.
    if (trace.method === 'CONNECT') response.headers.set('connection', 'close');
    if (serverTiming) response.headers.set('server-timing', trace.header());
    trace.answered(response.status);
    onAnswer?.(trace);
    return response;
  }

  return (request, peer) => {
    const trace = new Trace(request.method, request.url, requestIds?.of(request), serverTiming, peer);
    trace.onCut = onCut;
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
