/** The one place that turns an error into a response. */
import { ANONYMOUS, type Caller } from '../collection/caller.ts';
import { ERRORS, Refusal } from '../errors.ts';
import { headResponse } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/cors.ts';

export interface ProblemBody {
  readonly code: string;
  readonly message: string;
  readonly details: string | null | Refusal['candidates'];
  readonly hint: string | null;
}

/** An unexpected fault tells the client nothing about itself: its details are for the log. */
export function problemResponse(error: unknown, method: string, caller?: Caller): Response {
  const refusal = error instanceof Refusal ? error : new Refusal('CAT500', ERRORS.CAT500.meaning);
  const { code, message, details, hint, candidates, sqlState } = refusal;
  // Whoever has sent no credentials may be allowed to with some (RFC 9110, 15.5.2).
  const wantsCredentials = code === '42501' && caller?.role === ANONYMOUS.role;
  const status = wantsCredentials ? 401 : refusal.status;
  const problem: ProblemBody = { code: sqlState ?? code, message, details: candidates ?? details, hint };
  const body = JSON.stringify(problem);
  const headers = {
    ...CORS_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    // A cache may keep a 404 for as long as it likes where it is not told otherwise (RFC 9110, 15.1).
    'cache-control': 'no-cache',
    ...(wantsCredentials ? { 'www-authenticate': 'Bearer' } : {}),
    ...refusal.headers,
  };
  if (method === 'HEAD') return headResponse({ status, headers, plain: body });
  return new Response(body, { status, headers });
}
