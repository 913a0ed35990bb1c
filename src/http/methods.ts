/** Answers OPTIONS, and rejects the methods that a path does not support. */
import { ApiError } from '../base/errors.ts';
import type { Answer } from './answer.ts';
import type { Call } from './call.ts';
import { optionsHeaders } from './edge/origins.ts';

export function checkMethod({ method }: Call, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const allow = methods.join(', ');
  throw new ApiError('PGRST117', `Unsupported HTTP method: ${method}`, {
    hint: `Allowed here: ${allow}.`,
    headers: { allow },
  });
}

/** In the order and form of PostgREST, which clients compare. */
export function optionsAnswer(call: Call, methods: readonly string[]): Answer {
  return { status: 200, headers: optionsHeaders(call, methods.join(',')), body: null };
}

/** The answer to OPTIONS; undefined for another of these methods. */
export function answerOptions(call: Call, methods: readonly string[]): Answer | undefined {
  checkMethod(call, methods);
  return call.method === 'OPTIONS' ? optionsAnswer(call, methods) : undefined;
}
