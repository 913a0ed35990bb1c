/** What is served beside the collection, and how its pages are answered: by GET and HEAD, and 304 where known. */
import type { Caller } from '../collection/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { Refusal } from '../errors.ts';
import { optionsHeaders } from './cors.ts';
import type { Peer } from './peer.ts';
import type { Place } from './prefix.ts';

/** What is noted of a request: where it comes from, where it leads, and for the log who sent it, where a page finds that out. */
export interface Noted {
  readonly peer?: Peer | undefined;
  readonly place?: Place;
  caller?: Caller | undefined;
}

/**
 * Undefined where there is no such page. `prefix` is what a client puts before the paths of the service. Where the catalogue has
 * roles, `seen` is what the caller sees of it, for pages that tell of it; it refuses callers who may see nothing.
 */
export type Pages = (
  path: string,
  request: Request,
  prefix: string,
  seen?: () => Catalogue | Promise<Catalogue>,
  noted?: Noted,
) => Response | Promise<Response> | undefined;

const METHODS = 'OPTIONS, GET, HEAD';

/** The pages of several, tried in order. */
export function firstOf(...all: readonly Pages[]): Pages {
  return (path, request, prefix, seen, noted) => {
    for (const pages of all) {
      const answer = pages(path, request, prefix, seen, noted);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

/** A page that can only be read: whatever else is asked of it is refused, or answered by OPTIONS. */
export function readOnly<Answer extends Response | Promise<Response>>(
  request: Request,
  read: () => Answer,
): Answer | Response {
  if (request.method === 'GET' || request.method === 'HEAD') return read();
  if (request.method === 'OPTIONS') {
    return new Response(null, { status: 200, headers: optionsHeaders(request, METHODS) });
  }
  throw new Refusal('PGRST117', `Unsupported HTTP method: ${request.method}`, {
    hint: `Allowed here: ${METHODS}.`,
    headers: { allow: METHODS },
  });
}
