/** Pages besides the collections: GET, HEAD and conditional requests. */

import { ApiError } from '../base/errors.ts';
import type { Caller } from '../collection/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { optionsHeaders } from './edge/cors.ts';
import type { Peer } from './edge/peer.ts';
import type { Location } from './edge/prefix.ts';

/** Context of a page: the connection, the location, and the caller for the log if the page identifies one. */
export interface PageContext {
  readonly peer?: Peer | undefined;
  readonly location: Location;
  caller?: Caller | undefined;
}

/**
 * Undefined if the path is not a page. `prefix` precedes the service's paths. For a catalogue with roles, `seen`
 * returns the caller's view, or throws if the caller may not see anything.
 */
export type Pages = (
  path: string,
  request: Request,
  prefix: string,
  seen?: () => Catalogue | Promise<Catalogue>,
  context?: PageContext,
) => Response | Promise<Response> | undefined;

const METHODS = 'OPTIONS, GET, HEAD';

/** Tries several sets of pages in order. */
export function firstPage(...all: readonly Pages[]): Pages {
  return (path, request, prefix, seen, context) => {
    for (const pages of all) {
      const answer = pages(path, request, prefix, seen, context);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

/** A read-only page: rejects methods other than GET, HEAD and OPTIONS. */
export function readOnly<Answer extends Response | Promise<Response>>(
  request: Request,
  read: () => Answer,
): Answer | Response {
  if (request.method === 'GET' || request.method === 'HEAD') return read();
  if (request.method === 'OPTIONS') {
    return new Response(null, { status: 200, headers: optionsHeaders(request, METHODS) });
  }
  throw new ApiError('PGRST117', `Unsupported HTTP method: ${request.method}`, {
    hint: `Allowed here: ${METHODS}.`,
    headers: { allow: METHODS },
  });
}
