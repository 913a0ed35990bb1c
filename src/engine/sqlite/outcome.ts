/** What becomes of work that another thread does: its result, or why there is none. */
import { type ErrorCode, Refusal } from '../../errors.ts';
import type { WriteResult } from '../engine.ts';

/** What became of a job, in a form that crosses threads. */
export type Outcome = { readonly kind: 'done'; readonly result: WriteResult } | FailedOutcome;
export type FailedOutcome =
  | ({ readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string } & Pick<
      Refusal,
      'details' | 'hint' | 'headers'
    >)
  | { readonly kind: 'fault'; readonly message: string };

export function asOutcome(error: unknown): FailedOutcome {
  if (error instanceof Refusal) {
    const { code, message, details, hint, headers } = error;
    return { kind: 'refused', code, message, details, hint, headers };
  }
  return { kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function settle(outcome: Outcome): WriteResult {
  if (outcome.kind === 'done') return outcome.result;
  throw failure(outcome);
}

export function failure(outcome: FailedOutcome): Error {
  if (outcome.kind === 'fault') return new Error(outcome.message);
  const { code, message, details, hint, headers } = outcome;
  return new Refusal(code, message, { details: details ?? undefined, hint: hint ?? undefined, headers });
}
