/** Work in steps: statements whose rows come back. SQLite runs them at once, PostgreSQL waits for each. */
import type { Statement } from '../sql/statement.ts';

export type StepRow = Readonly<Record<string, unknown>>;
export type Steps<Result> = Generator<Statement, Result, readonly StepRow[]>;

export function runSteps<Result>(steps: Steps<Result>, run: (statement: Statement) => readonly StepRow[]): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(run(step.value));
  return step.value;
}

export async function awaitSteps<Result>(
  steps: Steps<Result>,
  run: (statement: Statement) => Promise<readonly StepRow[]>,
): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await run(step.value));
  return step.value;
}
