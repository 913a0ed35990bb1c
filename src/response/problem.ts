/** The one place that turns an error into a response. */
import { ERRORS, Refusal } from '../errors.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import { headResponse } from './answer.ts';

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
  const problem: ProblemBody = { code, message, details, hint };
  const body = JSON.stringify(problem);
  const headers = { ...CORS_HEADERS, 'content-type': 'application/json; charset=utf-8', ...refusal.headers };
  if (method === 'HEAD') return headResponse(refusal.status, headers, Buffer.byteLength(body));
  return new Response(body, { status: refusal.status, headers });
}
