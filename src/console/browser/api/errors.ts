import type { ErrorLocation } from '../../../base/errors.ts';
import type { Sentence } from '../../../base/sentence.ts';

export type ProblemText = 'message' | 'details' | 'hint';

/** An error response of the service. Its members name the place of the error, so that no code parses messages. */
export interface Problem extends ErrorLocation {
  readonly code: string;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
  /** The texts of an error that the code alone does not explain. */
  readonly sentences?: { readonly [Part in ProblemText]?: Sentence };
  /** The position in a batch, from 0. */
  readonly request?: number;
  /** All errors, with `Prefer: errors=all`. */
  readonly errors?: readonly Problem[];
}

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

export function problemOf(error: unknown): Problem | undefined {
  return error instanceof ApiError ? error.problem : undefined;
}

/** The errors by field name, for a form. Errors without a field are under the empty name. */
export function problemsByField(error: unknown): Readonly<Record<string, Problem>> {
  const problem = problemOf(error);
  if (problem === undefined) return {};
  const all = problem.errors ?? [problem];
  return Object.fromEntries(all.map((each) => [each.field?.split(',')[0] ?? '', each]));
}
