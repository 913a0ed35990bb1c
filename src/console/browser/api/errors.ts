/** An error response of the service. Its members name the place of the error, so that no code parses messages. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
  /** The position of the row in the body, from 0. */
  readonly index?: number;
  /** The field; several are separated by commas. */
  readonly field?: string;
  readonly value?: unknown;
  /** The position in a batch, from 0. */
  readonly request?: number;
  /** All errors, with `Prefer: errors=all`. */
  readonly errors?: readonly Problem[];
}

export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    super(problem.message);
    this.name = 'ApiError';
    this.status = status;
    this.problem = problem;
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
