/** The result of work on another thread: a value or an error, in a transferable form. */
import { ApiError, type ApiErrorData } from '../../../base/errors.ts';
import type { WriteResult } from '../../engine.ts';

/** The result of a job in a transferable form. */
export type ThreadResult = { readonly kind: 'done'; readonly results: readonly WriteResult[] } | FailedResult;
export type FailedResult =
  | { readonly kind: 'rejected'; readonly error: ApiErrorData }
  | { readonly kind: 'fault'; readonly message: string; readonly code?: string };

export function toThreadResult(error: unknown): FailedResult {
  if (error instanceof ApiError) return { kind: 'rejected', error: error.toData() };
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error) };
  const { code } = error as { code?: string };
  return { kind: 'fault', message: error.stack ?? error.message, ...(code === undefined ? {} : { code }) };
}

export function settle(outcome: ThreadResult): readonly WriteResult[] {
  if (outcome.kind === 'done') return outcome.results;
  throw failure(outcome);
}

export function failure(outcome: FailedResult): Error {
  if (outcome.kind === 'fault') return Object.assign(new Error(outcome.message), { code: outcome.code });
  const { code, message, ...details } = outcome.error;
  return new ApiError(code, message, details);
}
