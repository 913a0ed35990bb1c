/** Turns an error into a response; the only place that does. */

import { ApiError, ERRORS } from '../base/errors.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import { headResponse } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';

const LOG_IN = 'Log in, or send a key or a token in the header Authorization: Bearer.';

/** An unexpected error reveals nothing to the client; the log has its details. */
export function problemResponse(error: unknown, method: string, caller?: Caller): Response {
  const apiError = error instanceof ApiError ? error : new ApiError('CAT500', ERRORS.CAT500.meaning);
  const { code, sqlState } = apiError;
  // An anonymous caller may be permitted with credentials (RFC 9110, 15.5.2).
  const wantsCredentials = code === '42501' && sqlState === undefined && caller?.role === ANONYMOUS.role;
  const status = wantsCredentials ? 401 : apiError.status;
  const hint = [apiError.hint, LOG_IN].filter((each) => each !== null).join(' ');
  const body = JSON.stringify(problemOf(wantsCredentials ? apiError.with({ hint }) : apiError));
  const headers = {
    ...CORS_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    // Without it, a cache may store a 404 for any time (RFC 9110, 15.1).
    'cache-control': 'no-cache',
    ...proxyStatus(apiError),
    ...(wantsCredentials ? { 'www-authenticate': 'Bearer' } : {}),
    ...apiError.headers,
  };
  if (method === 'HEAD') return headResponse({ status, headers, plain: body });
  return new Response(body, { status, headers });
}

/** The code, which HEAD also shows. One that a function chooses may be any text, but not here (RFC 8941, 3.3). */
function proxyStatus({ code, sqlState = code }: ApiError): Record<string, string> {
  return /^\w+$/.test(sqlState) ? { 'proxy-status': `PostgREST; error=${sqlState}` } : {};
}

/** The error as JSON, which omits undefined members. */
export function problemOf(error: ApiError): object {
  const { code, message, details, hint, candidates, sqlState, index, field, value, request, total, errors, sentences } =
    error;
  const problem = { code: sqlState ?? code, message, details: candidates ?? details, hint };
  return { ...problem, index, field, value, request, total, errors: errors?.map(problemOf), sentences };
}
