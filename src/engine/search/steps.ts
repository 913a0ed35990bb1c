/**
 * Work in steps: statements whose rows come back, and pauses. On a thread of SQLite, statements run at once. PostgreSQL
 * waits for each, and other requests are answered at the pauses.
 */
import { ROWS_PER_SLICE, type Task, Tasks } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import type { Statement } from '../sql/statement.ts';

export type StepRow = Readonly<Record<string, unknown>>;
/** Yields undefined at a pause. */
export type Steps<Result> = Generator<Statement | undefined, Result, readonly StepRow[]>;

/** The hint for a search that exceeds its time limit. */
export const RARER_WORDS = 'Search for rarer words.';

/** Takes all items, with a pause after each slice. */
export function* takeInSlices<Item>(
  items: Iterable<Item>,
  take: (item: Item) => void,
  size = ROWS_PER_SLICE,
): Steps<void> {
  let taken = 0;
  for (const item of items) {
    if (taken > 0 && taken % size === 0) yield;
    take(item);
    taken += 1;
  }
}

export function runSteps<Result>(
  steps: Steps<Result>,
  run: (statement: Statement) => readonly StepRow[],
  atPause = () => {},
): Result {
  let step = steps.next();
  while (step.done !== true) {
    if (step.value === undefined) atPause();
    step = steps.next(step.value === undefined ? [] : run(step.value));
  }
  return step.value;
}

/** Searches take turns, and other tasks do not wait for them. */
const searches = new Tasks(true);

/** `deadline` is a time of `performance.now()`. */
export async function awaitSteps<Result>(
  steps: Steps<Result>,
  run: (statement: Statement) => Promise<readonly StepRow[]>,
  deadline = Number.POSITIVE_INFINITY,
): Promise<Result> {
  let step = await searches.schedule(untilStatement(steps, [], deadline));
  while (step.done !== true) step = await searches.schedule(untilStatement(steps, await run(step.value!), deadline));
  return step.value;
}

function* untilStatement<Result>(
  steps: Steps<Result>,
  rows: readonly StepRow[],
  deadline: number,
): Task<IteratorResult<Statement | undefined, Result>> {
  let step = steps.next(rows);
  while (step.done !== true && step.value === undefined) {
    yield;
    if (performance.now() > deadline) {
      throw new ApiError('57014', 'canceling statement due to statement timeout', { hint: RARER_WORDS });
    }
    step = steps.next([]);
  }
  return step;
}
