/** Pages besides the collections: GET, HEAD and conditional requests. */

import type { Caller } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { unsupportedMethod } from './call.ts';
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
 * Undefined if the path is not a page. `prefix` precedes the service's paths. For a catalogue with roles,
 * `loadVisibleCatalogue` returns it as the caller sees it, or throws if the caller may not see anything.
 */
export type Pages = (
  path: string,
  request: Request,
  prefix: string,
  loadVisibleCatalogue?: () => Catalogue | Promise<Catalogue>,
  context?: PageContext,
) => Response | Promise<Response> | undefined;

/** Tries several sets of pages in order. */
export function firstPage(...all: readonly Pages[]): Pages {
  return (path, request, prefix, loadVisibleCatalogue, context) => {
    for (const pages of all) {
      const answer = pages(path, request, prefix, loadVisibleCatalogue, context);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

type PageResponse = Response | Promise<Response>;

/** A read-only page: rejects methods other than GET, HEAD and OPTIONS. */
export function readOnly<Answer extends PageResponse>(request: Request, read: () => Answer): Answer | Response {
  return answerMethods(request, ['GET', 'HEAD'], read, (allow) => optionsHeaders(request, allow));
}

/** A page that changes something. It allows no page of another origin. */
export function postOnly<Answer extends PageResponse>(request: Request, change: () => Answer): Answer | Response {
  return answerMethods(request, ['POST'], change, (allow) => ({ allow }));
}

function answerMethods<Answer extends PageResponse>(
  request: Request,
  methods: readonly string[],
  answer: () => Answer,
  headersFor: (allow: string) => Record<string, string>,
): Answer | Response {
  if (methods.includes(request.method)) return answer();
  const allow = ['OPTIONS', ...methods].join(', ');
  if (request.method === 'OPTIONS') return new Response(null, { status: 200, headers: headersFor(allow) });
  throw unsupportedMethod(request.method, allow);
}
