/** Answers with the engine's query plan instead of rows, as PostgREST does: as JSON or text. */

import { ApiError } from '../base/errors.ts';
import { type Explanation, PLAN_OPTIONS, type PlanOption } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { negotiate } from '../http/negotiate.ts';

const PLAN = 'application/vnd.pgrst.plan';

export function acceptsPlan({ accept }: Call): boolean {
  return accept?.startsWith(PLAN) ?? false;
}

/** The options after `options=`; PostgREST ignores those that it does not know. */
export function planOptions({ accept }: Call): readonly PlanOption[] {
  const requestedOptions = /;\s*options=([\w|]*)/.exec(accept ?? '')?.[1]?.split('|') ?? [];
  return PLAN_OPTIONS.filter((option) => requestedOptions.includes(option));
}

export function planFormat({ accept }: Call): 'json' | 'text' {
  return accept!.startsWith(`${PLAN}+json`) ? 'json' : 'text';
}

/** The media type of the answer whose plan is requested. */
function plannedMedia({ accept }: Call, own: readonly string[]): string {
  const type = /;\s*for="?([^";,\s]+)/.exec(accept ?? '')?.[1] ?? 'application/json';
  return own.includes(type) ? type : negotiate(type).contentType.split(';')[0]!;
}

/** `own` are the media types of the database for this answer. */
export function planAnswer(call: Call, explanation: Explanation | undefined, own: readonly string[] = []): Answer {
  if (explanation === undefined) throw new ApiError('PGRST107', 'this database does not support query plans');
  const format = planFormat(call);
  const { plan, options = [] } = explanation;
  const body = format === 'json' ? JSON.stringify(plan) : String(plan);
  const parameters = `for="${plannedMedia(call, own)}"${options.length === 0 ? '' : `; options=${options.join('|')}`}`;
  const contentType = `${PLAN}+${format}; ${parameters}; charset=utf-8`;
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
