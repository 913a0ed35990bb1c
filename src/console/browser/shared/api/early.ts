/**
 * Requests the first page of the list before other scripts run, so that the grid finds the answer. Only the first
 * request of the page may use it. If that one asks for something else, the answer is dropped, since the data may
 * change.
 */

import { withTitles } from '../values/references.ts';
import { base } from './base.ts';
import { key, listPath } from './collection.ts';
import { isLoginNeeded } from './session.ts';
import { token } from './token.ts';

export const ROWS_PER_PAGE = 25;

const FIRST_PAGE = `${listPath}?offset=0&limit=${ROWS_PER_PAGE}&order=${key.name}.asc${withTitles === undefined ? '' : `&select=${withTitles}`}`;
const HEADERS: Readonly<Record<string, string>> = { accept: 'application/json', prefer: 'count=exact' };

/** Whether the page opened the list and requested its first page. */
export const isRequested = location.hash === `#${listPath}` && !token.isAskedFor() && !isLoginNeeded();
let earlyResponse = isRequested ? fetch(`${base}${FIRST_PAGE}`, { headers: HEADERS }) : undefined;
earlyResponse?.catch(() => undefined);

export function takeEarlyResponse(method: string, url: string, headers: Headers): Promise<Response> | undefined {
  const taken = earlyResponse;
  earlyResponse = undefined;
  const isSame = Object.entries(HEADERS).every(([name, value]) => headers.get(name) === value);
  return method === 'GET' && url === FIRST_PAGE && isSame ? taken : undefined;
}
