/**
 * The first page of the list, asked for before anything else runs: the answer is there when the grid is. It is for the
 * first request only; if that asks for something else (the list opens where it was left), it is of no more use, since
 * what was true then need not be later.
 */
import { base } from './base.ts';
import { key, listPath } from './collection.ts';
import { withTitles } from './references.ts';
import { isLoginWanted } from './session.ts';
import { token } from './token.ts';

export const ROWS_PER_PAGE = 25;

const FIRST_PAGE = `${listPath}?offset=0&limit=${ROWS_PER_PAGE}&order=${key.name}.asc${withTitles === undefined ? '' : `&select=${withTitles}`}`;
const HEADERS: Readonly<Record<string, string>> = { accept: 'application/json', prefer: 'count=exact' };

/** Whether the list was opened, and its first page asked for. */
export const hasBegun = location.hash === `#${listPath}` && !token.isAskedFor() && !isLoginWanted();
let begun = hasBegun ? fetch(`${base}${FIRST_PAGE}`, { headers: HEADERS }) : undefined;
begun?.catch(() => undefined);

export function takeEarly(method: string, url: string, headers: Headers): Promise<Response> | undefined {
  const taken = begun;
  begun = undefined;
  const isSame = Object.entries(HEADERS).every(([name, value]) => headers.get(name) === value);
  return method === 'GET' && url === FIRST_PAGE && isSame ? taken : undefined;
}
