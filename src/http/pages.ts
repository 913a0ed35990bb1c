/** Pages besides the collections: GET, HEAD and conditional requests. */

import type { Caller } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Call } from './call.ts';
import { answerOptions } from './methods.ts';

export interface PageContext {
  readonly call: Call;
  /** The caller for the log, if the page identifies one. */
  caller?: Caller | undefined;
}

/**
 * Undefined if the path is not a page. For a catalogue with roles, `loadVisibleCatalogue` returns it as the caller sees
 * it, or throws if the caller may not see anything.
 */
export type Pages = (
  path: string,
  context: PageContext,
  loadVisibleCatalogue?: () => Catalogue | Promise<Catalogue>,
) => Response | Promise<Response> | undefined;

/** Tries several sets of pages in order. */
export function firstPage(...all: readonly Pages[]): Pages {
  return (path, context, loadVisibleCatalogue) => {
    for (const pages of all) {
      const answer = pages(path, context, loadVisibleCatalogue);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

type PageResponse = Response | Promise<Response>;

/** A read-only page: rejects methods other than GET, HEAD and OPTIONS. */
export function readOnly<Answer extends PageResponse>(call: Call, read: () => Answer): Answer | Response {
  const options = answerOptions(call, ['OPTIONS', 'GET', 'HEAD']);
  return options === undefined ? read() : new Response(null, { headers: options.headers });
}

/** A page that changes something. It allows no page of another origin. */
export function postOnly<Answer extends PageResponse>(call: Call, change: () => Answer): Answer | Response {
  const options = answerOptions(call, ['OPTIONS', 'POST']);
  return options === undefined ? change() : new Response(null, { headers: { allow: 'OPTIONS, POST' } });
}
