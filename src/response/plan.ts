/** The engine's plan for a read in place of its rows, as PostgREST answers it: as JSON, or as text for people. */
import type { Explanation } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/cors.ts';

const PLAN = 'application/vnd.pgrst.plan';

export function acceptsPlan(request: Request): boolean {
  return request.headers.get('accept')?.startsWith(PLAN) ?? false;
}

export function planAnswer({ headers }: Request, explanation: Explanation | undefined): Answer {
  if (explanation === undefined) throw new Refusal('PGRST107', 'this database tells no plans');
  const isJson = headers.get('accept')!.startsWith(`${PLAN}+json`);
  const body = isJson ? JSON.stringify(explanation.json) : explanation.text;
  const contentType = `${PLAN}+${isJson ? 'json' : 'text'}; for="application/json"; charset=utf-8`;
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      'content-type': contentType,
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'no-store',
    },
    body,
  };
}
