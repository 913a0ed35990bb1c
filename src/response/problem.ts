/** The one place that turns an error into a response. */
import { ERRORS, Refusal } from '../errors.ts';
import { CORS_HEADERS } from '../http/cors.ts';

export interface ProblemBody {
  readonly code: string;
  readonly message: string;
  readonly details: string | null;
  readonly hint: string | null;
}

/** An unexpected fault tells the client nothing about itself: its details are for the log. */
export function problemResponse(error: unknown, method: string): Response {
  const refusal = error instanceof Refusal ? error : new Refusal('CAT500', ERRORS.CAT500.meaning);
  const { code, message, details, hint } = refusal;
  const body: ProblemBody = { code, message, details, hint };
  return new Response(method === 'HEAD' ? null : JSON.stringify(body), {
    status: refusal.status,
    // A cache may keep a 404 for as long as it likes where it is not told otherwise (RFC 9110, 15.1).
    headers: {
      ...CORS_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      ...refusal.headers,
    },
  });
}
