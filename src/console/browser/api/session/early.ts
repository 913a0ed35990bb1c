/**
 * Requests the first page of the list before other scripts run, so that the grid finds the answer. Only the first
 * request of the page may use it. If that one asks for something else, the answer is dropped, since the data may
 * change.
 */
import { collectionNamed } from '../catalogue.ts';
import { pageHeaders, pageUrl, parseQuery } from '../query/list.ts';
import { decoded } from '../query/text.ts';
import { base } from './page-data.ts';
import { isLoginNeeded, token } from './session.ts';

const HEADERS = pageHeaders(0);
const url = firstUrl();
let earlyResponse = url === undefined ? undefined : fetch(`${base}${url}`, { headers: HEADERS });
earlyResponse?.catch(() => undefined);

/** The first page of the list that the address names. */
function firstUrl(): string | undefined {
  if (globalThis.document === undefined || token.isAskedFor() || isLoginNeeded()) return undefined;
  const [, name = ''] = /^\/console\/c\/([^/]+)\/?$/.exec(location.pathname.slice(base.length)) ?? [];
  const collection = collectionNamed(decoded(name));
  return collection && pageUrl(parseQuery(collection, location.search), 0);
}

export function takeEarlyResponse(method: string, wanted: string, headers: Headers): Promise<Response> | undefined {
  const taken = earlyResponse;
  earlyResponse = undefined;
  const isSame = Object.entries(HEADERS).every(([name, value]) => headers.get(name) === value);
  return method === 'GET' && url === wanted && isSame ? taken : undefined;
}
