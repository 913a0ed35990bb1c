/** The result of work on another thread: a value or an error, in a transferable form. */
import { type ErrorCode, Refusal } from '../../../base/errors.ts';
import type { WriteResult } from '../../engine.ts';

/** The result of a job in a transferable form. */
export type Outcome = { readonly kind: 'done'; readonly result: WriteResult } | FailedOutcome;
export type FailedOutcome =
  | ({ readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string } & Pick<
      Refusal,
      'details' | 'hint' | 'headers'
    >)
  | { readonly kind: 'fault'; readonly message: string; readonly code?: string };

export function asOutcome(error: unknown): FailedOutcome {
  if (error instanceof Refusal) {
    const { code, message, details, hint, headers } = error;
    return { kind: 'refused', code, message, details, hint, headers };
  }
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error) };
  const { code } = error as { code?: string };
  return { kind: 'fault', message: error.stack ?? error.message, ...(code === undefined ? {} : { code }) };
}

export function settle(outcome: Outcome): WriteResult {
  if (outcome.kind === 'done') return outcome.result;
  throw failure(outcome);
}

export function failure(outcome: FailedOutcome): Error {
  if (outcome.kind === 'fault') return Object.assign(new Error(outcome.message), { code: outcome.code });
  const { code, message, details, hint, headers } = outcome;
  return new Refusal(code, message, { details: details ?? undefined, hint: hint ?? undefined, headers });
}
